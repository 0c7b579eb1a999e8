"""Nodes on a real broker, and a stranger who can say anything there."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Self

from hearthnet.core.bus.broker import Broker
from hearthnet.core.bus.link import Delivery, Link, connect
from hearthnet.core.bus.mqtt import MqttBus
from hearthnet.core.clock import SystemClock
from hearthnet.core.keys import SigningKey, VerifyKey
from hearthnet.core.messages import MessageType
from hearthnet.core.node import Node, Record
from tests.core.records import say

PREFIX = "hearthnet/test"
KEYS = {
    name: SigningKey(bytes([number]) * 32)
    for number, name in enumerate(("hub", "phone", "dewey", "stranger"), 1)
}
AGENTS = {"hub": ("rupert", "jeeves"), "phone": ("darcy",), "dewey": ("dewey",)}


def public(name: str) -> VerifyKey | None:
    """Return an enrolled node's key; the stranger is not enrolled."""
    return None if name == "stranger" else KEYS[name].public


def broker(port: int, **options: Any) -> Broker:
    """Return how to reach a broker of a test."""
    return Broker(host="127.0.0.1", port=port, prefix=PREFIX, **options)


class Peer:
    """A node on the bus; what its agents hear is kept."""

    def __init__(
        self,
        name: str,
        folder: Path,
        port: int,
        *,
        key: SigningKey | None = None,
        **reach: Any,
    ) -> None:
        self.node = Node(
            name=name, folder=folder, key=key or KEYS[name], clock=SystemClock()
        )
        self._changed = asyncio.Event()
        self.heard: list[Record] = []
        self.bus = MqttBus(
            self.node,
            broker(port, **reach),
            key=public,
            agents=AGENTS.get(name, ()),
            on_change=self.changed,
            jitter=lambda: 0.0,
        )
        for agent in AGENTS.get(name, ()):
            self.bus.attach(agent, self.hear)
        self.task: asyncio.Task[None] | None = None

    def changed(self) -> None:
        """Wake whoever waits for a condition."""
        self._changed.set()

    def hear(self, record: Record) -> None:
        """Keep what was said."""
        self.heard.append(record)
        self.changed()

    async def until(self, condition: Callable[[], Any]) -> None:
        """Wait until something is so."""
        async with asyncio.timeout(20):
            while not condition():
                self._changed.clear()
                await self._changed.wait()

    async def sees(self, *names: str) -> None:
        """Wait until exactly these other nodes are there."""

        def there() -> set[str]:
            presence = self.bus.presence
            return {s.node for s in presence.nodes if presence.online(s.node)}

        await self.until(lambda: there() == set(names))

    def say(self, to: str, content: str = "Something.", **fields: Any) -> Record:
        """Make a message of this node."""
        fields = {"sender": AGENTS[self.node.name][0], **fields}
        return say(self.node, content, to=to, **fields)

    def texts(self, type_: MessageType = MessageType.OBSERVATION) -> list[str]:
        """Return the sentences heard."""
        return [r.message.content for r in self.heard if r.message.type is type_]

    async def alerts(self) -> list[tuple[str, str]]:
        """Return fault and topic of what this node has reported."""
        await self.node.sync()
        return [
            (r.message.body["fault"], r.message.body["topic"].removeprefix(PREFIX))
            for r in self.node.history()
            if r.message.type is MessageType.ALERT
        ]

    async def __aenter__(self) -> Self:
        self.task = asyncio.ensure_future(self.bus.run())
        return self

    async def __aexit__(self, *_: object) -> None:
        self.bus.stop()
        assert self.task
        await self.task
        await self.node.close()


class Stranger:
    """Someone with access to the broker and no key."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self.seen: list[Delivery] = []
        self._came = asyncio.Event()

    async def listen(self) -> None:
        """Keep everything that passes."""
        async for delivery in self._link.deliveries():
            self.seen.append(delivery)
            self._link.ack(delivery)
            self._came.set()

    async def put(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """Publish something."""
        await self._link.publish(f"{PREFIX}/{topic}", payload, retain=retain)

    async def catch(self, start: str, number: int = 0) -> Delivery:
        """Wait for what passes on topics that start so; return one of it."""
        while True:
            found = [d for d in self.seen if d.topic.startswith(f"{PREFIX}/{start}")]
            if len(found) > number:
                return found[number]
            self._came.clear()
            async with asyncio.timeout(10):
                await self._came.wait()


@asynccontextmanager
async def stranger(port: int) -> AsyncIterator[Stranger]:
    """Connect someone who listens to everything."""
    async with connect(broker(port), "stranger") as link:
        await link.subscribe("#")
        found = Stranger(link)
        listening = asyncio.ensure_future(found.listen())
        try:
            yield found
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)
