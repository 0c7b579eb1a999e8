"""How long the event loop is held at once, beside a disk that takes 100 ms a sync.

A ticker wants to run each millisecond, in the loop of a hub with 1,000 devices. At
the same time there are intents for five devices, changes that people make at their
switches, and somebody who looks at the timeline's newest 200 rows. Both processes,
hub and librarian, wait for the slow disk. What counts is what the loop was held by
itself; what a busy machine and the garbage collector took is told apart.
"""

import asyncio
import gc
import os
from pathlib import Path
from tempfile import TemporaryDirectory
import time
from typing import Any

from hearthnet.core.messages import Json
from hearthnet.core.status import Cause

from .child import in_child
from .home import ANNA, Home, lamps, running
from .intent import AT_ONCE, switch
from .rows import Row, Scale, UnavailableError, percentiles
from .slow_disk import SlowDisk

DEVICES = 1000
SLOW = 100
TARGET_MS = 10
WHAT = f"longest hold of the event loop, {SLOW} ms disk sync"


def rows(scale: Scale) -> list[Row]:
    """Measure, or say why not."""
    try:
        with TemporaryDirectory(prefix="hearthnet-bench-") as folder:
            slow = SlowDisk(Path(folder)).env(SLOW)
            told = in_child("loop", slow, seconds=scale.of(30, 4))
    except UnavailableError as error:
        return [
            Row(what=WHAT, target=f"< {TARGET_MS} ms", measured=str(error), met=None)
        ]
    held, late = told["held_ms"], told["late_ms"]
    return [
        Row(
            what=WHAT,
            target=f"< {TARGET_MS} ms",
            measured=f"{held['max']:.1f} ms (p99 {held['p99']:.1f} ms)",
            met=held["max"] < TARGET_MS,
            numbers=told,
            note=(
                f"beside {told['intents']} intents, {told['changes']} changes and "
                f"{told['timelines']} timelines; not in it: waits for a core, with "
                f"which it is {late['max']:.1f} ms (idle loop "
                f"{told['idle_late_ms']['max']:.1f} ms), and the garbage collector, "
                f"{told['collector_ms']:.1f} ms at once"
            ),
        )
    ]


class Ticker:
    """Wakes each millisecond and notes by how much it was late, and through whom."""

    def __init__(self) -> None:
        """Start ticking."""
        self.late: list[float] = []
        self.held: list[float] = []
        """Without what the machine and Python's garbage collector took."""
        self._collector = _Collector()
        self._ready = _open_schedstat()
        self._task = asyncio.ensure_future(self._tick())

    async def _tick(self) -> None:
        while True:
            start, taken = time.perf_counter(), self._taken()
            await asyncio.sleep(0.001)
            late = (time.perf_counter() - start) * 1000 - 1
            self.late.append(late)
            self.held.append(max(0.0, late - (self._taken() - taken)))

    def _taken(self) -> float:
        """Return the milliseconds that this thread had no core, or only collected."""
        waited = 0.0
        if self._ready is not None:
            waited = int(os.pread(self._ready, 100, 0).split()[1]) / 1e6
        return waited + self._collector.spent

    @property
    def collected(self) -> float:
        """The longest run of the garbage collector, in milliseconds."""
        return self._collector.longest

    def stop(self) -> None:
        """Tick no more."""
        self._task.cancel()
        self._collector.stop()
        if self._ready is not None:
            os.close(self._ready)


class _Collector:
    """Times Python's garbage collector, which stops whoever runs when it is due."""

    def __init__(self) -> None:
        self.spent = self.longest = 0.0
        self._start = 0.0
        gc.callbacks.append(self._tell)

    def _tell(self, phase: str, _info: object) -> None:
        if phase == "start":
            self._start = time.perf_counter()
            return
        took = (time.perf_counter() - self._start) * 1000
        self.spent += took
        self.longest = max(self.longest, took)

    def stop(self) -> None:
        """Listen no more."""
        gc.callbacks.remove(self._tell)


def _open_schedstat() -> int | None:
    """Return where Linux tells how long this thread waited for a core."""
    try:
        return os.open("/proc/thread-self/schedstat", os.O_RDONLY)
    except OSError:
        return None


def measure(seconds: float) -> dict[str, Json]:
    """Return milliseconds by which the ticker was late, busy and idle."""
    with TemporaryDirectory(prefix="hearthnet-bench-") as folder:
        return asyncio.run(_measure(Path(folder), seconds))


async def _measure(folder: Path, seconds: float) -> dict[str, Json]:
    async with running(folder, lamps(DEVICES)) as home:
        traffic = Traffic(home)
        await traffic.prepare()
        # The interpreter's own heap, and threads that are not there yet, would hold
        # any loop: in Home Assistant they are another, and warm.
        gc.collect()
        gc.freeze()
        await asyncio.gather(*(asyncio.to_thread(time.sleep, 0.1) for _ in range(32)))
        idle = Ticker()
        await asyncio.sleep(seconds / 3)
        idle.stop()
        busy = Ticker()
        await traffic.run(seconds)
        busy.stop()
        gc.unfreeze()
    return {
        "seconds": seconds,
        "intents": traffic.intents,
        "changes": traffic.changes,
        "timelines": traffic.timelines,
        "held_ms": percentiles(busy.held),
        "late_ms": percentiles(busy.late),
        "collector_ms": round(busy.collected, 3),
        "idle_held_ms": percentiles(idle.held),
        "idle_late_ms": percentiles(idle.late),
    }


class Traffic:
    """What goes on in a lively home."""

    def __init__(self, home: Home) -> None:
        """Count from zero."""
        self.home = home
        self.devices = list(home.house.known)
        self.intents = self.changes = self.timelines = 0

    async def prepare(self) -> None:
        """Have every device seen and a record of more than a page."""
        for number, device in enumerate(self.devices):
            self._observe(device, Cause.RECONNECT, brightness_pct=1)
            if number % 10 == 9:
                await asyncio.sleep(0)
        await self.home.node.sync()
        await self.home.dewey.durable()

    async def run(self, seconds: float) -> None:
        """Keep all of it up for a while."""
        until = time.monotonic() + seconds

        async def repeat(wait: float, what: Any) -> None:
            number = 0
            while time.monotonic() < until:
                await what(number)
                number += 1
                await asyncio.sleep(wait)

        await asyncio.gather(
            repeat(0.05, self._intent),
            repeat(0.1, self._change),
            repeat(0.5, self._timeline),
        )

    async def _intent(self, number: int) -> None:
        first = number * AT_ONCE % (DEVICES // 2)
        await switch(self.home, self.devices[first : first + AT_ONCE], 20 + number % 60)
        self.intents += 1

    async def _change(self, number: int) -> None:
        device = self.devices[DEVICES // 2 + number % (DEVICES // 2)]
        self._observe(device, Cause.PERSON, brightness_pct=1 + number % 99)
        self.changes += 1

    async def _timeline(self, _number: int) -> None:
        told = await self.home.hub.chronicle.timeline(limit=200)
        if len(told["events"]) != 200 or not told["complete"]:
            raise RuntimeError("the timeline has no 200 rows")
        self.timelines += 1

    def _observe(self, device: str, cause: Cause, **values: Json) -> None:
        """Report a device, as Home Assistant would."""
        self.home.house.change(device, state="on", **values)
        self.home.hub.observe(
            device,
            dict(self.home.house.values[device]),
            cause=cause,
            principal=ANNA if cause is Cause.PERSON else None,
        )
