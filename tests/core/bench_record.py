# ruff: noqa: T201 - a bench prints
"""Measure the record: how fast, how large, how quickly asked.

    python -m tests.core.bench_record [EVENTS [SYNC_MS]]

Emits EVENTS (100000) of a home with 1,000 devices through the journal and the
librarian's process, then asks the timeline. With SYNC_MS every sync of both
processes takes at least so long.
"""

import asyncio
from collections.abc import Callable
import os
from pathlib import Path
import resource
import sys
import tempfile
import time
from typing import Any

from hearthnet.core.clock import SystemClock
from hearthnet.core.librarian.client import LibrarianProcess
from hearthnet.core.messages import Json, MessageType
from hearthnet.core.node import Node
from hearthnet.core.paths import device_path
from tests.core.records import KEY, git
from tests.support.slow_disk import SlowDisk

DEVICES = [f"{n * 2654435761 % 2**128:032x}" for n in range(1000)]


def emit(node: Node, number: int) -> None:
    """Emit one of seven events of an intent; the seventh changes a device."""
    intent = f"hub.1.{number - number % 7 + 2}"
    device = DEVICES[number * 7919 % 1000]
    kind = list(MessageType)[number % 7]
    writes: dict[str, Json] = {}
    if number % 7 == 6:
        kind = MessageType.RECEIPT
        values: Json = {"state": "on", "brightness": number % 100, "kelvin": 2700}
        writes = {device_path(device): {"entity": "light.a", "values": values}}
    node.emit(
        sender="jeeves",
        to="rupert",
        type=kind,
        content=f"Turn on the reading lamp {number % 100} to {number % 101} %.",
        intent=intent,
        task=intent,
        cause=intent,
        body={
            "target": [device],
            "operation": "light.turn_on",
            "parameters": {"brightness_pct": number % 101},
            "principal": {"kind": "user", "id": "0123456789abcdef"},
        },
        writes=writes,
    )


class Gaps:
    """How long the event loop was held at most, by the clock and in CPU time.

    The clock also counts what other processes of a busy machine take away.
    """

    def __init__(self) -> None:
        self.longest = self.busiest = 0.0
        self._task = asyncio.ensure_future(self._tick())

    async def _tick(self) -> None:
        while True:
            start, cpu = time.perf_counter(), time.thread_time()
            await asyncio.sleep(0.001)
            self.longest = max(self.longest, time.perf_counter() - start - 0.001)
            self.busiest = max(self.busiest, time.thread_time() - cpu)

    def stop(self) -> str:
        self._task.cancel()
        longest, busiest = 1000 * self.longest, 1000 * self.busiest
        return f"{longest:8.1f} ms at most, {busiest:.1f} ms of CPU"


async def record(node: Node, librarian: LibrarianProcess, count: int) -> None:
    """Emit as fast as the record takes it, then one by one."""
    changed = asyncio.Event()
    librarian._on_change = changed.set

    async def until(condition: Callable[[], bool]) -> None:
        while not condition():
            changed.clear()
            await changed.wait()

    await until(lambda: librarian.feed.connected)
    gaps = Gaps()
    await asyncio.sleep(2)
    print(f"loop held, doing nothing       {gaps.stop()}")
    gaps = Gaps()
    started = time.perf_counter()
    for number in range(count):
        emit(node, number)
        if number % 10 == 9:
            behind = node.journal.seq - 2000
            await until(lambda b=behind: librarian.feed.durable[1] > b)  # type: ignore[misc]
            await asyncio.sleep(0)
    await until(lambda: librarian.feed.durable == node.position)
    rate = count / (time.perf_counter() - started)
    print(f"durable events/s               {rate:8.0f}")
    print(f"loop held meanwhile            {gaps.stop()}")
    times = []
    for number in range(100):
        started = time.perf_counter()
        emit(node, number)
        await until(lambda: librarian.feed.durable == node.position)
        times.append(time.perf_counter() - started)
    show("one event to durable", times)


async def ask(librarian: LibrarianProcess, count: int) -> None:
    """Time the questions."""
    device = DEVICES[6 * 7919 % 1000]
    middle = f"hub.1.{count // 2}"
    questions: list[tuple[str, str, dict[str, Any]]] = [
        ("timeline of 200", "timeline", {}),
        ("of 200, page in the middle", "timeline", {"before": middle}),
        ("of 200 of one device", "timeline", {"device": device}),
        ("of 200 of one type", "timeline", {"type": "receipt", "before": middle}),
        ("of 200 with a text", "timeline", {"text": "lamp 42"}),
        ("with a text found nowhere", "timeline", {"text": "nowhere"}),
        ("chain of an intent", "chain", {"intent": "hub.1.702"}),
        ("explain", "explain", {"event": "hub.1.708"}),
        ("snapshot of the state", "snapshot", {}),
    ]
    for name, what, args in questions:
        if what == "timeline":
            args["limit"] = 200
        times = []
        for _ in range(20):
            started = time.perf_counter()
            await librarian.query(what, **args)
            times.append(time.perf_counter() - started)
        show(name, times)


def show(name: str, times: list[float]) -> None:
    times.sort()
    middle, high = times[len(times) // 2], times[int(len(times) * 0.95)]
    print(f"{name:30} {middle * 1000:8.1f} ms p50 {high * 1000:8.1f} ms p95")


def size(folder: Path, pattern: str = "*") -> int:
    return sum(p.stat().st_blocks * 512 for p in folder.rglob(pattern))


async def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    slow = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    if slow and "SLOW_DISK_MS" not in os.environ:
        shim = SlowDisk(Path(tempfile.mkdtemp())).env(slow)
        os.execve(sys.executable, sys.orig_argv, {**os.environ, **shim})
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        node = Node(name="hub", folder=base / "journal", key=KEY, clock=SystemClock())
        librarian = LibrarianProcess(node, base / "record")
        running = asyncio.ensure_future(librarian.run())
        await record(node, librarian, count)
        await ask(librarian, count)
        librarian.stop()
        await running
        await node.close()
        usage = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        print(f"librarian's memory             {usage / 1024:8.0f} MB")
        started = time.perf_counter()
        again = asyncio.ensure_future((second := restart(base)).run())
        while not second.feed.connected:  # noqa: ASYNC110 - a bench may
            await asyncio.sleep(0.001)
        print(f"start of the librarian         {time.perf_counter() - started:8.2f} s")
        second.stop()
        await again
        objects = base / "record/objects"
        print(f"objects on disk, per event     {size(objects) / count:8.0f} bytes")
        git(base / "record", "repack", "-q", "-a", "-d")
        git(base / "record", "fsck", "--full", "--strict", "--no-dangling")
        print(f"packs on disk, per event       {size(objects) / count:8.0f} bytes")
        index = size(base / "record/hearthnet")
        print(f"index, per event               {index / count:8.0f} bytes")
        journal = size(base / "journal")
        print(f"journal, per event             {journal / count:8.0f} bytes")


def restart(base: Path) -> LibrarianProcess:
    node = Node(name="hub", folder=base / "journal", key=KEY, clock=SystemClock())
    return LibrarianProcess(node, base / "record")


if __name__ == "__main__":
    asyncio.run(main())
