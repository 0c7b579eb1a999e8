"""Leases: asked for, used, and ended by whoever automates with them."""

from typing import Any, Final

from homeassistant.core import ServiceCall, SupportsResponse
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import config_validation as cv
import voluptuous as vol

from ..const import DOMAIN
from ..coordinator import HearthnetCoordinator
from ..core.leases import DEFAULT_TTL, MAX_TTL
from ..core.reasons import Outcome
from ..principal import Caller, require_control
from ..targets import ATTR_ACTION, ATTR_DATA, async_wanted
from .common import (
    ATTR_LANGUAGE,
    ATTR_LEASE,
    ATTR_REASON,
    REASON,
    Action,
    event_id,
    language_of,
    response_of,
)

ATTR_TTL: Final = "ttl"

SCHEMA_REQUEST_LEASE = cv.make_entity_service_schema(
    {
        vol.Required(ATTR_ACTION): cv.string,
        vol.Optional(ATTR_DATA, default=dict): dict,
        vol.Required(ATTR_REASON): REASON,
        vol.Optional(ATTR_TTL, default=DEFAULT_TTL): vol.All(
            vol.Coerce(float), vol.Range(min=1, max=MAX_TTL)
        ),
    }
)
SCHEMA_LEASE = vol.Schema({vol.Required(ATTR_LEASE): cv.string})
SCHEMA_EXECUTE = SCHEMA_LEASE.extend({vol.Optional(ATTR_LANGUAGE): cv.string})


async def _async_request_lease(
    coordinator: HearthnetCoordinator, caller: Caller, call: ServiceCall
) -> dict[str, Any]:
    """Ask for a lease; it stays inside, the caller gets its id."""
    wanted = async_wanted(coordinator, call.data)
    if len(wanted.targets) != 1:
        raise ServiceValidationError(
            translation_domain=DOMAIN,
            translation_key="one_target",
            translation_placeholders={"count": str(len(wanted.targets))},
        )
    step = await coordinator.hub.wishes.request_lease(
        principal=caller.principal,
        origin=caller.origin,
        target=wanted.targets[0],
        operation=wanted.operation,
        parameters=wanted.parameters,
        ttl=call.data[ATTR_TTL],
        reason=call.data[ATTR_REASON],
        language=language_of(call),
    )
    return {"granted": step.outcome is Outcome.GRANTED, **step.as_dict()}


async def _async_execute(
    coordinator: HearthnetCoordinator, caller: Caller, call: ServiceCall
) -> dict[str, Any]:
    """Take a lease to the gate."""
    lease = event_id(call, ATTR_LEASE)
    try:
        result = await coordinator.hub.wishes.execute(
            lease,
            principal=caller.principal,
            origin=caller.origin,
            language=language_of(call),
        )
    except LookupError as error:
        raise ServiceValidationError(
            translation_domain=DOMAIN,
            translation_key="unknown_lease",
            translation_placeholders={"lease": lease},
        ) from error
    except PermissionError as error:
        raise ServiceValidationError(
            translation_domain=DOMAIN,
            translation_key="foreign_lease",
            translation_placeholders={"lease": lease, "principal": str(error)},
        ) from error
    return response_of(coordinator, result, language_of(call))


async def _async_revoke_lease(
    coordinator: HearthnetCoordinator, caller: Caller, call: ServiceCall
) -> dict[str, Any]:
    """End a lease that has not been used."""
    require_control(caller, call.context)
    lease = event_id(call, ATTR_LEASE)
    control = coordinator.hub.control
    return {"revoked": await control.revoke_lease(lease, caller.principal)}


ACTIONS: Final = (
    Action(
        name="request_lease",
        handler=_async_request_lease,
        schema=SCHEMA_REQUEST_LEASE,
        response=SupportsResponse.ONLY,
    ),
    Action(name="execute", handler=_async_execute, schema=SCHEMA_EXECUTE),
    Action(name="revoke_lease", handler=_async_revoke_lease, schema=SCHEMA_LEASE),
)
