"""Who asks: from the transport, never from a text.

Home Assistant's context names a signed-in user. Where it names none, an
automation's trigger event or the satellite that listened tell who it was;
nobody else is believed.
"""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

from homeassistant.auth.const import GROUP_ID_READ_ONLY
from homeassistant.auth.permissions.const import POLICY_CONTROL
from homeassistant.components.conversation import ConversationInput
from homeassistant.core import Context, callback
from homeassistant.exceptions import HomeAssistantError, Unauthorized, UnknownUser
from homeassistant.helpers import (
    area_registry as ar,
    device_registry as dr,
    entity_registry as er,
)
from homeassistant.helpers.llm import LLMContext

from .const import (
    CONF_SATELLITE_ROLES,
    CONF_VOICE_ROLE,
    DEFAULT_VOICE_ROLE,
    DOMAIN,
)
from .coordinator import HearthnetCoordinator
from .core.devices import Principal
from .core.intents import Origin
from .core.journal import JournalError
from .jeeves import REQUESTER

NOBODY = Principal(kind="agent", id="unknown", name="an unknown caller", role="agent")
"""A call without user or automation: another integration's code, say."""
ASSIST_SATELLITE = "assist_satellite"


@contextmanager
def requested_by(context: Context | None) -> Iterator[None]:
    """Trace what the hub does inside to whoever asked for it.

    Raises:
        HomeAssistantError: the record cannot be kept, so nothing was done.
    """
    token = REQUESTER.set(context)
    try:
        yield
    except JournalError as error:
        raise HomeAssistantError(
            translation_domain=DOMAIN,
            translation_key="journal_unusable",
            translation_placeholders={"error": str(error)},
        ) from error
    finally:
        REQUESTER.reset(token)


@dataclass(frozen=True, kw_only=True)
class Caller:
    """Who asks, and by which way."""

    principal: Principal
    origin: Origin
    area: str | None = None
    """Name of the area the request came from."""


async def async_caller(
    coordinator: HearthnetCoordinator, context: Context | None
) -> Caller:
    """Return who is behind a context.

    Raises:
        UnknownUser: the context names a user that is gone or deactivated.
    """
    if context is None:
        return Caller(principal=NOBODY, origin=Origin.AGENT)
    if context.user_id is not None:
        principal = await _async_user(coordinator, context, context.user_id)
        system = principal.role == "automation"
        return Caller(
            principal=principal,
            origin=Origin.AUTOMATION if system else Origin.APP,
        )
    # What tells of an automation's start is queued behind what has set it off.
    await asyncio.sleep(0)
    if (automation := coordinator.origins.automation(context)) is not None:
        # A trigger that is a moment, not a change, has no context to descend from.
        scheduled = context.parent_id is None
        return Caller(
            principal=Principal(
                kind="automation",
                id=automation.entity_id,
                name=automation.name,
                role="automation",
            ),
            origin=Origin.SCHEDULE if scheduled else Origin.AUTOMATION,
        )
    return Caller(principal=NOBODY, origin=Origin.AGENT)


async def async_speaker(
    coordinator: HearthnetCoordinator, spoken: ConversationInput
) -> Caller:
    """Return who talks to the conversation agent, and from where."""
    area = _area(coordinator, spoken)
    satellite = spoken.satellite_id or spoken.device_id
    if satellite is None or spoken.context.user_id is not None:
        caller = await async_caller(coordinator, spoken.context)
        return replace(caller, area=area)
    principal = _satellite(coordinator, spoken.satellite_id, spoken.device_id or "")
    return Caller(principal=principal, origin=Origin.VOICE, area=area)


async def async_behind_agent(
    coordinator: HearthnetCoordinator, asked: LLMContext
) -> Caller:
    """Return for whom another agent, or a program behind MCP, uses the tools.

    The requester is known as Home Assistant knows it, but a model chose the action:
    that is weaker evidence than the requester's own hand, and never a confirmation.

    Raises:
        UnknownUser: the context names a user that is gone or deactivated.
    """
    if asked.device_id and (asked.context is None or asked.context.user_id is None):
        return Caller(
            principal=_satellite(coordinator, None, asked.device_id),
            origin=Origin.VOICE,
        )
    caller = await async_caller(coordinator, asked.context)
    if caller.origin is Origin.APP:
        return replace(caller, origin=Origin.CHAT)
    return caller


def require_control(caller: Caller, context: Context) -> None:
    """Refuse whoever may not decide for others.

    Raises:
        Unauthorized: the caller is a guest, a child or nobody known.
    """
    if not caller.principal.decides:
        raise Unauthorized(context=context, permission=POLICY_CONTROL)


async def _async_user(
    coordinator: HearthnetCoordinator, context: Context, user_id: str
) -> Principal:
    people = coordinator.house.people
    principal = people.principal(user_id)
    user = await coordinator.hass.auth.async_get_user(user_id)
    if principal is None or user is None:
        raise UnknownUser(context=context, user_id=user_id)
    if people.is_system(user_id):
        # A program with a token of its own, such as an app of the Supervisor.
        return replace(principal, role="automation")
    groups = {group.id for group in user.groups}
    if (
        not user.is_owner
        and groups == {GROUP_ID_READ_ONLY}
        and principal.role != "child"
    ):
        return replace(principal, role="guest")
    return principal


@callback
def _area(coordinator: HearthnetCoordinator, spoken: ConversationInput) -> str | None:
    """Return the area of the satellite, else of its device."""
    hass = coordinator.hass
    area_id = None
    if spoken.satellite_id:
        entry = er.async_get(hass).async_get(spoken.satellite_id)
        area_id = er.async_get_effective_area_id(hass, entry) if entry else None
    if area_id is None and spoken.device_id:
        device = dr.async_get(hass).async_get(spoken.device_id)
        area_id = device.area_id if device else None
    area = ar.async_get(hass).async_get_area(area_id) if area_id else None
    return area.name if area else None


@callback
def _satellite(
    coordinator: HearthnetCoordinator, satellite_id: str | None, device_id: str
) -> Principal:
    """Return whoever talks to a satellite: a role, since nobody proves more.

    Some satellites tell only their device; the entity on it is the same thing.
    """
    hass = coordinator.hass
    device = dr.async_get(hass).async_get(device_id)
    if satellite_id is None and device is not None:
        entries = er.async_entries_for_device(er.async_get(hass), device.id)
        own = (e.entity_id for e in entries if e.domain == ASSIST_SATELLITE)
        satellite_id = next(own, None)
    options = coordinator.config_entry.options
    roles: Mapping[str, str] = options.get(CONF_SATELLITE_ROLES, {})
    role = roles.get(satellite_id or "")
    name = device and (device.name_by_user or device.name)
    if satellite_id and (state := hass.states.get(satellite_id)):
        name = state.name
    named = satellite_id or device_id
    return Principal(
        kind="satellite",
        id=named,
        name=name or named,
        role=role or options.get(CONF_VOICE_ROLE, DEFAULT_VOICE_ROLE),
    )
