"""What a person is told once, in the language of Home Assistant."""

from typing import cast

from homeassistant.components import persistent_notification
from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.translation import async_get_translations
from homeassistant.util import dt as dt_util

from .const import DOMAIN
from .core import wording
from .core.intents import Waiting
from .core.messages import Json
from .core.news import HoldBroken
from .core.restart import Restart
from .core.status import Cause
from .core.texts import texts_for
from .runtime import Folder

WRAP = (
    "https://github.com/hearthnet/hearthnet/blob/main/docs/automations.md"
    "#propose-instead-of-acting"
)


async def async_tell_dropped(hass: HomeAssistant, restart: Restart) -> None:
    """Name the requests that a restart dropped; nothing of them was run again."""
    if restart.dropped:
        requests = "\n".join(f"- {dropped.text}" for dropped in restart.dropped)
        count = str(len(restart.dropped))
        await _async_notify(hass, "dropped", count=count, requests=requests)


async def async_tell_kept(hass: HomeAssistant, folder: Folder) -> None:
    """Say where the record is that outlives the integration."""
    exists = await hass.async_add_executor_job(folder.repository.exists)
    if exists:
        await _async_notify(
            hass, "kept", path=str(folder.repository), folder=str(folder.root)
        )


async def async_tell_broken(hass: HomeAssistant, broken: HoldBroken) -> None:
    """Say who changed a device that somebody wants kept, and how to be asked first.

    A device has one such notice: the next one takes the place of the last.
    """
    texts, (hold, *_) = texts_for(hass.config.language), broken.holds
    names = await _async_texts(hass)
    by, hint = broken.principal.name if broken.principal else names["broken_by"], ""
    if broken.principal is not None and broken.cause is Cause.AUTOMATION:
        automation = er.async_get(hass).async_get(broken.principal.id)
        known = automation is not None and automation.unique_id
        edit = f"edit/{known}" if known else "dashboard"
        hint = names["broken_hint"].format(
            by=by, edit=f"/config/automation/{edit}", wrap=WRAP
        )
    wanted = (
        wording.attribute(texts, held.attribute, cast(Json, held.value))
        for held in broken.holds
    )
    ends = dt_util.as_local(hold.ends_at) if hold.ends_at else None
    text = names["broken_text"].format(
        by=by,
        name=broken.device.name,
        seen=wording.state(texts, broken.values),
        wanted=texts.comma.join(wanted),
        who=hold.principal,
        end=f"{ends:%H:%M}" if ends else "?",
    )
    persistent_notification.async_create(
        hass,
        f"{text}\n\n{hint}".strip(),
        title=names["broken_title"].format(name=broken.device.name),
        notification_id=f"{DOMAIN}_broken_{broken.device.id}",
    )


async def async_tell_not_done(
    hass: HomeAssistant, plan: Waiting, told: str | None
) -> None:
    """Say that a plan for later was not done; `told` is what came of it.

    None: its time went by unnoticed.
    """
    texts, names = texts_for(hass.config.language), await _async_texts(hass)
    due = dt_util.as_local(plan.due).strftime(texts.date)
    persistent_notification.async_create(
        hass,
        names["not_done_text"].format(
            what=plan.text, time=due, told=told or names["not_done_missed"]
        ),
        title=names["not_done_title"].format(time=due),
        notification_id=f"{DOMAIN}_not_done_{plan.id}",
    )


async def _async_notify(hass: HomeAssistant, key: str, **placeholders: str) -> None:
    texts = await _async_texts(hass)
    persistent_notification.async_create(
        hass,
        texts[f"{key}_text"].format(**placeholders),
        title=texts[f"{key}_title"].format(**placeholders),
        notification_id=f"{DOMAIN}_{key}",
    )


async def _async_texts(hass: HomeAssistant) -> dict[str, str]:
    """Return what is said, by key."""
    prefix = f"component.{DOMAIN}.common."
    texts = await async_get_translations(hass, hass.config.language, "common", {DOMAIN})
    return {key.removeprefix(prefix): text for key, text in texts.items()}
