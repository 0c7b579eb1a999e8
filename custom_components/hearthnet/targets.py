"""From what an action's caller names to device ids and a checked operation."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from homeassistant.const import ATTR_ENTITY_ID, ENTITY_MATCH_ALL, ENTITY_MATCH_NONE
from homeassistant.core import callback, split_entity_id
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import device_registry as dr, entity_registry as er
from homeassistant.helpers.target import (
    TargetSelection,
    async_extract_referenced_entity_ids,
)

from .const import DOMAIN
from .coordinator import HearthnetCoordinator
from .core.devices import House
from .core.operations import Operation, check_parameters

ATTR_ACTION = "action"
ATTR_DATA = "data"


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What an action's caller wants done, checked as far as that needs no hub."""

    targets: tuple[str, ...]
    """Device ids."""
    operation: str
    parameters: Mapping[str, Any]


@callback
def async_wanted(coordinator: HearthnetCoordinator, data: Mapping[str, Any]) -> Wanted:
    """Read target, action and data.

    Raises:
        ServiceValidationError: naming the field and what would be right.
    """
    operation = _operation(coordinator.home, data[ATTR_ACTION])
    parameters = data.get(ATTR_DATA) or {}
    if (problem := check_parameters(operation, parameters)) is not None:
        raise ServiceValidationError(
            translation_domain=DOMAIN,
            translation_key="bad_data",
            translation_placeholders={"problem": problem.text},
        )
    return Wanted(
        targets=_targets(coordinator, data, operation),
        operation=operation.name,
        parameters=parameters,
    )


@callback
def async_device_id(coordinator: HearthnetCoordinator, entity_id: str) -> str:
    """Return the device id of an entity that exists; an appliance's for its own.

    Raises:
        ServiceValidationError: there is no such entity.
    """
    if (appliance := _appliance(coordinator, entity_id)) is not None:
        return appliance
    hass, house = coordinator.hass, coordinator.house
    device_id = house.device_id(entity_id)
    if house.device(device_id) is None and hass.states.get(entity_id) is None:
        raise ServiceValidationError(
            translation_domain=DOMAIN,
            translation_key="unknown_entity",
            translation_placeholders={"entity_id": entity_id},
        )
    return device_id


@callback
def _appliance(coordinator: HearthnetCoordinator, entity_id: str) -> str | None:
    """Return the id of the appliance behind an app that an entity belongs to."""
    hass, entry_id = coordinator.hass, coordinator.config_entry.entry_id
    entity = er.async_get(hass).async_get(entity_id)
    if entity is None or entity.platform != DOMAIN or entity.device_id is None:
        return None
    device = dr.async_get(hass).async_get(entity.device_id)
    names = device.identifiers if device else ()
    ids = (name.removeprefix(f"{entry_id}_") for _, name in names)
    return next((one for one in ids if one in coordinator.recipes.by_device), None)


def _operation(home: House, name: str) -> Operation:
    if (operation := home.operations.get(name)) is not None:
        return operation
    rows, domain = home.operations.values(), name.partition(".")[0]
    known = [row.name for row in rows if row.domain == domain]
    raise ServiceValidationError(
        translation_domain=DOMAIN,
        translation_key="unknown_action" if known else "unknown_domain",
        translation_placeholders={
            "action": name,
            "known": ", ".join(known or sorted({row.domain for row in rows})),
        },
    )


def _targets(
    coordinator: HearthnetCoordinator, data: Mapping[str, Any], operation: Operation
) -> tuple[str, ...]:
    if data.get(ATTR_ENTITY_ID) in (ENTITY_MATCH_ALL, ENTITY_MATCH_NONE):
        raise ServiceValidationError(
            translation_domain=DOMAIN,
            translation_key="name_the_targets",
            translation_placeholders={"given": data[ATTR_ENTITY_ID]},
        )
    # Groups stay groups: the hub expands them, so that one command can move all.
    selected = async_extract_referenced_entity_ids(
        coordinator.hass, TargetSelection(dict(data)), expand_group=False
    )
    home = coordinator.home
    named = [async_device_id(coordinator, e) for e in sorted(selected.referenced)]
    for device_id in named:
        if (device := home.device(device_id)) and device.domain != operation.domain:
            raise ServiceValidationError(
                translation_domain=DOMAIN,
                translation_key="wrong_domain",
                translation_placeholders={
                    "action": operation.name,
                    "entity_id": device.entity_id,
                },
            )
    # As in Home Assistant, an area stands for those of its entities that fit,
    # and the owner exposes what is meant to be controlled.
    exposed = {device.entity_id: device.id for device in home.devices()}
    implied = [
        exposed[entity_id]
        for entity_id in sorted(selected.indirectly_referenced)
        if entity_id in exposed and split_entity_id(entity_id)[0] == operation.domain
    ]
    if not (targets := tuple(dict.fromkeys([*named, *implied]))):
        raise ServiceValidationError(
            translation_domain=DOMAIN,
            translation_key="empty_target",
            translation_placeholders={"action": operation.name},
        )
    return targets
