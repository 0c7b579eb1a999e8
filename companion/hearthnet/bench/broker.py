"""The distributed home over Mosquitto: how quick, how large, how soon it heals.

Broker, librarian and manager are processes of their own on this machine; the hub
is in this one. So what a network adds is not in it.
"""

import asyncio
import os
from pathlib import Path
import signal
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from hearthnet.core.intents import Origin

from .events import emit
from .home import ANNA
from .machines import LIBRARIAN, Machines, machines, resident
from .manager import DEVICES, NAME
from .rows import Row, Scale, UnavailableError, percentile, percentiles

AT_ONCE = 5
TARGET_MS = (30, 80)
TARGET_RATE = 1000
SOON = 10.0
"""Seconds after which all see each other again."""
_AHEAD = 400
"""How many events may wait for the record: the window of the feed, nearly."""


def rows(scale: Scale) -> list[Row]:
    """Measure all of it in one home."""
    try:
        told = measure(
            events=scale.of(10_000, 1500),
            intents=scale.of(200, 40),
            kills=scale.of(5, 1),
        )
    except UnavailableError as error:
        return [Row(what=WHAT, target=_TARGET, measured=str(error), met=None)]
    times, seen = told["intents"], told["presence"]
    middle, high = percentile(times, 50), percentile(times, 95)
    slowest = max(max(values) for values in seen.values())
    return [
        Row(
            what=WHAT,
            target=_TARGET,
            measured=f"{middle:.1f} / {high:.1f} ms",
            met=middle <= TARGET_MS[0] and high <= TARGET_MS[1],
            numbers={"intents": len(times), **percentiles(times)},
        ),
        Row(
            what="durable events a second, over Mosquitto, remote Dewey",
            target=f"≥ {TARGET_RATE:,}",
            measured=f"{told['rate']:,.0f}",
            met=told["rate"] >= TARGET_RATE,
            numbers={"rate": round(told["rate"], 1)},
        ),
        Row(
            what="seen as it is after a kill -9, slowest",
            target=f"< {SOON:.0f} s",
            measured=f"{slowest:.1f} s",
            met=slowest < SOON,
            numbers={name: [round(v, 2) for v in all_] for name, all_ in seen.items()},
            note=", ".join(f"{n} {max(v):.1f} s" for n, v in seen.items()),
        ),
        Row(
            what="memory of each process",
            target="",
            measured=", ".join(f"{n} {v:.0f} MB" for n, v in told["memory"].items()),
            met=None,
            numbers=dict(told["memory"]),
            note="the hub here is the bench itself, without Home Assistant",
        ),
    ]


WHAT = f"intent to all receipts, {AT_ONCE} devices, Mosquitto, p50 / p95"
_TARGET = f"{TARGET_MS[0]} / {TARGET_MS[1]} ms"


def measure(*, events: int, intents: int, kills: int) -> dict[str, Any]:
    """Return times of intents, events a second, seconds until seen, and memory.

    Raises:
        UnavailableError: there is no Mosquitto.
    """
    with TemporaryDirectory(prefix="hearthnet-bench-") as folder:
        return asyncio.run(_measure(Path(folder), events, intents, kills))


async def _measure(
    folder: Path, events: int, intents: int, kills: int
) -> dict[str, Any]:
    async with machines(folder) as home:
        await _switch(home, 0, 10)  # what is loaded late is loaded now
        times = []
        for number in range(intents):
            start = perf_counter()
            await _switch(home, number * AT_ONCE % DEVICES, 20 + number % 60)
            times.append((perf_counter() - start) * 1000)
        await home.durable()
        rate = await _record(home, events)
        memory = {
            "hub": resident(os.getpid()),
            "Dewey": home.librarian.memory,
            "manager": home.manager.memory,
            "Mosquitto": home.mosquitto.memory,
        }
        return {
            "intents": times,
            "rate": rate,
            "memory": {name: round(size / 1e6, 1) for name, size in memory.items()},
            "presence": await _kill(home, kills),
        }


async def _switch(home: Machines, first: int, level: int) -> None:
    result = await home.hub.wishes.propose(
        principal=ANNA,
        origin=Origin.APP,
        targets=tuple(home.lamps[first : first + AT_ONCE]),
        operation="light.turn_on",
        parameters={"brightness_pct": level},
        reason="A bench.",
    )
    if not result.complete:
        raise RuntimeError(f"not done: {[step.as_dict() for step in result.steps]}")


async def _record(home: Machines, events: int) -> float:
    """Emit events as fast as the record takes them; return how many a second."""
    start = perf_counter()
    for number in range(events):
        emit(home.hub.node, number)
        if number % 10 == 9:
            await home.durable(behind=_AHEAD)
            await asyncio.sleep(0)
    await home.durable()
    return events / (perf_counter() - start)


async def _kill(home: Machines, kills: int) -> dict[str, list[float]]:
    """Kill each; return after how many seconds the hub knew what is so."""
    found: dict[str, list[float]] = {"gone": [], "back": [], "broker": []}

    async def timed(name: str, *there: str) -> None:
        start = perf_counter()
        await home.seen(*there)
        found[name].append(perf_counter() - start)

    for _ in range(kills):
        await home.manager.end(signal.SIGKILL)
        await timed("gone", LIBRARIAN)
        await home.manager.start()
        await timed("back", LIBRARIAN, NAME)
        await home.mosquitto.end(signal.SIGKILL)
        await home.seen()
        await home.mosquitto.start()
        await timed("broker", LIBRARIAN, NAME)
    return found
