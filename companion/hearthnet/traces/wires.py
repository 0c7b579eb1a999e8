"""What is outside of a hub's process: a broker, a librarian, phones' managers."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

from hearthnet.core.bus.broker import Broker
from hearthnet.core.bus.link import Connect
from hearthnet.core.companion import Identity
from hearthnet.core.enrolled import DARCY, DEWEY, Enrolled
from hearthnet.core.keys import SigningKey, VerifyKey
from hearthnet.core.librarian.dewey import Dewey, Options
from hearthnet.core.librarian.stream import Named
from hearthnet.core.node import Node, Record
from hearthnet.core.outside import Outside
from hearthnet.core.paths import HUB
from hearthnet.simulation import SimulatedHouse
from hearthnet.virtual import VirtualClock

from .machine import Machine

LIBRARIAN = "dewey"


def key_of(node: str) -> SigningKey:
    """Return the key of a node of a played trace: no secret, and always the same."""
    return SigningKey(node.encode()[:32].ljust(32, b"."))


class Wires:
    """The other nodes of a home, and how its hub reaches them."""

    def __init__(
        self,
        broker: Broker,
        connect: Connect,
        folder: Path,
        clock: VirtualClock,
        *,
        houses: Mapping[str, SimulatedHouse],
        recipe: Callable[[str], str | None],
        librarian: bool,
        records: list[Record],
    ) -> None:
        """Take what each manager reaches, by node; its events go into `records`.

        `recipe` gives the digest of the recipe that an operation runs.

        With a librarian the hub's record is in the folder, as `record`.
        """
        self.record = folder / "record"
        self._broker = broker
        self._connect = connect
        self._folder = folder
        self._clock = clock
        self._librarian = librarian
        self._serving: asyncio.Task[None] | None = None
        self._news = asyncio.Event()
        self._away: set[str] = set()
        self.machines = {
            name: Machine(
                self._identity(name, DARCY),
                house,
                folder,
                clock,
                recipe=recipe,
                connect=connect,
                records=records,
            )
            for name, house in houses.items()
        }

    @property
    def keys(self) -> dict[str, VerifyKey]:
        """The keys of all nodes, for whoever checks what they have said."""
        names = (HUB, LIBRARIAN, *self.machines)
        return {name: key_of(name).public for name in names}

    async def start(self) -> None:
        """Start the other nodes."""
        if self._librarian:
            self._dewey = Dewey.open(
                self._identity(LIBRARIAN, DEWEY),
                self._folder / LIBRARIAN,
                Options(repository=self.record),
                clock=self._clock,
                connect=self._connect,
            )
            self._serving = asyncio.ensure_future(self._dewey.run())
        for machine in self.machines.values():
            await machine.start()

    def outside(self, node: Node) -> Outside:
        """Return a hub's way to them."""
        roles = dict.fromkeys(self.machines, DARCY)
        if self._librarian:
            roles[LIBRARIAN] = DEWEY
        return Outside(
            node,
            self._broker,
            {
                name: Enrolled(name=name, role=role, key=key_of(name).public)
                for name, role in roles.items()
            },
            chain=[],
            record=Named(node=LIBRARIAN) if self._librarian else None,
            on_change=self._news.set,
            connect=self._connect,
        )

    async def met(self, outside: Outside) -> None:
        """Wait until a hub sees all who are there."""
        online = outside.bus.presence.online
        await self._until(
            lambda: (
                all(map(online, self.machines.keys() - self._away))
                and not any(map(online, self._away))
            )
        )

    async def recorded(self, outside: Outside, node: Node) -> None:
        """Wait until the librarian, if there is one, has all that a hub has said."""
        if (librarian := outside.librarian) is not None:
            feed = librarian.feed
            await self._until(lambda: feed.connected and feed.durable >= node.position)

    async def take_away(self, name: str) -> None:
        """Let a node be away."""
        self._away.add(name)
        await self.machines[name].stop()

    async def bring_back(self, name: str) -> None:
        """Let a node be there again."""
        self._away.discard(name)
        await self.machines[name].start()

    async def stop(self) -> None:
        """Let the librarian record what it has heard; end all."""
        for name in self.machines.keys() - self._away:
            await self.machines[name].stop()
        if self._serving is not None:
            self._dewey.stop()
            await self._serving
            await self._dewey.close()

    async def _until(self, condition: Callable[[], bool]) -> None:
        """Wait until something is so; raise what has ended the librarian."""
        while not condition():
            self._news.clear()
            waiting = asyncio.ensure_future(self._news.wait())
            running = [waiting, *([self._serving] if self._serving else ())]
            await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            if self._serving is not None and self._serving.done():
                waiting.cancel()
                self._serving.result()

    def _identity(self, name: str, role: str) -> Identity:
        return Identity(
            name=name,
            role=role,
            key=key_of(name),
            hub=key_of(HUB).public,
            broker=self._broker,
        )
