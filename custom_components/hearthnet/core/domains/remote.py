"""Remote controls with activities. Commands for other devices are no operation.

What `remote.send_command` does depends on who listens, and nobody reads it back.
"""

from ..operations import Operation, Risk
from .shapes import TEXT, to_state

DEADLINE = 5.0

ROWS = (
    Operation(
        name="remote.turn_on",
        parameters={"activity": TEXT},
        effects=to_state("on", activity="current_activity"),
        deadline=DEADLINE,
    ),
    Operation(
        name="remote.turn_off",
        effects=to_state("off"),
        risk=Risk.FREE,
        deadline=DEADLINE,
        reads_state=False,
    ),
)
