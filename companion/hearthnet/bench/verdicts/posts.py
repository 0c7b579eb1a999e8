"""A manager on a node of its own, with its gate, and the wires to the hub."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
import json
import math
from pathlib import Path
from random import Random
from typing import Any, Protocol

from hearthnet.core.agents.manager import ANSWER_WITHIN, Manager
from hearthnet.core.bus import Handler
from hearthnet.core.clock import Clock
from hearthnet.core.domains import OPERATIONS
from hearthnet.core.gate import Gate
from hearthnet.core.journal import JournalError
from hearthnet.core.keys import SigningKey, VerifyKey
from hearthnet.core.messages import Json, MessageType
from hearthnet.core.node import Node, Record
from hearthnet.core.paths import device_path
from hearthnet.core.recovery import read_past
from hearthnet.core.shadow import differs, shadow

from .house import ArenaHouse
from .moves import Who
from .oracle import Oracle
from .plain import HUB


class Center(Protocol):
    """The hub's end of the wires."""

    rng: Random
    house: ArenaHouse
    oracle: Oracle

    @property
    def clock(self) -> Clock:
        """The clock of every node."""

    def said(self, node: str, record: Record) -> None:
        """Note an event in the moment in which it is made."""

    def mirror(self, post: "Post", record: Record) -> None:
        """Take an event of a post's log."""

    def deliver(self, record: Record) -> None:
        """Take a message for the root."""

    def news(self, post: "Post") -> None:
        """Let a post hear of the hub's events, as far as they have got."""

    @property
    def key(self) -> VerifyKey:
        """The hub's key."""


class Tasks:
    """What runs in the background of a node; a kill ends all of it at once."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._running: set[asyncio.Task[None]] = set()

    def spawn(self, coroutine: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine; a dead journal is no news."""
        task = asyncio.ensure_future(self._run(coroutine))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _run(self, coroutine: Coroutine[Any, Any, None]) -> None:
        with suppress(JournalError):
            await coroutine

    def kill(self) -> None:
        """End all that runs."""
        for task in self._running:
            task.cancel()


class Wire:
    """One way between two nodes: in order, after a while."""

    def __init__(self, rng: Random, slow: float) -> None:
        """Take up to `slow` seconds for most messages."""
        self._rng = rng
        self._slow = slow
        self._due = 0.0

    def send(self, deliver: Callable[[], None]) -> None:
        """Deliver later, and after all that was sent before."""
        loop = asyncio.get_running_loop()
        wait = self._rng.random() * self._slow * self._rng.choice((0.1, 0.1, 1.0))
        self._due = max(self._due + 1e-6, loop.time() + wait)
        loop.call_at(self._due, deliver)


def plain(record: Record) -> dict[str, Any]:
    """Return a message as plain JSON."""
    return dict(json.loads(record.data))


class Post:
    """An agent away from the hub; implements `Bus` for its manager."""

    def __init__(
        self, center: Center, name: str, folder: Path, gate: type[Gate] = Gate
    ) -> None:
        """Start the first boot."""
        self.name = name
        self._center = center
        self._folder = folder
        self._make_gate = gate
        self._key = SigningKey(name.encode().ljust(32, b"."))
        self.up = Wire(center.rng, 1.0)
        self.down = Wire(center.rng, 1.0)
        self.mirrored = 0
        """How many of the hub's events have been heard."""
        self.lag = 0.0
        self._start()

    # Boots

    def _start(self) -> None:
        self.tasks = Tasks()
        self._handler: Handler = lambda _record: None
        self._unsent: dict[str, Record] = {}
        self._dead = False
        self.node = Node(
            name=self.name,
            folder=self._folder,
            key=self._key,
            clock=self._center.clock,
            run=self._disk,
        )
        house = self._center.house
        self.gate = self._make_gate(
            node=self.node,
            adapter=house,
            root=self._center.key,
            agent=self.name,
            operations=OPERATIONS,
            device=house.device,
        )
        self._manager = Manager(
            self.name,
            self.node,
            self,
            self.tasks.spawn,
            house=house,
            gate=self.gate,
            clock=self._center.clock,
        )
        now = self._center.clock.boottime()
        self._center.oracle.started(self.name, self.name, self.node.boot, now)
        self.node.subscribe(self._said)

    def kill(self) -> None:
        """Kill it, and start it again on what its disk has."""
        old = self.node
        self._dead = True
        kept = old.journal.synced
        old.journal.release()
        self.tasks.kill()
        self._center.oracle.forgot(self.name, kept)
        unsent = self._unsent.values()
        self._start()
        for record in unsent:
            if record.message.event.position <= kept:
                self._mirror(record)
        self._take_over(old)

    def _take_over(self, old: Node) -> None:
        """Load what Git has of the hub, and what this node's own journal tells."""
        for path, (version, value) in old.view.snapshot(HUB)["paths"].items():
            self.node.view.learn(path, value, version)
        self.gate.raise_fence(self._center.oracle.fences[self.name])
        before = [
            r for r in self.node.history() if r.message.event.boot < self.node.boot
        ]
        for record in self.gate.recover(read_past(before)):
            self.send(record)

    async def _disk[T](self, function: Callable[[], T]) -> T:
        await asyncio.sleep(self._center.rng.uniform(0.0005, 0.02))
        if self._dead:
            await asyncio.Event().wait()
        self._center.news(self)
        return function()

    # Bus

    def attach(self, agent: str, handler: Handler) -> Callable[[], None]:
        """Deliver messages to the manager; nobody ever detaches."""
        self._handler = handler
        return lambda: None

    def send(self, record: Record) -> bool:
        """Send a message to the root."""
        self._synced(lambda: self.up.send(lambda: self._center.deliver(record)))
        return True

    def receive(self, record: Record) -> None:
        """Take a message of the root's; nothing between the facts and the act."""
        self._center.news(self)
        message, facts = record.message, self._center.oracle
        if message.type is MessageType.GRANT:
            sent = facts.asked.get((self.name, message.cause or ""), -math.inf)
            if self._center.clock.boottime() - sent < ANSWER_WITHIN:
                facts.arrived[self.name, message.id] = True
                fence = facts.fences[self.name]
                facts.fences[self.name] = max(fence, message.event.boot)
        elif message.type is MessageType.REVOCATION and message.lease:
            facts.revoked.add((self.name, message.lease))
        self._handler(record)

    def _said(self, record: Record) -> None:
        self._center.said(self.name, record)
        self._mirror(record)

    def _mirror(self, record: Record) -> None:
        """Send an event of the log, now or again."""
        self._unsent[record.message.id] = record
        self._synced(lambda: self.up.send(lambda: self._arrive(record)))

    def _arrive(self, record: Record) -> None:
        if self._unsent.pop(record.message.id, None) is not None:
            self._center.mirror(self, record)

    def _synced(self, then: Callable[[], None]) -> None:
        """Do something once all that was said so far is on the disk."""

        async def wait() -> None:
            await self.node.sync()
            then()

        self.tasks.spawn(wait())

    # Devices

    def observe(
        self, device_id: str, values: dict[str, Json], cause: str, who: Who | None
    ) -> None:
        """Record a change past HearthNet, after an act that is going on."""
        if self.gate.busy(device_id) is None:
            self._observe(device_id, values, cause, who)
            return

        async def later() -> None:
            await self.gate.wait_idle(device_id)
            self._observe(device_id, values, cause, who)

        self.tasks.spawn(later())

    def _observe(
        self, device_id: str, values: dict[str, Json], cause: str, who: Who | None
    ) -> None:
        device = self._center.house.device(device_id)
        assert device is not None
        path = device_path(device_id)
        if not differs(self.node.view.get(path), values):
            return
        self.node.emit(
            sender=self.name,
            to="rupert",
            type=MessageType.OBSERVATION,
            content=f"{device_id}: {cause}.",
            body={
                "device": device_id,
                "cause": cause,
                "principal": principal(who),
                "values": values,
            },
            writes={path: shadow(device, values)},
        )


def principal(who: Who | None) -> dict[str, Json] | None:
    """Return who somebody is, as messages say it."""
    if who is None:
        return None
    return {"kind": who.kind, "id": who.id, "name": who.id, "role": who.role}
