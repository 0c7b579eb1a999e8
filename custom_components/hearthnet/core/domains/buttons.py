"""Buttons: something happens, and nothing shows what.

A gate's opener is a button too, hence a person is asked. Pressed twice is not the
same as once, so a press is never repeated.
"""

from ..operations import Operation, Risk
from .shapes import no_effects

ROWS = tuple(
    Operation(
        name=f"{domain}.press",
        effects=no_effects,
        risk=Risk.CONFIRM,
        absolute=False,
    )
    for domain in ("button", "input_button")
)
