"""What a device itself can be set to: its lowest and highest number, and its step.

Home Assistant refuses what lies outside, and a device takes the nearest step without
a word; known beforehand, a lease names what will be.
"""

from collections.abc import Mapping
from typing import Any

from .core.devices import Limit

_RANGES: Mapping[str, Mapping[str, tuple[str, str, str]]] = {
    "climate": dict.fromkeys(
        ("temperature", "target_temp_low", "target_temp_high"),
        ("min_temp", "max_temp", "target_temp_step"),
    ),
    "humidifier": {
        "humidity": ("min_humidity", "max_humidity", "target_humidity_step")
    },
    "input_number": {"value": ("min", "max", "step")},
    "light": {
        "color_temp_kelvin": ("min_color_temp_kelvin", "max_color_temp_kelvin", "")
    },
    "number": {"value": ("min", "max", "step")},
    "fan": {"percentage": ("", "", "percentage_step")},
    "water_heater": {"temperature": ("min_temp", "max_temp", "target_temp_step")},
}
"""By domain and parameter, the attributes that tell low, high and step."""
_FROM_LOW = frozenset({"input_number", "number"})
"""Domains whose steps are counted from the lowest number, not from 0."""


def limits_of(domain: str, attributes: Mapping[str, Any]) -> dict[str, Limit]:
    """Return the limits that an entity's attributes tell, by parameter."""
    found = {}
    for parameter, names in _RANGES.get(domain, {}).items():
        low, high, step = (_number(attributes.get(name)) for name in names)
        base = low or 0.0 if domain in _FROM_LOW else 0.0
        limit = Limit(low, high, step if step and step > 0 else None, base)
        if limit != Limit(base=base):
            found[parameter] = limit
    return found


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value)
