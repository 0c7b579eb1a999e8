"""How quickly the timeline answers, and how large the record becomes.

The questions go the whole way: the hub's chronicle, which joins what Git has with
what it has not yet, and the librarian's process. Sizes are those on disk after
packing, as Dewey packs in the background.
"""

import asyncio
from pathlib import Path
import shutil
import subprocess
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from hearthnet.core.chronicle import Chronicle
from hearthnet.core.clock import SystemClock
from hearthnet.core.messages import Json
from hearthnet.core.node import Node

from .events import device_of, record
from .home import KEY, recording
from .rows import Row, Scale, percentiles

ROWS = 200
ASKED = 30
"""How often each question is asked."""
TARGET_MS = 50
TARGET_BYTES = 1000


def rows(scale: Scale) -> list[Row]:
    """Record the events and ask."""
    told = measure(scale.of(scale.events, min(scale.events, 4000)))
    growth, beside = told["bytes"], told["beside"]
    measured = "no git to pack with" if growth is None else f"{growth:,.0f} bytes"
    return [
        *(_asked(told, name) for name in told["asked_ms"]),
        Row(
            what="growth of the repository an event, 1,000 devices, packed",
            target=f"< {TARGET_BYTES:,} bytes",
            measured=measured,
            met=None if growth is None else growth < TARGET_BYTES,
            numbers={"events": told["events"], "bytes": growth, **beside},
            note=(
                f"besides {beside['index']:.0f} bytes in the index and "
                f"{beside['journal']:.0f} in the journal, for a week"
            ),
        ),
    ]


def _asked(told: dict[str, Any], name: str) -> Row:
    times = told["asked_ms"][name]
    return Row(
        what=f"timeline, {name}, {told['events']:,} events, p95",
        target=f"< {TARGET_MS} ms",
        measured=f"{times['p95']:.1f} ms (p50 {times['p50']:.1f} ms)",
        met=times["p95"] < TARGET_MS,
        numbers=times,
    )


def measure(events: int) -> dict[str, Any]:
    """Return milliseconds a question, and bytes an event."""
    with TemporaryDirectory(prefix="hearthnet-bench-") as folder:
        return asyncio.run(_measure(Path(folder), events))


async def _measure(folder: Path, events: int) -> dict[str, Any]:
    node = Node(name="hub", folder=folder / "journal", key=KEY, clock=SystemClock())
    async with recording(node, folder / "record") as dewey:
        chronicle = Chronicle(node, dewey)
        await record(node, dewey, events)
        asked = {
            "newest 200": await _ask(chronicle, {}),
            "200 in the middle": await _ask(
                chronicle, {"before": f"hub.{node.boot}.{events // 2}"}
            ),
            "of one device": await _ask(chronicle, {"device": device_of(6)}),
            "of one intent": await _ask(chronicle, {"intent": "hub.1.72"}),
        }
    await node.close()
    return {"events": events, "asked_ms": asked, **_sizes(folder, events)}


async def _ask(chronicle: Chronicle, question: dict[str, Any]) -> dict[str, Json]:
    times = []
    for _ in range(ASKED):
        start = perf_counter()
        answer = await chronicle.timeline(limit=ROWS, **question)
        times.append((perf_counter() - start) * 1000)
        if not answer["complete"] or not answer["events"]:
            raise RuntimeError(f"no whole answer to {question}")
    return percentiles(times)


def _sizes(folder: Path, events: int) -> dict[str, Any]:
    objects = folder / "record" / "objects"
    packed = None
    if (git := shutil.which("git")) is not None:
        subprocess.run(  # noqa: S603 - our own repository
            [git, "-C", folder / "record", "repack", "-q", "-a", "-d"], check=True
        )
        packed = round(_size(objects) / events, 1)
    beside = {
        "index": round(_size(folder / "record" / "hearthnet") / events, 1),
        "journal": round(_size(folder / "journal") / events, 1),
    }
    return {"bytes": packed, "beside": beside}


def _size(folder: Path) -> int:
    """Return the bytes that a folder takes on the disk."""
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*"))
