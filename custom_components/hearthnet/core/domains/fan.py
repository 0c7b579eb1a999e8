"""Fans."""

from ..operations import Operation, Parameter, Risk
from .shapes import FLAG, POSITIVE_PERCENT, TEXT, to_attributes, to_state

ROWS = (
    Operation(
        name="fan.turn_on",
        parameters={"percentage": POSITIVE_PERCENT, "preset_mode": TEXT},
        exclusive=(frozenset({"percentage", "preset_mode"}),),
        effects=to_state("on", percentage="percentage", preset_mode="preset_mode"),
    ),
    Operation(
        name="fan.turn_off",
        effects=to_state("off"),
        risk=Risk.FREE,
        reads_state=False,
    ),
    Operation(
        name="fan.set_percentage",
        parameters={"percentage": POSITIVE_PERCENT},
        required=frozenset({"percentage"}),
        effects=to_state("on", percentage="percentage"),
    ),
    Operation(
        name="fan.set_preset_mode",
        parameters={"preset_mode": TEXT},
        required=frozenset({"preset_mode"}),
        effects=to_state("on", preset_mode="preset_mode"),
    ),
    Operation(
        name="fan.oscillate",
        parameters={"oscillating": FLAG},
        required=frozenset({"oscillating"}),
        effects=to_attributes(oscillating="oscillating"),
    ),
    Operation(
        name="fan.set_direction",
        parameters={"direction": Parameter(choices=("forward", "reverse"))},
        required=frozenset({"direction"}),
        effects=to_attributes(direction="direction"),
    ),
)
