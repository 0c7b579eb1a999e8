"""A hub over a simulated house, for tests of the whole core."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Any

from hearthnet.background import Background
from hearthnet.core.clock import Clock, ManualClock
from hearthnet.core.devices import Device, Principal
from hearthnet.core.hub import Hub
from hearthnet.core.intents import Action, Origin, Plan, PlanKind, Request
from hearthnet.core.keys import SigningKey
from hearthnet.core.messages import Message, MessageType
from hearthnet.core.node import Node
from hearthnet.core.planner import Situation
from hearthnet.core.policy.load import preset
from hearthnet.core.reservations import LoopWaiter
from hearthnet.core.restart import Restart, Startup
from hearthnet.simulation import SimulatedHouse

ANNA = Principal(kind="user", id="anna", name="Anna", role="owner")
BEN = Principal(kind="user", id="ben", name="Ben", role="resident")
ROUTINE = Principal(
    kind="automation", id="automation.wind_down", name="Wind down", role="automation"
)


@dataclass
class ScriptedPlanner:
    """Answers each text with a plan that the test wrote."""

    plans: dict[str, Plan] = field(default_factory=dict)
    asked: list[Request] = field(default_factory=list)

    async def plan(self, request: Request, situation: Situation) -> Plan | None:
        """Return the plan for the text."""
        self.asked.append(request)
        return self.plans.get(request.text)


def command(*actions: Action, **fields: Any) -> Plan:
    """Return a plan of a command."""
    return Plan(kind=PlanKind.COMMAND, actions=actions, **fields)


def request(text: str, principal: Principal = ANNA, **fields: Any) -> Request:
    """Return a request of a signed-in person."""
    return Request(text=text, principal=principal, **{"origin": Origin.APP, **fields})


@dataclass
class Home:
    """Everything around a hub."""

    folder: Path
    house: SimulatedHouse
    planner: ScriptedPlanner
    clock: Clock
    hub: Hub
    restart: Restart
    zone: tzinfo = UTC
    """Where the home is."""
    messages: list[Message] = field(default_factory=list)

    async def until(self, type_: MessageType, count: int = 1) -> Message:
        """Wait until this boot has had so many messages of a type; return the last."""
        came = asyncio.Event()
        end = self.hub.node.subscribe(lambda _record: came.set())
        async with asyncio.timeout(10):
            while len(self.of(type_)) < count:
                came.clear()
                await came.wait()
        end()
        return self.of(type_)[-1]

    def of(self, type_: MessageType) -> list[Message]:
        """Return the messages of a type, in order."""
        return [m for m in self.messages if m.type is type_]


@asynccontextmanager
async def running(
    folder: Path,
    house: SimulatedHouse,
    planner: ScriptedPlanner | None = None,
    *,
    clock: Clock | None = None,
    policy: str | None = None,
    opened: bool = True,
) -> AsyncIterator[Home]:
    """Run a hub in `folder`; entering again is the next boot."""
    clock = clock or ManualClock()
    planner = planner or ScriptedPlanner()
    tasks = Background()
    home: Home | None = None
    key = SigningKey.load_or_create(folder / "key", b"k" * 32)
    node = Node(name="hub", folder=folder / "journal", key=key, clock=clock)
    hub = Hub(
        node=node,
        house=house,
        adapter=house,
        planner=planner,
        policy_text=policy or preset("balanced"),
        librarian=None,
        waiter=LoopWaiter(clock),
        spawn=tasks.spawn,
        zone=lambda: home.zone if home else UTC,
    )
    await node.sync()
    restart = await hub.start(Startup.read(node))
    home = Home(folder, house, planner, clock, hub, restart)
    node.subscribe(lambda record: home.messages.append(record.message))
    if opened:
        hub.open()
    try:
        yield home
    finally:
        await hub.stop()
        await node.close()
        await tasks.end()


def lamp(
    house: SimulatedHouse, name: str, area: str = "Study", **values: Any
) -> Device:
    """Put a lamp into the house."""
    device = Device(
        id=f"id_{name}",
        entity_id=f"light.{name}",
        name=name.title(),
        domain="light",
        area=area,
    )
    return house.add(device, **{"state": "off", **values})
