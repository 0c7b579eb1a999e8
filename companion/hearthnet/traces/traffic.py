"""What is on its way between this process and a broker, for a clock that leaps.

Time may pass only when nothing is under way. A broker answers each client's packets
in their order, and passes a message on before it answers to the next packet. So once
it has answered to one more message on every connection, and nothing else has moved
meanwhile, all has arrived.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import override

from hearthnet.core.bus.broker import Broker
from hearthnet.core.bus.link import Connection, Delivery, Will, connect
from hearthnet.virtual import Underway


class Traffic(Underway):
    """Counts what all connections made with `connect` have under way."""

    def __init__(self) -> None:
        """Start without a connection."""
        super().__init__()
        self._links: list[_Watched] = []
        self._moved = False

    @override
    def pending(self) -> bool:
        """Tell whether something is under way; ask the brokers if that is not known."""
        if super().pending():
            return True
        if not self._moved:
            return False
        self._moved = False
        for link in self._links:
            link.ask()
        return super().pending()

    def moved(self) -> None:
        """Note that something has left or come."""
        self._moved = True

    @asynccontextmanager
    async def connect(
        self, broker: Broker, identifier: str, will: Will | None = None
    ) -> AsyncIterator[Connection]:
        """Connect; a `Connect`."""
        async with AsyncExitStack() as stack:
            with self.meanwhile():
                link = await stack.enter_async_context(
                    connect(broker, identifier, will)
                )
            watched = _Watched(link, self, f"{broker.prefix}/underway/{identifier}")
            self._links.append(watched)
            self.moved()
            try:
                yield watched
            finally:
                self._links.remove(watched)
                with self.meanwhile():
                    await stack.aclose()
                self.moved()


class _Watched:
    """A connection whose traffic is counted; implements `Connection`."""

    def __init__(self, link: Connection, traffic: Traffic, topic: str) -> None:
        self._link = link
        self._traffic = traffic
        self._topic = topic

    def ask(self) -> None:
        """Have the broker answer to one more message, which nobody gets."""
        self._traffic.wait_for(self._link.publish(self._topic, b""))

    async def subscribe(self, *filters: str) -> None:
        with self._traffic.meanwhile():
            await self._link.subscribe(*filters)
        self._traffic.moved()

    def publish(
        self,
        topic: str,
        payload: bytes,
        *,
        retain: bool = False,
        expiry: int | None = None,
    ) -> asyncio.Future[None]:
        self._traffic.moved()
        answer = self._link.publish(topic, payload, retain=retain, expiry=expiry)
        self._traffic.wait_for(answer)
        return answer

    async def watch(self) -> None:
        await self._link.watch()

    def ack(self, delivery: Delivery) -> None:
        self._traffic.moved()
        self._link.ack(delivery)

    async def deliveries(self) -> AsyncIterator[Delivery]:
        async for delivery in self._link.deliveries():
            self._traffic.moved()
            yield delivery
