"""From an intent to its last receipt: five lamps, no model, the embedded set-up.

Everything is real but the lamps, which obey at once: the hub, its journal on this
disk with a sync before each act, the librarian's process beside it.
"""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from hearthnet.core.intents import Origin

from .home import ANNA, Home, lamps, running
from .rows import Row, Scale, percentile, percentiles

DEVICES = 1000
AT_ONCE = 5
TARGET_MS = (30, 80)


def rows(scale: Scale) -> list[Row]:
    """Time intents."""
    times = measure(scale.of(200, 50))
    middle, high = percentile(times, 50), percentile(times, 95)
    return [
        Row(
            what=f"intent to all receipts, {AT_ONCE} devices, embedded, p50 / p95",
            target=f"{TARGET_MS[0]} / {TARGET_MS[1]} ms",
            measured=f"{middle:.1f} / {high:.1f} ms",
            met=middle <= TARGET_MS[0] and high <= TARGET_MS[1],
            numbers={"intents": len(times), **percentiles(times)},
            note="the target is for managers behind Mosquitto: see the bench `broker`",
        )
    ]


def measure(intents: int) -> list[float]:
    """Return the milliseconds that each of so many intents took."""
    with TemporaryDirectory(prefix="hearthnet-bench-") as folder:
        return asyncio.run(_measure(Path(folder), intents))


async def _measure(folder: Path, intents: int) -> list[float]:
    house = lamps(DEVICES)
    async with running(folder, house) as home:
        devices = list(house.known)
        await switch(home, devices[:AT_ONCE], 10)  # what is loaded late is loaded now
        times = []
        for number in range(intents):
            first = number * AT_ONCE % DEVICES
            start = perf_counter()
            await switch(home, devices[first : first + AT_ONCE], 20 + number % 60)
            times.append((perf_counter() - start) * 1000)
    return times


async def switch(home: Home, devices: list[str], level: int) -> None:
    """Have lamps switched on; RuntimeError unless all of them are read back so."""
    result = await home.hub.wishes.propose(
        principal=ANNA,
        origin=Origin.APP,
        targets=tuple(devices),
        operation="light.turn_on",
        parameters={"brightness_pct": level},
        reason="A bench.",
    )
    if not result.complete:
        raise RuntimeError(f"not done: {[step.as_dict() for step in result.steps]}")
