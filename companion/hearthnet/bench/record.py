"""How many events a second become durable: journal, librarian's process, Git.

One commit an event, each batch synced before it counts. The events come as fast
as the record takes them; the clock stops when the last one is in Git for good.
"""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from hearthnet.core.clock import SystemClock
from hearthnet.core.messages import Json
from hearthnet.core.node import Node

from .child import in_child
from .events import emit, record
from .home import KEY, recording
from .rows import Row, Scale, UnavailableError, percentile
from .slow_disk import SlowDisk

SLOW = 5
"""Milliseconds that a sync of the slow disk takes longer."""
SINGLE = 50
"""Events that are timed one by one."""


def rows(scale: Scale) -> list[Row]:
    """Measure at this disk and at a slow one."""
    here = _row(
        in_child("record", {}, events=scale.of(20_000, 3000)), "this disk", 1000
    )
    what = f"a sync {SLOW} ms longer"
    try:
        with TemporaryDirectory(prefix="hearthnet-bench-") as folder:
            slow = SlowDisk(Path(folder)).env(SLOW)
            told = in_child("record", slow, events=scale.of(10_000, 2000))
    except UnavailableError as error:
        return [
            here,
            Row(what=_what(what), target="≥ 500", measured=str(error), met=None),
        ]
    return [here, _row(told, what, 500)]


def _row(told: dict[str, float], disk: str, target: int) -> Row:
    return Row(
        what=_what(disk),
        target=f"≥ {target:,}",
        measured=f"{told['rate']:,.0f} (one alone: {told['single_ms']:.1f} ms)",
        met=told["rate"] >= target,
        numbers=dict(told),
    )


def _what(disk: str) -> str:
    return f"durable events a second, {disk}"


def measure(events: int) -> dict[str, Json]:
    """Return the rate, and the median time of an event that comes alone."""
    with TemporaryDirectory(prefix="hearthnet-bench-") as folder:
        return asyncio.run(_measure(Path(folder), events))


async def _measure(folder: Path, events: int) -> dict[str, Json]:
    node = Node(name="hub", folder=folder / "journal", key=KEY, clock=SystemClock())
    async with recording(node, folder / "record") as dewey:
        await dewey.durable()
        start = perf_counter()
        await record(node, dewey, events)
        rate = events / (perf_counter() - start)
        times = []
        for number in range(SINGLE):
            start = perf_counter()
            emit(node, number)
            await dewey.durable()
            times.append((perf_counter() - start) * 1000)
    await node.close()
    return {
        "events": events,
        "rate": round(rate, 1),
        "single_ms": round(percentile(times, 50), 2),
    }
