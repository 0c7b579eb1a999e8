"""A node of the campaign: `python -m tests.faults.child ROLE FOLDER PORT JUMP WISHES`.

ROLE is `hub` or `phone`. The hub wishes without a pause, unless WISHES is `rest`,
and tells on standard output who is there. JUMP is by how many seconds the node's
wall clock is wrong.
"""

import asyncio
from datetime import UTC, datetime, timedelta
import json
from pathlib import Path
import random
import signal
import sys

from hearthnet.background import Background
from hearthnet.core.clock import SystemClock
from hearthnet.core.companion import Companion, Identity
from hearthnet.core.enrolled import Enrolled
from hearthnet.core.hub import Hub
from hearthnet.core.intents import Origin
from hearthnet.core.librarian.stream import Named
from hearthnet.core.node import Node
from hearthnet.core.outside import Outside
from hearthnet.core.policy.load import preset
from hearthnet.core.reservations import LoopWaiter
from hearthnet.core.restart import Startup
from hearthnet.simulation import manage
from tests.core.bus_home import KEYS, broker
from tests.core.home import ANNA, ScriptedPlanner

from .world import JEEVES, MANAGERS, PHONE, World

ENROLLED = {
    name: Enrolled(name=name, role=role, key=KEYS[name].public)
    for name, role in (("dewey", "dewey"), (PHONE, "darcy"))
}
PAUSE = 0.02
"""Seconds between two wishes for one manager."""


class Wrong(SystemClock):
    """A clock whose wall time is off."""

    def __init__(self, jump: float) -> None:
        """Be `jump` seconds ahead."""
        self._jump = timedelta(seconds=jump)

    def now(self) -> datetime:
        """Return the wrong time."""
        return super().now() + self._jump


def stopped() -> asyncio.Event:
    """Return what SIGTERM sets."""
    event = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, event.set)
    return event


async def hub(folder: Path, port: int, jump: float, *, wishes: bool) -> None:
    """Be the hub until told to stop; then say where the journal ends."""
    tasks, clock, stop = Background(), Wrong(jump), stopped()
    world = World(folder / "acts")
    node = Node(name="hub", folder=folder / "hub", key=KEYS["hub"], clock=clock)

    def changed() -> None:
        there = sorted(n for n in ENROLLED if outside.bus.presence.online(n))
        librarian = outside.librarian
        head = librarian.feed.head if librarian else None
        tell(
            online=there,
            boot=node.boot,
            nodes={n: list(p) for n, p in head.nodes.items()} if head else {},
            end=list(node.position),
        )

    outside = Outside(
        node,
        broker(port),
        ENROLLED,
        chain=[],
        record=Named(node="dewey", repository=None),
        on_change=changed,
    )
    whole = Hub(
        node=node,
        house=world,
        adapter=world,
        planner=ScriptedPlanner(),
        policy_text=preset("relaxed"),
        librarian=outside.librarian,
        waiter=LoopWaiter(clock),
        spawn=tasks.spawn,
        zone=lambda: UTC,
        outside=outside,
    )
    await whole.start(Startup.read(node))
    for name, manager in MANAGERS.items():
        if manager == JEEVES:
            whole.gate.resolve_unknown(name, world.read(name))
    if not jump and whole.status.ahead:
        # It was wrong before, and the record is of a later day: a person looks.
        await whole.control.confirm_clock(ANNA)
    whole.open()
    running = asyncio.ensure_future(outside.run())
    if wishes:
        tasks.spawn(wish(whole, [n for n, m in MANAGERS.items() if m == JEEVES]))
        # A lamp whose manager dies waits until the lease is dead: the others go on.
        for lamp in (n for n, m in MANAGERS.items() if m == PHONE):
            tasks.spawn(wish(whole, [lamp]))
    await stop.wait()
    await whole.stop()
    await outside.stop(running, 5)
    await tasks.end()
    await node.close()


async def wish(whole: Hub, lamps: list[str]) -> None:
    """Want something of one lamp after the other."""
    while True:
        for lamp in lamps:
            await whole.wishes.propose(
                principal=ANNA,
                origin=Origin.APP,
                targets=(lamp,),
                operation="light.turn_on",
                parameters={"brightness_pct": random.randint(1, 100)},
                reason="a campaign",
            )
            await asyncio.sleep(PAUSE)


async def phone(folder: Path, port: int, jump: float) -> None:
    """Be a manager elsewhere until told to stop."""
    tasks, stop = Background(), stopped()
    world = World(folder / "acts")
    identity = Identity(
        name=PHONE,
        role="darcy",
        key=KEYS[PHONE],
        hub=KEYS["hub"].public,
        broker=broker(port),
    )
    companion = Companion.open(
        identity, folder / PHONE, agents=(PHONE,), clock=Wrong(jump)
    )
    manager = manage(companion, PHONE, world, tasks.spawn)
    running = asyncio.ensure_future(companion.run())
    await stop.wait()
    companion.stop()
    await running
    manager.close()
    await tasks.end()
    await companion.close()


def tell(**fields: object) -> None:
    """Write a line for the campaign."""
    sys.stdout.write(json.dumps(fields) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    role, where, number, ahead, mode = sys.argv[1:]
    place = Path(where), int(number), float(ahead)
    if role == "hub":
        asyncio.run(hub(*place, wishes=mode == "wishes"))
    else:
        asyncio.run(phone(*place))
