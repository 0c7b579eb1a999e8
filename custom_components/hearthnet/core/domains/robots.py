"""Robots that leave their base: vacuums and lawn mowers.

Stopped, one shows `paused`, `idle` or, if it never left, `docked`.
"""

from ..operations import Operation, Risk
from .shapes import TEXT, no_effects, to_attributes, to_state

DEADLINE = 10.0
"""They sleep on their base and take their time to wake up."""


def _rest(name: str) -> Operation:
    return Operation(
        name=name,
        effects=to_state("paused"),
        risk=Risk.FREE,
        deadline=DEADLINE,
        reads_state=False,
    )


def _home(name: str) -> Operation:
    return Operation(
        name=name,
        effects=to_state("docked"),
        risk=Risk.FREE,
        deadline=DEADLINE,
        moves=True,
        reads_state=False,
    )


ROWS = (
    Operation(
        name="vacuum.start",
        effects=to_state("cleaning"),
        deadline=DEADLINE,
    ),
    _rest("vacuum.pause"),
    _rest("vacuum.stop"),
    _home("vacuum.return_to_base"),
    Operation(
        name="vacuum.clean_spot",
        effects=to_state("cleaning"),
        deadline=DEADLINE,
    ),
    Operation(
        name="vacuum.locate",
        effects=no_effects,
        deadline=DEADLINE,
    ),
    Operation(
        name="vacuum.set_fan_speed",
        parameters={"fan_speed": TEXT},
        required=frozenset({"fan_speed"}),
        effects=to_attributes(fan_speed="fan_speed"),
        deadline=DEADLINE,
    ),
    Operation(
        name="lawn_mower.start_mowing",
        effects=to_state("mowing"),
        deadline=DEADLINE,
    ),
    _rest("lawn_mower.pause"),
    _rest("lawn_mower.stop"),
    _home("lawn_mower.dock"),
)
