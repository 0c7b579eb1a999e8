"""From what an action's caller names to device ids and a checked operation."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from homeassistant.const import ATTR_ENTITY_ID, ENTITY_MATCH_ALL, ENTITY_MATCH_NONE
from homeassistant.core import HomeAssistant, callback, split_entity_id
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers.target import (
    TargetSelection,
    async_extract_referenced_entity_ids,
)

from .const import DOMAIN
from .core.domains import OPERATIONS, operations_of
from .core.operations import Operation, check_parameters
from .house import HassHouse

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
def async_wanted(
    hass: HomeAssistant, house: HassHouse, data: Mapping[str, Any]
) -> Wanted:
    """Read target, action and data.

    Raises:
        ServiceValidationError: naming the field and what would be right.
    """
    operation = _operation(data[ATTR_ACTION])
    parameters = data.get(ATTR_DATA) or {}
    if (problem := check_parameters(operation, parameters)) is not None:
        raise ServiceValidationError(
            translation_domain=DOMAIN,
            translation_key="bad_data",
            translation_placeholders={"problem": problem.text},
        )
    return Wanted(
        targets=_targets(hass, house, data, operation),
        operation=operation.name,
        parameters=parameters,
    )


@callback
def async_device_id(hass: HomeAssistant, house: HassHouse, entity_id: str) -> str:
    """Return the device id of an entity that exists.

    Raises:
        ServiceValidationError: there is no such entity.
    """
    device_id = house.device_id(entity_id)
    if house.device(device_id) is None and hass.states.get(entity_id) is None:
        raise ServiceValidationError(
            translation_domain=DOMAIN,
            translation_key="unknown_entity",
            translation_placeholders={"entity_id": entity_id},
        )
    return device_id


def _operation(name: str) -> Operation:
    if (operation := OPERATIONS.get(name)) is not None:
        return operation
    known = [row.name for row in operations_of(name.partition(".")[0])]
    raise ServiceValidationError(
        translation_domain=DOMAIN,
        translation_key="unknown_action" if known else "unknown_domain",
        translation_placeholders={
            "action": name,
            "known": ", ".join(
                known or sorted({o.domain for o in OPERATIONS.values()})
            ),
        },
    )


def _targets(
    hass: HomeAssistant,
    house: HassHouse,
    data: Mapping[str, Any],
    operation: Operation,
) -> tuple[str, ...]:
    if data.get(ATTR_ENTITY_ID) in (ENTITY_MATCH_ALL, ENTITY_MATCH_NONE):
        raise ServiceValidationError(
            translation_domain=DOMAIN,
            translation_key="name_the_targets",
            translation_placeholders={"given": data[ATTR_ENTITY_ID]},
        )
    # Groups stay groups: the hub expands them, so that one command can move all.
    selected = async_extract_referenced_entity_ids(
        hass, TargetSelection(dict(data)), expand_group=False
    )
    named = [async_device_id(hass, house, e) for e in sorted(selected.referenced)]
    for device_id in named:
        if (device := house.device(device_id)) and device.domain != operation.domain:
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
    exposed = {device.entity_id: device.id for device in house.devices()}
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
