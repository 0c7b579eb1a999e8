"""Boilers. What one is set to shows as `operation_mode`, not as state.

The modes are the device's own words: one called “on” must not be taken for a state.
"""

from ..devices import Values
from ..effects import STATE
from ..operations import Operation, Parameter, Parameters, Risk
from .shapes import FLAG, TEXT, Pairs, to_attributes, to_state

DEADLINE = 5.0


def _operation_mode(parameters: Parameters, _values: Values) -> Pairs:
    mode = parameters.get("operation_mode")
    if mode == "off":
        return ((STATE, "off"),)
    return () if mode is None else (("operation_mode", mode),)


ROWS = (
    Operation(
        name="water_heater.set_temperature",
        parameters={"temperature": Parameter(minimum=0, maximum=250, unit=" degrees")},
        required=frozenset({"temperature"}),
        effects=to_attributes(temperature="temperature"),
        deadline=DEADLINE,
    ),
    Operation(
        name="water_heater.set_operation_mode",
        parameters={"operation_mode": TEXT},
        required=frozenset({"operation_mode"}),
        effects=_operation_mode,
        deadline=DEADLINE,
    ),
    Operation(
        name="water_heater.set_away_mode",
        parameters={"away_mode": FLAG},
        required=frozenset({"away_mode"}),
        effects=to_attributes(away_mode="away_mode"),
        deadline=DEADLINE,
    ),
    Operation(name="water_heater.turn_on", effects=to_state("on"), deadline=DEADLINE),
    Operation(
        name="water_heater.turn_off",
        effects=to_state("off"),
        risk=Risk.FREE,
        deadline=DEADLINE,
        reads_state=False,
    ),
)
