"""Things that are only on or off: plugs, relays and helpers."""

from ..operations import Operation, Risk
from .shapes import to_state


def _rows(domain: str, off: Risk) -> tuple[Operation, Operation]:
    return (
        Operation(name=f"{domain}.turn_on", effects=to_state("on")),
        Operation(
            name=f"{domain}.turn_off",
            effects=to_state("off"),
            risk=off,
            reads_state=False,
        ),
    )


ROWS = (
    *_rows("switch", off=Risk.FREE),
    # A helper's "off" may mean "alarm off": it has no safe direction.
    *_rows("input_boolean", off=Risk.NORMAL),
)
