"""A node: one process with one name, key, journal and sequence of events."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
import logging
from pathlib import Path
from typing import Any, Self

from .clock import Clock
from .journal import Entry, Journal, JournalError, Runner
from .keys import SigningKey, VerifyKey
from .killpoint import killpoint
from .messages import (
    BROADCAST,
    MAX_CONTENT,
    EventId,
    Json,
    Message,
    MessageType,
    Position,
)
from .paths import node_path, owner_allows
from .view import View

_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Record:
    """A message as it was written: its bytes are what signatures are over."""

    message: Message
    data: bytes
    signature: bytes | None

    @classmethod
    def read(cls, entry: Entry) -> Self:
        """Parse a record of the journal; MalformedError when it breaks the schema."""
        return cls(Message.decode(entry.data), entry.data, entry.signature)


type Subscriber = Callable[[Record], None]


class Node:
    """What the agents of one process share.

    `emit` is synchronous and does no input or output. Nothing may leave the
    node, and no device may be touched, before `sync` has returned.
    """

    def __init__(
        self,
        *,
        name: str,
        folder: Path,
        key: SigningKey,
        clock: Clock,
        run: Runner = asyncio.to_thread,
        seen: int = 0,
        about: Mapping[str, Json] | None = None,
    ) -> None:
        """Open the journal, fold it, and start a boot. Blocks; call it in an executor.

        `seen` is the highest boot of this node that any peer is known to have
        seen, `about` what the node tells of itself (version, capabilities).

        Raises:
            JournalError: the journal is damaged, in use or unwritable.
        """
        self.name = name
        self.clock = clock
        self.journal = Journal(folder, run)
        self._key = key
        self._run = run
        self._about = dict(about or {})
        self._subscribers: list[Subscriber] = []
        try:
            self.view = self._recall()
            before = self.journal.end
            self.journal.begin(1 + max(self.journal.boot, seen))
        except BaseException:
            self.journal.release()
            raise
        self._hello(before)

    @property
    def boot(self) -> int:
        """The present boot: on the hub, the fencing number."""
        return self.journal.boot

    @property
    def public_key(self) -> VerifyKey:
        """The key that proves what this node signed."""
        return self._key.public

    def sign(self, data: bytes) -> bytes:
        """Prove that exactly these bytes, which are no event, are this node's."""
        return self._key.sign(data)

    @property
    def position(self) -> Position:
        """The place of the last event emitted."""
        return self.journal.end

    def emit(
        self,
        *,
        sender: str,
        to: str,
        type: MessageType,  # noqa: A002 - the word on the wire
        content: str,
        cause: str | None = None,
        intent: str | None = None,
        task: str | None = None,
        lease: str | None = None,
        expires_at: datetime | None = None,
        base_commit: str | None = None,
        body: Mapping[str, Any] | None = None,
        writes: Mapping[str, Json] | None = None,
    ) -> Record:
        """Make the next event, sign it, fold it in, and tell the subscribers.

        Raises:
            MalformedError: the message breaks its schema; nothing was emitted.
            JournalError: the journal takes no more; nothing was emitted.
        """
        message = Message(
            id=str(EventId(self.name, self.boot, self.journal.seq + 1)),
            sender=sender,
            to=to,
            type=type,
            at=self.clock.now(),
            # It may list the names of many devices; the body has all of them.
            content=content[:MAX_CONTENT],
            cause=cause,
            intent=intent,
            task=task,
            lease=lease,
            expires_at=expires_at,
            base_commit=base_commit,
            body=body or {},
            writes=writes or {},
        )
        for path in message.writes:
            if not owner_allows(self.name, path):
                raise ValueError(f"{self.name} may not write {path}")
        data = message.encode()
        # Reading it back refuses here, at its source, what others would
        # quarantine, and detaches the record from the caller's own objects.
        message = Message.decode(data)
        # All are signed, for any may have to prove itself to a librarian elsewhere.
        record = Record(message, data, self._key.sign(data))
        killpoint()
        self.journal.append(data, record.signature)
        self.view.apply(message)
        for subscriber in tuple(self._subscribers):
            try:
                subscriber(record)
            except Exception:
                # The event has happened; one listener's bug must not undo that.
                _LOGGER.exception("A subscriber failed on %s", message.id)
        killpoint()
        return record

    async def sync(self) -> None:
        """Return once every event emitted so far would survive a power cut.

        Raises:
            JournalError: the disk does not take them; nothing may leave the node.
        """
        await self.journal.sync()

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Call `subscriber` with each new record; return what ends that."""
        self._subscribers.append(subscriber)
        return lambda: self._subscribers.remove(subscriber)

    async def raise_boot(self, seen: int, seq: int = 0) -> bool:
        """Start a later boot if a peer has seen events that this node never made.

        That happens when the node's disk was restored from a backup: going on
        would give old identifiers to new events.

        Returns:
            Whether a new boot was started.
        """
        if (seen, seq) <= (self.boot, self.journal.seq):
            return False
        await self.journal.raise_boot(seen + 1)
        self._hello(self.journal.end)
        return True

    async def read(self, after: Position, limit: int) -> list[Entry]:
        """Return up to `limit` of this node's synced records after a position."""
        return await self._run(lambda: self.journal.read(after, limit))

    def history(self, after: Position = (0, 0)) -> Iterator[Record]:
        """Go through this node's synced events after a position. Blocks.

        Raises:
            JournalError: a record is damaged, or breaks the schema.
        """
        for entry in self.journal.history(after):
            try:
                yield Record.read(entry)
            except ValueError as error:
                raise _foreign(entry, error) from error

    async def purge(self, durable: Position) -> None:
        """Remove what is old, as far as Git holds it: up to `durable`.

        What comes next stands in another segment, so that the present one gets old.
        """
        now = self.clock.now().timestamp()
        old = await self._run(lambda: self.journal.purgeable(durable, now))
        if old:
            checkpoint = self.view.snapshot()
            # The checkpoint must not know of events that a power cut would lose.
            await self.sync()
            await self._run(lambda: self.journal.purge(old, checkpoint))
        self.journal.part()

    async def close(self) -> None:
        """Write what is pending and let go of the journal."""
        await self.journal.close()

    def _recall(self) -> View:
        checkpoint = self.journal.checkpoint()
        try:
            view = View() if checkpoint is None else View.load(checkpoint)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise JournalError(f"the checkpoint is damaged: {error!r}") from error
        for entry in self.journal.history(view.position.get(self.name, (0, 0))):
            try:
                view.apply(Message.decode(entry.data))
            except ValueError as error:
                raise _foreign(entry, error) from error
        return view

    def _hello(self, ended: Position) -> None:
        about = {**self._about, "boot": self.boot, "key": self._key.public.text}
        before = f" after {ended[0]}.{ended[1]}" if ended[0] else ""
        self.hello = self.emit(
            sender=self.name,
            to=BROADCAST,
            type=MessageType.HELLO,
            content=f"The node {self.name} started boot {self.boot}{before}.",
            body={**about, "ended": list(ended)},
            writes={node_path(self.name): about},
        )


def _foreign(entry: Entry, error: ValueError) -> JournalError:
    """Tell of a record that is whole, for its checksum is right, and not readable."""
    return JournalError(
        f"{entry.boot}.{entry.seq}: {error}; if a newer HearthNet has written it,"
        " install that one again"
    )
