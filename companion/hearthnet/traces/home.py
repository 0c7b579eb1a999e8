"""The home that a trace is played in: a hub over a simulated house."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC
from pathlib import Path

from hearthnet.background import Background
from hearthnet.core.devices import Device, House
from hearthnet.core.hub import Hub
from hearthnet.core.node import Node, Record
from hearthnet.core.outside import Outside
from hearthnet.core.paths import HUB
from hearthnet.core.phone.camera import camera_id
from hearthnet.core.phone.house import JointHouse, PhoneHouse
from hearthnet.core.phone.recipes import Recipes
from hearthnet.core.planner import Planner
from hearthnet.core.reservations import LoopWaiter
from hearthnet.core.restart import Startup
from hearthnet.simulation import SimulatedHouse
from hearthnet.virtual import VirtualClock

from .machine import Disk, forget_unsaid
from .trace import JEEVES, Trace
from .wires import Wires, key_of

_GOODBYE = 5.0


class Home:
    """One run of a hub after another, on the same journal."""

    def __init__(
        self,
        trace: Trace,
        folder: Path,
        clock: VirtualClock,
        *,
        houses: Mapping[str, SimulatedHouse],
        recipes: Recipes,
        planner: Planner,
        wires: Wires | None,
        records: list[Record],
    ) -> None:
        """Furnish it; `boot` starts the hub.

        Without `wires` the hub is alone. Its events go into `records`.
        """
        self._trace = trace
        self._disk = Disk(folder, "journal")
        self._clock = clock
        self._houses = houses
        self._recipes = recipes
        self._planner = planner
        self._wires = wires
        self.records = records
        self.on_said: Callable[[Record], None] = lambda _record: None
        """Called with each event of the hub's."""
        self._tasks = Background()

    async def boot(self) -> None:
        """Start the hub, and wait until all see each other."""
        self.node = Node(
            name=HUB,
            folder=self._disk.journal,
            key=key_of(HUB),
            clock=self._clock,
            run=_inline,
        )
        self._unsubscribe = self.node.subscribe(self._said)
        self.records.append(self.node.hello)
        self._outside = self._wires.outside(self.node) if self._wires else None
        self.hub = Hub(
            node=self.node,
            house=self._joint(self._outside) if self._outside else self._jeeves,
            adapter=self._jeeves,
            planner=self._planner,
            policy_text=self._trace.policy,
            librarian=self._outside.librarian if self._outside else None,
            waiter=LoopWaiter(self._clock),
            spawn=self._tasks.spawn,
            zone=lambda: self._trace.start.tzinfo or UTC,
            home=lambda: self._trace.home,
            outside=self._outside,
            recipes=self._recipes,
        )
        await self.node.sync()
        await self.hub.start(Startup.read(self.node))
        if self._outside is not None and self._wires is not None:
            self._running = asyncio.ensure_future(self._outside.run())
            await self._wires.recorded(self._outside, self.node)
            await self._wires.met(self._outside)
        self.hub.open()

    async def halt(self) -> None:
        """End the hub in order."""
        await self.hub.stop()
        if self._outside is not None and self._wires is not None:
            await self._wires.recorded(self._outside, self.node)
            await self._outside.stop(self._running, _GOODBYE)
        await self._let_go()

    async def crash(self) -> None:
        """Cut the hub off, and go on from what is on the disk."""
        self._unsubscribe()
        if self._outside is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)
        self._disk.crash()
        # What the old one still does reaches nobody and counts for nothing.
        await self.hub.stop()
        await self._let_go()
        await self.boot()
        forget_unsaid(self.records, self.node.hello)

    def _said(self, record: Record) -> None:
        self.records.append(record)
        self.on_said(record)

    def keep(self, task: asyncio.Task[None]) -> None:
        """Look after something until the hub ends."""
        self._tasks.keep(task)

    @property
    def _jeeves(self) -> SimulatedHouse:
        return self._houses[JEEVES]

    def _joint(self, outside: Outside) -> House:
        """Return Home Assistant's devices and the phones' as one house."""
        places = {device.id: device for device in self._trace.devices}
        named = {device.entity_id: device for device in self._jeeves.devices()}
        cameras = [
            name
            for name, house in self._houses.items()
            if house.device(camera_id(name)) is not None
        ]

        def at(device: Device) -> Device:
            place = places.get(device.id, device)
            return replace(
                device, area=place.area, floor=place.floor, labels=place.labels
            )

        phones = PhoneHouse(
            self._recipes,
            self.node.view,
            reachable=outside.bus.presence.online,
            seen=outside.seen,
            cameras=lambda: cameras,
            same=lambda name: (
                named[name].id if name in named else name,
                named.get(name),
            ),
            at=at,
            may_control=lambda _principal, _entity_id: True,
        )
        return JointHouse(self._jeeves, phones)

    async def _let_go(self) -> None:
        await self.node.close()
        await self._tasks.end()


async def _inline[T](function: Callable[[], T]) -> T:
    return function()
