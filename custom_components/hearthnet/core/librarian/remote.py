"""The hub's librarian on another machine. Nothing here imports pygit2."""

import asyncio
from collections.abc import Callable
import itertools
from typing import Any

from ..bus.inbound import Done, Framed
from ..bus.mqtt import MqttBus
from ..node import Node
from ..status import LibrarianStatus
from . import LibrarianError
from .stream import Named, Stream

QUERY_SECONDS = 10.0


class RemoteLibrarian:
    """Feeds a librarian over the broker, and asks it."""

    def __init__(
        self,
        node: Node,
        bus: MqttBus,
        *,
        name: str,
        repository: str | None = None,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        """`name` is the librarian's node, `repository` the id that it must show."""
        self._bus = bus
        self._on_change = on_change
        self.named = Named(node=name, repository=repository)
        self.stream = Stream(node, bus, named=lambda: self.named, on_change=self._shown)
        self.feed = self.stream.feed
        self._news = asyncio.Event()
        self._numbers = itertools.count(1)
        self._questions: dict[int, asyncio.Future[Any]] = {}
        bus.on_frame("answer", self._answer)

    @property
    def notices(self) -> tuple[str, ...]:
        """What the librarian wants a person to know, oldest first."""
        shown = self.stream.current
        return shown.notices if shown else ()

    @property
    def away_since(self) -> float | None:
        """Boot time since which nothing gets recorded; None while it does."""
        return self.feed.away_since

    @property
    def status(self) -> LibrarianStatus:
        """How the record is doing."""
        shown = self.stream.current
        head = shown.head if shown else None
        return LibrarianStatus(
            connected=self.feed.connected,
            commit=head.commit if head else None,
            repository=head.repository if head else None,
            behind=self.feed.behind,
            problem=self._problem(),
        )

    def _problem(self) -> str | None:
        if not self._bus.connected:
            return f"the broker is not reached: {self._bus.problem}"
        shown = self.stream.shown.get(self.named.node)
        if shown is not None and shown is not self.stream.current:
            return (
                f"{self.named.node} has another record, {shown.head.repository[:12]}:"
                " it must start from a copy of this home's"
            )
        if not self.feed.connected:
            return f"{self.named.node} is away"
        return shown.problem if shown else None

    async def run(self) -> None:
        """Feed it, for ever."""
        await self.stream.run()

    def look(self) -> None:
        """See whether it is there; call it whenever that may change."""
        self.stream.look()
        if not self.feed.connected:
            self._news.set()
            for future in self._questions.values():
                if not future.done():
                    future.set_exception(LibrarianError("the librarian is away"))

    async def query(
        self, what: str, *, timeout: float = QUERY_SECONDS, **args: Any
    ) -> Any:
        """Ask the librarian; see `Answers` for the questions.

        Raises:
            LibrarianError: it is away, too slow, or has no answer.
        """
        if not self.feed.connected:
            raise LibrarianError("the librarian is away")
        number = next(self._numbers)
        future = asyncio.get_running_loop().create_future()
        self._questions[number] = future
        try:
            self._bus.send_frame(
                self.named.node, "query", number=number, what=what, args=args
            )
            async with asyncio.timeout(timeout):
                return await future
        except TimeoutError:
            raise LibrarianError(f"{what}: no answer in {timeout} s") from None
        finally:
            del self._questions[number]

    async def flush(self, timeout: float) -> None:
        """Let it record what is synced; what it does not get in time it gets later."""
        try:
            async with asyncio.timeout(timeout):
                while self.feed.connected and self.feed.behind:
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            return

    def _shown(self) -> None:
        self._news.set()
        # A home without a record takes the first one shown, and no other later.
        shown = self.stream.current
        if self.named.repository is None and shown is not None:
            self.named = Named(node=self.named.node, repository=shown.head.repository)
        self._on_change()

    def _answer(self, found: Framed, done: Done) -> None:
        done()
        future = self._questions.get(found.frame["number"])
        if found.sender != self.named.node or future is None or future.done():
            return
        if "error" in found.frame:
            future.set_exception(LibrarianError(str(found.frame["error"])))
        else:
            future.set_result(found.frame["result"])
