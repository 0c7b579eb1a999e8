"""The home that a trace is played in: a hub over a simulated house.

Over a broker its record goes to a librarian on a node of its own, as in a home with
more than one machine.
"""

import asyncio
from collections.abc import Callable
from datetime import UTC
from pathlib import Path
import shutil

from hearthnet.background import Background
from hearthnet.core.bus.broker import Broker
from hearthnet.core.companion import Identity
from hearthnet.core.enrolled import DEWEY, Enrolled
from hearthnet.core.hub import Hub
from hearthnet.core.keys import SigningKey, VerifyKey
from hearthnet.core.librarian.dewey import Dewey, Options
from hearthnet.core.librarian.stream import Named
from hearthnet.core.node import Node, Record
from hearthnet.core.outside import Outside
from hearthnet.core.planner import Planner
from hearthnet.core.reservations import LoopWaiter
from hearthnet.core.restart import Startup
from hearthnet.simulation import SimulatedHouse
from hearthnet.virtual import VirtualClock

from .trace import Trace
from .traffic import Traffic

KEY = SigningKey(bytes(range(32)))
LIBRARIAN = "dewey"
_KEY_OF_LIBRARIAN = SigningKey(bytes(range(1, 33)))
KEYS: dict[str, VerifyKey] = {
    "hub": KEY.public,
    LIBRARIAN: _KEY_OF_LIBRARIAN.public,
}
"""Of all nodes, for whoever checks what they have said."""
_GOODBYE = 5.0


class Wires:
    """What is outside of the hub's process: a broker, and the librarian behind it."""

    def __init__(self, broker: Broker, traffic: Traffic, folder: Path) -> None:
        """Have the librarian keep its record in `record` in the folder."""
        self.record = folder / "record"
        self._broker = broker
        self._traffic = traffic
        self._folder = folder
        self._news = asyncio.Event()

    async def start(self, clock: VirtualClock) -> None:
        """Start the librarian."""
        identity = Identity(
            name=LIBRARIAN,
            role=DEWEY,
            key=_KEY_OF_LIBRARIAN,
            hub=KEY.public,
            broker=self._broker,
        )
        self._dewey = Dewey.open(
            identity,
            self._folder / LIBRARIAN,
            Options(repository=self.record),
            clock=clock,
            connect=self._traffic.connect,
        )
        self._serving = asyncio.ensure_future(self._dewey.run())

    def outside(self, node: Node) -> Outside:
        """Return a hub's way to the broker."""
        librarian = Enrolled(name=LIBRARIAN, role=DEWEY, key=_KEY_OF_LIBRARIAN.public)
        return Outside(
            node,
            self._broker,
            {LIBRARIAN: librarian},
            chain=[],
            record=Named(node=LIBRARIAN),
            on_change=self._news.set,
            connect=self._traffic.connect,
        )

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until something is so; LibrarianError when the librarian has ended."""
        while not condition():
            self._news.clear()
            waiting = asyncio.ensure_future(self._news.wait())
            await asyncio.wait(
                [waiting, self._serving], return_when=asyncio.FIRST_COMPLETED
            )
            if self._serving.done():
                waiting.cancel()
                self._serving.result()

    async def stop(self) -> None:
        """Let the librarian record what it has, and end."""
        self._dewey.stop()
        await self._serving
        await self._dewey.close()


class Home:
    """One run of a hub after another, on the same journal."""

    def __init__(
        self,
        trace: Trace,
        folder: Path,
        clock: VirtualClock,
        *,
        house: SimulatedHouse,
        planner: Planner,
        wires: Wires | None,
    ) -> None:
        """Furnish it; `boot` starts the hub."""
        self._trace = trace
        self._folder = folder
        self._crashes = 0
        self._clock = clock
        self._house = house
        self._planner = planner
        self._wires = wires
        self._tasks = Background()
        self._running: asyncio.Task[None] | None = None
        self.records: list[Record] = []
        """All that was said, in this order; what a crash took is taken out."""

    @property
    def _journal(self) -> Path:
        return self._folder / f"journal-{self._crashes}"

    async def boot(self) -> None:
        """Start the hub, and wait until all see each other."""
        self.node = Node(
            name="hub",
            folder=self._journal,
            key=KEY,
            clock=self._clock,
            run=_inline,
        )
        self._unsubscribe = self.node.subscribe(self.records.append)
        self.records.append(self.node.hello)
        self._outside = self._wires.outside(self.node) if self._wires else None
        self.hub = Hub(
            node=self.node,
            house=self._house,
            adapter=self._house,
            planner=self._planner,
            policy_text=self._trace.policy,
            librarian=self._outside.librarian if self._outside else None,
            waiter=LoopWaiter(self._clock),
            spawn=self._tasks.spawn,
            zone=lambda: self._trace.start.tzinfo or UTC,
            home=lambda: self._trace.home,
            outside=self._outside,
        )
        await self.node.sync()
        await self.hub.start(Startup.read(self.node))
        if self._outside is not None and self._wires is not None:
            self._running = asyncio.ensure_future(self._outside.run())
            await self._wires.until(lambda: self.recorded)
        self.hub.open()

    @property
    def recorded(self) -> bool:
        """Whether the librarian has all that the hub has said."""
        if self._outside is None or self._outside.librarian is None:
            return False
        feed = self._outside.librarian.feed
        return feed.connected and feed.durable >= self.node.position

    async def halt(self) -> None:
        """End the hub in order."""
        await self.hub.stop()
        if self._outside is not None and self._running is not None:
            if self._wires is not None:
                await self._wires.until(lambda: self.recorded)
            await self._outside.stop(self._running, _GOODBYE)
        await self._let_go()

    async def crash(self) -> None:
        """Cut the hub off, and go on from what is on the disk."""
        self._unsubscribe()
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)
        crashed = self._journal
        self._crashes += 1
        shutil.copytree(crashed, self._journal)
        # What the old one still does reaches nobody and counts for nothing.
        await self.hub.stop()
        await self._let_go()
        await self.boot()
        boot, last = self.node.hello.message.body["ended"]
        self.records[:] = [
            record
            for record in self.records
            if (event := record.message.event).boot != boot or event.seq <= last
        ]

    def keep(self, task: asyncio.Task[None]) -> None:
        """Look after something until the hub ends."""
        self._tasks.keep(task)

    async def _let_go(self) -> None:
        await self.node.close()
        await self._tasks.end()


async def _inline[T](function: Callable[[], T]) -> T:
    return function()
