"""Lamps."""

from ..devices import Values
from ..effects import STATE
from ..operations import Operation, Parameter, Parameters, Risk
from .shapes import POSITIVE_PERCENT, TEXT, Pairs, attributes_of, to_state

TRANSITION = Parameter(minimum=0, maximum=300, unit=" s")
"""Only the way there, so never an effect. It lengthens the read-back."""

NO_EFFECT = frozenset({"off", "none"})
"""What lamps call it, in small letters, when no effect runs."""


def _turn_on(parameters: Parameters, _values: Values) -> Pairs:
    shown = attributes_of(
        parameters,
        {
            "brightness_pct": "brightness_pct",
            "color_temp_kelvin": "color_temp_kelvin",
            "rgb_color": "rgb_color",
        },
    )
    effect = parameters.get("effect")
    if isinstance(effect, str):
        shown += (("effect", None if effect.lower() in NO_EFFECT else effect),)
    return ((STATE, "on"), *shown)


ROWS = (
    Operation(
        name="light.turn_on",
        parameters={
            "brightness_pct": POSITIVE_PERCENT,
            "color_temp_kelvin": Parameter(minimum=1000, maximum=12000, unit=" K"),
            "rgb_color": Parameter(minimum=0, maximum=255, length=3),
            "effect": TEXT,
            "transition": TRANSITION,
        },
        exclusive=(frozenset({"color_temp_kelvin", "rgb_color", "effect"}),),
        effects=_turn_on,
    ),
    Operation(
        name="light.turn_off",
        parameters={"transition": TRANSITION},
        effects=to_state("off"),
        risk=Risk.FREE,
        reads_state=False,
    ),
)
