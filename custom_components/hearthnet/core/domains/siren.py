"""Sirens. Silencing one is no safe direction: it may be what a burglar wants."""

from ..operations import Operation, Parameter
from .shapes import TEXT, to_state

ROWS = (
    Operation(
        name="siren.turn_on",
        parameters={
            # How it sounds, which no siren reports back.
            "tone": TEXT,
            "volume_level": Parameter(minimum=0, maximum=1),
            "duration": Parameter(minimum=1, maximum=1800, unit=" s"),
        },
        effects=to_state("on"),
    ),
    Operation(name="siren.turn_off", effects=to_state("off"), reads_state=False),
)
