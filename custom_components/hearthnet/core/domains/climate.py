"""Thermostats and air conditioners. The state of one is its `hvac_mode`."""

from ..devices import Values
from ..effects import STATE
from ..operations import Operation, Parameter, Parameters, Risk
from .shapes import TEXT, Pairs, attributes_of, to_attributes, to_state

DEADLINE = 5.0
DEGREES = Parameter(minimum=-20, maximum=120, unit=" degrees")
"""In the unit of the home, hence wide; the device's own limits are narrower."""
MODES = Parameter(
    choices=("off", "heat", "cool", "heat_cool", "auto", "dry", "fan_only")
)
SETPOINTS = {
    "temperature": "temperature",
    "target_temp_low": "target_temp_low",
    "target_temp_high": "target_temp_high",
}


def _set_temperature(parameters: Parameters, _values: Values) -> Pairs:
    return attributes_of(parameters, {"hvac_mode": STATE, **SETPOINTS})


ROWS = (
    Operation(
        name="climate.set_temperature",
        parameters=dict.fromkeys(SETPOINTS, DEGREES) | {"hvac_mode": MODES},
        alternatives=(
            frozenset({"temperature"}),
            frozenset({"target_temp_low", "target_temp_high"}),
        ),
        effects=_set_temperature,
        deadline=DEADLINE,
    ),
    Operation(
        name="climate.set_hvac_mode",
        parameters={"hvac_mode": MODES},
        required=frozenset({"hvac_mode"}),
        effects=to_attributes(hvac_mode=STATE),
        deadline=DEADLINE,
    ),
    Operation(
        name="climate.set_preset_mode",
        parameters={"preset_mode": TEXT},
        required=frozenset({"preset_mode"}),
        effects=to_attributes(preset_mode="preset_mode"),
        deadline=DEADLINE,
    ),
    Operation(
        name="climate.set_fan_mode",
        parameters={"fan_mode": TEXT},
        required=frozenset({"fan_mode"}),
        effects=to_attributes(fan_mode="fan_mode"),
        deadline=DEADLINE,
    ),
    Operation(name="climate.turn_on", effects=to_state("on"), deadline=DEADLINE),
    Operation(
        name="climate.turn_off",
        effects=to_state("off"),
        risk=Risk.FREE,
        deadline=DEADLINE,
        reads_state=False,
    ),
)
