"""Home Assistant's states as control values: what a command can set, and no more.

The names are Home Assistant's own attributes except `brightness_pct`, because
people and `light.turn_on` speak of percent. Measurements stay out, so that a
thermometer's every twitch is no new version of its thermostat.
"""

from collections.abc import Callable, Mapping
import math
from typing import Any

from homeassistant.const import STATE_UNAVAILABLE, STATE_UNKNOWN
from homeassistant.core import State

from .core.devices import Reading
from .core.domains.light import NO_EFFECT
from .core.effects import STATE, same_value
from .core.messages import Json

type Normalizer = Callable[[State], dict[str, Json]]

MOVING: Mapping[str, frozenset[str]] = {
    "opening": frozenset({"open"}),
    "closing": frozenset({"closed"}),
    "locking": frozenset({"locked"}),
    "unlocking": frozenset({"unlocked"}),
    "returning": frozenset({"docked"}),
    "arming": frozenset(
        f"armed_{mode}"
        for mode in ("home", "away", "night", "vacation", "custom_bypass")
    ),
}
"""States on the way to another one, and which ones that may be."""


def reading_of(state: State | None) -> Reading:
    """Return what a state says of a device; None means that there is no device."""
    if state is None:
        return Reading(available=False)
    if state.state == STATE_UNAVAILABLE:
        return Reading(available=False, since=state.last_changed)
    return Reading(available=True, values=values_of(state), since=state.last_changed)


def values_of(state: State) -> dict[str, Json]:
    """Return a device's control values; empty while nobody knows them."""
    if state.state in (STATE_UNAVAILABLE, STATE_UNKNOWN):
        return {}
    normalize = _NORMALIZERS.get(state.domain)
    return normalize(state) if normalize else {STATE: state.state}


def differences(
    known: Mapping[str, Json] | None, seen: Mapping[str, Json]
) -> frozenset[str]:
    """Return the attributes that changed by more than devices round."""
    known = known or {}
    return frozenset(
        name
        for name in known.keys() | seen.keys()
        if name not in known
        or name not in seen
        or not (
            known[name] == seen[name]
            if name == STATE
            else same_value(name, known[name], seen[name])
        )
    )


def _light(state: State) -> dict[str, Json]:
    values: dict[str, Json] = {STATE: state.state}
    attributes = state.attributes
    if state.state != "on":
        return values
    if (brightness := _number(attributes.get("brightness"))) is not None:
        # At least 1: the dimmest light is on, and 0 % would say off.
        values["brightness_pct"] = max(1, round(brightness * 100 / 255))
    effect = attributes.get("effect")
    if isinstance(effect, str) and effect and effect.lower() not in NO_EFFECT:
        # Its colors run by themselves: each would look like somebody's change.
        return values | {"effect": effect}
    mode = attributes.get("color_mode")
    if mode == "color_temp":
        kelvin = _number(attributes.get("color_temp_kelvin"))
        if kelvin is not None:
            values["color_temp_kelvin"] = round(kelvin)
    elif mode in ("hs", "xy", "rgb", "rgbw", "rgbww"):
        color = attributes.get("rgb_color")
        if isinstance(color, list | tuple):
            values["rgb_color"] = [round(part) for part in color]
    return values


def _with(*names: str, when_off: bool = True) -> Normalizer:
    """Return a normalizer that takes the state and the attributes named."""

    def normalize(state: State) -> dict[str, Json]:
        values: dict[str, Json] = {STATE: state.state}
        if when_off or state.state != "off":
            for name in names:
                if (value := _plain(state.attributes.get(name))) is not None:
                    values[name] = value
        return values

    return normalize


def _media_player(state: State) -> dict[str, Json]:
    values = _with("volume_level", "is_volume_muted", "source")(state)
    if state.state == "buffering":
        values[STATE] = "playing"
    if isinstance(level := values.get("volume_level"), float):
        values["volume_level"] = round(level, 2)
    return values


def _number_state(state: State) -> dict[str, Json]:
    value = _number(state.state)
    return {} if value is None else {STATE: value}


def _option(state: State) -> dict[str, Json]:
    return {"option": state.state}


def _text(state: State) -> dict[str, Json]:
    # A password is for the device alone.
    if state.attributes.get("mode") == "password":
        return {}
    return {"value": state.state}


def _datetime(state: State) -> dict[str, Json]:
    # With both it shows “2026-12-24 07:30:00”; alone, each as it is.
    date, _, time = state.state.rpartition(" ")
    attributes = state.attributes
    if attributes.get("has_date") and not attributes.get("has_time"):
        date, time = time, ""
    return {n: v for n, v in (("date", date), ("time", time)) if v}


def _water_heater(state: State) -> dict[str, Json]:
    values = _with("temperature", "operation_mode", "away_mode", when_off=False)(state)
    if "away_mode" in values:
        values["away_mode"] = values["away_mode"] == "on"
    return values


def _camera(state: State) -> dict[str, Json]:
    # The state only says whether somebody watches. Where motion is not detected, the
    # attribute is missing.
    return {"motion_detection": bool(state.attributes.get("motion_detection"))}


def _nothing(_state: State) -> dict[str, Json]:
    """Return no values: of a button or scene the state is when it was used."""
    return {}


def _number(value: Any) -> float | int | None:
    if isinstance(value, bool):
        return None
    try:
        number = float(value)
    except TypeError, ValueError:
        return None
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() else number


def _plain(value: Any) -> Json:
    """Return an attribute as JSON data, None when it is none."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        # `str` of an enum's member is its value, which is what messages carry.
        return str(value)
    return _number(value)


_NORMALIZERS: Mapping[str, Normalizer] = {
    "button": _nothing,
    "camera": _camera,
    "climate": _with(
        "temperature", "target_temp_low", "target_temp_high", "preset_mode", "fan_mode"
    ),
    "cover": _with("current_position", "current_tilt_position"),
    "fan": _with(
        "percentage", "preset_mode", "oscillating", "direction", when_off=False
    ),
    "humidifier": _with("humidity", "mode", when_off=False),
    "input_button": _nothing,
    "input_datetime": _datetime,
    "input_number": _number_state,
    "input_select": _option,
    "input_text": _text,
    "light": _light,
    "media_player": _media_player,
    "number": _number_state,
    "scene": _nothing,
    "script": _nothing,
    "remote": _with("current_activity", when_off=False),
    "select": _option,
    "text": _text,
    "vacuum": _with("fan_speed"),
    "valve": _with("current_position"),
    "water_heater": _water_heater,
}
