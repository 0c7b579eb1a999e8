"""The record: why something happened, and what happened when."""

from typing import Any, Final

from homeassistant.const import ATTR_ENTITY_ID
from homeassistant.core import ServiceCall, SupportsResponse
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import config_validation as cv
import voluptuous as vol

from ..const import DOMAIN
from ..coordinator import HearthnetCoordinator
from ..core.messages import MessageType
from ..principal import Caller
from ..record_view import async_readable, reads_all
from ..targets import async_device_id
from .common import (
    ATTR_EVENT,
    ATTR_INTENT,
    ATTR_LEASE,
    ATTR_TEXT,
    Action,
    event_id,
)

ATTR_BEFORE: Final = "before"
ATTR_LIMIT: Final = "limit"
ATTR_TYPE: Final = "type"

SUBJECTS: Final = (ATTR_ENTITY_ID, ATTR_INTENT, ATTR_LEASE, ATTR_EVENT)

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
        subject = {"device": async_device_id(coordinator, entity_id)}
    else:
        subject = {given[0]: event_id(call, given[0])}
    try:
        told = await coordinator.hub.chronicle.explain(**subject)
        if not (events := await async_readable(coordinator, caller, told["events"])):
            raise LookupError("nothing that the caller may read")
    except LookupError as error:
        raise ServiceValidationError(
            translation_domain=DOMAIN,
            translation_key="not_on_record",
            translation_placeholders={
                "field": given[0],
                "value": call.data[given[0]],
            },
        ) from error
    shown = {event["intent"] for event in events}
    intent = told["intent"] if told["intent"] in shown else None
    return {**told, "intent": intent, "events": events}


async def _async_timeline(
    coordinator: HearthnetCoordinator, caller: Caller, call: ServiceCall
) -> dict[str, Any]:
    """Return what happened, the newest first."""
    device = None
    if (entity_id := call.data.get(ATTR_ENTITY_ID)) is not None:
        device = async_device_id(coordinator, entity_id)
    intent = event_id(call, ATTR_INTENT) if ATTR_INTENT in call.data else None
    text: str | None = call.data.get(ATTR_TEXT)
    whole = reads_all(caller)
    told = await coordinator.hub.chronicle.timeline(
        limit=call.data[ATTR_LIMIT],
        before=event_id(call, ATTR_BEFORE) if ATTR_BEFORE in call.data else None,
        device=device,
        type=call.data.get(ATTR_TYPE),
        # What must not be read must not be found by its words either.
        intent=intent if whole else None,
        text=text if whole else None,
    )
    events = await async_readable(coordinator, caller, told["events"])
    if not whole:
        events = [
            event
            for event in events
            if intent in (None, event["intent"], event["id"])
            and (text or "").casefold() in event["content"].casefold()
        ]
    return {**told, "events": events}


ACTIONS: Final = (
    Action(
        name="explain",
        handler=_async_explain,
        schema=SCHEMA_EXPLAIN,
        response=SupportsResponse.ONLY,
    ),
    Action(
        name="timeline",
        handler=_async_timeline,
        schema=SCHEMA_TIMELINE,
        response=SupportsResponse.ONLY,
    ),
)
