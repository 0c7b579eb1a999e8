"""What the librarian can be asked: the timeline, a chain, an event, the state.

Answers are JSON. They come from the index and, where a whole message or a value
is wanted, from Git.
"""

from collections.abc import Callable, Mapping
import json
from pathlib import Path
from typing import Any

from ..clock import to_text
from ..messages import Json
from . import LibrarianError
from .index import Index
from .reader import Reader

MAX_ROWS = 1000

type Answer = Any


class Answers:
    """Reads index and repository; belongs to one thread."""

    def __init__(self, folder: Path) -> None:
        """Open both."""
        self._index = Index(index_path(folder))
        self._git = Reader(folder)
        self._table: Mapping[str, Callable[..., Answer]] = {
            "timeline": self.timeline,
            "chain": self.chain,
            "event": self.event,
            "explain": self.explain,
            "state": self.state,
            "commit_at": self.commit_at,
            "snapshot": self.snapshot,
            "commit_of": self.commit_of,
        }

    def close(self) -> None:
        """Let go of the index."""
        self._index.close()

    def ask(self, what: str, args: Mapping[str, Any]) -> Answer:
        """Answer a question.

        Raises:
            LibrarianError: it is no question, or there is no answer.
        """
        if what not in self._table:
            raise LibrarianError(f"no such question: {what[:40]}")
        try:
            return self._table[what](**args)
        except (TypeError, ValueError) as error:
            raise LibrarianError(f"{what}: {error}") from error

    def timeline(
        self, *, limit: int = 50, messages: bool = False, **filters: Any
    ) -> list[dict[str, Any]]:
        """Return the newest events that match all filters, newest first.

        Filters: `before` (an event id), `device`, `intent`, `lease`, `type`,
        `text` (in the sentence). With `messages` each event has its own.
        """
        rows = self._index.timeline(limit=min(limit, MAX_ROWS), **filters)
        return [self._with_message(row) for row in rows] if messages else rows

    def chain(self, intent: str, *, limit: int = MAX_ROWS) -> list[dict[str, Any]]:
        """Return an intent's events in their order, with their messages."""
        rows = self._index.chain(intent, min(limit, MAX_ROWS))
        return [self._with_message(row) for row in rows]

    def event(self, event: str) -> dict[str, Any]:
        """Return one event with its message and signature."""
        return self._with_message(self._row(event))

    def explain(self, event: str) -> dict[str, Any]:
        """Return what a decision rests on: its chain, and what it had read.

        `reads` compares each version a lease names with what came after.
        """
        found = self.event(event)
        chain = self.chain(found["intent"]) if found["intent"] else [found]
        grant = next((e for e in chain if e["id"] == found["lease"]), None)
        reads = _body(grant or found).get("reads", {})
        return {
            "event": found,
            "chain": chain,
            "reads": [
                self._read(path, version)
                for path, version in reads.items()
                if version is None or isinstance(version, str)
            ],
        }

    def state(
        self, prefix: str = "", *, paths: list[str] | None = None, at: str | None = None
    ) -> dict[str, Json]:
        """Return path to [version, value], now or as of a commit.

        Deleted paths are in it with the value None: their version counts too.
        """
        commit = at or self._head()
        until = None
        if at is not None and (until := self._index.number(commit=at)) is None:
            raise LibrarianError(f"{at} records no event")
        wanted = None if paths is None else set(paths)
        return {
            path: [str(event), None if gone else self._git.value(path, commit)]
            for path, event, gone, _ in self._index.versions(prefix, until)
            if wanted is None or path in wanted
        }

    def commit_at(
        self, *, until: str | None = None, commit: str = ""
    ) -> dict[str, str] | None:
        """Return the commit and time of the newest event up to a moment.

        Or of the one event whose commit begins so; None when there is none.
        """
        found = self._index.newest(until=until, commit=commit)
        if found is None:
            return None
        event = self._git.event(found)
        at = to_text(event.message.at) if event.message else ""
        return {"commit": found, "at": at}

    def snapshot(self) -> dict[str, Any]:
        """Return everything a node needs to load its view: see `View.load`."""
        return {
            "commit": self._head(),
            "position": {n: list(p) for n, p in self._index.positions().items()},
            "paths": self.state(),
        }

    def commit_of(self, events: list[str]) -> dict[str, str]:
        """Return the commits of those events that are recorded."""
        rows = ((event, self._index.event(event)) for event in events)
        return {event: row["commit"] for event, row in rows if row}

    def _head(self) -> str:
        if (head := self._index.head) is None:
            raise LibrarianError("nothing is recorded yet")
        return head

    def _row(self, event: str) -> dict[str, Any]:
        if (row := self._index.event(event)) is None:
            raise LibrarianError(f"{event[:80]} is not recorded")
        return row

    def _with_message(self, row: dict[str, Any]) -> dict[str, Any]:
        event = self._git.event(row["commit"])
        message = json.loads(event.data) if event.message else None
        signature = event.signature.hex() if event.signature else None
        return {**row, "message": message, "signature": signature}

    def _read(self, path: str, version: str | None) -> dict[str, Any]:
        newest = next((v for v in self._index.versions(path) if v[0] == path), None)
        row = self._index.event(version) if version else None
        return {
            "path": path,
            "version": version,
            "commit": row["commit"] if row else None,
            "newest": str(newest[1]) if newest else None,
            "newest_commit": newest[3] if newest else None,
        }


def index_path(folder: Path) -> Path:
    """Return where a repository's index is kept."""
    return folder / "hearthnet" / "index.sqlite"


def _body(event: Mapping[str, Any]) -> Mapping[str, Any]:
    message = event["message"] or {}
    body: Mapping[str, Any] = message.get("body", {})
    return body
