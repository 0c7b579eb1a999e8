"""The actions. A denial is an answer; only a caller's mistake is an exception."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final, cast

from homeassistant.const import ATTR_ENTITY_ID
from homeassistant.core import (
    HomeAssistant,
    ServiceCall,
    ServiceResponse,
    SupportsResponse,
    callback,
)
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import config_validation as cv, service
from homeassistant.helpers.typing import VolSchemaType
import voluptuous as vol

from .const import DOMAIN
from .coordinator import HearthnetConfigEntry, HearthnetCoordinator
from .core.intents import Request, Result
from .core.leases import DEFAULT_TTL, MAX_TTL
from .core.messages import EventId, MessageType
from .core.reasons import Outcome
from .principal import Caller, async_caller, requested_by, require_control
from .speech import speech
from .targets import ATTR_ACTION, ATTR_DATA, async_device_id, async_wanted

ATTR_BEFORE: Final = "before"
ATTR_DRY_RUN: Final = "dry_run"
ATTR_EVENT: Final = "event"
ATTR_HOLD: Final = "hold"
ATTR_INTENT: Final = "intent"
ATTR_LANGUAGE: Final = "language"
ATTR_LEASE: Final = "lease"
ATTR_LIMIT: Final = "limit"
ATTR_REASON: Final = "reason"
ATTR_TEXT: Final = "text"
ATTR_TTL: Final = "ttl"
ATTR_TYPE: Final = "type"

SERVICE_ASK: Final = "ask"
SERVICE_EXECUTE: Final = "execute"
SERVICE_EXPLAIN: Final = "explain"
SERVICE_PROPOSE: Final = "propose"
SERVICE_RELEASE_HOLD: Final = "release_hold"
SERVICE_REQUEST_LEASE: Final = "request_lease"
SERVICE_REVOKE_LEASE: Final = "revoke_lease"
SERVICE_TIMELINE: Final = "timeline"

SUBJECTS: Final = (ATTR_ENTITY_ID, ATTR_INTENT, ATTR_LEASE, ATTR_EVENT)

SCHEMA_ASK = vol.Schema(
    {
        vol.Required(ATTR_TEXT): vol.All(cv.string, vol.Length(min=1, max=1000)),
        vol.Optional(ATTR_DRY_RUN, default=False): cv.boolean,
        vol.Optional(ATTR_LANGUAGE): cv.string,
    }
)
SCHEMA_PROPOSE = cv.make_entity_service_schema(
    {
        vol.Required(ATTR_ACTION): cv.string,
        vol.Optional(ATTR_DATA, default=dict): dict,
        vol.Required(ATTR_REASON): vol.All(cv.string, vol.Length(min=1, max=500)),
        vol.Optional(ATTR_DRY_RUN, default=False): cv.boolean,
        vol.Optional(ATTR_LANGUAGE): cv.string,
    }
)
SCHEMA_REQUEST_LEASE = cv.make_entity_service_schema(
    {
        vol.Required(ATTR_ACTION): cv.string,
        vol.Optional(ATTR_DATA, default=dict): dict,
        vol.Required(ATTR_REASON): vol.All(cv.string, vol.Length(min=1, max=500)),
        vol.Optional(ATTR_TTL, default=DEFAULT_TTL): vol.All(
            vol.Coerce(float), vol.Range(min=1, max=MAX_TTL)
        ),
    }
)
SCHEMA_LEASE = vol.Schema({vol.Required(ATTR_LEASE): cv.string})
SCHEMA_EXECUTE = SCHEMA_LEASE.extend({vol.Optional(ATTR_LANGUAGE): cv.string})
SCHEMA_RELEASE_HOLD = vol.Schema({vol.Required(ATTR_HOLD): cv.string})
SCHEMA_EXPLAIN = vol.Schema(
    {
        vol.Optional(ATTR_ENTITY_ID): cv.entity_id,
        vol.Optional(ATTR_INTENT): cv.string,
        vol.Optional(ATTR_LEASE): cv.string,
        vol.Optional(ATTR_EVENT): cv.string,
    }
)
SCHEMA_TIMELINE = vol.Schema(
    {
        vol.Optional(ATTR_LIMIT, default=50): vol.All(
            vol.Coerce(int), vol.Range(min=1, max=500)
        ),
        vol.Optional(ATTR_BEFORE): cv.string,
        vol.Optional(ATTR_ENTITY_ID): cv.entity_id,
        vol.Optional(ATTR_INTENT): cv.string,
        vol.Optional(ATTR_TYPE): vol.In([kind.value for kind in MessageType]),
        vol.Optional(ATTR_TEXT): cv.string,
    }
)

type Handler = Callable[
    [HearthnetCoordinator, Caller, ServiceCall], Awaitable[dict[str, Any]]
]


async def _async_ask(
    coordinator: HearthnetCoordinator, caller: Caller, call: ServiceCall
) -> dict[str, Any]:
    """Take a sentence from start to receipts."""
    language = _language(call)
    result = await coordinator.hub.ask(
        Request(
            text=call.data[ATTR_TEXT],
            principal=caller.principal,
            origin=caller.origin,
            language=language,
            dry_run=call.data[ATTR_DRY_RUN],
        )
    )
    return _response(coordinator, result, language)


async def _async_propose(
    coordinator: HearthnetCoordinator, caller: Caller, call: ServiceCall
) -> dict[str, Any]:
    """Do something in the home if it is granted."""
    wanted = async_wanted(call.hass, coordinator.house, call.data)
    result = await coordinator.hub.propose(
        principal=caller.principal,
        origin=caller.origin,
        targets=wanted.targets,
        operation=wanted.operation,
        parameters=wanted.parameters,
        reason=call.data[ATTR_REASON],
        dry_run=call.data[ATTR_DRY_RUN],
    )
    return _response(coordinator, result, _language(call))


async def _async_request_lease(
    coordinator: HearthnetCoordinator, caller: Caller, call: ServiceCall
) -> dict[str, Any]:
    """Ask for a lease; it stays inside, the caller gets its id."""
    wanted = async_wanted(call.hass, coordinator.house, call.data)
    if len(wanted.targets) != 1:
        raise ServiceValidationError(
            translation_domain=DOMAIN,
            translation_key="one_target",
            translation_placeholders={"count": str(len(wanted.targets))},
        )
    step = await coordinator.hub.request_lease(
        principal=caller.principal,
        origin=caller.origin,
        target=wanted.targets[0],
        operation=wanted.operation,
        parameters=wanted.parameters,
        ttl=call.data[ATTR_TTL],
        reason=call.data[ATTR_REASON],
    )
    return {"granted": step.outcome is Outcome.GRANTED, **step.as_dict()}


async def _async_execute(
    coordinator: HearthnetCoordinator, caller: Caller, call: ServiceCall
) -> dict[str, Any]:
    """Take a lease to the gate."""
    lease = _event_id(call, ATTR_LEASE)
    try:
        result = await coordinator.hub.execute(
            lease, principal=caller.principal, origin=caller.origin
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
    return _response(coordinator, result, _language(call))


async def _async_revoke_lease(
    coordinator: HearthnetCoordinator, caller: Caller, call: ServiceCall
) -> dict[str, Any]:
    """End a lease that has not been used."""
    require_control(caller, call.context)
    lease = _event_id(call, ATTR_LEASE)
    return {"revoked": await coordinator.hub.revoke_lease(lease, caller.principal)}


async def _async_release_hold(
    coordinator: HearthnetCoordinator, caller: Caller, call: ServiceCall
) -> dict[str, Any]:
    """End a hold before its time."""
    require_control(caller, call.context)
    hold: str = call.data[ATTR_HOLD]
    return {"released": await coordinator.hub.release_hold(hold, caller.principal)}


async def _async_explain(
    coordinator: HearthnetCoordinator, caller: Caller, call: ServiceCall
) -> dict[str, Any]:
    """Tell why something happened, or did not."""
    given = [name for name in SUBJECTS if name in call.data]
    if len(given) != 1:
        raise ServiceValidationError(
            translation_domain=DOMAIN,
            translation_key="explain_one",
            translation_placeholders={
                "fields": ", ".join(SUBJECTS),
                "given": ", ".join(given) or "-",
            },
        )
    if given == [ATTR_ENTITY_ID]:
        entity_id = call.data[ATTR_ENTITY_ID]
        subject = {"device": async_device_id(call.hass, coordinator.house, entity_id)}
    else:
        subject = {given[0]: _event_id(call, given[0])}
    try:
        return await coordinator.hub.explain(**subject)
    except LookupError as error:
        raise ServiceValidationError(
            translation_domain=DOMAIN,
            translation_key="not_on_record",
            translation_placeholders={
                "field": given[0],
                "value": call.data[given[0]],
            },
        ) from error


async def _async_timeline(
    coordinator: HearthnetCoordinator, caller: Caller, call: ServiceCall
) -> dict[str, Any]:
    """Return what happened, the newest first."""
    device = None
    if (entity_id := call.data.get(ATTR_ENTITY_ID)) is not None:
        device = async_device_id(call.hass, coordinator.house, entity_id)
    return await coordinator.hub.timeline(
        limit=call.data[ATTR_LIMIT],
        before=_event_id(call, ATTR_BEFORE) if ATTR_BEFORE in call.data else None,
        device=device,
        intent=_event_id(call, ATTR_INTENT) if ATTR_INTENT in call.data else None,
        type=call.data.get(ATTR_TYPE),
        text=call.data.get(ATTR_TEXT),
    )


SERVICES: Final[dict[str, tuple[Handler, VolSchemaType, SupportsResponse]]] = {
    SERVICE_ASK: (_async_ask, SCHEMA_ASK, SupportsResponse.OPTIONAL),
    SERVICE_EXECUTE: (_async_execute, SCHEMA_EXECUTE, SupportsResponse.OPTIONAL),
    SERVICE_EXPLAIN: (_async_explain, SCHEMA_EXPLAIN, SupportsResponse.ONLY),
    SERVICE_PROPOSE: (_async_propose, SCHEMA_PROPOSE, SupportsResponse.OPTIONAL),
    SERVICE_RELEASE_HOLD: (
        _async_release_hold,
        SCHEMA_RELEASE_HOLD,
        SupportsResponse.OPTIONAL,
    ),
    SERVICE_REQUEST_LEASE: (
        _async_request_lease,
        SCHEMA_REQUEST_LEASE,
        SupportsResponse.ONLY,
    ),
    SERVICE_REVOKE_LEASE: (
        _async_revoke_lease,
        SCHEMA_LEASE,
        SupportsResponse.OPTIONAL,
    ),
    SERVICE_TIMELINE: (_async_timeline, SCHEMA_TIMELINE, SupportsResponse.ONLY),
}


@callback
def async_setup_services(hass: HomeAssistant) -> None:
    """Register the actions; they outlive the entry."""
    for name, (handler, schema, response) in SERVICES.items():
        hass.services.async_register(
            DOMAIN, name, partial(_async_handle, handler), schema, response
        )


async def _async_handle(handler: Handler, call: ServiceCall) -> ServiceResponse:
    """Find the hub and the caller, the same way for every action."""
    entry: HearthnetConfigEntry = service.async_get_config_entry(
        call.hass, DOMAIN, None
    )
    coordinator = entry.runtime_data
    caller = await async_caller(coordinator, call.context)
    with requested_by(call.context):
        return cast(ServiceResponse, await handler(coordinator, caller, call))


def _response(
    coordinator: HearthnetCoordinator, result: Result, language: str
) -> dict[str, Any]:
    return {
        "intent": result.intent,
        "kind": result.kind.value,
        "complete": result.complete,
        "outcome": _outcome(result),
        "reason": result.reason.value if result.reason else None,
        "speech": speech(coordinator, result, language),
        "near": list(result.near),
        "steps": [step.as_dict() for step in result.steps],
        "answers": [
            {
                "entity_id": answer.entity_id,
                "name": answer.name,
                "available": answer.available,
                "values": dict(answer.values),
                "since": answer.since.isoformat() if answer.since else None,
            }
            for answer in result.answers
        ],
    }


def _outcome(result: Result) -> str | None:
    """Return the outcome if all steps share one, so that automations can test it."""
    outcomes = {step.outcome.value for step in result.steps}
    return outcomes.pop() if len(outcomes) == 1 else None


def _language(call: ServiceCall) -> str:
    return cast(str, call.data.get(ATTR_LANGUAGE) or call.hass.config.language)


def _event_id(call: ServiceCall, field: str) -> str:
    try:
        return str(EventId.parse(call.data[field]))
    except ValueError as error:
        raise ServiceValidationError(
            translation_domain=DOMAIN,
            translation_key="not_an_id",
            translation_placeholders={"field": field, "value": call.data[field]},
        ) from error
