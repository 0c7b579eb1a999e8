"""Door locks. A code is never a parameter: codes stay out of the record."""

from ..operations import Operation, Risk
from .shapes import to_state

DEADLINE = 30.0
"""Bolts are slow: `locking` and `unlocking` are on the way there."""

ROWS = (
    Operation(
        name="lock.lock",
        effects=to_state("locked"),
        risk=Risk.FREE,
        deadline=DEADLINE,
        reads_state=False,
    ),
    Operation(
        name="lock.unlock",
        effects=to_state("unlocked"),
        risk=Risk.CONFIRM,
        deadline=DEADLINE,
    ),
    Operation(
        name="lock.open",
        effects=to_state("open"),
        risk=Risk.CONFIRM,
        deadline=DEADLINE,
        # The latch springs back, so a second time opens the door again.
        absolute=False,
    ),
)
