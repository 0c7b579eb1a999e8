"""What the hub has outside Home Assistant: companions, reached over a broker."""

import asyncio
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from datetime import datetime, timedelta

from .bus.broker import Broker
from .bus.inbound import Framed
from .bus.link import Connect, connect
from .bus.mqtt import MqttBus
from .bus.presence import Status
from .bus.sharing import Sharing
from .enrolled import DEWEY, Enrolled, about
from .keys import VerifyKey
from .librarian.client import LibrarianProcess
from .librarian.relay import Relay
from .librarian.remote import RemoteLibrarian
from .librarian.stream import Named, Shown, Stream
from .node import Node, Record
from .paths import HUB, RECIPES
from .phone.camera import KIND as PICTURE, Picture
from .phone.choice import KIND as QUESTION, Question
from .phone.report import KIND, PhoneReport
from .state import POLICY_PATH
from .status import AgentStatus

AGENTS = ("rupert", "jeeves")
CONVERGED = 10.0
"""Seconds after a start in which whoever is there is seen."""
_TOLD = (POLICY_PATH, "holds/", "settings/")
"""What a manager's gate needs to know of the hub's state, beside its recipes."""


class Outside:
    """The hub's side of the broker."""

    def __init__(
        self,
        node: Node,
        broker: Broker,
        enrolled: Mapping[str, Enrolled],
        *,
        chain: list[dict[str, str]],
        record: Named | None = None,
        version: str = "",
        on_change: Callable[[], None] = lambda: None,
        on_start: Callable[[tuple[str, ...]], None] = lambda _agents: None,
        connect: Connect = connect,
    ) -> None:
        """`chain` leads from old keys of the hub to its present one.

        `record` names the companion that keeps the record; without it nobody outside
        does. `on_start` is told of the agents of a node that has started anew.
        """
        self._enrolled = dict(enrolled)
        self._chain = chain
        self._on_change = on_change
        self.on_start = on_start
        self._boots: dict[str, int] = {}
        self._agents: dict[str, tuple[str, ...]] = {}
        self.bus = MqttBus(
            node,
            broker,
            key=self._key,
            agents=AGENTS,
            capabilities=("root",),
            version=version,
            on_change=self._changed,
            connect=connect,
        )
        self.bus.on_status = self._heard
        self.bus.on_frame(KIND, self._reported)
        self.phones: dict[str, PhoneReport] = {}
        """What phones' nodes have said of their phones, by node."""
        self._seen: dict[str, dict[str, Mapping[str, datetime]]] = {}
        """By node and appliance, when its app showed which attribute."""
        self.bus.on_frame(PICTURE, self._pictured)
        self.pictures: dict[str, Picture] = {}
        """The last picture of each phone's camera, by node."""
        self.bus.on_frame(QUESTION, self._questioned)
        self.on_question: Callable[[str, Question], object] = lambda _node, _asked: None
        """Called when a phone's node asks what it shall tap."""
        self._sharing = Sharing(node, self.bus, self._told)
        self.rests: Callable[[str], Collection[str]] = lambda _agent: ()
        """Gives the paths that the live leases of an agent rest on."""
        node.subscribe(self._written)
        self._relay: Relay | None = None
        self.librarian: RemoteLibrarian | None = None
        if record is not None:
            self.librarian = RemoteLibrarian(
                node,
                self.bus,
                name=record.node,
                repository=record.repository,
                on_change=self._changed,
            )
            self._stream = self.librarian.stream
        else:
            # It only watches who shows which record.
            self._stream = Stream(
                node, self.bus, named=lambda: None, on_change=self._changed
            )
        self._node = node
        self._started = node.clock.boottime()
        self._tell()

    def relay(self, librarian: LibrarianProcess) -> None:
        """Let the librarian beside the hub record the companions too."""
        keys = {name: one.key.text for name, one in self._enrolled.items()}
        self._relay = Relay(self._node, self.bus, librarian, keys, opened=self._changed)

    def agents(self, tasks: Mapping[str, int]) -> tuple[AgentStatus, ...]:
        """Return the companions, there or not; `tasks` counts the open ones."""
        return tuple(
            self._agent(one, tasks.get(one.name, 0)) for one in self._enrolled.values()
        )

    def _agent(self, one: Enrolled, tasks: int) -> AgentStatus:
        said = self.bus.presence.status(one.name)
        shown = self._stream.shown.get(one.name)
        return AgentStatus(
            name=one.name,
            online=self.bus.presence.online(one.name),
            open_tasks=tasks,
            role=one.role,
            version=said.version if said else None,
            commit=shown.head.commit if shown else None,
            problem=self._problem_of(shown) if shown else None,
        )

    def _problem_of(self, shown: Shown) -> str | None:
        keeper = self.librarian or self._relay
        named = keeper.named if keeper else None
        kept = named.repository if named else None
        if kept in (None, shown.head.repository):
            return shown.problem or shown.extras
        return (
            f"it has another record, {shown.head.repository[:12]}:"
            " it must start from a copy of this home's"
        )

    def keep(self, names: Collection[str]) -> None:
        """Cut off every companion but these, before anything else is done."""
        for name in self._enrolled.keys() - set(names):
            del self._enrolled[name]
            self.bus.forget(name)
        self._tell()

    def alive(self, agent: str) -> bool:
        """Tell whether an agent, of this node or another, is there."""
        return agent in AGENTS or self.bus.presence.host(agent) is not None

    def life(self, agent: str) -> str:
        """Name an agent's present start: another one knows nothing of its tasks."""
        host = self.bus.presence.host(agent)
        status = self.bus.presence.status(host) if host else None
        return status.instance if status else ""

    @property
    def cameras(self) -> tuple[str, ...]:
        """Name the phones' nodes that have told of a camera."""
        return tuple(name for name, report in self.phones.items() if report.camera)

    def reachable(self, phone: str) -> bool:
        """Tell whether a phone's node is there and reaches its phone."""
        report = self.phones.get(phone)
        there = report is not None and report.problem is None
        return there and self.bus.presence.online(phone)

    def seen(self, phone: str, appliance: str) -> Mapping[str, datetime]:
        """Return by attribute when an appliance's app has shown it, if that is known.

        By the hub's clock: a phone tells ages, for its own may be wrong.
        """
        return self._seen.get(phone, {}).get(appliance, {})

    def expected(self, agent: str) -> bool:
        """Tell whether an agent that is away belongs to this home.

        Right after a start one that was not heard yet may be about to be.
        """
        starting = self._node.clock.boottime() < self._started + CONVERGED
        awaited = starting and agent in self._enrolled
        return awaited or any(agent in agents for agents in self._agents.values())

    @property
    def problem(self) -> str | None:
        """What a person has to put right, in words."""
        return self.bus.twin.fenced or self.bus.twin.zombie

    def shows(self, named: Named) -> bool:
        """Tell whether a companion has this home's record and can go on with it."""
        shown = self._stream.shown.get(named.node)
        if shown is None or not self.bus.presence.online(named.node):
            return False
        boot, seq = shown.head.nodes.get(self._node.name, (0, 0))
        first = self._node.journal.first or (0, 0)
        # The copy may be so early that it has nothing of this node yet.
        whole = first <= max((boot, seq + 1), (1, 1))
        return whole and shown.head.repository == named.repository

    def share(self) -> None:
        """Tell companions that are there anew what they have to know of the hub."""
        self._sharing.tell_all()

    async def run(self) -> None:
        """Stay connected until `stop`."""
        feeding = (
            asyncio.ensure_future(self.librarian.run()) if self.librarian else None
        )
        try:
            await self.bus.run()
        finally:
            if feeding is not None:
                feeding.cancel()
                await asyncio.gather(feeding, return_exceptions=True)

    async def stop(self, running: asyncio.Task[None], timeout: float) -> None:
        """Say goodbye."""
        self.bus.stop()
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await asyncio.wait([running])

    def _key(self, name: str) -> VerifyKey | None:
        one = self._enrolled.get(name)
        return one.key if one else None

    def _told(self, peer: str) -> tuple[str, ...]:
        one = self._enrolled.get(peer)
        if one is None or one.role == DEWEY:
            return ("none/",)
        return (*_TOLD, f"{RECIPES}/{peer}/", *self._rests(peer))

    def _rests(self, peer: str) -> set[str]:
        """Return what the leases that a companion has rest on."""
        return {
            path for agent in self._agents.get(peer, ()) for path in self.rests(agent)
        }

    def _written(self, record: Record) -> None:
        """Tell those whose leases rest on what was written: they are stale now.

        What is on another machine cannot see it, such as a change of the same
        appliance in Home Assistant.
        """
        if record.message.writes:
            for peer in self._enrolled:
                if changed := record.message.writes.keys() & self._rests(peer):
                    self._sharing.tell(peer, sorted(changed))

    def _tell(self) -> None:
        keeper = self.librarian or self._relay
        named = keeper.named if keeper else None
        told = about(self._enrolled, named, self._chain)
        if told != self.bus.about:
            self.bus.about = told
            self.bus.announce()

    def _reported(self, found: Framed, done: Callable[[], None]) -> None:
        """Take what a companion says of its phone."""
        done()
        if found.sender in self._enrolled:
            now = self._node.clock.now()
            report = PhoneReport.from_dict(found.frame, now)
            # A node that starts anew knows of no read before; it was none the less.
            self._seen.setdefault(found.sender, {}).update(
                (name, {n: now - timedelta(seconds=age) for n, age in ages.items()})
                for name, ages in report.ages.items()
            )
            self.phones[found.sender] = report
            self._on_change()

    def _pictured(self, found: Framed, done: Callable[[], None]) -> None:
        """Take a picture that a phone took under a lease."""
        done()
        if found.sender in self._enrolled:
            self.pictures[found.sender] = Picture.from_dict(found.frame)
            self._on_change()

    def _questioned(self, found: Framed, done: Callable[[], None]) -> None:
        """Take a question of a phone's node."""
        done()
        if found.sender in self._enrolled:
            self.on_question(found.sender, Question.from_dict(found.frame))

    def _heard(self, status: Status) -> None:
        """Let go of what a companion had before it started anew."""
        if status.node != HUB:
            self._agents[status.node] = status.agents
        if status.node == HUB or status.boot <= self._boots.get(status.node, 0):
            return
        if status.node in self._boots:
            self.on_start(status.agents)
        self._boots[status.node] = status.boot

    def _changed(self) -> None:
        if (keeper := self.librarian or self._relay) is not None:
            keeper.look()
            self._tell()
        self._sharing.look()
        self._on_change()
