"""The closed table of operations, one module for each domain or group of them.

Names and parameters are Home Assistant's own actions and fields, each thing in
one spelling only. What is not in this table does not exist for HearthNet.
"""

from collections.abc import Mapping
from types import MappingProxyType

from ..operations import Operation
from . import (
    alarm_control_panel,
    buttons,
    camera,
    climate,
    cover,
    fan,
    humidifier,
    light,
    lock,
    media_player,
    on_off,
    remote,
    robots,
    routines,
    settings,
    siren,
    valve,
    water_heater,
)

OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {
        operation.name: operation
        for module in (
            light,
            on_off,
            media_player,
            climate,
            cover,
            valve,
            lock,
            alarm_control_panel,
            fan,
            humidifier,
            water_heater,
            robots,
            siren,
            remote,
            camera,
            buttons,
            routines,
            settings,
        )
        for operation in module.ROWS
    }
)
"""Every operation by its name, `domain.action`."""


def operations_of(domain: str) -> tuple[Operation, ...]:
    """Return the operations of an entity domain, in the table's order."""
    return tuple(row for row in OPERATIONS.values() if row.domain == domain)
