"""What the actions share."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, cast

from homeassistant.core import ServiceCall, SupportsResponse
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.typing import VolSchemaType
import voluptuous as vol

from ..const import DOMAIN
from ..coordinator import HearthnetCoordinator
from ..core.intents import Result
from ..core.messages import EventId
from ..principal import Caller
from ..speech import speech

ATTR_DRY_RUN: Final = "dry_run"
ATTR_EVENT: Final = "event"
ATTR_INTENT: Final = "intent"
ATTR_LANGUAGE: Final = "language"
ATTR_LEASE: Final = "lease"
ATTR_REASON: Final = "reason"
ATTR_TEXT: Final = "text"

REASON: Final = vol.All(cv.string, vol.Length(min=1, max=500))

type Handler = Callable[
    [HearthnetCoordinator, Caller, ServiceCall], Awaitable[dict[str, Any]]
]


@dataclass(frozen=True, kw_only=True)
class Action:
    """One action and how it is called."""

    name: str
    handler: Handler
    schema: VolSchemaType
    response: SupportsResponse = SupportsResponse.OPTIONAL


def response_of(
    coordinator: HearthnetCoordinator, result: Result, language: str
) -> dict[str, Any]:
    """Return a result as an action's response."""
    outcomes = {step.outcome.value for step in result.steps}
    return {
        "intent": result.intent,
        "kind": result.kind.value,
        "complete": result.complete,
        # One outcome if all steps share it, so that automations can test it.
        "outcome": outcomes.pop() if len(outcomes) == 1 else None,
        "reason": result.reason.value if result.reason else None,
        "speech": speech(coordinator, result, language),
        "near": list(result.near),
        "due": result.due.isoformat() if result.due else None,
        "until": result.until.isoformat() if result.until else None,
        "canceled": [one.id for one in result.canceled],
        "steps": [step.as_dict() for step in result.steps],
        "answers": [
            {
                "entity_id": answer.entity_id,
                "name": answer.name,
                "available": answer.available,
                "values": dict(answer.values),
                "since": answer.since.isoformat() if answer.since else None,
                "seen": seen_of(answer.seen),
            }
            for answer in result.answers
        ],
    }


def seen_of(seen: Mapping[str, datetime] | None) -> dict[str, str] | None:
    """Return when values were read, None where that was just now."""
    if seen is None:
        return None
    return {name: moment.isoformat() for name, moment in seen.items()}


def language_of(call: ServiceCall) -> str:
    """Return the language that the caller wants to read."""
    return cast(str, call.data.get(ATTR_LANGUAGE) or call.hass.config.language)


def event_id(call: ServiceCall, field: str) -> str:
    """Return the id of an event that a field names.

    Raises:
        ServiceValidationError: it has not the form of one.
    """
    try:
        return str(EventId.parse(call.data[field]))
    except ValueError as error:
        raise ServiceValidationError(
            translation_domain=DOMAIN,
            translation_key="not_an_id",
            translation_placeholders={"field": field, "value": call.data[field]},
        ) from error
