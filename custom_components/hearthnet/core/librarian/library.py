"""Repository, index and intake together: the librarian without a transport."""

from collections.abc import Mapping
from contextlib import suppress
from itertools import batched
from pathlib import Path
import sqlite3

from ..clock import Clock
from ..keys import VerifyKey
from ..killpoint import killpoint
from . import BlockedError, LibrarianError
from .answers import index_path
from .index import Index
from .intake import Intake
from .record import Event
from .repository import MIN_FREE, Repository

_REPLAYED_AT_ONCE = 5000
_RECENT = 256


class Library:
    """Everything that writes. Belongs to one thread, except for its intake."""

    def __init__(self, folder: Path, clock: Clock, min_free: int = MIN_FREE) -> None:
        """Open or make the repository and bring its index up to date. Blocks.

        Raises:
            LibrarianError: it is in use, not HearthNet's, or beyond repair.
        """
        self.repository = Repository(folder, clock, min_free)
        try:
            self.index = Index(index_path(folder), writing=True)
            self._catch_up()
        except BaseException as error:
            self.repository.close()
            if isinstance(error, sqlite3.Error):
                raise LibrarianError(f"the index: {error}") from error
            raise
        last = self.index.positions()
        if last != self.repository.acked():
            self.repository.healed.append("acked.json did not name the last events")
        self._durable = dict(last)
        self.intake = Intake(last, self._owners(), self._keys())

    @property
    def durable(self) -> Mapping[str, tuple[int, int]]:
        """Per node the last event that is recorded for good."""
        return self._durable

    def write(self, events: list[Event]) -> dict[str, str]:
        """Record accepted events, in order; return their commits. Blocks.

        Raises:
            BlockedError: open the library anew to know what is recorded.
            LibrarianError: none of them is recorded.
        """
        durable = dict(self._durable)
        for event in events:
            durable[event.id.node] = event.id.position
        commits = self.repository.record(events, durable)
        self._durable = durable
        try:
            self.index.add(zip(commits, events, strict=True), self.repository.tip)
        except sqlite3.Error as error:
            raise BlockedError(f"the index: {error}") from error
        killpoint()
        return {str(e.id): c for e, c in zip(events, commits, strict=True)}

    def recent(self) -> dict[str, str]:
        """Return the commits of the newest events, for who missed the answer."""
        rows = self.index.timeline(limit=_RECENT)
        return {row["id"]: row["commit"] for row in reversed(rows)}

    def close(self) -> None:
        """Let another process be the librarian."""
        self.index.close()
        self.repository.close()

    def _catch_up(self) -> None:
        tip, old = self.repository.tip, self.index.head
        if old is not None and not self.repository.follows(tip, old):
            self.repository.healed.append("the index was of another history")
            self.index.clear()
            old = None
        for commits in batched(self.repository.since(old, tip), _REPLAYED_AT_ONCE):
            self.index.add(commits, head=commits[-1][0])

    def _owners(self) -> dict[str, str]:
        return {
            path: event.node
            for path, event, gone, _ in self.index.versions()
            if not gone
        }

    def _keys(self) -> list[tuple[str, VerifyKey]]:
        """Return the keys that the nodes named in their own files."""
        keys = []
        for path, event, gone, _ in self.index.versions("nodes/"):
            value = None if gone else self.repository.value(path, self.repository.tip)
            if isinstance(value, dict) and isinstance(value.get("key"), str):
                with suppress(ValueError):  # a node may write any nonsense
                    keys.append((event.node, VerifyKey.from_text(str(value["key"]))))
        return keys
