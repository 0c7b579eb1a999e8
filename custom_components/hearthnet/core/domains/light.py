"""Lamps."""

from ..operations import Operation, Parameter, Risk
from .shapes import POSITIVE_PERCENT, to_state

TRANSITION = Parameter(minimum=0, maximum=300, unit=" s")
"""Only the way there, so never an effect. It lengthens the read-back."""

ROWS = (
    Operation(
        name="light.turn_on",
        parameters={
            "brightness_pct": POSITIVE_PERCENT,
            "color_temp_kelvin": Parameter(minimum=1000, maximum=12000, unit=" K"),
            "rgb_color": Parameter(minimum=0, maximum=255, length=3),
            "transition": TRANSITION,
        },
        exclusive=(frozenset({"color_temp_kelvin", "rgb_color"}),),
        effects=to_state(
            "on",
            brightness_pct="brightness_pct",
            color_temp_kelvin="color_temp_kelvin",
            rgb_color="rgb_color",
        ),
    ),
    Operation(
        name="light.turn_off",
        parameters={"transition": TRANSITION},
        effects=to_state("off"),
        risk=Risk.FREE,
        reads_state=False,
    ),
)
