"""Effects: what an action would make true of a device.

Holds, conflicts, freshness and read-back all speak of effects, so that an
action is compared with another by what it does and not by how it is called.
"""

from dataclasses import dataclass

from .messages import Json

STATE = "state"
COLOR = "rgb_color"
ANYTHING = "*"
"""The attribute of an effect of which only the device is known (a script's)."""
OFF_VALUES = frozenset({"off", "standby"})
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
    COLOR: 16.0,
}
"""How far a value read back may lie from the value asked for, in its own unit.

Devices round: 55 % becomes 140/255 (54.9 %), kelvin becomes mireds, and pure blue
on its way through xy comes back as (11, 0, 255).
"""


NOT_ON = OFF_VALUES | {"unavailable", "unknown"}
STATES_THAT_DO: dict[str, frozenset[str]] = {
    "off": OFF_VALUES,
    "idle": frozenset({"idle", "on"}) | OFF_VALUES,
    "paused": frozenset({"paused", "idle", "docked"}),
    "open": frozenset({"open", "unlocked"}),
}
"""States that count as another: a stopped player may switch itself off, a radio
that is paused stops, a robot on its base has stopped, a latch springs back once the
door was opened."""

RIVALS: tuple[frozenset[str], ...] = (
    frozenset({"color_temp_kelvin", "rgb_color", "effect"}),
    frozenset({"temperature", "target_temp_low", "preset_mode"}),
    frozenset({"temperature", "target_temp_high", "preset_mode"}),
    frozenset({"percentage", "preset_mode"}),
)
"""Attributes of one device of which setting one changes the others."""
POSITION = "current_position"
ENDS: dict[str, float] = {"open": 100, "closed": 0}
"""Where a blind of that state stands."""


def same_value(
    attribute: str, wanted: Json, seen: Json, *, exact: bool = False
) -> bool:
    """Tell whether a value read back is the value asked for.

    Numbers within their tolerance, unless they are `exact`.
    """
    if isinstance(wanted, bool) or isinstance(seen, bool):
        return wanted is seen
    if attribute == STATE and isinstance(wanted, str):
        return _same_state(wanted, seen)
    if isinstance(wanted, int | float) and isinstance(seen, int | float):
        slack = 0.0 if exact else TOLERANCE.get(attribute, 0.0)
        return abs(wanted - seen) <= slack
    if attribute == COLOR:
        wanted, seen = _brightest(wanted), _brightest(seen)
    if isinstance(wanted, list) and isinstance(seen, list):
        return len(wanted) == len(seen) and all(
            same_value(attribute, a, b, exact=exact)
            for a, b in zip(wanted, seen, strict=True)
        )
    return wanted == seen


def _brightest(color: Json) -> Json:
    """Return a color as bright as it can be: lamps keep brightness apart from it."""
    if not isinstance(color, list) or not color:
        return color
    parts = [p for p in color if isinstance(p, int | float)]
    most = max(parts, default=0)
    return (
        color
        if len(parts) < len(color) or not most
        else [p * 255 / most for p in parts]
    )


def _same_state(wanted: str, seen: Json) -> bool:
    """Tell whether a state does for another; `on` is any state that is not off."""
    if not isinstance(seen, str):
        return False
    if wanted == "on":
        return seen not in NOT_ON
    return seen in STATES_THAT_DO.get(wanted, {wanted})


def contradicts(new: Effect, held_attribute: str, held: Json) -> bool:
    """Tell whether `new` would change a held attribute of the same device.

    `off` contradicts every attribute but an `off` that is held itself, and
    whatever sets an attribute contradicts a held `off`. What may do anything
    contradicts whatever is held.
    """
    if new.attribute == ANYTHING:
        return True
    if new.turns_off:
        return not (held_attribute == STATE and held in OFF_VALUES)
    if held_attribute == STATE and held in OFF_VALUES:
        return new.attribute != STATE or new.value not in OFF_VALUES
    if new.attribute != held_attribute:
        return _rivals(new, held_attribute, held)
    return not same_value(held_attribute, new.value, held)


def _rivals(new: Effect, held_attribute: str, held: Json) -> bool:
    """Tell whether setting one attribute changes another one that is held."""
    if {new.attribute, held_attribute} == {STATE, POSITION}:
        state, position = new.value, held
        if new.attribute == POSITION:
            state, position = held, new.value
        end = ENDS.get(state) if isinstance(state, str) else None
        return end is not None and not same_value(POSITION, end, position)
    return any({new.attribute, held_attribute} <= rivals for rivals in RIVALS)
