"""The actions. A denial is an answer; only a caller's mistake is an exception."""

from functools import partial
from typing import Final, cast

from homeassistant.core import HomeAssistant, ServiceCall, ServiceResponse, callback
from homeassistant.helpers import service

from .actions import leases, past, plans, record, texts, wishes
from .actions.common import Action
from .const import DOMAIN
from .coordinator import HearthnetConfigEntry
from .principal import async_caller, requested_by

ACTIONS: Final = (
    *wishes.ACTIONS,
    *plans.ACTIONS,
    *past.ACTIONS,
    *leases.ACTIONS,
    *record.ACTIONS,
    *texts.ACTIONS,
)


@callback
def async_setup_services(hass: HomeAssistant) -> None:
    """Register the actions; they outlive the entry."""
    for action in ACTIONS:
        hass.services.async_register(
            DOMAIN,
            action.name,
            partial(_async_handle, action),
            action.schema,
            action.response,
        )


async def _async_handle(action: Action, call: ServiceCall) -> ServiceResponse:
    """Find the hub and the caller, the same way for every action."""
    entry: HearthnetConfigEntry = service.async_get_config_entry(
        call.hass, DOMAIN, None
    )
    coordinator = entry.runtime_data
    caller = await async_caller(coordinator, call.context)
    with requested_by(call.context):
        response = await action.handler(coordinator, caller, call)
    return cast(ServiceResponse, response)
