"""Alarm panels. A code is never a parameter: codes stay out of the record.

Home Assistant adds the default code that the owner gave it for the panel; without
one, what asks for a code is not offered at all (`features`). Setting an alarm off
is no operation.
"""

from ..operations import Operation, Risk
from .shapes import to_state

DEADLINE = 5.0
"""Until `running` is told; `arming` lasts as long as people have to leave."""


def _arm(mode: str, *, fullest: bool = False) -> Operation:
    # From “away” to “home” the motion detectors go off, so only what leaves nothing
    # unguarded is the safe direction.
    return Operation(
        name=f"alarm_control_panel.alarm_arm_{mode}",
        effects=to_state(f"armed_{mode}"),
        risk=Risk.FREE if fullest else Risk.NORMAL,
        deadline=DEADLINE,
        moves=True,
        reads_state=not fullest,
    )


ROWS = (
    _arm("away", fullest=True),
    _arm("vacation", fullest=True),
    _arm("home"),
    _arm("night"),
    _arm("custom_bypass"),
    Operation(
        name="alarm_control_panel.alarm_disarm",
        effects=to_state("disarmed"),
        risk=Risk.CONFIRM,
        deadline=DEADLINE,
    ),
)
