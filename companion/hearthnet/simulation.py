"""A house in memory, for benches, replays and tests: no device, no waiting.

It is deterministic: what a device does is given, and time is the caller's. Its
manager may be a node of its own, see `manage`.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from hearthnet.core.adapter import Adapter, AdapterError, Permit
from hearthnet.core.agents.base import Spawn
from hearthnet.core.agents.manager import Manager
from hearthnet.core.companion import Companion
from hearthnet.core.devices import Device, House, Principal, Reading, Values
from hearthnet.core.domains import OPERATIONS
from hearthnet.core.gate import Gate
from hearthnet.core.messages import Json
from hearthnet.core.operations import Operation
from hearthnet.core.reasons import Outcome


@dataclass(frozen=True, kw_only=True)
class Answered:
    """How a device answered one command once."""

    seconds: float = 0.0
    values: Values = field(default_factory=dict)
    """What it was at then."""
    fails: AdapterError | None = None


@dataclass
class Behavior:
    """How a simulated device answers a command."""

    answers: deque[Answered] = field(default_factory=deque)
    """What it does to the next commands; after them it is as below."""

    fails: AdapterError | None = None
    """Raised in place of acting."""
    deaf: bool = False
    """Takes the command and does nothing."""
    gate: asyncio.Event | None = None
    """The command waits for this before it has its effect."""


@dataclass
class SimulatedHouse:
    """Devices with values; implements `House` and `Adapter`."""

    known: dict[str, Device] = field(default_factory=dict)
    values: dict[str, dict[str, Json]] = field(default_factory=dict)
    unavailable: set[str] = field(default_factory=set)
    behavior: dict[str, Behavior] = field(default_factory=dict)
    forbidden: set[tuple[str, str]] = field(default_factory=set)
    """(principal id, device id) pairs that the house's owner does not allow."""
    since: datetime | None = None
    rows: Mapping[str, Operation] = field(default_factory=lambda: OPERATIONS)
    """The table of operations of whoever moves its devices."""
    acts: list[Permit] = field(default_factory=list)
    """Every actuation that reached the devices, in order."""
    on_change: Callable[[str, Values], None] = lambda _device, _values: None
    """Told of every change, as a device's own report would be."""
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _told: set[str] = field(default_factory=set)
    """Executes whose end was given; there is nothing to wait for after it."""

    def add(self, device: Device, **values: Json) -> Device:
        """Put a device into the house."""
        self.known[device.id] = device
        self.values[device.id] = dict(values)
        return device

    def change(self, device_id: str, **values: Json) -> None:
        """Change a device, as a person at its switch would."""
        self.become(device_id, {**self.values[device_id], **values})

    def become(self, device_id: str, values: Values) -> None:
        """Give a device all its values anew; one that is off may have fewer."""
        self.values[device_id] = dict(values)
        self._changed.set()
        self._changed = asyncio.Event()
        self.on_change(device_id, self.values[device_id])

    # House

    @property
    def operations(self) -> Mapping[str, Operation]:
        """The table of operations."""
        return self.rows

    def device(self, device_id: str) -> Device | None:
        """Return a device by id."""
        return self.known.get(device_id)

    def devices(self) -> Iterable[Device]:
        """Return all devices."""
        return tuple(self.known.values())

    def read(self, device_id: str) -> Reading:
        """Return a device's values."""
        if device_id not in self.known:
            return Reading(available=False)
        return Reading(
            available=device_id not in self.unavailable,
            values=dict(self.values[device_id]),
            since=self.since,
        )

    def may_control(self, principal: Principal, device_id: str) -> bool:
        """Tell whether the house's owner lets the principal control the device."""
        return (principal.id, device_id) not in self.forbidden

    # Adapter

    async def act(self, permit: Permit) -> None:
        """Let the operation have its effects, as the device's behavior says."""
        self.acts.append(permit)
        operation = self.rows[permit.operation]
        for target in permit.target:
            behavior = self.behavior.get(target, Behavior())
            if behavior.answers:
                answer = behavior.answers.popleft()
                await asyncio.sleep(answer.seconds)
                if answer.fails is not None:
                    raise answer.fails
                self.become(target, answer.values)
                self._told.add(permit.execute)
                continue
            if behavior.fails is not None:
                raise behavior.fails
            if target in self.unavailable:
                raise AdapterError(Outcome.UNREACHABLE, f"{target} is gone")
            if behavior.gate is not None:
                await behavior.gate.wait()
            if not behavior.deaf:
                effects = operation.effects(permit.parameters, self.values[target])
                self.change(target, **dict(effects))

    async def settle(
        self,
        permit: Permit,
        satisfied: Callable[[Mapping[str, Reading]], bool],
        deadline: float,
    ) -> Mapping[str, Reading]:
        """Return the readings as soon as they satisfy; a deaf device never will."""
        while True:
            readings = {target: self.read(target) for target in permit.target}
            over = permit.execute in self._told or self._stuck(permit.target)
            if satisfied(readings) or over:
                return readings
            changed = self._changed
            try:
                await asyncio.wait_for(changed.wait(), deadline)
            except TimeoutError:
                return {target: self.read(target) for target in permit.target}

    def _stuck(self, targets: tuple[str, ...]) -> bool:
        return any(self.behavior.get(t, Behavior()).deaf for t in targets)


class Devices(House, Adapter, Protocol):
    """What there is to move, and what moves it."""


def manage(
    companion: Companion,
    agent: str,
    house: Devices,
    spawn: Spawn,
    manager_of: type[Manager] = Manager,
    recipe: Callable[[str], str | None] = lambda _operation: None,
) -> Manager:
    """Put a gate and a manager before devices, as `hearthnet darcy` does. Blocks.

    `recipe` gives the digest of the recipe that an operation would run.
    """
    node = companion.node
    gate = Gate(
        node=node,
        adapter=house,
        root=companion.trust.hub,
        agent=agent,
        operations=house.operations,
        device=house.device,
        recipe=recipe,
    )
    companion.guard(gate)
    manager = manager_of(
        agent, node, companion.bus, spawn, house=house, gate=gate, clock=node.clock
    )
    companion.on_hub = manager.tell_again
    manager.take_over()
    return manager
