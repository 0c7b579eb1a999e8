"""Things that are only on or off: plugs, relays and helpers."""

from ..operations import Operation, Risk
from .shapes import to_state


def _rows(domain: str) -> tuple[Operation, Operation]:
    return (
        Operation(name=f"{domain}.turn_on", effects=to_state("on")),
        Operation(
            name=f"{domain}.turn_off",
            effects=to_state("off"),
            risk=Risk.FREE,
            reads_state=False,
        ),
    )


ROWS = (*_rows("switch"), *_rows("input_boolean"))
