"""Humidifiers and dehumidifiers."""

from ..operations import Operation, Risk
from .shapes import PERCENT, TEXT, to_attributes, to_state

DEADLINE = 5.0

ROWS = (
    Operation(name="humidifier.turn_on", effects=to_state("on"), deadline=DEADLINE),
    Operation(
        name="humidifier.turn_off",
        effects=to_state("off"),
        risk=Risk.FREE,
        deadline=DEADLINE,
        reads_state=False,
    ),
    Operation(
        name="humidifier.set_humidity",
        parameters={"humidity": PERCENT},
        required=frozenset({"humidity"}),
        effects=to_attributes(humidity="humidity"),
        deadline=DEADLINE,
    ),
    Operation(
        name="humidifier.set_mode",
        parameters={"mode": TEXT},
        required=frozenset({"mode"}),
        effects=to_attributes(mode="mode"),
        deadline=DEADLINE,
    ),
)
