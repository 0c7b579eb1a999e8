"""The journal: what a node did, on its own disk before anything leaves the node.

One folder a node, one segment or several a boot (`<boot>.log`, `<boot>.<n>.log`),
one line a record:

    <crc32 of the rest><+ or nothing> <base64 signature or -> <message>

A segment begins with the boot's first, or n-th, event; each line is the next one.
`+` marks the first record written after a successful sync. So a damaged record
with no `+` after it was never synced, hence never left the node: it is cut off
as a torn tail. With a `+` after it, or a segment after its own, something
durable was lost, and the journal does not open.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
import fcntl
from itertools import islice, takewhile
import json
import os
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from . import segment
from .files import datasync, make_folder, replace, sync_folder
from .killpoint import killpoint
from .messages import Position
from .segment import Segment, segments

MAX_PENDING = 20_000
"""How many records wait for a failed disk before no more are taken."""
KEEP_SECONDS = 7 * 86400
"""How long a durable segment is kept, to refill a librarian restored from backup."""
_CHECKPOINT = "checkpoint.json"


class Runner(Protocol):
    """Runs a blocking function off the event loop."""

    def __call__[T](self, function: Callable[[], T], /) -> Awaitable[T]:
        """Return what the function returned."""


class JournalError(Exception):
    """The journal cannot be read or written; nothing may be granted."""


class Entry(NamedTuple):
    """One record as it stands in the journal."""

    boot: int
    seq: int
    data: bytes
    signature: bytes | None

    @property
    def position(self) -> Position:
        """Where the record stands."""
        return self.boot, self.seq


class Journal:
    """An open journal. All methods belong to one event loop; disk work does not."""

    def __init__(self, folder: Path, run: Runner = asyncio.to_thread) -> None:
        """Open the journal in `folder` and cut its torn tail. Blocks.

        Raises:
            JournalError: it is damaged, in use, or cannot be read.
        """
        self._folder = folder
        self._run = run
        self._pending: list[bytes] = []
        self._flush: asyncio.Task[None] | None = None
        self._failure: Exception | None = None
        self._file: int | None = None
        self._size = 0
        self._full = False
        """Whether what is written next begins another segment."""
        self._cursor: tuple[Position, int] | None = None
        try:
            make_folder(folder)
            self._lock = _lock(folder / "lock")
        except OSError as error:
            raise JournalError(f"{folder}: {error}") from error
        try:
            self._segments = self._scan()
        except (OSError, JournalError) as error:
            os.close(self._lock)
            raise JournalError(f"{folder}: {error}") from error
        last = self._segments[-1] if self._segments else Segment(0)
        self.boot, self.seq = last.end
        """The boot and seq of the last record appended, written or not."""
        self._synced: Position = self.end

    # State

    @property
    def end(self) -> Position:
        """The place of the last record appended, (0, 0) if there is none."""
        if self.seq:
            return self.boot, self.seq
        return max((s.end for s in self._segments if not s.empty), default=(0, 0))

    @property
    def synced(self) -> Position:
        """The place of the last record that would survive a power cut."""
        return self._synced

    @property
    def first(self) -> Position | None:
        """The place of the oldest synced record, None if there is none."""
        return next(((s.boot, s.first) for s in self._segments if not s.empty), None)

    def count(self, after: Position) -> int:
        """Return how many synced records follow `after`."""
        return sum(
            s.last - max(s.first - 1, after[1] if s.boot == after[0] else 0)
            for s in self._segments
            if s.end > after
        )

    @property
    def writable(self) -> bool:
        """False from a failed write on until a probe succeeds."""
        return self._failure is None

    # Writing

    def begin(self, boot: int) -> None:
        """Start a boot's segment, durably. Blocks; nothing may be pending."""
        if boot <= self.boot or self._pending:
            raise JournalError(f"boot {boot} cannot follow {self.boot}")
        try:
            following = Segment(boot)
            self._adopt(following, self._create(following))
        except OSError as error:
            raise JournalError(f"{self._folder}: {error}") from error

    async def raise_boot(self, boot: int) -> None:
        """Start a later boot while records may still arrive for the present one."""
        if boot <= self.boot:
            raise JournalError(f"boot {boot} cannot follow {self.boot}")
        following = Segment(boot)
        try:
            file = await self._run(lambda: self._create(following))
        except OSError as error:
            raise JournalError(f"{self._folder}: {error}") from error
        try:
            while self._pending or self._flush:
                await self.sync()
        except BaseException:
            os.close(file)
            raise
        self._adopt(following, file)

    def part(self) -> None:
        """Let what comes stand in another segment, so that this one can be purged."""
        self._full = self._file is not None and not self._segments[-1].empty

    def append(self, data: bytes, signature: bytes | None) -> Position:
        """Take a record into memory and return its place; `sync` writes it.

        A failed journal still takes records, up to a limit: what a device did
        has to be told once the disk is back.
        """
        if self._file is None:
            raise JournalError(f"{self._folder}: no boot has begun")
        if len(self._pending) >= MAX_PENDING:
            raise JournalError(
                f"{self._folder}: {MAX_PENDING} records wait for the disk"
            )
        self._pending.append(segment.record(data, signature))
        self.seq += 1
        return self.boot, self.seq

    async def sync(self) -> None:
        """Return once everything appended so far would survive a power cut.

        Calls at the same time share one write and one sync.

        Raises:
            JournalError: it could not be written; `probe` tries again.
        """
        target = self.end
        while self._synced < target:
            if self._flush is None:
                if self._failure:
                    raise self._error()
                self._flush = asyncio.ensure_future(self._write_pending())
            # A waiter that is canceled must not take the others' write with it.
            await asyncio.shield(self._flush)
            if self._failure:
                raise self._error()

    async def probe(self) -> bool:
        """Try a failed disk again; return whether the journal is writable."""
        self._failure = None
        with suppress(JournalError):
            await self.sync()
        return self.writable

    async def close(self) -> None:
        """Write what is pending and let go of the files."""
        try:
            await self.sync()
        finally:
            self.release()

    def release(self) -> None:
        """Let go of the files without writing what is pending."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
        os.close(self._lock)

    # Reading

    def read(self, after: Position, limit: int = 64) -> list[Entry]:
        """Return up to `limit` synced records that follow `after`. Blocks."""
        return list(islice(self._entries(after), limit))

    def history(self, after: Position = (0, 0)) -> Iterator[Entry]:
        """Go through all synced records that follow `after`. Blocks."""
        while entries := self.read(after, 1024):
            yield from entries
            after = entries[-1].position

    # Checkpoints and purging

    def checkpoint(self) -> dict[str, Any] | None:
        """Return the state that `purge` stored last. Blocks."""
        try:
            data = json.loads((self._folder / _CHECKPOINT).read_bytes())
        except FileNotFoundError:
            return None
        except (ValueError, RecursionError) as error:
            raise JournalError(f"{self._folder}/{_CHECKPOINT}: {error}") from error
        if not isinstance(data, dict):
            raise JournalError(f"{self._folder}/{_CHECKPOINT}: not an object")
        return data

    def purgeable(self, durable: Position, now: float) -> list[Segment]:
        """Return the oldest that Git holds and that are 7 days old. Blocks."""

        def over(one: Segment) -> bool:
            written = self._path(one).stat().st_mtime
            return one.end <= durable and written < now - KEEP_SECONDS

        return list(takewhile(over, self._segments[:-1]))

    def purge(self, old: list[Segment], checkpoint: dict[str, Any]) -> None:
        """Remove the oldest, once what they tell of the node is stored. Blocks."""
        replace(
            self._folder / _CHECKPOINT,
            json.dumps(checkpoint, ensure_ascii=False).encode(),
        )
        killpoint()
        for one in old:
            self._path(one).unlink()
            # One at a time, or a power cut might leave a hole.
            sync_folder(self._folder)
            self._segments.remove(one)
            killpoint()

    # The disk

    def _path(self, one: Segment) -> Path:
        return self._folder / one.name

    def _create(self, one: Segment) -> int:
        killpoint()
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        file = os.open(self._path(one), flags, 0o600)
        try:
            os.fsync(file)
            sync_folder(self._folder)
            killpoint()
        except OSError:
            os.close(file)
            raise
        return file

    def _adopt(self, following: Segment, file: int) -> None:
        if self._file is not None:
            os.close(self._file)
        self._file, self._size, self._full = file, 0, False
        self._segments.append(following)
        if following.boot > self.boot:
            self.boot, self.seq = following.end

    async def _write_pending(self) -> None:
        count = len(self._pending)
        records = self._pending[:count]
        target = self.end
        try:
            if self._full:
                await self._part()
            self._size = await self._run(lambda: self._write(records))
        except (OSError, RuntimeError) as error:
            # RuntimeError: the executor has shut down.
            self._failure = error
        else:
            del self._pending[:count]
            self._synced = target
            self._segments[-1].last = target[1]
        finally:
            self._flush = None

    async def _part(self) -> None:
        boot, last = self._segments[-1].end
        following = Segment(boot, last + 1, last)
        self._adopt(following, await self._run(lambda: self._create(following)))

    def _write(self, records: list[bytes]) -> int:
        """Write records after the last synced one, sync, return the new size.

        A failed attempt is thereby written over: nothing is doubled, and after
        a failed sync, when the kernel may have dropped pages that it reports as
        clean, all of them are written anew.
        """
        assert self._file is not None
        block = segment.block(records)
        killpoint()
        done = 0
        while done < len(block):
            done += os.pwrite(self._file, block[done:], self._size + done)
        killpoint()
        datasync(self._file)
        killpoint()
        return self._size + len(block)

    def _error(self) -> JournalError:
        return JournalError(f"{self._folder}: {self._failure}")

    def _scan(self) -> list[Segment]:
        """Check every segment, cut the last one's torn tail, tell where each ends."""
        found = sorted(segments(self._folder), key=lambda s: (s.boot, s.first))
        for number, one in enumerate(found):
            data = self._path(one).read_bytes()
            count, length, synced = segment.check(data)
            if number and not one.follows(found[number - 1]):
                raise JournalError(f"{one.name}: what stood before it is missing")
            if length < len(data):
                if synced or one is not found[-1]:
                    damaged = one.first + count
                    raise JournalError(f"{one.name}: record {damaged} is damaged")
                with self._path(one).open("r+b") as file:
                    file.truncate(length)
                    os.fsync(file.fileno())
            one.last += count
        return found

    def _entries(self, after: Position) -> Iterator[Entry]:
        """Go through the synced records that follow `after`.

        Where it stopped is remembered, so that reading on is cheap.
        """
        for one in tuple(self._segments):
            last = one.last
            if one.end <= after:
                continue
            seq, offset = one.first - 1, 0
            begun = one.boot == after[0] and one.first <= after[1]
            if begun and self._cursor and self._cursor[0] == after:
                seq, offset = after[1], self._cursor[1]
            with self._path(one).open("rb") as file:
                file.seek(offset)
                for line in file:
                    seq += 1
                    offset += len(line)
                    if seq > last:
                        break
                    if (one.boot, seq) > after:
                        self._cursor = (one.boot, seq), offset
                        yield _read(one, seq, line)


def _read(one: Segment, seq: int, line: bytes) -> Entry:
    try:
        return Entry(one.boot, seq, *segment.read(line))
    except ValueError as error:
        raise JournalError(f"{one.name}: record {seq} is damaged: {error}") from error


def _lock(path: Path) -> int:
    """Keep a second process of the same node off the journal."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(file)
        raise JournalError(
            f"{path.parent}: another process writes this journal"
        ) from error
    return file
