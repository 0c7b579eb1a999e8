"""Run a node and its librarian in one process and kill it at each point in turn.

    python -m tests.core.crash_driver FOLDER [FIRST [STEP]]

For each n a fork works in a folder of its own until it passes its n-th kill
point, is killed there (SIGKILL, by itself), and another fork goes on in the
same folder, undisturbed. The parent prints one line of JSON a trial; the last n
is the one that is never reached.
"""

import asyncio
import json
import os
from pathlib import Path
import signal
import sys

from hearthnet.core import killpoint
from hearthnet.core.clock import ManualClock
from hearthnet.core.journal import KEEP_SECONDS
from hearthnet.core.librarian.library import Library
from hearthnet.core.messages import MessageType
from hearthnet.core.node import Node
from hearthnet.core.paths import device_path
from tests.core.records import inline, journaled, make_node, recorded, say

LAMP = device_path("lamp")


async def work(folder: Path) -> None:
    """Two boots' worth of events, recorded in batches, then purged; and some more.

    What leaves the node is put down in a file that is not under test: it must
    be in the journal whatever happens.
    """
    clock = ManualClock()
    for journal in (folder / "journal").glob("*.log"):
        os.utime(journal, (old := clock.wall.timestamp() - 2 * KEEP_SECONDS, old))
    node = make_node(folder / "journal", clock=clock)
    for number in range(3):
        say(node, f"Number {number}.", writes={LAMP: {"boot": node.boot, "n": number}})
        say(node, type=MessageType.GRANT)
        await node.sync()
        killpoint.killpoint()
        with (folder / "left").open("a") as left:
            left.write(f"{node.boot} {node.journal.seq}\n")
    await record(folder, node)
    await node.raise_boot(node.boot + 1)
    say(node, writes={LAMP: None, "policy.yaml": "rules: []"})
    await node.sync()
    await record(folder, node)
    await node.purge(node.position)
    say(node, "Now in another segment.")
    await node.sync()
    await record(folder, node)
    await node.purge(node.position)
    await node.close()


async def record(folder: Path, node: Node) -> None:
    """Bring the record up to date, in batches of three."""
    library = Library(folder / "record", node.clock)
    after = library.durable.get("hub", (0, 0))
    while entries := await node.read(after, 3):
        offer = library.intake.offer("hub", entries, trusted=True)
        assert len(offer.accepted) == len(entries), offer
        assert not offer.notices
        library.write(offer.accepted)
        killpoint.killpoint()
        after = entries[-1].position
        with (folder / "acknowledged").open("a") as acknowledged:
            acknowledged.write(f"{after[0]} {after[1]}\n")
    library.close()


def trial(folder: Path, kill_at: int) -> int:
    """Work in a fork; return its exit status, negative for a signal."""
    if child := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        killpoint.KILL_AT = kill_at
        asyncio.run(work(folder))
        os._exit(0)
    finally:
        sys.excepthook(*sys.exc_info())
        os._exit(1)


def check_prefix(folder: Path) -> None:
    """Check that git holds no event that the journal does not, right after a kill."""
    if not (folder / "record/refs/heads/main").exists():
        return
    journal = journaled(folder / "journal")
    for event, message in recorded(folder / "record"):
        if event.position >= min(journal, default=(0, 0)):
            said = journal.get(event.position)
            assert said == message, f"{event} is not in the journal"


def main() -> int:
    """Try every point, or each STEP-th from FIRST on."""
    base, first, step = Path(sys.argv[1]), 1, 1
    if len(sys.argv) > 2:
        first, step = int(sys.argv[2]), int(sys.argv[3])
    asyncio.run(inline_once())
    point = first
    while True:
        folder = base / str(point)
        folder.mkdir()
        killed = trial(folder, point)
        check_prefix(folder)
        again = trial(folder, 0)
        sys.stdout.write(json.dumps([point, killed, again]) + "\n")
        sys.stdout.flush()
        if killed != -signal.SIGKILL:
            return 0
        point += step


async def inline_once() -> None:
    """Load what asyncio loads lazily, once, before any fork."""
    await inline(lambda: None)


if __name__ == "__main__":
    sys.exit(main())
