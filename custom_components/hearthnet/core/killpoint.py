"""Numbered places at which a test may kill the process (kill -9).

`HEARTHNET_KILL_AT=n` ends the process at the n-th point it passes. Without the
variable a point costs one comparison.
"""

import os
import signal

KILL_AT = int(os.environ.get("HEARTHNET_KILL_AT", "0"))
passed = 0
"""How many points the process has passed; counted only while a kill is armed."""


def killpoint() -> None:
    """Die here if this is the point that the test asked for."""
    global passed
    if not KILL_AT:
        return
    passed += 1
    if passed == KILL_AT:
        os.kill(os.getpid(), signal.SIGKILL)
