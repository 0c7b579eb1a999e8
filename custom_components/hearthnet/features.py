"""What each device supports, as names of operations and of their parameters.

Home Assistant drops or refuses an action that an entity does not support; asked
beforehand, the answer can name what is missing instead of failing at the device.
"""

from collections.abc import Callable, Mapping
from typing import Any

from homeassistant.components.climate import ClimateEntityFeature as Climate
from homeassistant.components.cover import CoverEntityFeature as Cover
from homeassistant.components.fan import FanEntityFeature as Fan
from homeassistant.components.light import (
    LightEntityFeature as Light,
    brightness_supported,
    color_supported,
    color_temp_supported,
)
from homeassistant.components.lock import LockEntityFeature as Lock
from homeassistant.components.media_player import MediaPlayerEntityFeature as Player

TRANSITION = int(Light.TRANSITION)

type Row = tuple[int, tuple[str, ...]]
type Supports = Callable[[int, Mapping[str, Any]], set[str]]


def features_of(
    domain: str, supported: int, attributes: Mapping[str, Any]
) -> frozenset[str] | None:
    """Return the operations and parameters supported; None means all of them.

    Args:
        domain: the entity's domain.
        supported: its `supported_features`.
        attributes: its capability attributes.
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
    "lock": _by_flags(("lock.lock", "lock.unlock"), (Lock.OPEN, ("lock.open",))),
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
    ),
}
