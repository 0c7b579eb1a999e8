"""A whole hub for benches: real node, journal and librarian, a simulated house."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
import signal
from typing import Any

from hearthnet.background import Background
from hearthnet.core.adapter import Adapter
from hearthnet.core.clock import SystemClock
from hearthnet.core.devices import Device, Principal
from hearthnet.core.hub import Hub
from hearthnet.core.intents import Plan, Request
from hearthnet.core.keys import SigningKey
from hearthnet.core.librarian.client import LibrarianProcess
from hearthnet.core.node import Node
from hearthnet.core.planner import Planner, Situation
from hearthnet.core.policy.load import preset
from hearthnet.core.reservations import LoopWaiter
from hearthnet.core.restart import Startup
from hearthnet.simulation import SimulatedHouse

ANNA = Principal(kind="user", id="anna", name="Anna", role="owner")
KEY = SigningKey(bytes(range(32)))


class Dewey(LibrarianProcess):
    """The librarian's process, as the hub wants it."""

    def __init__(self, node: Node, folder: Path, **options: Any) -> None:
        """Prepare to record `node` in `folder`."""
        super().__init__(node, folder, on_change=self._heard, **options)
        self._news = asyncio.Event()
        self.killed = 0
        """How often it was ended by SIGKILL."""

    async def connected(self) -> None:
        """Return once the librarian has said where it stands."""
        await self._until(lambda: self.feed.connected)

    async def durable(self, behind: int = 0) -> None:
        """Return once all but the last `behind` events are in Git for good."""
        boot, seq = self._node.position
        await self._until(lambda: self.feed.durable >= (boot, seq - behind))

    async def _until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            self._news.clear()
            await self._news.wait()

    def _heard(self) -> None:
        self.killed += self.status.problem == f"it ended with {-signal.SIGKILL}"
        self._news.set()


@asynccontextmanager
async def recording(node: Node, folder: Path, **options: Any) -> AsyncIterator[Dewey]:
    """Run the librarian of `node`; at the end it has all and is gone."""
    dewey = Dewey(node, folder, **options)
    running = asyncio.ensure_future(dewey.run())
    try:
        await dewey.connected()
        yield dewey
        await node.sync()
        await dewey.durable()
    finally:
        dewey.stop()
        await running


class NoPlanner:
    """Plans nothing: what is measured has no model time."""

    async def plan(self, request: Request, situation: Situation) -> Plan | None:
        """Understand no words."""
        return None


@dataclass(kw_only=True)
class Home:
    """A hub and what stands around it."""

    house: SimulatedHouse
    node: Node
    dewey: Dewey
    hub: Hub


def lamps(count: int, manager: str = "jeeves") -> SimulatedHouse:
    """Return a house of lamps, twenty an area, that obey at once."""
    house = SimulatedHouse()
    for number in range(count):
        device = Device(
            id=f"{number * 2654435761 % 2**128:032x}",
            entity_id=f"light.lamp_{number}",
            name=f"Lamp {number}",
            domain="light",
            area=f"Area {number // 20}",
            manager=manager,
        )
        house.add(device, state="off")
    return house


@asynccontextmanager
async def running(
    folder: Path,
    house: SimulatedHouse,
    adapter: Adapter | None = None,
    planner: Planner | None = None,
    **options: Any,
) -> AsyncIterator[Home]:
    """Run a hub with its librarian in `folder`; entering again is the next boot."""
    tasks = Background()
    clock = SystemClock()
    node = Node(name="hub", folder=folder / "journal", key=KEY, clock=clock)
    await node.sync()
    async with recording(node, folder / "record", **options) as dewey:
        hub = Hub(
            node=node,
            house=house,
            adapter=adapter or house,
            planner=planner or NoPlanner(),
            policy_text=preset("balanced"),
            librarian=dewey,
            waiter=LoopWaiter(clock),
            spawn=tasks.spawn,
            zone=lambda: UTC,
        )
        await hub.start(Startup.read(node))
        hub.open()
        yield Home(house=house, node=node, dewey=dewey, hub=hub)
        await hub.stop()
    await node.close()
    await tasks.end()
