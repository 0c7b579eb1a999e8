"""What a person is told once, in the language of Home Assistant."""

from homeassistant.components import persistent_notification
from homeassistant.core import HomeAssistant
from homeassistant.helpers.translation import async_get_translations

from .const import DOMAIN
from .core.restart import Restart
from .runtime import Folder


async def async_tell_dropped(hass: HomeAssistant, restart: Restart) -> None:
    """Name the requests that a restart dropped; nothing of them was run again."""
    if restart.dropped:
        requests = "\n".join(f"- {dropped.text}" for dropped in restart.dropped)
        await _async_notify(hass, "dropped", requests=requests)


async def async_tell_kept(hass: HomeAssistant, folder: Folder) -> None:
    """Say where the record is that outlives the integration."""
    exists = await hass.async_add_executor_job(folder.repository.exists)
    if exists:
        await _async_notify(
            hass, "kept", path=str(folder.repository), folder=str(folder.root)
        )


async def _async_notify(hass: HomeAssistant, key: str, **placeholders: str) -> None:
    texts = await async_get_translations(hass, hass.config.language, "common", {DOMAIN})
    prefix = f"component.{DOMAIN}.common.{key}"
    persistent_notification.async_create(
        hass,
        texts[f"{prefix}_text"].format(**placeholders),
        title=texts[f"{prefix}_title"],
        notification_id=f"{DOMAIN}_{key}",
    )
