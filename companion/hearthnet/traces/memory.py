"""A broker in this process: what MQTT promises, without a network or a wait."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from hearthnet.core.bus.broker import Broker
from hearthnet.core.bus.link import Connection, Delivery, Will


class MemoryBroker:
    """Passes messages on at once, in order; keeps those that are to be retained.

    It sends no will: whoever leaves it has said goodbye, or is gone with all.
    """

    def __init__(self) -> None:
        """Start with nobody and nothing."""
        self._clients: list[_Client] = []
        self._retained: dict[str, bytes] = {}

    @asynccontextmanager
    async def connect(
        self, _broker: Broker, _identifier: str, _will: Will | None = None
    ) -> AsyncIterator[Connection]:
        """Connect; a `Connect`."""
        client = _Client(self)
        self._clients.append(client)
        try:
            yield client
        finally:
            self._clients.remove(client)

    def publish(self, topic: str, payload: bytes, *, retain: bool) -> None:
        """Pass a message on."""
        if retain and payload:
            self._retained[topic] = payload
        elif retain:
            self._retained.pop(topic, None)
        for client in self._clients:
            client.offer(topic, payload)

    def retained(self) -> list[tuple[str, bytes]]:
        """Return what is kept, by topic."""
        return list(self._retained.items())


class _Client:
    """One connection; implements `Connection`."""

    def __init__(self, broker: MemoryBroker) -> None:
        self._broker = broker
        self._filters: list[list[str]] = []
        self._inbox: asyncio.Queue[Delivery] = asyncio.Queue()

    def offer(self, topic: str, payload: bytes, *, retained: bool = False) -> None:
        """Take a message if one of the filters fits."""
        if any(_fits(wanted, topic) for wanted in self._filters):
            self._put(topic, payload, retained=retained)

    async def subscribe(self, *filters: str) -> None:
        for name in filters:
            wanted = name.split("/")
            self._filters.append(wanted)
            for topic, payload in self._broker.retained():
                if _fits(wanted, topic):
                    self._put(topic, payload, retained=True)

    def publish(
        self,
        topic: str,
        payload: bytes,
        *,
        retain: bool = False,
        expiry: int | None = None,
    ) -> asyncio.Future[None]:
        del expiry  # nothing waits here
        self._broker.publish(topic, payload, retain=retain)
        answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        answer.set_result(None)
        return answer

    async def watch(self) -> None:
        await asyncio.get_running_loop().create_future()

    def ack(self, delivery: Delivery) -> None:
        pass

    async def deliveries(self) -> AsyncIterator[Delivery]:
        while True:
            yield await self._inbox.get()

    def _put(self, topic: str, payload: bytes, *, retained: bool) -> None:
        self._inbox.put_nowait(
            Delivery(topic=topic, payload=payload, retained=retained, mid=0, qos=1)
        )


def _fits(wanted: list[str], topic: str) -> bool:
    levels = topic.split("/")
    return len(wanted) == len(levels) and all(
        one in ("+", level) for one, level in zip(wanted, levels, strict=True)
    )
