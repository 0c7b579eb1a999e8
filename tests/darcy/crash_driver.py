"""Live a phone's node, once for each line of standard input, and be killed in it.

    python -m tests.darcy.crash_driver PORT

A line is `KILL_AT FOLDER`: a fork works in that folder against the phone at
PORT until it passes its n-th kill point (0: never). Its exit status is printed,
negative for a signal.
"""

import asyncio
import dataclasses
import os
from pathlib import Path
import sys
import traceback

from hearthnet.core import killpoint
from hearthnet.core.clock import SystemClock
from hearthnet.core.reasons import DONE
from hearthnet.core.verdict import Receipt
from hearthnet.darcy.link import Link
from hearthnet.darcy.phone import Phone

from .conftest import FAST, QUICK, recipe_named
from .desk import TV, Desk

PACE = dataclasses.replace(FAST, quiet=0)
"""A life begins right after the last one's tap: that is not the owner's touch."""


async def live(port: int, folder: Path) -> None:
    """Read what the last life left open, then switch the television off."""
    link = Link("127.0.0.1", port, None, timing=QUICK)
    recipe = recipe_named("living_room_tv")
    desk = Desk.open(Phone(link, PACE), recipe, folder, SystemClock())
    if desk.gate.unknown(TV):
        reading = await desk.adapter.refresh(TV)
        assert desk.gate.resolve_unknown(TV, reading)
    answer = await desk.execute(desk.lease("tv.power_off"), "tv.power_off")
    assert isinstance(answer, Receipt)
    assert answer.outcome in DONE, answer
    await desk.node.close()
    await link.close()


def trial(port: int, kill_at: int, folder: Path) -> int:
    """Live in a fork; return its exit status."""
    if child := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    status = 1
    try:
        killpoint.KILL_AT = kill_at
        asyncio.run(live(port, folder))
        status = 0
    except BaseException:  # noqa: BLE001 - a fork may not go on in the parent's code
        traceback.print_exc()
    finally:
        os._exit(status)


def main(port: int) -> None:
    """Do one trial a line."""
    for line in sys.stdin:
        kill_at, folder = line.rstrip("\n").split(" ", 1)
        sys.stdout.write(f"{trial(port, int(kill_at), Path(folder))}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]))
