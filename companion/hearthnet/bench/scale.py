"""How it holds up when there is much of everything: agents, devices, events.

The grid of agents and devices is judged by the oracle of `verdicts`. The record is
that of a real hub whose virtual days are as full as it can make them, so that it is
one that an audit finds sound.
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC
from pathlib import Path
import resource
import shutil
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from hearthnet.audit.history import audit
from hearthnet.background import Background
from hearthnet.core.clock import SystemClock
from hearthnet.core.hub import Hub
from hearthnet.core.intents import Origin
from hearthnet.core.librarian.answers import Answers
from hearthnet.core.librarian.library import Library
from hearthnet.core.librarian.packing import TOO_MANY, Packer
from hearthnet.core.librarian.record import Event
from hearthnet.core.messages import Json
from hearthnet.core.node import Node, Record
from hearthnet.core.policy.load import preset
from hearthnet.core.reservations import LoopWaiter
from hearthnet.core.restart import Startup
from hearthnet.virtual import VirtualClock, run

from .child import in_child
from .home import ANNA, KEY, NoPlanner, lamps
from .rows import Row, Scale, percentiles

GRID = tuple((agents, devices) for agents in (4, 16, 64) for devices in (10, 100, 1000))
DEVICES = 1000
BATCH = 200
"""Events that are made durable together."""
PACE = 7.0
"""Virtual seconds between two intents."""
ASKED = 30
MEBI = 1024
"""Kibibytes, as the system counts memory, in a mebibyte."""


def rows(scale: Scale) -> list[Row]:
    """Go through the grid, then make a record and look at it."""
    commands = scale.of(1000, 60)
    grid = [_cell(agents, devices, commands, scale.seed) for agents, devices in GRID]
    told = in_child("scale", {}, events=scale.of(scale.events, 3000))
    return [*grid, *_record(told)]


def _cell(agents: int, devices: int, commands: int, seed: int) -> Row:
    told = in_child(
        "scale", {}, agents=agents, devices=devices, commands=commands, seed=seed
    )
    wrong = told["wrong_refusals"], told["wrong_acceptances"]
    return Row(
        what=f"{agents} agents, {devices:,} devices, {commands:,} commands",
        target="0 / 0 wrong",
        measured=(
            f"{wrong[0]} / {wrong[1]} wrong, {told['rate']:,.0f} events a second,"
            f" {told['memory']} MiB"
        ),
        met=wrong == (0, 0),
        exact=True,
        numbers=told,
    )


def _record(told: dict[str, Any]) -> list[Row]:
    events = f"{told['events']:,} events"
    first, last = told["commit_ms"]["first"], told["commit_ms"]["last"]

    def row(what: str, measured: str, **numbers: Json) -> Row:
        return Row(
            what=f"{what}, {events}",
            target="",
            measured=measured,
            met=None,
            numbers=numbers,
        )

    sound, rate = told["findings"] == 0, told["events"] / told["audit_s"]
    return [
        row("made by a hub", f"{told['rate']:,.0f} events a second, journal and Git"),
        row(
            f"commit of {BATCH} events, the first tenth / the last, p95",
            f"{first['p95']:.0f} / {last['p95']:.0f} ms",
            first=first,
            last=last,
        ),
        row(
            "packing beside it, as the librarian does",
            f"{len(packs)} times, {sum(packs):.0f} s, the longest {max(packs):.1f} s"
            if (packs := told["packs_s"])
            else "not needed, or no git",
        ),
        row("size, packed", f"{told['bytes']:,.0f} bytes an event"),
        row("librarian's start", f"{told['start_s']:.2f} s"),
        row(
            "librarian's start without its index",
            f"{told['rebuild_s']:.1f} s (it is made anew)",
        ),
        row("hub's start with a journal of all of them", f"{told['hub_s']:.1f} s"),
        *(
            row(f"asked for {name}, p95", f"{times['p95']:.1f} ms", **times)
            for name, times in told["asked_ms"].items()
        ),
        Row(
            what=f"audit, {events}",
            target="sound",
            measured=(
                f"{told['audit_s']:.1f} s, {rate:,.0f} events a second,"
                f" {told['findings']} findings"
            ),
            met=sound,
            exact=True,
            numbers={"seconds": told["audit_s"]},
        ),
        row(
            "memory of hub and librarian in one process / with the audit",
            f"{told['memory']} / {told['audit_memory']} MiB",
        ),
    ]


def measure(**what: Any) -> dict[str, Any]:
    """Measure a cell of the grid or a record, in a process of its own."""
    if "agents" in what:
        return _measure_cell(**what)
    with TemporaryDirectory(prefix="hearthnet-bench-") as folder:
        return _measure_record(Path(folder), **what)


def _measure_cell(
    agents: int, devices: int, commands: int, seed: int
) -> dict[str, Json]:
    from .verdicts import measure as play  # noqa: PLC0415 - not for a record

    start = perf_counter()
    played = play(commands, seed, agents=agents, devices=devices)
    seconds = perf_counter() - start
    return {
        "wrong_refusals": played.tally.wrong_refusals,
        "wrong_acceptances": played.tally.wrong_acceptances,
        "events": played.events,
        "rate": round(played.events / seconds, 1),
        "seconds": round(seconds, 2),
        "memory": _memory(),
    }


def _measure_record(folder: Path, events: int) -> dict[str, Json]:
    record = folder / "record"
    start = perf_counter()
    writer = _make(folder, events)
    made = perf_counter() - start
    commits = writer.commits
    memory = _memory()
    _pack(record)
    tenth = max(1, len(commits) // 10)
    start_s = _opened(record)
    asked = _asked(record)
    shutil.rmtree(record / "hearthnet")
    rebuild_s = _opened(record)
    start = perf_counter()
    node = _node(folder, VirtualClock())
    Startup.read(node)
    hub_s = perf_counter() - start
    asyncio.run(node.close())
    start = perf_counter()
    found = audit(record, {"hub": KEY.public})
    audit_s = perf_counter() - start
    count = found.ledger.events
    return {
        "events": count,
        "rate": round(count / made, 1),
        "commit_ms": {
            "first": percentiles(commits[:tenth]),
            "last": percentiles(commits[-tenth:]),
        },
        "bytes": round(_size(record / "objects") / count, 1),
        "packs_s": [round(seconds, 2) for seconds in writer.packs],
        "start_s": round(start_s, 3),
        "rebuild_s": round(rebuild_s, 3),
        "hub_s": round(hub_s, 3),
        "asked_ms": asked,
        "audit_s": round(audit_s, 3),
        "findings": len(found.findings) + bool(found.fsck),
        "memory": memory,
        "audit_memory": _memory(),
    }


def _make(folder: Path, events: int) -> "_Writer":
    """Let a hub make so many events, and a librarian record them."""
    library = Library(folder / "record", SystemClock())
    clock = VirtualClock()
    writer = _Writer(library, folder / "record")
    try:
        run(_live(folder, clock, writer, events), clock)
        writer.flush()
    finally:
        library.close()
    return writer


class _Writer:
    """Takes a node's records to the librarian, a batch at a time."""

    def __init__(self, library: Library, folder: Path) -> None:
        self._library = library
        self._folder = folder
        self._batch: list[Event] = []
        self._loose = 0
        self.count = 0
        self.commits: list[float] = []
        """Milliseconds of each batch."""
        self.packs: list[float] = []
        """Seconds of each packing."""

    def take(self, record: Record) -> None:
        message = record.message
        event = Event(message.event, record.data, record.signature, message)
        self._batch.append(event)
        self.count += 1

    def flush(self, least: int = 1) -> None:
        """Write what there is, if it is enough."""
        if len(self._batch) < least:
            return
        start = perf_counter()
        self._library.write(self._batch)
        self.commits.append((perf_counter() - start) * 1000)
        self._loose += sum(3 + 4 * len(event.writes) for event in self._batch)
        self._batch = []
        if self._loose > TOO_MANY:
            start = perf_counter()
            _pack(self._folder)
            self.packs.append(perf_counter() - start)
            self._loose = 0


async def _live(
    folder: Path, clock: VirtualClock, writer: _Writer, events: int
) -> None:
    """Have lamps moved one after another until there are enough events."""
    house = lamps(DEVICES)
    ids = [device.id for device in house.devices()]
    tasks = Background()
    node = _node(folder, clock)
    writer.take(node.hello)
    node.subscribe(writer.take)
    hub = Hub(
        node=node,
        house=house,
        adapter=house,
        planner=NoPlanner(),
        policy_text=preset("balanced"),
        librarian=None,
        waiter=LoopWaiter(clock),
        spawn=tasks.spawn,
        zone=lambda: UTC,
    )
    await node.sync()
    await hub.start(Startup.read(node))
    hub.open()
    number = 0
    while writer.count < events:
        await hub.wishes.propose(
            principal=ANNA,
            origin=Origin.APP,
            targets=(ids[number * 7919 % DEVICES],),
            operation="light.turn_on",
            # Each time quite another one than before, or nothing would have to be done.
            parameters={"brightness_pct": 1 + (number + 7 * (number // DEVICES)) % 100},
            reason=f"a wish, the {number}th",
        )
        house.acts.clear()  # or the house would keep what the hub lets go of
        await node.sync()  # nothing is sent to the librarian before
        writer.flush(BATCH)
        number += 1
        await asyncio.sleep(PACE)
    await hub.stop()
    await node.close()
    await tasks.end()


def _node(folder: Path, clock: VirtualClock) -> Node:
    async def inline[T](function: Any) -> T:
        done: T = function()
        return done

    return Node(name="hub", folder=folder / "journal", key=KEY, clock=clock, run=inline)


def _opened(record: Path) -> float:
    start = perf_counter()
    library = Library(record, SystemClock())
    seconds = perf_counter() - start
    library.close()
    return seconds


def _asked(record: Path) -> dict[str, Json]:
    """Ask what the timeline asks, a few times each."""
    answers = Answers(record)
    newest = answers.ask("timeline", {"limit": 200})
    device, intent = next(
        (row["devices"][0], row["intent"])
        for row in newest
        if row["devices"] and row["intent"]
    )
    questions: dict[str, tuple[str, dict[str, Any]]] = {
        "the newest 200": ("timeline", {"limit": 200}),
        "one device": ("timeline", {"limit": 200, "device": device}),
        "one intent's chain": ("chain", {"intent": intent}),
    }
    told: dict[str, Json] = {}
    for name, (what, arguments) in questions.items():
        times = []
        for _ in range(ASKED):
            start = perf_counter()
            answers.ask(what, arguments)
            times.append((perf_counter() - start) * 1000)
        told[name] = percentiles(times)
    answers.close()
    return told


def _pack(record: Path) -> None:
    """Pack as the librarian does, in a loop whose time passes."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(lambda: asyncio.run(Packer(record).pack())).result()


def _size(folder: Path) -> int:
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*"))


def _memory() -> int:
    """Return the most that this process has had, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // MEBI
