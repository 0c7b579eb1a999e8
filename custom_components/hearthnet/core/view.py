"""The view: Git at a commit plus the known events after it, folded.

A path's version is the id of the last event that wrote it. Freshness compares
versions and nothing else: neither age, nor unrelated events, nor the librarian
plays a part.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice, takewhile
from typing import Any, NamedTuple, Self

from .messages import EventId, Json, Message, Position
from .paths import foreign

MAX_COMMITS = 10_000
"""How many events' commits are remembered, as evidence in refusals."""
MAX_GONE = 10_000
"""How many deleted paths' versions are remembered."""


class Stale(NamedTuple):
    """A path that changed after it was read."""

    path: str
    expected: str | None
    """The version that was read; None if the path had never been written."""
    newest: str | None
    """The version that is known now."""


class _Entry(NamedTuple):
    value: Json
    """None: deleted. The version stays, so that the deletion is noticed."""
    version: str
    event: EventId
    order: int


@dataclass(slots=True)
class _Folder:
    paths: dict[str, None] = field(default_factory=dict)
    """Those that have a value."""
    orders: dict[str, int] = field(default_factory=dict)
    """All, deleted ones too, to when they were written; the last written last."""


class View:
    """The state as one node knows it; pure and in memory."""

    def __init__(self) -> None:
        """Start empty."""
        self._entries: dict[str, _Entry] = {}
        self._folders: dict[str, _Folder] = {}
        self._gone: dict[str, None] = {}
        self._position: dict[str, Position] = {}
        self._commits: dict[str, str] = {}
        self._commit: str | None = None
        self._order = 0

    # Reading

    def get(self, path: str) -> Json:
        """Return the value of a path; None when it has none."""
        entry = self._entries.get(path)
        return entry.value if entry else None

    def version(self, path: str) -> str | None:
        """Return the id of the last event that wrote the path, if any did."""
        entry = self._entries.get(path)
        return entry.version if entry else None

    def paths(self, prefix: str = "") -> list[str]:
        """Return the paths under `prefix` that have a value, sorted."""
        name, slash, _ = prefix.partition("/")
        return sorted(
            path
            for folder, kept in self._folders.items()
            if not slash or folder == name
            for path in kept.paths
            if path.startswith(prefix)
        )

    def reads(self, paths: Iterable[str]) -> dict[str, str | None]:
        """Return the versions of `paths`, to be named in a lease."""
        return {path: self.version(path) for path in paths}

    def stale(self, reads: Mapping[str, str | None]) -> tuple[Stale, ...]:
        """Return those of `reads` of which a newer version is known here.

        A version that is newer than the one known here is accepted: it comes
        from the path's only writer, whose event is still on its way.
        """
        result = []
        for path, expected in reads.items():
            newest = self.version(path)
            if newest != expected and not _later(expected, newest):
                result.append(Stale(path, expected, newest))
        return tuple(result)

    @property
    def order(self) -> int:
        """How many values have come to this view: a moment in its own time."""
        return self._order

    def order_in(self, folder: str) -> int:
        """Return the moment at which anything in a folder changed last, or 0."""
        orders = self._folders[folder].orders if folder in self._folders else {}
        return orders[next(reversed(orders))] if orders else 0

    def changed_in(self, folder: str, *, since: int) -> list[str]:
        """Return what was written in a folder after a moment, the newest first."""
        orders = self._folders[folder].orders if folder in self._folders else {}
        return list(takewhile(lambda path: orders[path] > since, reversed(orders)))

    def order_of(self, path: str) -> int:
        """Return the moment at which the path's value came; 0 if none did."""
        entry = self._entries.get(path)
        return entry.order if entry else 0

    @property
    def position(self) -> dict[str, Position]:
        """Per node the last event folded in; with it Git gives the view back."""
        return dict(self._position)

    @property
    def commit(self) -> str | None:
        """The newest commit known: what `base_commit` names."""
        return self._commit

    def commit_of(self, event: str) -> str | None:
        """Return the commit of an event, if it was acknowledged not too long ago."""
        return self._commits.get(event)

    # Writing

    def apply(self, message: Message) -> None:
        """Fold in the writes of an event.

        An event that was folded in before changes nothing, nor does one that
        writes a path that is not its node's to write.
        """
        event = message.event
        if event.position > self._position.get(event.node, (0, 0)):
            self._position[event.node] = event.position
        if message.writes and self.may(event.node, message.writes):
            for path, value in message.writes.items():
                self._put(path, value, message.id, event)

    def learn(self, path: str, value: Json, version: str) -> None:
        """Take over a path as a librarian has it, unless mine is newer."""
        self._put(path, value, version, EventId.parse(version))

    def acknowledge(self, commit: str, commits: Mapping[str, str]) -> None:
        """Note the librarian's newest commit and those of single events."""
        self._commit = commit
        self._commits.update(commits)
        surplus = max(0, len(self._commits) - MAX_COMMITS)
        for event in list(islice(self._commits, surplus)):
            del self._commits[event]

    # Checkpoints

    def snapshot(self, node: str | None = None) -> dict[str, Any]:
        """Return the view as JSON data; with `node` only what that node wrote."""
        return {
            "commit": self._commit,
            "position": {
                name: list(position)
                for name, position in self._position.items()
                if node in (None, name)
            },
            "paths": {
                path: [entry.version, entry.value]
                for path, entry in self._entries.items()
                if node in (None, entry.event.node)
            },
        }

    @classmethod
    def load(cls, data: Mapping[str, Any]) -> Self:
        """Return the view that `snapshot` wrote."""
        view = cls()
        view._commit = data["commit"]
        for name, (boot, seq) in data["position"].items():
            view._position[name] = boot, seq
        for path, (version, value) in data["paths"].items():
            view.learn(path, value, version)
        return view

    def may(self, node: str, paths: Iterable[str]) -> bool:
        """Tell whether a node may write paths as they are now, all of them."""
        writers = {
            path: entry.event.node
            for path in paths
            if (entry := self._entries.get(path)) and entry.value is not None
        }
        return foreign(node, paths, writers) is None

    def _put(self, path: str, value: Json, version: str, event: EventId) -> None:
        old = self._entries.get(path)
        if old and old.event.node == event.node and old.event >= event:
            return
        self._order += 1
        self._entries[path] = _Entry(value, version, event, self._order)
        folder = self._folders.setdefault(path.partition("/")[0], _Folder())
        folder.orders.pop(path, None)
        folder.orders[path] = self._order
        self._gone.pop(path, None)
        if value is not None:
            folder.paths[path] = None
        else:
            folder.paths.pop(path, None)
            self._gone[path] = None
            if len(self._gone) > MAX_GONE:
                oldest = next(iter(self._gone))
                del self._gone[oldest], self._entries[oldest]
                del self._folders[oldest.partition("/")[0]].orders[oldest]


def _later(expected: str | None, newest: str | None) -> bool:
    """Tell whether the version a lease names is later than the one known here."""
    if expected is None:
        return False
    try:
        theirs = EventId.parse(expected)
        mine = EventId.parse(newest) if newest else None
    except ValueError:
        return False
    return mine is None or (theirs.node == mine.node and theirs > mine)
