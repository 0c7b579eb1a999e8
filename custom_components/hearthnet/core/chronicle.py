"""What happened and why, from the librarian and from what it has not taken yet.

The newest events are in the journal's tail for a moment before Git has them,
and for longer while the librarian is away; both are told as one.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice, takewhile
import json
from typing import Any, Protocol

from .clock import from_text, to_text
from .devices import Principal, Values
from .librarian import LibrarianError
from .librarian.record import Event
from .messages import EventId, Json, Message, MessageType
from .node import Node, Record
from .paths import device_path
from .reasons import Outcome
from .shadow import doubt
from .status import LibrarianStatus
from .undo import UNDO, UNDOABLE

RECENT = 2000
"""Events kept in memory; older ones only the librarian tells."""

UNDO_WITHIN = timedelta(hours=24)
"""How long ago something may have been done to be undone by a word."""

type Row = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Past:
    """How devices were at a moment."""

    at: datetime
    commit: str | None
    """The newest commit up to then, as far as the librarian could be asked."""
    complete: bool
    """False when only what this node remembers is in it."""
    values: Mapping[str, Values]
    """By device id; those of which nothing sure is on record are not in it."""


class Library(Protocol):
    """Whoever answers about the record; see `librarian.answers`."""

    async def query(self, what: str, **args: Any) -> Any:
        """Ask; raises LibrarianError when there is no answer."""


class Librarian(Library, Protocol):
    """The hub's connection to its librarian."""

    @property
    def away_since(self) -> float | None:
        """Boot time since which the librarian is away; None while it is there."""

    @property
    def status(self) -> LibrarianStatus:
        """How the record is doing."""


class Chronicle:
    """Answers about the past."""

    def __init__(self, node: Node, library: Library | None) -> None:
        """Listen to the node from now on."""
        self._node = node
        self._library = library
        self._recent: deque[Record] = deque(maxlen=RECENT)
        node.subscribe(self._recent.append)

    def remember(self, records: Iterable[Record]) -> None:
        """Take in events of earlier boots, oldest first; used at the start."""
        self._recent.extendleft(list(records)[-RECENT:][::-1])

    def event(self, event_id: str) -> Record | None:
        """Return a recent event of this node."""
        return next((r for r in self._recent if r.message.id == event_id), None)

    def _unrecorded(self) -> list[Record]:
        """Return the events that Git does not have yet, newest first.

        What came before an event that it has, it has.
        """
        commit_of = self._node.view.commit_of
        newest = reversed(self._recent)
        return list(takewhile(lambda r: commit_of(r.message.id) is None, newest))

    def last_receipts(self, principal: Principal) -> list[Message]:
        """Return the receipts of a principal's newest intent that moved something.

        Oldest first; empty when there is none within `UNDO_WITHIN`. What was itself
        an undo does not count, or a second one would do again what the first undid.
        """
        found: list[Message] = []
        undone: set[str | None] = set()
        for record in reversed(self._recent):
            message = record.message
            if message.at < self._node.clock.now() - UNDO_WITHIN:
                break
            if message.type is MessageType.RECEIPT and _moved(message):
                found.append(message)
            elif message.body.get("planner") == UNDO:
                undone.add(message.intent)
            elif message.type is MessageType.INTENT and message.id not in undone:
                mine = [r for r in found if r.intent == message.id]
                asker = Principal.from_dict(message.body["principal"])
                if mine and asker.is_same_as(principal):
                    return mine[::-1]
        return []

    async def receipts(self, intent: str) -> list[Message]:
        """Return the receipts of an intent, oldest first; of any age."""
        told = await self.chain(intent)
        return [
            Message.decode(json.dumps(row["message"]).encode())
            for row in told["events"]
            if row["type"] == MessageType.RECEIPT and row["message"] is not None
        ]

    async def timeline(
        self,
        *,
        limit: int = 50,
        before: str | None = None,
        messages: bool = False,
        **filters: str | None,
    ) -> dict[str, Any]:
        """Return events newest first, and whether the librarian had its say.

        Filters: `device`, `intent`, `lease`, `type`, `text`; all must match. With
        `messages` each event has its own.
        """
        given = {name: value for name, value in filters.items() if value is not None}
        # Looked up first: what is recorded later is in no answer.
        tail = self._unrecorded()
        # All that Git has is older than what it does not have yet.
        known = None if before in {r.message.id for r in tail} else before
        found, complete = await self._ask(
            "timeline", limit=limit, before=known, messages=messages, **given
        )
        older = None if before is None else EventId.parse(before)
        matching = (
            self._row(record, whole=messages)
            for record in (tail if complete else reversed(self._recent))
            if (older is None or record.message.event < older)
            and _matches(_event(record), given)
        )
        rows = _merge(found or [], list(islice(matching, limit)))
        rows.sort(key=_order, reverse=True)
        return {"events": rows[:limit], "complete": complete}

    async def chain(self, intent: str) -> dict[str, Any]:
        """Return an intent's events oldest first, with their messages."""
        tail = [
            self._row(record, whole=True)
            for record in self._recent
            if intent in (record.message.intent, record.message.id)
        ]
        found, complete = await self._ask("chain", intent=intent)
        rows = sorted(_merge(found or [], tail), key=_order)
        return {"intent": intent, "events": rows, "complete": complete}

    async def explain(
        self,
        *,
        device: str | None = None,
        intent: str | None = None,
        lease: str | None = None,
        event: str | None = None,
    ) -> dict[str, Any]:
        """Return the chain behind a device's state, a lease, an event or an intent.

        Raises:
            LookupError: nothing on record.
        """
        if device is not None:
            event = self._node.view.version(device_path(device))
        event = event or lease
        row = None
        if intent is None and event is not None:
            row = await self._find(event)
            intent = row["intent"] if row else None
        if intent is not None:
            told = await self.chain(intent)
        elif row is not None:
            told = {"intent": None, "events": [row], "complete": True}
        else:
            raise LookupError("nothing is on record about it")
        if not told["events"]:
            raise LookupError("nothing is on record about it")
        return {**told, "event": event}

    async def state_at(
        self,
        devices: Iterable[str],
        at: datetime | None = None,
        *,
        commit: str | None = None,
    ) -> Past:
        """Return how devices were at a moment, or right after a commit.

        Args:
            devices: their ids.
            at: the moment; with `commit` it is that commit's.
            commit: the first letters of it, or all.

        Raises:
            LookupError: the record has nothing that old, no such commit, or the
                moment is yet to come.
        """
        if at is not None and at > self._node.clock.now():
            raise LookupError("nobody knows that yet")
        paths = {device_path(device): device for device in devices}
        tail = self._unrecorded()[::-1]
        given = {"commit": commit} if commit else {"until": to_text(at) if at else None}
        base, complete = await self._ask("commit_at", **given)
        kept: dict[str, Json] = {}
        if base is not None:
            asked = {"prefix": "devices/", "paths": list(paths), "at": base["commit"]}
            state, complete = await self._ask("state", **asked)
            kept = {path: value for path, (_, value) in (state or {}).items()}
        if commit is not None:
            if base is None:
                raise LookupError(commit)
            tail, at = [], from_text(base["at"])
        # Without the librarian, only what is remembered can be told.
        for record in tail if complete else self._recent:
            if at is None or record.message.at <= at:
                kept |= {p: v for p, v in record.message.writes.items() if p in paths}
        if at is None or (base is None and not kept):
            raise LookupError("nothing is on record of that time")
        return Past(
            at=at,
            commit=base["commit"] if base else None,
            complete=complete,
            values={
                paths[path]: values
                for path, value in kept.items()
                if isinstance(value, dict)
                and doubt(value) is None
                and isinstance(values := value["values"], dict)
            },
        )

    async def asker(self, intent: str) -> Principal | None:
        """Return whose intent it was; None when that is not on record."""
        wish = await self.request(intent)
        return None if wish is None else Principal.from_dict(wish["principal"])

    async def request(self, intent: str) -> Mapping[str, Any] | None:
        """Return the body of an intent: who, and in which words. None if unknown."""
        row = await self._find(intent)
        if row is None or row["message"] is None:
            return None
        body: Mapping[str, Any] = row["message"]["body"]
        return body if "principal" in body else None

    async def _find(self, event: str) -> Row | None:
        if (record := self.event(event)) is not None:
            return self._row(record, whole=True)
        found, _ = await self._ask("event", event=event)
        row: Row | None = found
        return row

    async def _ask(self, what: str, **args: Any) -> tuple[Any, bool]:
        if self._library is None:
            return None, False
        given = {name: value for name, value in args.items() if value is not None}
        try:
            return await self._library.query(what, **given), True
        except LibrarianError:
            return None, False

    def _row(self, record: Record, *, whole: bool = False) -> Row:
        """Return a recent event as the librarian's index would give it."""
        message, event = record.message, _event(record)
        row: Row = {
            "id": message.id,
            "type": event.type,
            "sender": message.sender,
            "recipient": message.to,
            "at": to_text(message.at),
            "content": message.content,
            "cause": message.cause,
            "intent": event.intent,
            "task": event.task,
            "lease": event.lease,
            "outcome": event.outcome,
            "reason": event.reason,
            "problem": None,
            "devices": list(event.devices),
            "commit": self._node.view.commit_of(message.id),
        }
        if whole:
            row["message"] = json.loads(record.data)
        return row


def _moved(receipt: Message) -> bool:
    return any(Outcome(o) in UNDOABLE for o in receipt.body["members"].values())


def _event(record: Record) -> Event:
    """Return a record as the librarian sees it."""
    message = record.message
    return Event(message.event, record.data, record.signature, message)


def _matches(event: Event, filters: Mapping[str, str]) -> bool:
    content = event.message.content if event.message else ""
    return all(
        value in event.devices
        if name == "device"
        else value.casefold() in content.casefold()
        if name == "text"
        else getattr(event, name) == value
        for name, value in filters.items()
    )


def _merge(recorded: list[Row], tail: list[Row]) -> list[Row]:
    """Join what Git has with what it has not; Git's word counts."""
    known = {row["id"] for row in recorded}
    return recorded + [row for row in tail if row["id"] not in known]


def _order(row: Row) -> tuple[str, EventId]:
    return row["at"] or "", EventId.parse(row["id"])
