"""The way back: operations that give a device the values it had.

Attribute-exact: only what an action changed is put back, and what others have
changed since is left alone by whoever asks (see `agents/undo.py`).
"""

from collections.abc import Callable, Iterator, Mapping

from .devices import Device, Values
from .effects import OFF_VALUES, STATE
from .messages import Json
from .operations import Parameters

type Way = tuple[str, Parameters]
"""Operation's name and parameters."""

_UNKNOWN: Values = {}
_SWITCHED = frozenset({"switch", "input_boolean"})
_LIGHT = ("brightness_pct", "color_temp_kelvin", "rgb_color", "effect")


def restorable(device: Device) -> bool:
    """Tell whether there are ways back for devices of this kind at all."""
    return device.domain in _SWITCHED or device.domain in _BUILDERS


def ways_back(
    device: Device, changed: Values, before: Values, now: Values = _UNKNOWN
) -> tuple[Way, ...]:
    """Return the operations that restore changed attributes.

    Args:
        device: what was moved.
        changed: the attributes that changed, with the values they had.
        before: all values it had, for what belongs together.
        now: the values it has: what is off has to be switched on first.

    Returns:
        No operation where there is no way back, a stopped siren's alarm say.
    """
    if not changed:
        return ()
    if device.domain in _SWITCHED:
        return tuple(_switch(device, changed))
    builder = _BUILDERS.get(device.domain)
    ways = tuple(builder(device, changed, before)) if builder else ()
    wakes: Way = "media_player.turn_on", {}
    asleep = device.domain == "media_player" and now.get(STATE) in OFF_VALUES
    if asleep and before.get(STATE) not in OFF_VALUES and wakes not in ways:
        return (wakes, *ways)
    return ways


def _switch(device: Device, changed: Values) -> Iterator[Way]:
    if STATE in changed:
        way = "turn_off" if changed[STATE] in OFF_VALUES else "turn_on"
        yield f"{device.domain}.{way}", {}


def _light(_device: Device, changed: Values, before: Values) -> Iterator[Way]:
    if before.get(STATE) in OFF_VALUES:
        yield "light.turn_off", {}
        return
    names = [n for n in _LIGHT if n in changed and before.get(n) is not None]
    if "color_temp_kelvin" in names and "rgb_color" in names:
        names.remove("rgb_color")  # one follows from the other
    yield "light.turn_on", {name: before[name] for name in names}


def _media_player(device: Device, changed: Values, before: Values) -> Iterator[Way]:
    state = changed.get(STATE)
    if state in OFF_VALUES:
        yield "media_player.turn_off", {}
        return
    stops = device.supports("media_player.media_stop")
    if state == "idle" and stops:
        yield "media_player.media_stop", {}
    elif state in ("idle", "paused"):
        yield "media_player.media_pause", {}
    elif state == "playing":
        yield "media_player.media_play", {}
    elif state is not None:
        yield "media_player.turn_on", {}
    for attribute, operation in (
        ("volume_level", "volume_set"),
        ("is_volume_muted", "volume_mute"),
        ("source", "select_source"),
    ):
        if before.get(attribute) is not None and attribute in changed:
            yield f"media_player.{operation}", {attribute: before[attribute]}


def _climate(_device: Device, changed: Values, before: Values) -> Iterator[Way]:
    if changed.get(STATE) is not None:
        yield "climate.set_hvac_mode", {"hvac_mode": before[STATE]}
    if "preset_mode" in changed and before.get("preset_mode") is not None:
        yield "climate.set_preset_mode", {"preset_mode": before["preset_mode"]}
    low, high = before.get("target_temp_low"), before.get("target_temp_high")
    if {"target_temp_low", "target_temp_high"} & changed.keys():
        if low is not None and high is not None:
            limits: dict[str, Json] = {"target_temp_low": low, "target_temp_high": high}
            yield "climate.set_temperature", limits
    elif "temperature" in changed and before.get("temperature") is not None:
        yield "climate.set_temperature", {"temperature": before["temperature"]}
    if "fan_mode" in changed and before.get("fan_mode") is not None:
        yield "climate.set_fan_mode", {"fan_mode": before["fan_mode"]}


def _opening(device: Device, changed: Values, before: Values) -> Iterator[Way]:
    """Yield the way back of a cover or a valve."""
    position = before.get("current_position")
    if before.get(STATE) == "closed" and {"current_position", STATE} & changed.keys():
        # The same as position 0, and known to be the safe direction.
        yield f"{device.domain}.close_{device.domain}", {}
    elif position is not None and {"current_position", STATE} & changed.keys():
        yield f"{device.domain}.set_{device.domain}_position", {"position": position}
    elif changed.get(STATE) == "open":
        yield f"{device.domain}.open_{device.domain}", {}
    tilt = before.get("current_tilt_position")
    if tilt is not None and "current_tilt_position" in changed:
        yield "cover.set_cover_tilt_position", {"tilt_position": tilt}


def _lock(_device: Device, changed: Values, _before: Values) -> Iterator[Way]:
    if changed.get(STATE) in ("locked", "unlocked"):
        yield f"lock.{'lock' if changed[STATE] == 'locked' else 'unlock'}", {}


def _fan(_device: Device, changed: Values, before: Values) -> Iterator[Way]:
    if before.get(STATE) in OFF_VALUES:
        yield "fan.turn_off", {}
        return
    if changed.get("preset_mode") is not None:
        yield "fan.set_preset_mode", {"preset_mode": before["preset_mode"]}
    elif {"percentage", "preset_mode", STATE} & changed.keys():
        if before.get("percentage") is not None:
            yield "fan.set_percentage", {"percentage": before["percentage"]}
        elif STATE in changed:
            yield "fan.turn_on", {}
    if changed.get("oscillating") is not None:
        yield "fan.oscillate", {"oscillating": before["oscillating"]}
    if changed.get("direction") is not None:
        yield "fan.set_direction", {"direction": before["direction"]}


def _alarm(device: Device, changed: Values, _before: Values) -> Iterator[Way]:
    state = changed.get(STATE)
    if state == "disarmed":
        yield f"{device.domain}.alarm_disarm", {}
    elif isinstance(state, str) and state.startswith("armed_"):
        yield f"{device.domain}.alarm_arm_{state.removeprefix('armed_')}", {}


def _humidifier(_device: Device, changed: Values, before: Values) -> Iterator[Way]:
    if before.get(STATE) in OFF_VALUES:
        yield "humidifier.turn_off", {}
        return
    if STATE in changed:
        yield "humidifier.turn_on", {}
    for attribute, operation in (("mode", "set_mode"), ("humidity", "set_humidity")):
        if attribute in changed and before.get(attribute) is not None:
            yield f"humidifier.{operation}", {attribute: before[attribute]}


def _water_heater(_device: Device, changed: Values, before: Values) -> Iterator[Way]:
    if before.get(STATE) in OFF_VALUES:
        yield "water_heater.turn_off", {}
        return
    if before.get("operation_mode") is not None:
        if {STATE, "operation_mode"} & changed.keys():
            mode = before["operation_mode"]
            yield "water_heater.set_operation_mode", {"operation_mode": mode}
    elif STATE in changed:
        yield "water_heater.turn_on", {}
    for attribute, operation in (
        ("away_mode", "set_away_mode"),
        ("temperature", "set_temperature"),
    ):
        if attribute in changed and before.get(attribute) is not None:
            yield f"water_heater.{operation}", {attribute: before[attribute]}


_ROBOTS: Mapping[str, Mapping[str, str]] = {
    "vacuum": {
        "cleaning": "start",
        "paused": "pause",
        "idle": "pause",
        "docked": "return_to_base",
        "returning": "return_to_base",
    },
    "lawn_mower": {
        "mowing": "start_mowing",
        "paused": "pause",
        "idle": "pause",
        "docked": "dock",
        "returning": "dock",
    },
}
"""By the state that a robot was in, what brings it back there."""


def _robot(device: Device, changed: Values, before: Values) -> Iterator[Way]:
    if (action := _ROBOTS[device.domain].get(str(changed.get(STATE)))) is not None:
        yield f"{device.domain}.{action}", {}
    if "fan_speed" in changed and before.get("fan_speed") is not None:
        yield f"{device.domain}.set_fan_speed", {"fan_speed": before["fan_speed"]}


def _siren(_device: Device, changed: Values, _before: Values) -> Iterator[Way]:
    # One that was silenced is not set off again.
    if changed.get(STATE) == "off":
        yield "siren.turn_off", {}


def _remote(_device: Device, changed: Values, before: Values) -> Iterator[Way]:
    if before.get(STATE) in OFF_VALUES:
        yield "remote.turn_off", {}
    elif (activity := before.get("current_activity")) is not None:
        yield "remote.turn_on", {"activity": activity}
    elif STATE in changed:
        yield "remote.turn_on", {}


def _camera(_device: Device, changed: Values, _before: Values) -> Iterator[Way]:
    if (detects := changed.get("motion_detection")) is not None:
        word = "enable" if detects else "disable"
        yield f"camera.{word}_motion_detection", {}


def _text(device: Device, changed: Values, _before: Values) -> Iterator[Way]:
    if changed.get("value"):
        yield f"{device.domain}.set_value", {"value": changed["value"]}


def _number(device: Device, changed: Values, _before: Values) -> Iterator[Way]:
    if changed.get(STATE) is not None:
        yield f"{device.domain}.set_value", {"value": changed[STATE]}


def _select(device: Device, changed: Values, _before: Values) -> Iterator[Way]:
    if changed.get("option") is not None:
        yield f"{device.domain}.select_option", {"option": changed["option"]}


def _datetime(_device: Device, changed: Values, _before: Values) -> Iterator[Way]:
    moment = {n: changed[n] for n in ("date", "time") if changed.get(n) is not None}
    if moment:
        yield "input_datetime.set_datetime", moment


type _Builder = Callable[[Device, Values, Values], Iterator[Way]]
_BUILDERS: Mapping[str, _Builder] = {
    "light": _light,
    "media_player": _media_player,
    "climate": _climate,
    "cover": _opening,
    "valve": _opening,
    "alarm_control_panel": _alarm,
    "humidifier": _humidifier,
    "water_heater": _water_heater,
    "vacuum": _robot,
    "lawn_mower": _robot,
    "siren": _siren,
    "remote": _remote,
    "camera": _camera,
    "text": _text,
    "input_datetime": _datetime,
    "input_text": _text,
    "lock": _lock,
    "fan": _fan,
    "number": _number,
    "input_number": _number,
    "select": _select,
    "input_select": _select,
}
