"""What each device supports, as names of operations and of their parameters.

Home Assistant drops or refuses an action that an entity does not support; asked
beforehand, the answer can name what is missing instead of failing at the device.
"""

from collections.abc import Callable, Mapping
from typing import Any

from homeassistant.components.alarm_control_panel import (
    AlarmControlPanelEntityFeature as Alarm,
)
from homeassistant.components.climate import ClimateEntityFeature as Climate
from homeassistant.components.cover import CoverEntityFeature as Cover
from homeassistant.components.fan import FanEntityFeature as Fan
from homeassistant.components.humidifier import HumidifierEntityFeature as Humidifier
from homeassistant.components.lawn_mower import LawnMowerEntityFeature as Mower
from homeassistant.components.light import (
    LightEntityFeature as Light,
    brightness_supported,
    color_supported,
    color_temp_supported,
)
from homeassistant.components.lock import LockEntityFeature as Lock
from homeassistant.components.media_player import MediaPlayerEntityFeature as Player
from homeassistant.components.remote import RemoteEntityFeature as Remote
from homeassistant.components.siren import SirenEntityFeature as Siren
from homeassistant.components.vacuum import VacuumEntityFeature as Vacuum
from homeassistant.components.valve import ValveEntityFeature as Valve
from homeassistant.components.water_heater import WaterHeaterEntityFeature as Heater

EFFECT = int(Light.EFFECT)
TRANSITION = int(Light.TRANSITION)
CAMERA_ON_OFF = 1
"""Of `CameraEntityFeature`; its module loads a library for pictures."""
CODED = "coded"
"""Put among the attributes: Home Assistant has a code for the entity to use."""

type Row = tuple[int, tuple[str, ...]]
type Supports = Callable[[int, Mapping[str, Any]], set[str]]


def features_of(
    domain: str, supported: int, attributes: Mapping[str, Any]
) -> frozenset[str] | None:
    """Return the operations and parameters supported; None means all of them.

    Args:
        domain: the entity's domain.
        supported: its `supported_features`.
        attributes: its capability attributes, and `CODED` if it has a default code.
    """
    supports = _SUPPORTS.get(domain)
    return frozenset(supports(supported, attributes)) if supports else None


def _light(supported: int, attributes: Mapping[str, Any]) -> set[str]:
    modes = attributes.get("supported_color_modes")
    names = {"light.turn_on", "light.turn_off"}
    if brightness_supported(modes):
        names.add("brightness_pct")
    if color_temp_supported(modes):
        names.add("color_temp_kelvin")
    if color_supported(modes):
        names.add("rgb_color")
    if supported & EFFECT:
        names.add("effect")
    if supported & TRANSITION:
        names.add("transition")
    return names


def _by_flags(always: tuple[str, ...], *rows: Row) -> Supports:
    """Return a function that adds to `always` what each flag stands for."""
    # As plain numbers: a flag's own arithmetic is slow, and there are many devices.
    plain = tuple((int(flag), added) for flag, added in rows)

    def supports(supported: int, _attributes: Mapping[str, Any]) -> set[str]:
        names = set(always)
        for flag, added in plain:
            if supported & flag:
                names.update(added)
        return names

    return supports


def _lock(supported: int, attributes: Mapping[str, Any]) -> set[str]:
    if attributes.get("code_format") and not attributes.get(CODED):
        return set()
    names = {"lock.lock", "lock.unlock"}
    return names | {"lock.open"} if supported & LATCH else names


def _alarm(supported: int, attributes: Mapping[str, Any]) -> set[str]:
    """Return what a panel does without being told a code, or with the one it has."""
    coded = bool(attributes.get(CODED))
    names = _ARMS(supported, attributes)
    if attributes.get("code_arm_required", True) and not coded:
        names = set()
    if coded or not attributes.get("code_format"):
        names.add("alarm_control_panel.alarm_disarm")
    return names


def _datetime(_supported: int, attributes: Mapping[str, Any]) -> set[str]:
    names = {"input_datetime.set_datetime"}
    return names | {n for n in ("date", "time") if attributes.get(f"has_{n}")}


def _text(_supported: int, attributes: Mapping[str, Any]) -> set[str]:
    # A password would have to be written into the record.
    if attributes.get("mode") == "password":
        return set()
    return {"text.set_value", "input_text.set_value", "value"}


LATCH = int(Lock.OPEN)
_ARMS = _by_flags(
    (),
    (Alarm.ARM_HOME, ("alarm_control_panel.alarm_arm_home",)),
    (Alarm.ARM_AWAY, ("alarm_control_panel.alarm_arm_away",)),
    (Alarm.ARM_NIGHT, ("alarm_control_panel.alarm_arm_night",)),
    (Alarm.ARM_VACATION, ("alarm_control_panel.alarm_arm_vacation",)),
    (Alarm.ARM_CUSTOM_BYPASS, ("alarm_control_panel.alarm_arm_custom_bypass",)),
)

_SUPPORTS: Mapping[str, Supports] = {
    "light": _light,
    "climate": _by_flags(
        ("climate.set_hvac_mode", "hvac_mode"),
        (Climate.TARGET_TEMPERATURE, ("climate.set_temperature", "temperature")),
        (
            Climate.TARGET_TEMPERATURE_RANGE,
            ("climate.set_temperature", "target_temp_low", "target_temp_high"),
        ),
        (Climate.FAN_MODE, ("climate.set_fan_mode", "fan_mode")),
        (Climate.PRESET_MODE, ("climate.set_preset_mode", "preset_mode")),
        (Climate.TURN_OFF, ("climate.turn_off",)),
        (Climate.TURN_ON, ("climate.turn_on",)),
    ),
    "cover": _by_flags(
        (),
        (Cover.OPEN, ("cover.open_cover",)),
        (Cover.CLOSE, ("cover.close_cover",)),
        (Cover.SET_POSITION, ("cover.set_cover_position", "position")),
        (Cover.STOP, ("cover.stop_cover",)),
        (Cover.OPEN_TILT, ("cover.open_cover_tilt",)),
        (Cover.CLOSE_TILT, ("cover.close_cover_tilt",)),
        (Cover.STOP_TILT, ("cover.stop_cover_tilt",)),
        (
            Cover.SET_TILT_POSITION,
            ("cover.set_cover_tilt_position", "tilt_position"),
        ),
    ),
    "fan": _by_flags(
        (),
        (Fan.SET_SPEED, ("fan.set_percentage", "percentage")),
        (Fan.PRESET_MODE, ("fan.set_preset_mode", "preset_mode")),
        (Fan.OSCILLATE, ("fan.oscillate", "oscillating")),
        (Fan.DIRECTION, ("fan.set_direction", "direction")),
        (Fan.TURN_ON, ("fan.turn_on",)),
        (Fan.TURN_OFF, ("fan.turn_off",)),
    ),
    "lock": _lock,
    "alarm_control_panel": _alarm,
    "camera": _by_flags(
        ("camera.enable_motion_detection", "camera.disable_motion_detection"),
        (CAMERA_ON_OFF, ("camera.turn_on", "camera.turn_off")),
    ),
    "humidifier": _by_flags(
        (
            *("humidifier.turn_on", "humidifier.turn_off"),
            *("humidifier.set_humidity", "humidity"),
        ),
        (Humidifier.MODES, ("humidifier.set_mode", "mode")),
    ),
    "lawn_mower": _by_flags(
        (),
        (Mower.START_MOWING, ("lawn_mower.start_mowing",)),
        (Mower.PAUSE, ("lawn_mower.pause",)),
        (Mower.STOP, ("lawn_mower.stop",)),
        (Mower.DOCK, ("lawn_mower.dock",)),
    ),
    "remote": _by_flags(
        ("remote.turn_on", "remote.turn_off"), (Remote.ACTIVITY, ("activity",))
    ),
    "siren": _by_flags(
        (),
        (Siren.TURN_ON, ("siren.turn_on",)),
        (Siren.TURN_OFF, ("siren.turn_off",)),
        (Siren.TONES, ("tone",)),
        (Siren.VOLUME_SET, ("volume_level",)),
        (Siren.DURATION, ("duration",)),
    ),
    "text": _text,
    "input_datetime": _datetime,
    "input_text": _text,
    "vacuum": _by_flags(
        (),
        (Vacuum.START, ("vacuum.start",)),
        (Vacuum.PAUSE, ("vacuum.pause",)),
        (Vacuum.STOP, ("vacuum.stop",)),
        (Vacuum.RETURN_HOME, ("vacuum.return_to_base",)),
        (Vacuum.CLEAN_SPOT, ("vacuum.clean_spot",)),
        (Vacuum.LOCATE, ("vacuum.locate",)),
        (Vacuum.FAN_SPEED, ("vacuum.set_fan_speed", "fan_speed")),
    ),
    "valve": _by_flags(
        (),
        (Valve.OPEN, ("valve.open_valve",)),
        (Valve.CLOSE, ("valve.close_valve",)),
        (Valve.SET_POSITION, ("valve.set_valve_position", "position")),
        (Valve.STOP, ("valve.stop_valve",)),
    ),
    "water_heater": _by_flags(
        (),
        (Heater.TARGET_TEMPERATURE, ("water_heater.set_temperature", "temperature")),
        (
            Heater.OPERATION_MODE,
            ("water_heater.set_operation_mode", "operation_mode"),
        ),
        (Heater.AWAY_MODE, ("water_heater.set_away_mode", "away_mode")),
        (Heater.ON_OFF, ("water_heater.turn_on", "water_heater.turn_off")),
    ),
    "media_player": _by_flags(
        (),
        (Player.TURN_ON, ("media_player.turn_on",)),
        (Player.TURN_OFF, ("media_player.turn_off",)),
        (Player.VOLUME_SET, ("media_player.volume_set", "volume_level")),
        (Player.VOLUME_MUTE, ("media_player.volume_mute", "is_volume_muted")),
        (Player.SELECT_SOURCE, ("media_player.select_source", "source")),
        (Player.PLAY, ("media_player.media_play",)),
        (Player.PAUSE, ("media_player.media_pause",)),
        (Player.STOP, ("media_player.media_stop",)),
        (Player.NEXT_TRACK, ("media_player.media_next_track",)),
        (Player.PREVIOUS_TRACK, ("media_player.media_previous_track",)),
    ),
}
