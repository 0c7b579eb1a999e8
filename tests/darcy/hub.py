"""A hub with recipes on a real broker, and a whole Darcy, for tests."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC
from functools import partial
from pathlib import Path

from hearthnet.background import Background
from hearthnet.core.clock import Clock, SystemClock
from hearthnet.core.companion import Identity
from hearthnet.core.devices import Device, Principal
from hearthnet.core.enrolled import Enrolled
from hearthnet.core.hub import Hub
from hearthnet.core.intents import Origin, Result
from hearthnet.core.messages import Json, Message
from hearthnet.core.node import Node
from hearthnet.core.outside import Outside
from hearthnet.core.phone.house import JointHouse, PhoneHouse
from hearthnet.core.phone.recipe import Recipe
from hearthnet.core.phone.recipes import Recipes
from hearthnet.core.planner.choice import Chooser
from hearthnet.core.policy.load import preset
from hearthnet.core.reservations import LoopWaiter
from hearthnet.core.restart import Startup
from hearthnet.darcy.darcy import Darcy
from hearthnet.darcy.node import PhoneSettings
from hearthnet.darcy.phone import Pace
from hearthnet.simulation import SimulatedHouse
from tests.core.bus_home import KEYS, broker
from tests.core.home import ANNA, ScriptedPlanner

from .conftest import FAST, recipe_named
from .desk import TV

BALANCED = preset("balanced")
ENROLLED = {"phone": Enrolled(name="phone", role="darcy", key=KEYS["phone"].public)}


@dataclass
class Home:
    """The hub's side."""

    hub: Hub
    outside: Outside
    house: SimulatedHouse
    """What Home Assistant would have."""
    appliances: PhoneHouse
    changed: asyncio.Event

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait until something is so."""
        async with asyncio.timeout(30):
            while not condition():
                self.changed.clear()
                await self.changed.wait()

    async def reached(self) -> None:
        """Wait until the phone answers through its node."""
        await self.until(lambda: self.outside.reachable("phone"))

    async def do(
        self,
        operation: str,
        /,
        principal: Principal = ANNA,
        target: str = TV,
        **parameters: Json,
    ) -> Result:
        """Have somebody want something, of the television behind the app."""
        person = principal.kind == "user"
        return await self.hub.wishes.propose(
            principal=principal,
            origin=Origin.APP if person else Origin.AUTOMATION,
            targets=(target,),
            operation=operation,
            parameters=parameters,
            reason="a test",
        )

    async def messages(self) -> list[Message]:
        """Return what the hub has said so far."""
        await self.hub.node.sync()
        return [record.message for record in self.hub.node.history()]


@asynccontextmanager
async def home(
    folder: Path,
    port: int,
    *,
    recipes: tuple[str, ...] = ("living_room_tv",),
    enrolled: dict[str, Enrolled] = ENROLLED,
    same_as: str | None = None,
    recipe: Recipe | None = None,
    policy: str = BALANCED,
    chooser: Chooser | None = None,
) -> AsyncIterator[Home]:
    """Run a hub; `same_as` is the entity and device that is the recipes' appliance.

    `recipe` takes the place of those that are shipped.
    """
    changed, tasks = asyncio.Event(), Background()
    clock, house, book = SystemClock(), SimulatedHouse(), Recipes()
    for one in (recipe,) if recipe else map(recipe_named, recipes):
        assert book.put("phone", replace(one, same_as=same_as)) is None
    node = Node(name="hub", folder=folder / "hub", key=KEYS["hub"], clock=clock)
    outside = Outside(node, broker(port), enrolled, chain=[], on_change=changed.set)

    def same(entity_id: str) -> tuple[str, Device | None]:
        return entity_id, house.device(entity_id)

    appliances = PhoneHouse(
        book,
        node.view,
        reachable=outside.reachable,
        seen=outside.seen,
        cameras=lambda: outside.cameras,
        same=same,
        at=lambda device: device,
        may_control=lambda _principal, _entity_id: True,
    )
    hub = Hub(
        node=node,
        house=JointHouse(house, appliances),
        adapter=house,
        planner=ScriptedPlanner(),
        policy_text=policy,
        librarian=None,
        waiter=LoopWaiter(clock),
        spawn=tasks.spawn,
        zone=lambda: UTC,
        outside=outside,
        recipes=book,
        chooser=chooser,
    )
    await hub.start(Startup.read(node))
    hub.open()
    serving = asyncio.ensure_future(outside.run())
    try:
        yield Home(hub, outside, house, appliances, changed)
    finally:
        await hub.stop()
        await outside.stop(serving, 5)
        await tasks.end()
        await node.close()


@asynccontextmanager
async def darcy(
    folder: Path,
    port: int,
    phone: int,
    key: Path,
    pace: Pace = FAST,
    clock: Clock | None = None,
) -> AsyncIterator[Darcy]:
    """Run Darcy's node in this process."""
    identity = Identity(
        name="phone",
        role="darcy",
        key=KEYS["phone"],
        hub=KEYS["hub"].public,
        broker=broker(port),
    )
    settings = PhoneSettings(port=phone, key=key, pace=pace)
    opened = partial(Darcy.open, identity, folder / "phone", settings, clock=clock)
    one = await asyncio.to_thread(opened)
    running = asyncio.ensure_future(one.run())
    try:
        yield one
    finally:
        one.stop()
        await running
        await one.close()
