"""Numbered places at which a test may kill the process (kill -9).

`HEARTHNET_KILL_AT=n` ends the process at the n-th point it passes. Without the
variable a point costs one comparison.
"""

from itertools import count
import os
import signal

KILL_AT = int(os.environ.get("HEARTHNET_KILL_AT", "0"))
passed = count(1)
"""Numbers the points; counts only while a kill is armed."""


def killpoint() -> None:
    """Die here if this is the point that the test asked for."""
    if KILL_AT and next(passed) == KILL_AT:
        os.kill(os.getpid(), signal.SIGKILL)
