"""A manager on a node of its own: what a phone is to a home, as far as it is recorded.

Its devices answer as they did. Their screens, and how it drives them, are not played.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
import shutil
from typing import Any

from hearthnet.background import Background
from hearthnet.core.agents.manager import Manager
from hearthnet.core.assignment import Order
from hearthnet.core.bus.link import Connect
from hearthnet.core.clock import Clock
from hearthnet.core.companion import Companion, Identity
from hearthnet.core.devices import Values
from hearthnet.core.node import Record
from hearthnet.core.phone.shown import tell
from hearthnet.simulation import SimulatedHouse, manage


class Disk:
    """Where a node's journal lies.

    After a crash the node goes on with a copy: what the process that is gone still
    writes counts for nothing.
    """

    def __init__(self, folder: Path, name: str) -> None:
        """Start without a crash."""
        self._folder = folder
        self._name = name
        self._crashes = 0

    @property
    def journal(self) -> Path:
        """The folder that the node's present process writes to."""
        return self._folder / f"{self._name}-{self._crashes}"

    def crash(self) -> None:
        """Keep what is there in this moment."""
        kept = self.journal
        self._crashes += 1
        shutil.copytree(kept, self.journal)


def forget_unsaid(records: list[Record], hello: Record) -> None:
    """Take out what a crash took: the node's next start tells its last event."""
    boot, last = hello.message.body["ended"]
    node = hello.message.event.node
    records[:] = [
        record
        for record in records
        if (event := record.message.event).node != node
        or event.boot != boot
        or event.seq <= last
    ]


class _OneAtATime(Manager):
    """A phone has one screen: a task is taken when it is its turn."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        """As any manager."""
        super().__init__(*arguments, **named)
        self._turn = asyncio.Lock()

    async def take(self, order: Order) -> None:
        """Take a task when the ones before it are done."""
        async with self._turn:
            await super().take(order)


class Machine:
    """One such node, and its starts one after another."""

    def __init__(
        self,
        identity: Identity,
        house: SimulatedHouse,
        folder: Path,
        clock: Clock,
        *,
        recipe: Callable[[str], str | None],
        connect: Connect,
        records: list[Record],
    ) -> None:
        """Put each event into `records` in the moment in which it is made.

        `recipe` gives the digest of the recipe that an operation runs.
        """
        self._identity = identity
        self._house = house
        self._disk = Disk(folder, identity.name)
        self._clock = clock
        self._recipe = recipe
        self._connect = connect
        self._records = records

    async def start(self) -> None:
        """Start, with what the devices are at now as what they were seen at."""
        name = self._identity.name
        self._tasks = Background()
        self._companion = companion = Companion.open(
            self._identity,
            self._disk.journal,
            agents=(name,),
            clock=self._clock,
            connect=self._connect,
        )
        self._unsubscribe = companion.node.subscribe(self._records.append)
        self._records.append(companion.node.hello)
        self._manager = manage(
            companion,
            name,
            self._house,
            self._tasks.spawn,
            _OneAtATime,
            self._recipe,
        )
        self._running = asyncio.ensure_future(companion.run())
        for device, values in self._house.values.items():
            if values and device not in self._house.unavailable:
                self.show(device, values)

    async def stop(self) -> None:
        """Say goodbye, and end."""
        self._companion.stop()
        await self._running
        await self._let_go()

    async def crash(self) -> None:
        """Cut it off, and go on from what is on the disk."""
        self._unsubscribe()
        self._running.cancel()
        await asyncio.gather(self._running, return_exceptions=True)
        self._disk.crash()
        await self._let_go()
        await self.start()
        forget_unsaid(self._records, self._companion.node.hello)

    def show(self, device: str, values: Values) -> None:
        """Let the app of an appliance show something."""
        known = self._house.device(device)
        if known is not None:
            tell(self._manager, known, values)

    async def _let_go(self) -> None:
        self._manager.close()
        await self._tasks.end()
        await self._companion.close()
