"""The form in which the owner says who is what: one list for each role."""

from collections.abc import Mapping
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.helpers.selector import (
    EntitySelector,
    EntitySelectorConfig,
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
)
import voluptuous as vol

from ..checks import Trouble
from ..const import CONF_ROLES, CONF_SATELLITE_ROLES, USER_ROLES, VOICE_ROLES
from ..principal import ASSIST_SATELLITE

USERS = {f"{role}_users": role for role in USER_ROLES}
SATELLITES = {f"{role}_satellites": role for role in VOICE_ROLES}
"""Fields of the form, each with the role that it gives."""


async def async_roles_schema(hass: HomeAssistant) -> vol.Schema:
    """Return the form for the users there are now."""
    people = [
        SelectOptionDict(value=user.id, label=user.name or user.id)
        for user in await hass.auth.async_get_users()
        if user.is_active and not user.system_generated
    ]
    users = SelectSelector(
        SelectSelectorConfig(
            options=people, multiple=True, mode=SelectSelectorMode.DROPDOWN
        )
    )
    satellites = EntitySelector(
        EntitySelectorConfig(domain=ASSIST_SATELLITE, multiple=True)
    )
    return vol.Schema(
        {vol.Optional(field, default=list): users for field in USERS}
        | {vol.Optional(field, default=list): satellites for field in SATELLITES}
    )


def suggested_roles(options: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the roles in force, as the form shows them."""
    shown: dict[str, list[str]] = {}
    for key, fields in ((CONF_ROLES, USERS), (CONF_SATELLITE_ROLES, SATELLITES)):
        given: Mapping[str, str] = options.get(key, {})
        for field, role in fields.items():
            shown[field] = [one for one, theirs in given.items() if theirs == role]
    return shown


def roles_of(
    given: Mapping[str, list[str]],
) -> tuple[dict[str, dict[str, str]], Trouble | None]:
    """Return the options that a filled form stands for, or what is wrong with it."""
    roles: dict[str, dict[str, str]] = {}
    for key, fields in ((CONF_ROLES, USERS), (CONF_SATELLITE_ROLES, SATELLITES)):
        found = roles[key] = {}
        for field, role in fields.items():
            for one in given.get(field, ()):
                if one in found:
                    return {}, Trouble(key="two_roles", where=field)
                found[one] = role
    return roles, None
