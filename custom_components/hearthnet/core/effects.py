"""Effects: what an action would make true of a device.

Holds, conflicts, freshness and read-back all speak of effects, so that an
action is compared with another by what it does and not by how it is called.
"""

from dataclasses import dataclass

from .devices import Values
from .messages import Json

STATE = "state"
OFF_VALUES = frozenset({"off"})
"""States in which a device has no other attribute (an off lamp, no brightness)."""


@dataclass(frozen=True)
class Effect:
    """One attribute of one device, and the value it shall have."""

    device: str
    """`Device.key`."""
    attribute: str
    value: Json

    @property
    def turns_off(self) -> bool:
        """Tell whether the effect makes all other attributes meaningless."""
        return self.attribute == STATE and self.value in OFF_VALUES


TOLERANCE: dict[str, float] = {
    "brightness_pct": 1.0,
    "color_temp_kelvin": 60.0,
    "volume_level": 0.011,
    "temperature": 0.26,
    "target_temp_low": 0.26,
    "target_temp_high": 0.26,
    "current_position": 3.0,
    "current_tilt_position": 3.0,
    "percentage": 3.0,
    "humidity": 1.0,
}
"""How far a value read back may lie from the value asked for, in its own unit.

Devices round: 55 % becomes 140/255 (54.9 %), kelvin becomes mireds.
"""


def same_value(attribute: str, wanted: Json, seen: Json) -> bool:
    """Tell whether a value read back is the value asked for, within tolerance."""
    if isinstance(wanted, bool) or isinstance(seen, bool):
        return wanted is seen
    if isinstance(wanted, int | float) and isinstance(seen, int | float):
        return abs(wanted - seen) <= TOLERANCE.get(attribute, 0.0)
    if isinstance(wanted, list) and isinstance(seen, list):
        return len(wanted) == len(seen) and all(
            same_value(attribute, a, b) for a, b in zip(wanted, seen, strict=True)
        )
    return wanted == seen


def holds_true(effect: Effect, values: Values) -> bool:
    """Tell whether a reading's values already satisfy the effect."""
    return same_value(effect.attribute, effect.value, values.get(effect.attribute))


def contradicts(new: Effect, held_attribute: str, held: Json) -> bool:
    """Tell whether `new` would change a held attribute of the same device.

    `off` contradicts every attribute but an `off` that is held itself, and
    whatever sets an attribute contradicts a held `off`.
    """
    if new.turns_off:
        return not (held_attribute == STATE and held in OFF_VALUES)
    if held_attribute == STATE and held in OFF_VALUES:
        return new.attribute != STATE or new.value not in OFF_VALUES
    if new.attribute != held_attribute:
        return False
    return not same_value(held_attribute, new.value, held)
