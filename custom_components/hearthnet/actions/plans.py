"""Plans for later: listed, and canceled."""

from typing import Any, Final

from homeassistant.core import ServiceCall, SupportsResponse
from homeassistant.exceptions import Unauthorized
from homeassistant.helpers import config_validation as cv
import voluptuous as vol

from ..coordinator import HearthnetCoordinator
from ..principal import Caller
from .common import ATTR_INTENT, Action, event_id

SCHEMA_LIST_DEFERRED = vol.Schema({})
SCHEMA_CANCEL = vol.Schema({vol.Required(ATTR_INTENT): cv.string})


async def _async_list_deferred(
    coordinator: HearthnetCoordinator, caller: Caller, call: ServiceCall
) -> dict[str, Any]:
    """Tell what waits for its time, as far as the caller may know of it."""
    house, principal = coordinator.house, caller.principal
    plans = []
    for plan in coordinator.hub.state.deferred():
        entity_ids = [e for d in plan.devices if (e := house.entity_id(d)) is not None]
        if plan.concerns(principal) and all(
            house.people.may_read(principal, entity_id) for entity_id in entity_ids
        ):
            plans.append(
                {
                    "intent": plan.id,
                    "text": plan.request.text,
                    "due": plan.due.isoformat(),
                    "principal": plan.request.principal.name,
                    "entities": entity_ids,
                    "reverts": plan.reverts,
                }
            )
    return {"plans": plans}


async def _async_cancel(
    coordinator: HearthnetCoordinator, caller: Caller, call: ServiceCall
) -> dict[str, Any]:
    """Take a plan for later off the record."""
    intent = event_id(call, ATTR_INTENT)
    try:
        plan = await coordinator.hub.control.cancel(intent, caller.principal)
    except PermissionError as error:
        raise Unauthorized(context=call.context) from error
    return {"canceled": plan is not None}


ACTIONS: Final = (
    Action(
        name="list_deferred",
        handler=_async_list_deferred,
        schema=SCHEMA_LIST_DEFERRED,
        response=SupportsResponse.ONLY,
    ),
    Action(name="cancel", handler=_async_cancel, schema=SCHEMA_CANCEL),
)
