"""The hub of the arena: the real one, with wires to managers on other nodes."""

import asyncio
from collections.abc import Callable, Mapping
from datetime import UTC
import json
import os
from pathlib import Path
from random import Random
from typing import Any

from hearthnet.core.bus.local import LocalBus
from hearthnet.core.devices import Principal
from hearthnet.core.effects import Effect
from hearthnet.core.gate import Gate
from hearthnet.core.holding import on_observation
from hearthnet.core.hub import Hub
from hearthnet.core.intents import Action, Plan, PlanKind, Request
from hearthnet.core.keys import SigningKey, VerifyKey
from hearthnet.core.messages import EventId, Json, Message, MessageType
from hearthnet.core.node import Node, Record
from hearthnet.core.paths import device_path
from hearthnet.core.planner import Situation
from hearthnet.core.reservations import LoopWaiter
from hearthnet.core.restart import Startup
from hearthnet.core.segment import segments
from hearthnet.core.shadow import differs
from hearthnet.core.status import Cause
from hearthnet.core.view import View
from hearthnet.virtual import VirtualClock

from .generator import Setting
from .house import ArenaHouse
from .judge import Judge
from .moves import Who, Wish
from .oracle import Oracle
from .plain import HUB, LOCAL
from .posts import Post, Tasks, plain, principal

KEY = SigningKey(b"h" * 32)
SETTLE = 1.0
"""Seconds after which it is looked where a device ended up."""
TOLD = ("policy.yaml", "holds/")
"""Paths of the hub of which the managers' nodes hear."""
_ANSWERS = (MessageType.RECEIPT, MessageType.REFUSAL)


class Wires(LocalBus):
    """Reaches the agents of the hub's node at once, the others in a while."""

    def __init__(self, center: "Center") -> None:
        """Start with nobody attached."""
        super().__init__()
        self._center = center

    def send(self, record: Record) -> bool:
        """Deliver a message."""
        post = self._center.posts.get(record.message.to)
        if post is None:
            return self.deliver(record)

        async def leave() -> None:
            await self._center.node.sync()
            post.down.send(lambda: post.receive(record))

        self._center.tasks.spawn(leave())
        return True

    def deliver(self, record: Record) -> bool:
        """Deliver a message to an agent of this node."""
        if record.message.type in _ANSWERS:
            self._center.oracle.received(plain(record))
        return super().send(record)


class Center:
    """The hub's node, and who tells the oracle what happens on it."""

    def __init__(
        self, home: Setting, folder: Path, rng: Random, gate: type[Gate] = Gate
    ) -> None:
        """Make the home; `gate` stands beside every manager but the hub's own."""
        self.home = home
        self.rng = rng
        self.clock = VirtualClock()
        self.oracle = Oracle(things=home.things, forbidden=home.forbidden)
        self.judge = Judge(oracle=self.oracle)
        self.house = ArenaHouse(home, rng, self._acted)
        self.house.report = self._report
        self.wishes: dict[str, Wish] = {}
        """By the words of the intent."""
        self.tasks_of: dict[int, str] = {}
        self.grants_of: dict[int, Record] = {}
        self._numbers: dict[str, int] = {}
        self._log: list[tuple[float, Record, dict[str, Any]]] = []
        self._folder = folder
        self.posts = dict[str, Post]()
        self._gate = gate

    @property
    def key(self) -> VerifyKey:
        """The hub's key."""
        return KEY.public

    # Boots

    async def start(self) -> None:
        """Start everything for the first time; every device is seen once."""
        for name in self.home.agents[1:]:
            self.posts[name] = Post(self, name, self._folder / name, self._gate)
        await self._open(View())
        for key in self.house.real:
            self.look(key, "reconnect")
        await asyncio.sleep(5)

    async def reboot(self) -> None:
        """Kill the hub in a moment in which its disk has everything."""
        while self.node.journal.synced < self.node.position:
            await self.node.sync()
        old = self.node
        self._dead.set()
        old.journal.release()
        self.tasks.kill()
        folder = self._folder / HUB
        for segment in segments(folder):
            if segment.boot < old.boot:
                os.utime(folder / segment.name, (0, 0))  # old enough to be purged
        await self._open(old.view)

    async def _open(self, git: View) -> None:
        """Start a boot of the hub, with what Git has of the other nodes."""
        self.tasks, self._dead, dead = Tasks(), asyncio.Event(), asyncio.Event()
        self._dead = dead

        async def disk[T](function: Callable[[], T]) -> T:
            await asyncio.sleep(self.rng.uniform(0.0005, 0.02))
            if dead.is_set():
                await asyncio.Event().wait()
            return function()

        folder = self._folder / HUB
        self.node = Node(name=HUB, folder=folder, key=KEY, clock=self.clock, run=disk)
        await self.node.purge(self.node.position)
        for path, (version, value) in git.snapshot()["paths"].items():
            if EventId.parse(version).node != HUB:
                self.node.view.learn(path, value, version)
        self.node.subscribe(lambda record: self.said(HUB, record))
        now = self.clock.boottime()
        self.oracle.started(HUB, LOCAL, self.node.boot, now)
        self.bus = Wires(self)
        self.hub = Hub(
            node=self.node,
            house=self.house,
            adapter=self.house,
            planner=self,
            policy_text=json.dumps(self.home.policy),
            librarian=None,
            waiter=LoopWaiter(self.clock),
            spawn=self.tasks.spawn,
            zone=lambda: UTC,
            bus=self.bus,
        )
        await self.hub.start(Startup.read(self.node))
        self.hub.open()

    async def plan(self, request: Request, situation: Situation) -> Plan | None:
        """Plan what was wished, after the time that it takes."""
        if (wish := self.wishes.get(request.text)) is None:
            return None
        await asyncio.sleep(wish.think)
        action = Action(
            targets=(wish.device,),
            operation=wish.operation,
            parameters=dict(wish.parameters),
        )
        return Plan(kind=PlanKind.COMMAND, actions=(action,), standing=wish.standing)

    # What is said, and who hears it

    def said(self, node: str, record: Record) -> None:
        """Judge an event, then tell the oracle of it."""
        message, now = plain(record), self.clock.boottime()
        agent = LOCAL if node == HUB else node
        self.judge.look(agent, message, now)
        self.oracle.said(node, message, now)
        if record.message.type is MessageType.RECEIPT:
            for device, outcome in message["body"]["members"].items():
                if outcome == "unknown":
                    self._later(self.rng.uniform(2, 15), self._read_again, device)
        if node == HUB:
            self._hub_said(record, message, now)

    def _hub_said(self, record: Record, message: dict[str, Any], now: float) -> None:
        match record.message.type:
            case MessageType.INTENT if message["body"]["text"] in self.wishes:
                wish = self.wishes[message["body"]["text"]]
                self._numbers[message["id"]] = wish.number
            case MessageType.TASK if message["intent"] in self._numbers:
                self.tasks_of[self._numbers[message["intent"]]] = message["id"]
            case MessageType.GRANT:
                self.grants_of[self._numbers[message["intent"]]] = record
                if message["to"] == LOCAL:
                    self.oracle.arrived[LOCAL, message["id"]] = True
            case MessageType.REVOCATION if message["to"] == LOCAL:
                self.oracle.revoked.add((LOCAL, message["lease"]))
        if any(path.startswith(TOLD) for path in record.message.writes):
            self._log.append((now, record, message))

    def news(self, post: Post) -> None:
        """Let a post hear of the hub's events, as far as they have got."""
        until = self.clock.boottime() - post.lag
        for at, record, message in self._log[post.mirrored :]:
            event = record.message.event
            if at > until or event.position > self.node.journal.synced:
                break
            if event.boot > self.oracle.fences[post.name]:
                post.gate.raise_fence(event.boot, by=record.message.id)
                self.oracle.fences[post.name] = event.boot
            self.oracle.heard(post.name, HUB, message, at)
            post.node.view.apply(record.message)
            post.mirrored += 1
        post.lag = self.rng.random() * self.rng.choice((0.1, 0.1, 2.0))

    def mirror(self, post: Post, record: Record) -> None:
        """Take an event of a post's log into the hub's view."""
        message = record.message
        device = message.body.get("device", "")
        before = self.node.view.get(device_path(str(device)))
        now = self.clock.boottime()
        self.oracle.heard(HUB, post.name, plain(record), now)
        self.node.view.apply(message)
        known = before.get("values") if isinstance(before, dict) else None
        if message.type is MessageType.OBSERVATION and isinstance(known, dict):
            self._noticed(message, known)

    def _noticed(self, message: Message, known: Mapping[str, Json]) -> None:
        """Let a change that a post observed have its effect on holds."""
        body = message.body
        device = self.house.device(body["device"])
        assert device is not None
        who = body.get("principal")
        boot, seq = self.node.position
        change = on_observation(
            str(EventId(HUB, boot, seq + 1)),
            Cause(body.get("cause", "unknown")),
            [
                Effect(device.key, attribute, value)
                for attribute, value in body["values"].items()
                if known.get(attribute) != value
            ],
            holds=self.hub.state.all_holds(),
            now=self.clock.now(),
            policy=self.hub.state.in_force.policy,
            principal=Principal.from_dict(who) if who else None,
            entity_id=device.entity_id,
        )
        if writes := change.writes():
            self.node.emit(
                sender="rupert",
                to="rupert",
                type=MessageType.RESOLUTION,
                content="Holds follow from what was observed.",
                cause=message.id,
                writes=writes,
            )
            self.hub.issuer.withdraw()

    def deliver(self, record: Record) -> None:
        """Take a message for the root."""
        self.bus.deliver(record)

    # What devices do

    def gate_of(self, device: str) -> Gate:
        """Return the gate that a device is behind."""
        agent = self.home.things[device].agent
        return self.hub.gate if agent == LOCAL else self.posts[agent].gate

    def look(self, device: str, cause: str, who: Who | None = None) -> None:
        """Let the manager of a device see what it shows, if that is news."""
        reading = self.house.read(device)
        if not reading.available:
            return
        values, agent = dict(reading.values), self.home.things[device].agent
        if agent != LOCAL:
            self.posts[agent].observe(device, values, cause, who)
            return
        said = principal(who)
        self.hub.observe(
            device,
            values,
            cause=Cause(cause),
            principal=Principal.from_dict(said) if said else None,
        )

    def _acted(self, lease: str) -> None:
        self.judge.acted(lease, self.clock.boottime())

    def _report(
        self, key: str, values: dict[str, Json], cause: str | None, who: Who | None
    ) -> None:
        """Take a device's report, as the observer in Home Assistant does."""
        gate, now = self.gate_of(key), self.clock.boottime()
        if gate.expects(key, values, now) is not None:
            self._later(SETTLE, self.look, key, "unknown")
        else:
            self.look(key, cause or "unknown", who)

    def _read_again(self, device: str) -> None:
        """Read a device of which nobody knows what it is at, until it can be."""
        if self.house.read(device).available:
            self.look(device, "unknown")
        else:
            self._later(5.0, self._read_again, device)

    def unseen(self) -> list[str]:
        """Return the devices that show something else than the record has."""
        nodes = {LOCAL: self.node} | {p.name: p.node for p in self.posts.values()}
        return [
            key
            for key in self.house.real
            if (reading := self.house.read(key)).available
            and differs(
                nodes[self.home.things[key].agent].view.get(device_path(key)),
                reading.values,
            )
        ]

    def _later(self, seconds: float, what: Callable[..., None], *args: Any) -> None:
        asyncio.get_running_loop().call_later(seconds, what, *args)
