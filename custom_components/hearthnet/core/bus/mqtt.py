"""Delivery between nodes, over a broker: one implementation for hub and companions.

What is live goes only to who is there now; it is never stored, and never sent
a second time. The record is another stream: see `librarian.stream`.
"""

import asyncio
from collections.abc import Callable, Coroutine
import logging
import random
import secrets
from typing import Any

from ..journal import JournalError
from ..keys import VerifyKey
from ..messages import BROADCAST, Json, MessageType
from ..node import Node, Record
from . import Handler
from .broker import Broker, Topics
from .envelope import pack, seal
from .inbound import Again, Done, Framed, FrameHandler, Heard, Inbound, Rejected
from .link import (
    Connect,
    Connection,
    Delivery,
    LinkError,
    TakenOverError,
    Will,
    connect,
)
from .local import LocalBus
from .outbound import Outbound
from .presence import BEAT, Presence, Status
from .reports import Reports
from .retry import Backoff, first
from .statuses import Statuses
from .twin import Twin

_LOGGER = logging.getLogger(__name__)


class MqttBus:
    """Reaches the agents of other nodes."""

    def __init__(
        self,
        node: Node,
        broker: Broker,
        *,
        key: Callable[[str], VerifyKey | None],
        agents: tuple[str, ...] = (),
        capabilities: tuple[str, ...] = (),
        version: str = "",
        on_change: Callable[[], None] = lambda: None,
        renewed: Callable[[str, bytes], VerifyKey | None] = lambda _node, _data: None,
        jitter: Callable[[], float] = random.random,
        connect: Connect = connect,
        complete: Callable[[], bool] = lambda: True,
    ) -> None:
        """Prepare to connect; `run` does.

        `key` gives the key of an enrolled node, `agents` are the names that
        other nodes may send to, `on_change` is called when `status` or who is
        there has changed, `renewed` and `complete` see `Inbound`.
        """
        self._node = node
        self._broker = broker
        self._key = key
        self._on_change = on_change
        self._jitter = jitter
        self._connect = connect
        self.topics = Topics(broker.prefix)
        self.presence = Presence(node.clock)
        self.about: dict[str, Json] = {}
        """What the node says of itself beside the rest; `announce` tells changes."""
        own = Status(
            node=node.name,
            boot=node.boot,
            instance=secrets.token_hex(4),
            online=True,
            agents=agents,
            capabilities=capabilities,
            version=version,
        )
        # One name a process: its next connection ends the one that was cut, and two
        # processes of one node do not push each other out for ever. Nobody can guess
        # it: whoever connects with it pushes this one out.
        self._identifier = f"{node.name}-{secrets.token_hex(12)}"
        self.on_status: Callable[[Status], None] = lambda _status: None
        """Told of every status, also of those that change nothing."""
        self._agents = LocalBus(node.name)
        self._inbound = Inbound(
            self.topics,
            self._key_of,
            node.clock,
            renewed,
            self._owner_of,
            complete,
        )
        self._outbound = Outbound(node, self._broken)
        self.twin = Twin()
        self._statuses = Statuses(
            node,
            own,
            topics=self.topics,
            outbound=self._outbound,
            presence=self.presence,
            twin=self.twin,
            about=lambda: self.about,
            changed=on_change,
            spawn=self._spawn,
            end=lambda why: self._broken(LinkError(why)),
        )
        self._frames: dict[str, FrameHandler] = {"seen": self._statuses.take_seen}
        self._link: Connection | None = None
        self._stopping = asyncio.Event()
        self._failed: asyncio.Future[None] | None = None
        self._background: set[asyncio.Task[None]] = set()
        self.reports = Reports(node)
        self._greeted = 0
        self.problem: str | None = "connecting"
        """Why there is no connection, in words; None while there is one."""

    # What others use

    @property
    def connected(self) -> bool:
        """Whether the broker is reached."""
        return self._link is not None

    @property
    def fenced(self) -> str | None:
        """Why this process may not speak for its node any more, in words."""
        return self.twin.fenced

    def attach(self, agent: str, handler: Handler) -> Callable[[], None]:
        """Deliver messages for `agent` to `handler`; returns how to detach."""
        return self._agents.attach(agent, handler)

    def on_frame(self, kind: str, handler: FrameHandler) -> None:
        """Deliver frames of a kind to `handler`."""
        self._frames[kind] = handler

    def send(self, record: Record) -> bool:
        """Send a message to an agent that is there; False when it is not."""
        to = record.message.to
        if to == BROADCAST:
            return self._publish(self.topics.broadcast(self._node.name), record)
        if (node := self.presence.host(to)) is None:
            return False
        self._inbound.answered(node, record)
        return self._publish(self.topics.inbox(node, self._node.name), record)

    def send_frame(self, to: str, kind: str, **fields: Any) -> bool:
        """Send a frame to a node; False when the broker is not reached."""
        topic = self.topics.inbox(to, self._node.name)
        return self.publish_frame(topic, kind, expiry=60, **fields)

    def publish_frame(
        self,
        topic: str,
        kind: str,
        *,
        retain: bool = False,
        expiry: int | None = None,
        **fields: Any,
    ) -> bool:
        """Publish a frame of this node, once its journal is on the disk."""
        data = pack(kind, node=self._node.name, **fields)
        payload = seal(data, self._node.sign(data))
        return self._outbound.put(topic, payload, retain=retain, expiry=expiry)

    def announce(self) -> None:
        """Say anew what this node is and whom it knows."""
        if self._link is not None and not self.fenced:
            self._statuses.say()

    def look_again(self) -> None:
        """Have the broker tell anew who is there: somebody was enrolled."""
        if self._link is not None:
            self._spawn(self._subscribe(self._link))

    def forget(self, node: str) -> None:
        """Cut a node off that is not enrolled any more."""
        self._inbound.forget(node)
        self._statuses.forget(node)
        self.presence.forget(node)
        self._on_change()

    # The connection

    async def run(self) -> None:
        """Stay connected until `stop`, or until another process takes the name."""
        unsubscribe = self._node.subscribe(self._emitted)
        try:
            await self._run()
        finally:
            unsubscribe()
        if self.fenced:
            self._set_problem(self.fenced)

    async def _run(self) -> None:
        backoff = Backoff(self._node.clock, self._jitter)
        while not self._stopping.is_set():
            backoff.begin()
            try:
                await self._live()
            except TakenOverError as error:
                self.twin.fenced = f"another process took its connection: {error}"
            except (LinkError, JournalError, OSError) as error:
                self._set_problem(str(error) or type(error).__name__)
            if self.fenced:
                return
            await backoff.pause(self._stopping)

    def stop(self) -> None:
        """Let `run` say goodbye and end."""
        self._stopping.set()

    async def _live(self) -> None:
        """One connection."""
        gone = self._statuses.begin()
        topic = self.topics.status(self._node.name)
        will = Will(topic=topic, payload=gone)
        async with self._connect(self._broker, self._identifier, will) as link:
            self._failed = failed = asyncio.get_running_loop().create_future()
            if self._statuses.own.boot != self._node.boot:
                raise LinkError("a new boot began while connecting")
            tasks: list[asyncio.Future[Any]] = []
            try:
                await self._subscribe(link)
                work = (
                    self._receive(link),
                    self._beat(),
                    link.watch(),
                    self._stopping.wait(),
                )
                tasks += map(asyncio.ensure_future, work)
                self._link = link
                self._outbound.open(link)
                self._set_problem(None)
                self._statuses.say()
                self._greet()
                await first([*tasks, failed])
                if not self.fenced:
                    await self._outbound.drain()
                    # Or the own goodbye would be answered like a will that is late.
                    self._outbound.close()
                    await link.publish(topic, gone, retain=True)
            finally:
                self._link = self._failed = None
                self._outbound.close()
                # A failure that came while another ended this is taken note of, too.
                tasks += (*self._background, failed)
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                self.presence.lose()
                self._on_change()

    async def _subscribe(self, link: Connection) -> None:
        topics, name = self.topics, self._node.name
        wanted = [topics.inbox(name, "+"), topics.broadcast("+"), topics.status("+")]
        if "head" in self._frames:
            wanted.append(topics.head("+"))
        if "log" in self._frames:
            wanted.append(topics.log("+"))
        await link.subscribe(*wanted)

    async def _beat(self) -> None:
        """Give signs of life; look who gives none."""
        while True:
            await asyncio.sleep(BEAT)
            self._statuses.say()
            if self.presence.sweep():
                self._on_change()

    def _emitted(self, record: Record) -> None:
        """Connect anew for a new boot: the will names the one before."""
        if record.message.type is MessageType.HELLO:
            self._broken(LinkError("a new boot"))

    def _broken(self, error: LinkError) -> None:
        """End the connection: the broker refused or lost something."""
        if self._failed is not None and not self._failed.done():
            self._failed.set_exception(error)

    def _set_problem(self, problem: str | None) -> None:
        if problem != self.problem:
            self.problem = problem
            if problem is None:
                _LOGGER.info("The bus of %s is there again", self._node.name)
            else:
                _LOGGER.warning("The bus of %s: %s", self._node.name, problem)
            self._on_change()

    # Speaking

    def _greet(self) -> None:
        """Tell of this boot, once: others then know what died with the one before."""
        if self._greeted == self._node.boot:
            return
        self._greeted = self._node.boot
        self.send(self._node.hello)

    def _publish(self, topic: str, record: Record) -> bool:
        assert record.signature
        payload = seal(record.data, record.signature)
        expires = record.message.expires_at
        left = 60.0
        if expires is not None:
            left = (expires - self._node.clock.now()).total_seconds()
        return left > 0 and self._outbound.put(topic, payload, expiry=round(left))

    # Listening

    async def _receive(self, link: Connection) -> None:
        async for delivery in link.deliveries():
            try:
                self._take(link, delivery)
            except Exception:
                # What one message breaks must not cut off all the others.
                _LOGGER.exception("What came on %s broke something", delivery.topic)
                link.ack(delivery)

    def _take(self, link: Connection, delivery: Delivery) -> None:
        def done() -> None:
            if self._link is link:
                link.ack(delivery)

        found = self._inbound.examine(
            delivery.topic, delivery.payload, retained=delivery.retained
        )
        if isinstance(found, Framed):
            self._take_frame(found, done)
            return
        if isinstance(found, Heard):
            self._hear(found)
        elif isinstance(found, Again):
            if found.answer is not None:
                topic = self.topics.inbox(found.sender, self._node.name)
                self._publish(topic, found.answer)
        elif found is not None and found.sender != self._node.name:
            self._report(found)
        elif found is not None:
            self._statuses.claimed(delivery.payload)
        done()

    def _hear(self, heard: Heard) -> None:
        message = heard.record.message
        if heard.sender == self._node.name:
            return
        # What a node writes is its own: the view takes nothing else from it.
        self._node.view.apply(message)
        self._agents.send(heard.record)

    def _take_frame(self, found: Framed, done: Done) -> None:
        kind = found.frame["kind"]
        try:
            if kind == found.kind == "status":
                self._inbound.note_clock(found)
                status = Status.from_dict(found.frame)
                self._statuses.take(status, found)
                self.on_status(status)
                done()
            elif (handler := self._frames.get(kind)) is not None:
                handler(found, done)
            else:
                done()
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            _LOGGER.warning("A %s frame of %s: %r", kind, found.sender, error)
            done()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    def _report(self, found: Rejected) -> None:
        """Put what was thrown away on record, and answer it."""
        alert = self.reports.take(found)
        if alert is not None and found.sender and self._key_of(found.sender):
            self._publish(self.topics.inbox(found.sender, self._node.name), alert)
        self._on_change()

    def _key_of(self, node: str) -> VerifyKey | None:
        return self._node.public_key if node == self._node.name else self._key(node)

    def _owner_of(self, agent: str) -> str | None:
        here = agent in self._statuses.own.agents
        return self._node.name if here else self.presence.owner(agent)
