"""Who may control what, by Home Assistant's own rights, and principals of users."""

from collections.abc import Mapping

from homeassistant.auth import EVENT_USER_ADDED, EVENT_USER_REMOVED, EVENT_USER_UPDATED
from homeassistant.auth.const import GROUP_ID_USER
from homeassistant.auth.models import User
from homeassistant.auth.permissions.const import POLICY_CONTROL, POLICY_READ
from homeassistant.core import CALLBACK_TYPE, Event, HomeAssistant, callback

from .core.devices import Principal

ROLES = frozenset(
    {"owner", "resident", "guest", "child", "unknown", "automation", "agent"}
)
"""Roles that may control what is exposed, as far as Home Assistant goes: it knows
no narrower right for who is no user of it. HearthNet's policy narrows them."""


class People:
    """Home Assistant's users, at hand without waiting."""

    def __init__(self, hass: HomeAssistant, roles: Mapping[str, str]) -> None:
        """Take the roles that the owner gave to users: user id to role."""
        self._hass = hass
        self._roles = roles
        self._users: dict[str, User] = {}

    async def async_start(self) -> CALLBACK_TYPE:
        """Load the users and follow their changes; return what ends that."""
        await self._async_load()
        listen = self._hass.bus.async_listen
        ends = [
            listen(event, self._async_changed)
            for event in (EVENT_USER_ADDED, EVENT_USER_UPDATED)
        ]
        ends.append(listen(EVENT_USER_REMOVED, self._removed))

        @callback
        def stop() -> None:
            for end in ends:
                end()

        return stop

    @callback
    def principal(self, user_id: str) -> Principal | None:
        """Return a user as a principal; None when there is no such active user."""
        user = self._users.get(user_id)
        if user is None or not user.is_active:
            return None
        return Principal(
            kind="user",
            id=user.id,
            name=user.name or "User",
            role=self._roles.get(user.id) or ("owner" if user.is_owner else "resident"),
        )

    @callback
    def is_system(self, user_id: str) -> bool:
        """Tell whether a user stands for a part of Home Assistant, not a person."""
        user = self._users.get(user_id)
        return user is not None and user.system_generated

    @callback
    def may_control(self, principal: Principal, entity_id: str) -> bool:
        """Tell whether Home Assistant lets the principal control an entity."""
        if principal.kind == "system":
            return True
        if principal.kind != "user":
            return principal.role in ROLES
        user = self._users.get(principal.id)
        return (
            user is not None
            and user.is_active
            and user.permissions.check_entity(entity_id, POLICY_CONTROL)
        )

    @callback
    def may_read(self, principal: Principal, entity_id: str) -> bool:
        """Tell whether Home Assistant lets the principal see an entity."""
        if principal.kind != "user":
            return True
        user = self._users.get(principal.id)
        return (
            user is not None
            and user.is_active
            and user.permissions.check_entity(entity_id, POLICY_READ)
        )

    async def _async_load(self) -> None:
        self._users = {
            user.id: user for user in await self._hass.auth.async_get_users()
        }

    async def _async_changed(self, event: Event) -> None:
        user_id: str = event.data["user_id"]
        if (user := await self._hass.auth.async_get_user(user_id)) is not None:
            self._users[user_id] = user

    @callback
    def _removed(self, event: Event) -> None:
        self._users.pop(event.data["user_id"], None)


async def async_own_user(hass: HomeAssistant, stored_id: str | None) -> User:
    """Return the system user under which HearthNet acts, made if need be.

    The group is what lets it act: a user without one is refused by every entity
    action.
    """
    if stored_id and (user := await hass.auth.async_get_user(stored_id)) is not None:
        return user
    return await hass.auth.async_create_system_user(
        "HearthNet", group_ids=[GROUP_ID_USER], local_only=True
    )
