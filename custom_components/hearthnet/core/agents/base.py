"""What every agent does: speak, ask and wait for the answer, be spoken to."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
import logging
from typing import Any

from ..bus import Bus
from ..journal import JournalError
from ..messages import MessageType
from ..node import Node, Record
from ..reasons import Reason

_LOGGER = logging.getLogger(__name__)

type Spawn = Callable[[Coroutine[Any, Any, None]], object]
"""Runs a coroutine in the background; its owner cancels what is left at the end."""


class Agent:
    """A name on a node that sends and receives messages."""

    def __init__(self, name: str, node: Node, bus: Bus, spawn: Spawn) -> None:
        """Attach to the bus under `name`."""
        self.name = name
        self.node = node
        self._bus = bus
        self._spawn = spawn
        self._waiting: dict[str, asyncio.Future[Record]] = {}
        self._detach = bus.attach(name, self.receive)

    def say(self, to: str, type_: MessageType, content: str, **fields: Any) -> Record:
        """Record a message and deliver it; see `Node.emit` for the fields."""
        record = self.node.emit(
            sender=self.name, to=to, type=type_, content=content, **fields
        )
        self._bus.send(record)
        return record

    async def exchange(self, record: Record, *, timeout: float) -> Record:
        """Deliver a message and wait for the one that answers it.

        Raises:
            ConnectionError: nobody of that name is reachable.
            TimeoutError: no answer within `timeout` seconds.
        """
        send = partial(self._bus.send, record)
        return await self.answer_to(record.message.id, send, timeout=timeout)

    async def answer_to(
        self, cause: str, send: Callable[[], bool], *, timeout: float
    ) -> Record:
        """Send something about an event and wait for the message that it causes.

        Raises:
            ConnectionError: `send` returned False.
            TimeoutError: no answer within `timeout` seconds.
        """
        future = asyncio.get_running_loop().create_future()
        self._waiting[cause] = future
        try:
            if not send():
                raise ConnectionError("nobody of that name is reachable")
            return await asyncio.wait_for(future, timeout)
        finally:
            del self._waiting[cause]

    def receive(self, record: Record) -> None:
        """Take a message: an awaited answer, or something to handle."""
        future = self._waiting.get(record.message.cause or "")
        if future is not None and not future.done():
            future.set_result(record)
            return
        self._spawn(self._guarded(record))

    async def _guarded(self, record: Record) -> None:
        try:
            await self.handle(record)
        except JournalError as error:
            self.failed(record, Reason.JOURNAL_UNWRITABLE, str(error))
        except Exception as error:
            # One message's fault must not end the agent.
            _LOGGER.exception("%s failed on %s", self.name, record.message.id)
            self.failed(record, Reason.FAULT, f"{type(error).__name__}: {error}")

    def failed(self, record: Record, reason: Reason, text: str) -> None:
        """Learn that a message could not be handled; a subclass may tell somebody."""

    async def handle(self, record: Record) -> None:
        """Act on a message that nobody awaits; ignored unless a subclass does."""

    def close(self) -> None:
        """Leave the bus; whoever waits for an answer gets none."""
        self._detach()
        for future in self._waiting.values():
            future.cancel()
