"""The forms in which the owner says where people are told and asked."""

from collections.abc import Mapping
from typing import Any

from homeassistant.components.notify import DOMAIN as NOTIFY_DOMAIN
from homeassistant.core import HomeAssistant
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

from .channels.telegram import TOPICS
from .checks import Trouble

TELEGRAM = "telegram"
"""Field of a row: a Telegram user's number; `user` is Home Assistant's."""
USER = "user"


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
    topics = SelectSelector(
        SelectSelectorConfig(
            options=list(TOPICS), multiple=True, translation_key="topics"
        )
    )
    return vol.Schema(
        {
            vol.Optional("chats", default=list): chats,
            vol.Optional("users", default=list): rows,
            vol.Optional("topics", default=list): topics,
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
