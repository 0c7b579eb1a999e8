"""Relative wishes on fresh values: clamped, repeatable, and asked when unclear."""

from hypothesis import given, settings, strategies as st
import pytest

from hearthnet.core.devices import Limit, Values
from hearthnet.core.domains import OPERATIONS
from hearthnet.core.messages import Json
from hearthnet.core.operations import Parameters, Problem, check_parameters
from hearthnet.core.reasons import Reason
from hearthnet.core.relative import Limits, Resolved, resolve, resolve_toggle


def change(
    operation: str,
    parameter: str,
    delta: float,
    values: Values,
    limits: Limits | None = None,
) -> Resolved | Problem:
    return resolve(OPERATIONS[operation], {}, {parameter: delta}, values, limits)


LIGHT, VOLUME = "light.turn_on", "media_player.volume_set"
HEATING, BLIND = "climate.set_temperature", "cover.set_cover_position"
TILT = "cover.set_cover_tilt_position"


@pytest.mark.parametrize(
    ("operation", "parameter", "delta", "shown", "present", "expected", "clamped"),
    [
        (LIGHT, "brightness_pct", 10, "brightness_pct", 40, 50, False),
        (LIGHT, "brightness_pct", 80, "brightness_pct", 40, 100, True),
        # Dimming never switches off: that is another wish.
        (LIGHT, "brightness_pct", -50, "brightness_pct", 40, 1, True),
        (LIGHT, "color_temp_kelvin", 500, "color_temp_kelvin", 2700, 3200, False),
        (VOLUME, "volume_level", 10, "volume_level", 0.3, 0.4, False),
        (VOLUME, "volume_level", -40, "volume_level", 0.3, 0, True),
        (HEATING, "temperature", 0.5, "temperature", 21, 21.5, False),
        (HEATING, "temperature", -1, "temperature", 21.5, 20.5, False),
        (BLIND, "position", -25, "current_position", 30, 5, False),
        (TILT, "tilt_position", 75, "current_tilt_position", 30, 100, True),
        ("fan.set_percentage", "percentage", 20, "percentage", 50, 70, False),
        ("input_number.set_value", "value", 2, "state", 3, 5, False),
    ],
)
def test_a_difference_becomes_a_value(
    operation: str,
    parameter: str,
    delta: float,
    shown: str,
    present: float,
    expected: float,
    clamped: bool,
) -> None:
    found = change(operation, parameter, delta, {shown: present})
    met = frozenset({parameter} if clamped else ())
    assert found == Resolved({parameter: expected}, met)


def test_the_device_s_own_limits_count() -> None:
    values: Values = {"temperature": 21}
    found = change(HEATING, "temperature", 9, values, {"temperature": Limit(7, 25)})
    assert found == Resolved({"temperature": 25}, frozenset({"temperature"}))


SPEEDS = {"percentage": Limit(step=100 / 3)}
STEPS = {"value": Limit(1, 100, 2, base=1)}
WHITES = {"color_temp_kelvin": Limit(2200, 6500)}
DEGREES = {"temperature": Limit(7, 35, 0.5)}


@pytest.mark.parametrize(
    ("operation", "parameters", "limits", "fitted"),
    [
        ("fan.set_percentage", {"percentage": 50}, SPEEDS, 66),
        ("fan.set_percentage", {"percentage": 100}, SPEEDS, 100),
        ("fan.set_percentage", {"percentage": 2}, SPEEDS, 33),
        ("number.set_value", {"value": 6.2}, STEPS, 7),
        ("number.set_value", {"value": 100}, STEPS, 99),
        ("climate.set_temperature", {"temperature": 21.2}, DEGREES, 21),
        ("climate.set_temperature", {"temperature": 35}, DEGREES, 35),
        ("light.turn_on", {"color_temp_kelvin": 1800}, WHITES, 2200),
        ("light.turn_on", {"color_temp_kelvin": 3000}, WHITES, 3000),
    ],
)
def test_a_number_becomes_one_that_the_device_has(
    operation: str, parameters: Parameters, limits: Limits, fitted: float
) -> None:
    """What the lease names is what will be: of three speeds, half is the second."""
    found = resolve(OPERATIONS[operation], parameters, {}, {}, limits)
    assert isinstance(found, Resolved)
    assert list(found.parameters.values()) == [fitted]
    near = "color_temp_kelvin" in parameters and fitted == 2200
    assert found.clamped == (parameters.keys() if near else set())
    again = resolve(OPERATIONS[operation], found.parameters, {}, {}, limits)
    assert isinstance(again, Resolved)
    assert again.parameters == found.parameters


@pytest.mark.parametrize("value", ["warm", True, None])
def test_what_is_no_number_is_for_the_table_to_refuse(value: Json) -> None:
    found = resolve(OPERATIONS[HEATING], {"temperature": value}, {}, {}, DEGREES)
    assert found == Resolved({"temperature": value})
    assert check_parameters(OPERATIONS[HEATING], {"temperature": value}) is not None


@pytest.mark.parametrize("value", [6.9, 36])
def test_what_the_device_does_not_take_is_refused_with_its_limits(value: float) -> None:
    found = resolve(OPERATIONS[HEATING], {"temperature": value}, {}, {}, DEGREES)
    assert isinstance(found, Problem)
    assert (found.reason, found.field) == (Reason.BAD_PARAMETER, "temperature")
    assert "7 to 35" in found.text


@pytest.mark.parametrize(
    ("delta", "present", "expected", "clamped"),
    [
        (20, 33, 66, False),
        (5, 33, 66, False),
        (-5, 66, 33, False),
        (60, 33, 100, False),
        (90, 33, 100, True),
        (-90, 33, 33, True),
        (5, 100, 100, True),
    ],
)
def test_a_difference_is_at_least_one_step_of_the_device(
    delta: float, present: int, expected: int, clamped: bool
) -> None:
    values: Values = {"percentage": present}
    found = change("fan.set_percentage", "percentage", delta, values, SPEEDS)
    met = frozenset({"percentage"} if clamped else ())
    assert found == Resolved({"percentage": expected}, met)
    assert repr(found.parameters) == repr({"percentage": expected})  # a whole number


@pytest.mark.parametrize(
    "values",
    [
        {"state": "off"},
        {"state": "off", "brightness_pct": 40},
        {"state": "standby", "brightness_pct": 40},
        {"state": "on"},
        {"state": "on", "brightness_pct": None},
        {"state": "on", "brightness_pct": True},
        {},
    ],
)
def test_what_has_no_value_now_must_be_asked_about(values: Values) -> None:
    found = change("light.turn_on", "brightness_pct", 10, values)
    assert isinstance(found, Problem)
    assert (found.reason, found.field) == (Reason.NO_VALUE, "brightness_pct")


@pytest.mark.parametrize(
    ("operation", "parameter", "delta"),
    [
        ("light.turn_on", "volume_level", 1),
        ("light.turn_on", "rgb_color", 1),
        ("media_player.select_source", "source", 1),
        ("media_player.volume_mute", "is_volume_muted", 1),
        ("climate.set_hvac_mode", "hvac_mode", 1),
        ("light.turn_on", "brightness_pct", float("nan")),
        ("light.turn_on", "brightness_pct", float("inf")),
    ],
)
def test_what_is_no_number_cannot_change_by_one(
    operation: str, parameter: str, delta: float
) -> None:
    values: Values = {parameter: 5, "state": "on"}
    found = change(operation, parameter, delta, values)
    assert isinstance(found, Problem)
    assert (found.reason, found.field) == (Reason.BAD_PARAMETER, parameter)


def test_the_other_parameters_pass_unchanged() -> None:
    found = resolve(
        OPERATIONS["light.turn_on"],
        {"transition": 3},
        {"brightness_pct": 10},
        {"brightness_pct": 40, "state": "on"},
    )
    assert found == Resolved({"transition": 3, "brightness_pct": 50})
    twice = resolve(
        OPERATIONS["light.turn_on"],
        {"brightness_pct": 3},
        {"brightness_pct": 10},
        {"brightness_pct": 40},
    )
    assert isinstance(twice, Problem)
    assert twice.reason is Reason.BAD_PARAMETER


@settings(deadline=None)
@given(st.floats(-200, 200), st.integers(1, 100) | st.floats(1, 100))
def test_the_result_is_always_acceptable_and_repeatable(
    delta: float, present: float
) -> None:
    values: Values = {"state": "on", "brightness_pct": present}
    found = change("light.turn_on", "brightness_pct", delta, values)
    assert isinstance(found, Resolved)
    assert check_parameters(OPERATIONS["light.turn_on"], found.parameters) is None
    new = found.parameters["brightness_pct"]
    assert isinstance(new, int | float)
    # Never beyond the wish, nor against it.
    assert (
        min(present, present + delta) - 1e-4
        <= new
        <= max(present, present + delta) + 1e-4
    )


@pytest.mark.parametrize(
    ("domain", "state", "operation"),
    [
        ("light", "on", "light.turn_off"),
        ("light", "off", "light.turn_on"),
        ("switch", "on", "switch.turn_off"),
        ("fan", "off", "fan.turn_on"),
        ("cover", "opening", "cover.close_cover"),
        ("cover", "closed", "cover.open_cover"),
        ("lock", "unlocked", "lock.lock"),
        ("lock", "locked", "lock.unlock"),
        ("media_player", "playing", "media_player.media_pause"),
        ("media_player", "paused", "media_player.media_play"),
        ("media_player", "standby", "media_player.turn_on"),
    ],
)
def test_a_toggle_becomes_the_operation_it_means_now(
    domain: str, state: str, operation: str
) -> None:
    assert resolve_toggle(domain, {"state": state}) == operation
    assert operation in OPERATIONS


@pytest.mark.parametrize(
    ("domain", "values"),
    [
        ("light", {}),
        ("light", {"state": "unavailable"}),
        ("lock", {"state": "jammed"}),
        ("climate", {"state": "heat"}),
        ("light", {"state": ["on"]}),
    ],
)
def test_an_unclear_toggle_is_asked_about(domain: str, values: Values) -> None:
    found = resolve_toggle(domain, values)
    assert isinstance(found, Problem)
    assert found.reason is Reason.AMBIGUOUS
