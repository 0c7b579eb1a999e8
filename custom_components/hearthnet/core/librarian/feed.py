"""The sending side: a node's journal on its way to the librarian.

Go-back-N: records are sent in order from the last durable one, and again from
there after a gap or a new connection. Only the record is ever sent twice,
never a command.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
import logging
from typing import Any, Self

from ..journal import Entry, JournalError
from ..messages import EventId, MessageType, Position
from ..node import Node, Record

_LOGGER = logging.getLogger(__name__)

BATCH = 64
BATCH_BYTES = 256 * 1024
WINDOW = 512
"""How many records may be on their way at once."""
GATHER_SECONDS = 0.02
"""How long less than a batch waits for what follows it. An intent writes dozens of
records in so long; a frame and a sync in Git for each cost more than they do."""
RETRY_SECONDS = 1.0
PURGE_SECONDS = 6 * 3600.0

type Send = Callable[[Sequence[Entry], bool], None]
"""Takes records to the librarian; True: the first is the oldest there is."""


@dataclass(frozen=True, kw_only=True)
class Head:
    """What a librarian says is recorded for good."""

    repository: str
    """The name of its first commit."""
    commit: str
    nodes: Mapping[str, Position]
    """Per node its last event."""
    commits: Mapping[str, str]
    """Commits of events that were recorded since."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read the JSON form."""
        return cls(
            repository=data["repository"],
            commit=data["commit"],
            nodes={node: (boot, seq) for node, (boot, seq) in data["nodes"].items()},
            commits=data["commits"],
        )


class Feed:
    """Sends one node's journal to one librarian and learns what is durable."""

    def __init__(self, node: Node) -> None:
        """Start away; `run` does the work."""
        self._node = node
        self._send: Send | None = None
        self._sent: Position = (0, 0)
        self._underway: deque[Position] = deque()
        self._ahead: Position | None = None
        self._wake = asyncio.Event()
        self._disconnected_at: float | None = node.clock.boottime()
        self._behind_since: float | None = None
        self._purged_at = node.clock.boottime()
        self._problem: str | None = None
        self.head: Head | None = None
        """What the librarian said last."""
        self.durable: Position = (0, 0)
        """The last event of the node that is recorded for good."""

    @property
    def connected(self) -> bool:
        """Whether a librarian is reached and has said where it stands."""
        return self._send is not None

    @property
    def away_since(self) -> float | None:
        """Since when nothing gets recorded, on the boot-time clock; None if it does.

        Away is a librarian that is not reached, and as much one that is but
        records nothing of what it was sent.
        """
        times = (self._disconnected_at, self._behind_since)
        return min((t for t in times if t is not None), default=None)

    @property
    def behind(self) -> int:
        """How many synced events are not durable in Git."""
        return self._node.journal.count(self.durable)

    def connect(self, send: Send, head: Head) -> None:
        """Go on from what the librarian has."""
        self._send = send
        self._disconnected_at = None
        self.learn(head)
        self.go_back(self.durable)

    def disconnect(self) -> None:
        """Note that the librarian is not reached any more."""
        if self._send is not None:
            self._send = None
            self._disconnected_at = self._node.clock.boottime()

    def learn(self, head: Head) -> None:
        """Take over what the librarian says is durable."""
        self.head = head
        self._node.view.acknowledge(head.commit, head.commits)
        durable = head.nodes.get(self._node.name, (0, 0))
        if durable < self.durable:
            self._went_back(durable)
            self.go_back(durable)
        if durable > self._node.position:
            self._ahead = durable
        if durable != self.durable:
            self._behind_since = None
        self.durable = durable
        while self._underway and self._underway[0] <= durable:
            self._underway.popleft()
        self._note_delay()
        self._wake.set()

    def _went_back(self, durable: Position) -> None:
        """Say that what was recorded is so no more; the journal has it still."""
        place = EventId(self._node.name, *durable)
        text = f"The record went back to {place}; what came after is sent again."
        _LOGGER.warning("%s", text)
        with suppress(JournalError):
            self._node.emit(
                sender=self._node.name,
                to=self._node.name,
                type=MessageType.ALERT,
                content=text,
            )

    def go_back(self, after: Position) -> None:
        """Send again from a place on."""
        self._sent = after
        self._underway.clear()
        self._wake.set()

    async def run(self) -> None:
        """Send what is synced, for ever."""
        unsubscribe = self._node.subscribe(self._emitted)
        try:
            while True:
                self._wake.clear()
                if not await self._try_step():
                    await self._wake.wait()
                if self._node.journal.count(self._sent) < BATCH:
                    await asyncio.sleep(GATHER_SECONDS)
        finally:
            unsubscribe()

    async def _try_step(self) -> bool:
        """Do a step; whatever fails is tried again, or the record would end."""
        try:
            more = await self._step()
        except (JournalError, OSError) as error:
            if str(error) != self._problem:
                _LOGGER.warning("The journal cannot be sent: %s", error)
            self._problem = str(error)
        except Exception:
            _LOGGER.exception("Sending the journal failed")
        else:
            self._problem = None
            return more
        await asyncio.sleep(RETRY_SECONDS)
        return True

    async def _step(self) -> bool:
        """Do what there is to do; return whether there may be more."""
        node = self._node
        if self._ahead:
            seen, self._ahead = self._ahead, None
            await node.raise_boot(*seen)
            return True
        await node.sync()
        self._note_delay()
        await self._purge()
        if self._sent >= node.journal.synced or len(self._underway) >= WINDOW:
            return False
        if self._send is None:
            return False
        sent = self._sent
        entries = await node.read(sent, BATCH)
        if self._send is None or self._sent != sent or not entries:
            return self._sent != sent
        entries = _up_to(entries, BATCH_BYTES)
        self._send(entries, entries[0].position == node.journal.first)
        self._sent = entries[-1].position
        self._underway.extend(entry.position for entry in entries)
        return True

    async def _purge(self) -> None:
        now = self._node.clock.boottime()
        if now - self._purged_at >= PURGE_SECONDS:
            self._purged_at = now
            await self._node.purge(self.durable)

    def _emitted(self, _record: Record) -> None:
        self._wake.set()

    def _note_delay(self) -> None:
        if self.durable >= self._node.journal.synced:
            self._behind_since = None
        elif self._behind_since is None:
            self._behind_since = self._node.clock.boottime()


def _up_to(entries: list[Entry], limit: int) -> list[Entry]:
    """Return the first entries that together are no longer than `limit`, or one."""
    size = 0
    for number, entry in enumerate(entries):
        size += len(entry.data)
        if size > limit:
            return entries[: max(1, number)]
    return entries
