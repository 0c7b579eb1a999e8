"""The past: how devices were, and back to it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from homeassistant.core import ServiceCall, SupportsResponse, callback
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.target import (
    TargetSelection,
    async_extract_referenced_entity_ids,
)
from homeassistant.util import dt as dt_util
import voluptuous as vol

from ..const import DOMAIN
from ..coordinator import HearthnetCoordinator
from ..core.intents import Request
from ..core.planner.restore import in_place
from ..principal import Caller
from ..targets import async_device_id
from .common import (
    ATTR_DRY_RUN,
    ATTR_LANGUAGE,
    Action,
    language_of,
    response_of,
)

ATTR_AT: Final = "at"
ATTR_COMMIT: Final = "commit"

_MOMENT: Final[dict[str | vol.Marker, Any]] = {
    vol.Optional(ATTR_AT): cv.datetime,
    vol.Optional(ATTR_COMMIT): vol.All(
        cv.string, vol.Lower, vol.Match(r"^[0-9a-f]{7,64}$")
    ),
}
SCHEMA_STATE_AT = cv.make_entity_service_schema(_MOMENT)
SCHEMA_RESTORE = cv.make_entity_service_schema(
    {
        **_MOMENT,
        vol.Optional(ATTR_DRY_RUN, default=False): cv.boolean,
        vol.Optional(ATTR_LANGUAGE): cv.string,
    }
)


async def _async_state_at(
    coordinator: HearthnetCoordinator, caller: Caller, call: ServiceCall
) -> dict[str, Any]:
    """Tell how devices were, as far as the caller may see them."""
    house = coordinator.house
    devices = {
        device_id: entity_id
        for device_id in _async_devices(coordinator, call.data)
        if (entity_id := house.entity_id(device_id)) is not None
        and house.people.may_read(caller.principal, entity_id)
    }
    at, commit = _moment(call.data)
    try:
        past = await coordinator.hub.chronicle.state_at(devices, at, commit=commit)
    except LookupError as error:
        raise _not_recorded(call.data) from error
    return {
        "at": past.at.isoformat(),
        "commit": past.commit,
        "complete": past.complete,
        "states": {
            entity_id: dict(past.values[device_id])
            for device_id, entity_id in devices.items()
            if device_id in past.values
        },
    }


async def _async_restore(
    coordinator: HearthnetCoordinator, caller: Caller, call: ServiceCall
) -> dict[str, Any]:
    """Put devices back to how they were, as the caller's own wish."""
    language = language_of(call)
    devices = _async_devices(coordinator, call.data)
    at, commit = _moment(call.data)
    request = Request(
        text=f"restore as of {commit or at}",
        principal=caller.principal,
        origin=caller.origin,
        language=language,
        dry_run=call.data[ATTR_DRY_RUN],
        sentence=False,
    )
    try:
        result = await coordinator.hub.wishes.restore(
            request, devices, at=at, commit=commit
        )
    except LookupError as error:
        raise _not_recorded(call.data) from error
    return response_of(coordinator, result, language)


@callback
def _async_devices(
    coordinator: HearthnetCoordinator, data: Mapping[str, Any]
) -> tuple[str, ...]:
    """Return the ids of the devices that are meant; a group stands for its members.

    Raises:
        ServiceValidationError: nothing is named, or what is named does not exist.
    """
    house = coordinator.house
    selected = async_extract_referenced_entity_ids(
        coordinator.hass, TargetSelection(dict(data)), expand_group=False
    )
    named = [async_device_id(coordinator, e) for e in sorted(selected.referenced)]
    groups = {d: device.members for d in named if (device := house.device(d))}
    members = [member for d in named for member in groups.get(d) or (d,)]
    indirect = selected.indirectly_referenced
    there = in_place(d for d in house.devices() if d.entity_id in indirect)
    if not (devices := tuple(dict.fromkeys([*members, *there]))):
        raise ServiceValidationError(
            translation_domain=DOMAIN, translation_key="nothing_there"
        )
    return devices


def _moment(data: Mapping[str, Any]) -> tuple[datetime | None, str | None]:
    """Return the moment or the commit that is meant; a bare time is the home's.

    Raises:
        ServiceValidationError: not exactly one of them is given.
    """
    if (ATTR_AT in data) == (ATTR_COMMIT in data):
        raise ServiceValidationError(
            translation_domain=DOMAIN, translation_key="one_moment"
        )
    at: datetime | None = data.get(ATTR_AT)
    return dt_util.as_utc(at) if at else None, data.get(ATTR_COMMIT)


def _not_recorded(data: Mapping[str, Any]) -> ServiceValidationError:
    field = ATTR_COMMIT if ATTR_COMMIT in data else ATTR_AT
    return ServiceValidationError(
        translation_domain=DOMAIN,
        translation_key="not_on_record",
        translation_placeholders={"field": field, "value": str(data[field])},
    )


ACTIONS: Final = (
    Action(
        name="state_at",
        handler=_async_state_at,
        schema=SCHEMA_STATE_AT,
        response=SupportsResponse.ONLY,
    ),
    Action(name="restore", handler=_async_restore, schema=SCHEMA_RESTORE),
)
