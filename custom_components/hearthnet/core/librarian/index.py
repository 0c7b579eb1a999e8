"""The index beside the repository: answers the timeline without walking history.

Everything in it can be rebuilt from Git, which stays the truth. At start only
the difference between the index's last commit and the branch is replayed.
"""

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
import json
from pathlib import Path
import sqlite3
from typing import Any

from ..clock import to_text
from ..messages import EventId, Position
from .record import Event

_VERSION = 1
"""Counted up when the tables change: an older index is rebuilt."""
_TABLES = """
CREATE TABLE head (commit_id TEXT NOT NULL);
CREATE TABLE events (
  n INTEGER PRIMARY KEY,
  node TEXT NOT NULL, boot INTEGER NOT NULL, seq INTEGER NOT NULL,
  type TEXT NOT NULL, sender TEXT, recipient TEXT, at TEXT, content TEXT,
  cause TEXT, intent TEXT, task TEXT, lease TEXT,
  outcome TEXT, reason TEXT, problem TEXT, devices TEXT NOT NULL,
  commit_id TEXT NOT NULL UNIQUE,
  UNIQUE (node, boot, seq)
);
CREATE INDEX events_by_intent ON events (intent, n) WHERE intent IS NOT NULL;
CREATE INDEX events_by_lease ON events (lease, n) WHERE lease IS NOT NULL;
CREATE INDEX events_by_type ON events (type, n);
CREATE TABLE event_devices (
  device TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (device, n)
) WITHOUT ROWID;
CREATE TABLE writes (
  path TEXT NOT NULL, n INTEGER NOT NULL, deleted INTEGER NOT NULL,
  PRIMARY KEY (path, n)
) WITHOUT ROWID;
"""
_INSERT = """
INSERT OR IGNORE INTO events (node, boot, seq, type, sender, recipient, at, content,
  cause, intent, task, lease, outcome, reason, problem, devices, commit_id)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_COLUMNS = """node || '.' || boot || '.' || seq AS id, type, sender, recipient, at,
  content, cause, intent, task, lease, outcome, reason, problem, devices,
  commit_id AS "commit\""""
_THIS = "node = ? AND boot = ? AND seq = ?"
_NUMBER = "SELECT n FROM events WHERE node = ? AND boot = ? AND seq = ?"
_MAX = 2**62
_AFTER = "~"
"""Sorts after everything that a path may hold."""
_NEWEST = """
SELECT path, max(writes.n) AS n, deleted, node, boot, seq, commit_id
FROM writes JOIN events USING (n)
"""


class Index:
    """The tables, opened by one thread. Any number may read; one may write."""

    def __init__(self, path: Path, *, writing: bool = False) -> None:
        """Open the index; the writer makes it anew when it is of no use."""
        self._path = path
        if writing and not self._usable():
            for suffix in ("", "-wal", "-shm"):
                path.with_name(path.name + suffix).unlink(missing_ok=True)
            with closing(sqlite3.connect(path)) as database:
                database.executescript(
                    "PRAGMA journal_mode = WAL;"
                    f"BEGIN; {_TABLES} PRAGMA user_version = {_VERSION}; COMMIT;"
                )
        self._database = sqlite3.connect(path, isolation_level=None)
        self._database.row_factory = sqlite3.Row
        # In this mode a power cut loses the last events, never the whole.
        self._database.execute("PRAGMA synchronous = NORMAL")

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    # Writing

    @property
    def head(self) -> str | None:
        """The newest commit that is in the index."""
        row = self._one("SELECT commit_id FROM head")
        return row["commit_id"] if row else None

    def clear(self) -> None:
        """Forget everything, to be filled again."""
        with self._transaction():
            for table in ("head", "events", "event_devices", "writes"):
                self._database.execute(f"DELETE FROM {table}")  # noqa: S608

    def add(self, events: Iterable[tuple[str, Event | None]], head: str) -> None:
        """Add commits in their order, all or none."""
        with self._transaction():
            for commit, event in events:
                if event is not None:
                    self._insert(commit, event)
            self._database.execute("DELETE FROM head")
            self._database.execute("INSERT INTO head VALUES (?)", (head,))

    # Questions

    def positions(self) -> dict[str, Position]:
        """Return per node its last event."""
        rows = self._all(
            "SELECT node, boot, max(seq) AS seq FROM events JOIN"
            " (SELECT node, max(boot) AS boot FROM events GROUP BY node)"
            " USING (node, boot) GROUP BY node"
        )
        return {row["node"]: (row["boot"], row["seq"]) for row in rows}

    def versions(
        self, prefix: str = "", until: int | None = None
    ) -> Iterator[tuple[str, EventId, bool, str]]:
        """Go through the paths: path, last event, whether deleted, its commit.

        `until` is the number of the last event that counts.
        """
        bound = _MAX if until is None else until
        for row in self._all(
            f"{_NEWEST} WHERE writes.n <= ? AND path >= ? AND path < ? GROUP BY path",
            (bound, prefix, prefix + _AFTER),
        ):
            event = EventId(row["node"], row["boot"], row["seq"])
            yield row["path"], event, bool(row["deleted"]), row["commit_id"]

    def number(
        self, *, event: str | None = None, commit: str | None = None
    ) -> int | None:
        """Return the number of an event, given its id or its commit."""
        if commit is not None:
            row = self._one("SELECT n FROM events WHERE commit_id = ?", (commit,))
        else:
            row = self._one(_NUMBER, _key(event or ""))
        return row["n"] if row else None

    def newest(self, *, until: str | None = None, commit: str = "") -> str | None:
        """Return the newest commit of an event up to a moment, or by how it begins.

        Args:
            until: a moment as messages write it; None: any.
            commit: the first letters of a commit, which must be of one only.
        """
        rows = self._all(
            "SELECT commit_id FROM events WHERE at <= ? AND commit_id >= ?"
            " AND commit_id < ? ORDER BY n DESC LIMIT 2",
            (until or _AFTER, commit, commit + _AFTER),
        )
        return None if not rows or (commit and len(rows) > 1) else rows[0]["commit_id"]

    def event(self, event: str) -> dict[str, Any] | None:
        """Return an event's row."""
        rows = self._rows(f"WHERE {_THIS}", _key(event))
        return rows[0] if rows else None

    def chain(self, intent: str, limit: int) -> list[dict[str, Any]]:
        """Return the events of an intent, oldest first."""
        return self._rows("WHERE intent = ? ORDER BY n LIMIT ?", (intent, limit))

    def timeline(
        self,
        *,
        limit: int,
        before: str | None = None,
        device: str | None = None,
        intent: str | None = None,
        lease: str | None = None,
        type: str | None = None,  # noqa: A002 - the word on the wire
        text: str | None = None,
    ) -> list[dict[str, Any]]:
        """Return the newest events that match everything given, newest first."""
        source, terms, values = "", list[str](), list[Any]()
        if device is not None:
            source, terms = "JOIN event_devices USING (n)", ["device = ?"]
            values.append(device)
        for name, value in (("intent", intent), ("lease", lease), ("type", type)):
            if value is not None:
                terms.append(f"{name} = ?")
                values.append(value)
        if before is not None:
            terms.append("n < ?")
            values.append(self.number(event=before) or 0)
        if text is not None:
            terms.append("content LIKE ? ESCAPE '\\'")
            escaped = "".join(f"\\{c}" if c in "\\%_" else c for c in text)
            values.append(f"%{escaped}%")
        where = f"WHERE {' AND '.join(terms)}" if terms else ""
        return self._rows(f"{source} {where} ORDER BY n DESC LIMIT ?", (*values, limit))

    # Plumbing

    def _usable(self) -> bool:
        try:
            with closing(sqlite3.connect(self._path)) as database:
                (version,) = database.execute("PRAGMA user_version").fetchone()
                (check,) = database.execute("PRAGMA quick_check").fetchone()
        except sqlite3.DatabaseError:
            return False
        return bool(version == _VERSION and check == "ok")

    def _insert(self, commit: str, event: Event) -> None:
        message = event.message
        cursor = self._database.execute(
            _INSERT,
            (
                *event.id,
                event.type,
                message.sender if message else None,
                message.to if message else None,
                to_text(message.at) if message else None,
                message.content if message else None,
                message.cause if message else None,
                event.intent,
                event.task,
                event.lease,
                event.outcome,
                event.reason,
                event.problem,
                json.dumps(event.devices),
                commit,
            ),
        )
        if not cursor.rowcount:
            return  # a history made by something else may hold an event twice
        n = cursor.lastrowid
        self._database.executemany(
            "INSERT INTO event_devices VALUES (?, ?)", ((d, n) for d in event.devices)
        )
        self._database.executemany(
            "INSERT INTO writes VALUES (?, ?, ?)",
            ((path, n, value is None) for path, value in event.writes.items()),
        )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")

    def _all(self, sql: str, values: Iterable[Any] = ()) -> list[sqlite3.Row]:
        return self._database.execute(sql, tuple(values)).fetchall()

    def _one(self, sql: str, values: Iterable[Any] = ()) -> sqlite3.Row | None:
        row: sqlite3.Row | None = self._database.execute(sql, tuple(values)).fetchone()
        return row

    def _rows(self, rest: str, values: Iterable[Any]) -> list[dict[str, Any]]:
        sql = f"SELECT {_COLUMNS} FROM events {rest}"  # noqa: S608 - no value in it
        rows = [dict(row) for row in self._all(sql, values)]
        for row in rows:
            row["devices"] = json.loads(row["devices"])
        return rows


def _key(event: str) -> tuple[str, int, int]:
    """Split an id; ValueError when it is none."""
    node, boot, seq = EventId.parse(event)
    return node, boot, seq
