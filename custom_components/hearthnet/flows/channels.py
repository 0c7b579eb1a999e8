"""The forms in which the owner says where people are told and asked."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from homeassistant.components.notify import DOMAIN as NOTIFY_DOMAIN
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.selector import (
    EntitySelector,
    EntitySelectorConfig,
    ObjectSelector,
    ObjectSelectorConfig,
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
    TextSelector,
)
import voluptuous as vol

from ..channels.notify import PHONE_TOPICS, phone_of
from ..channels.telegram import CHAT_TOPICS
from ..checks import Trouble
from ..const import CONF_NOTIFY

TELEGRAM = "telegram"
"""Field of a row: a Telegram user's number; `user` is Home Assistant's."""
USER = "user"
ENTITY = "entity"
TOPICS = "topics"


async def async_telegram_schema(hass: HomeAssistant) -> vol.Schema:
    """Return the form for chats, the people who write there, and what is told."""
    rows = ObjectSelector(
        ObjectSelectorConfig(
            fields={
                TELEGRAM: {"selector": TextSelector(), "required": True},
                USER: {"selector": await async_user_selector(hass), "required": True},
            },
            multiple=True,
            label_field=TELEGRAM,
            description_field=USER,
            translation_key="telegram_users",
        )
    )
    chats = EntitySelector(
        EntitySelectorConfig(
            filter={"integration": "telegram_bot", "domain": NOTIFY_DOMAIN},
            multiple=True,
        )
    )
    return vol.Schema(
        {
            vol.Optional("chats", default=list): chats,
            vol.Optional("users", default=list): rows,
            vol.Optional(TOPICS, default=list): _topics(CHAT_TOPICS),
        }
    )


def telegram_of(
    given: Mapping[str, Any],
) -> tuple[dict[str, Any], Trouble | None]:
    """Return the options that a filled form stands for, or what is wrong with it."""
    users = [{**row, TELEGRAM: row[TELEGRAM].strip()} for row in given["users"]]
    numbers = [row[TELEGRAM] for row in users]
    if not all(number.isdecimal() for number in numbers):
        return {}, Trouble(key="not_a_number", where="users")
    if len(set(numbers)) < len(numbers):
        return {}, Trouble(key="named_twice", where="users")
    return {**given, "users": users}, None


async def async_notify_schema(hass: HomeAssistant) -> vol.Schema:
    """Return the form for the places where persons are told and asked."""
    rows = ObjectSelector(
        ObjectSelectorConfig(
            fields={
                USER: {"selector": await async_user_selector(hass), "required": True},
                ENTITY: {
                    "selector": EntitySelector(
                        EntitySelectorConfig(domain=NOTIFY_DOMAIN)
                    ),
                    "required": True,
                },
                TOPICS: {"selector": _topics(PHONE_TOPICS)},
            },
            multiple=True,
            label_field=ENTITY,
            description_field=USER,
            translation_key="notify",
        )
    )
    return vol.Schema({vol.Optional(CONF_NOTIFY, default=list): rows})


@callback
def notify_trouble(
    hass: HomeAssistant, rows: Sequence[Mapping[str, Any]]
) -> Trouble | None:
    """Return what is wrong with a filled form: a phone answers as its own user."""
    if len({row[ENTITY] for row in rows}) < len(rows):
        return Trouble(key="named_twice", where=CONF_NOTIFY)
    for row in rows:
        phone = phone_of(hass, row[ENTITY])
        if phone is not None and phone["user_id"] != row[USER]:
            return Trouble(
                key="not_their_phone",
                where=CONF_NOTIFY,
                placeholders={"phone": phone["device_name"]},
            )
    return None


def _topics(topics: Iterable[str]) -> SelectSelector:
    return SelectSelector(
        SelectSelectorConfig(
            options=list(topics), multiple=True, translation_key=TOPICS
        )
    )


async def async_user_selector(hass: HomeAssistant) -> SelectSelector:
    """Return a choice of the people who can sign in."""
    people = [
        SelectOptionDict(value=user.id, label=user.name or user.id)
        for user in await hass.auth.async_get_users()
        if user.is_active and not user.system_generated
    ]
    return SelectSelector(
        SelectSelectorConfig(options=people, mode=SelectSelectorMode.DROPDOWN)
    )
