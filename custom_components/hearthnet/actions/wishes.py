"""Wishes: said, proposed, approved, and taken back."""

from collections.abc import Mapping
from datetime import datetime, time, timedelta
from typing import Any, Final

from homeassistant.core import ServiceCall
from homeassistant.exceptions import ServiceValidationError, Unauthorized
from homeassistant.helpers import config_validation as cv
from homeassistant.util import dt as dt_util
import voluptuous as vol

from ..const import DOMAIN
from ..coordinator import HearthnetCoordinator
from ..core.intents import Request
from ..core.planner.undo import words_for
from ..principal import Caller, require_control
from ..targets import ATTR_ACTION, ATTR_DATA, async_wanted
from .common import (
    ATTR_DRY_RUN,
    ATTR_INTENT,
    ATTR_LANGUAGE,
    ATTR_REASON,
    ATTR_TEXT,
    REASON,
    Action,
    event_id,
    language_of,
    response_of,
)

ATTR_APPROVAL: Final = "approval"
ATTR_APPROVE: Final = "approve"
ATTR_HOLD: Final = "hold"
ATTR_QUESTION: Final = "question"
ATTR_UNTIL: Final = "until"

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
        vol.Required(ATTR_REASON): REASON,
        vol.Optional(ATTR_DRY_RUN, default=False): cv.boolean,
        vol.Optional(ATTR_LANGUAGE): cv.string,
    }
)
SCHEMA_APPROVE = vol.Schema(
    {
        vol.Required(ATTR_QUESTION): cv.string,
        vol.Optional(ATTR_APPROVE, default=True): cv.boolean,
        vol.Optional(ATTR_UNTIL): cv.time,
        vol.Optional(ATTR_LANGUAGE): cv.string,
    }
)
SCHEMA_UNDO = vol.Schema(
    {
        vol.Optional(ATTR_INTENT): cv.string,
        vol.Optional(ATTR_DRY_RUN, default=False): cv.boolean,
        vol.Optional(ATTR_LANGUAGE): cv.string,
    }
)
SCHEMA_REVOKE_APPROVAL = vol.Schema({vol.Required(ATTR_APPROVAL): cv.string})
SCHEMA_RELEASE_HOLD = vol.Schema({vol.Required(ATTR_HOLD): cv.string})


async def _async_ask(
    coordinator: HearthnetCoordinator, caller: Caller, call: ServiceCall
) -> dict[str, Any]:
    """Take a sentence from start to receipts."""
    language = language_of(call)
    result = await coordinator.hub.wishes.ask(
        Request(
            text=call.data[ATTR_TEXT],
            principal=caller.principal,
            origin=caller.origin,
            language=language,
            dry_run=call.data[ATTR_DRY_RUN],
        )
    )
    return response_of(coordinator, result, language_of(call))


async def async_propose(
    coordinator: HearthnetCoordinator,
    caller: Caller,
    given: Mapping[str, Any],
    language: str,
    *,
    dry_run: bool = False,
) -> dict[str, Any]:
    """Do what target, action and data say if it is granted; return what came of it.

    Raises:
        ServiceValidationError: naming the field and what would be right.
    """
    wanted = async_wanted(coordinator, given)
    result = await coordinator.hub.wishes.propose(
        principal=caller.principal,
        origin=caller.origin,
        targets=wanted.targets,
        operation=wanted.operation,
        parameters=wanted.parameters,
        reason=given[ATTR_REASON],
        language=language,
        dry_run=dry_run,
    )
    return response_of(coordinator, result, language)


async def _async_propose(
    coordinator: HearthnetCoordinator, caller: Caller, call: ServiceCall
) -> dict[str, Any]:
    """Do something in the home if it is granted."""
    given = call.data
    return await async_propose(
        coordinator, caller, given, language_of(call), dry_run=given[ATTR_DRY_RUN]
    )


async def _async_approve(
    coordinator: HearthnetCoordinator, caller: Caller, call: ServiceCall
) -> dict[str, Any]:
    """Let a person approve or reject what HearthNet asked about."""
    question = event_id(call, ATTR_QUESTION)
    if not coordinator.origins.began_with(call.context, DOMAIN):
        raise Unauthorized(context=call.context)
    try:
        result = await coordinator.hub.wishes.answer(
            question,
            principal=caller.principal,
            origin=caller.origin,
            approve=call.data[ATTR_APPROVE],
            until=_next(call.data.get(ATTR_UNTIL)),
        )
    except LookupError as error:
        raise ServiceValidationError(
            translation_domain=DOMAIN,
            translation_key="question_over",
            translation_placeholders={"question": question},
        ) from error
    except PermissionError as error:
        raise Unauthorized(context=call.context) from error
    if result is None:
        return {"approved": False}
    return {"approved": True, **response_of(coordinator, result, language_of(call))}


async def _async_undo(
    coordinator: HearthnetCoordinator, caller: Caller, call: ServiceCall
) -> dict[str, Any]:
    """Put back what an intent changed, as the caller's own wish."""
    intent = event_id(call, ATTR_INTENT) if ATTR_INTENT in call.data else None
    language = language_of(call)
    result = await coordinator.hub.wishes.ask(
        Request(
            text=words_for(intent),
            principal=caller.principal,
            origin=caller.origin,
            language=language,
            dry_run=call.data[ATTR_DRY_RUN],
        )
    )
    return response_of(coordinator, result, language)


def _next(moment: time | None) -> datetime | None:
    """Return when it is that time of day next."""
    if moment is None:
        return None
    now = dt_util.now()
    today = datetime.combine(now.date(), moment, now.tzinfo)
    return today if today > now else today + timedelta(days=1)


async def _async_revoke_approval(
    coordinator: HearthnetCoordinator, caller: Caller, call: ServiceCall
) -> dict[str, Any]:
    """End a standing approval before its time."""
    require_control(caller, call.context)
    approval: str = call.data[ATTR_APPROVAL]
    control = coordinator.hub.control
    return {"revoked": await control.revoke_approval(approval, caller.principal)}


async def _async_release_hold(
    coordinator: HearthnetCoordinator, caller: Caller, call: ServiceCall
) -> dict[str, Any]:
    """End a hold before its time."""
    require_control(caller, call.context)
    hold: str = call.data[ATTR_HOLD]
    control = coordinator.hub.control
    return {"released": await control.release_hold(hold, caller.principal)}


ACTIONS: Final = (
    Action(name="ask", handler=_async_ask, schema=SCHEMA_ASK),
    Action(name="propose", handler=_async_propose, schema=SCHEMA_PROPOSE),
    Action(name="approve", handler=_async_approve, schema=SCHEMA_APPROVE),
    Action(name="undo", handler=_async_undo, schema=SCHEMA_UNDO),
    Action(
        name="revoke_approval",
        handler=_async_revoke_approval,
        schema=SCHEMA_REVOKE_APPROVAL,
    ),
    Action(
        name="release_hold", handler=_async_release_hold, schema=SCHEMA_RELEASE_HOLD
    ),
)
