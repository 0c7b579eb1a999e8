"""What leaves a node: after it is on the disk, in order, and never twice."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from ..journal import JournalError
from ..node import Node
from .link import AccessError, Connection, LinkError

DRAIN_SECONDS = 5.0
MAX_WAITING = 2000
"""How much may wait for the disk; more is dropped, as if nobody were there."""


@dataclass(frozen=True)
class _Parcel:
    topic: str
    payload: bytes
    retain: bool
    expiry: int | None


class Outbound:
    """Sends over whichever connection stands; what misses one is not kept."""

    def __init__(self, node: Node, broken: Callable[[LinkError], None]) -> None:
        """`broken` is told when the connection does not take something."""
        self._node = node
        self._broken = broken
        self._link: Connection | None = None
        self._waiting: list[_Parcel] = []
        self._sending: asyncio.Task[None] | None = None
        self.refused: dict[str, str] = {}
        """Topic to what the broker said when it refused a message."""

    def open(self, link: Connection) -> None:
        """Send over a connection from now on."""
        self._link = link

    def close(self) -> None:
        """Drop what has not left: it was meant for who was there then."""
        self._link = None
        self._waiting.clear()
        if self._sending is not None:
            self._sending.cancel()
            self._sending = None

    def put(
        self,
        topic: str,
        payload: bytes,
        *,
        retain: bool = False,
        expiry: int | None = None,
    ) -> bool:
        """Take something to send; False when it cannot be sent now."""
        if self._link is None or len(self._waiting) >= MAX_WAITING:
            return False
        self._waiting.append(_Parcel(topic, payload, retain, expiry))
        if self._sending is None:
            self._sending = asyncio.ensure_future(self._send())
        return True

    async def drain(self) -> None:
        """Return once all that was taken has left, or the disk takes too long."""
        if self._sending is not None:
            await asyncio.wait([self._sending], timeout=DRAIN_SECONDS)

    async def _send(self) -> None:
        try:
            while self._waiting and self._link:
                count = len(self._waiting)
                # Nobody may hear of an event that a power cut could undo.
                await self._node.sync()
                parcels, self._waiting = self._waiting[:count], self._waiting[count:]
                for parcel in parcels:
                    answer = self._link.publish(
                        parcel.topic,
                        parcel.payload,
                        retain=parcel.retain,
                        expiry=parcel.expiry,
                    )
                    answer.add_done_callback(partial(self._answered, parcel.topic))
        except JournalError as error:
            self._waiting.clear()
            self._broken(LinkError(f"the journal cannot be written: {error}"))
        finally:
            self._sending = None

    def _answered(self, topic: str, done: asyncio.Future[None]) -> None:
        if done.cancelled() or (error := done.exception()) is None:
            self.refused.pop(topic, None)
        elif isinstance(error, AccessError):
            # Another connection would not help; others must still be served.
            self.refused[topic] = str(error)
        elif isinstance(error, LinkError):
            self._broken(error)
