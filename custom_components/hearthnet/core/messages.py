"""Messages: the only thing agents exchange, and the only thing recorded.

A message is one JSON object on one line. Its bytes are made once, by its
sender; signatures, the journal and Git keep exactly those bytes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
import json
import re
from typing import Any, NamedTuple

from .clock import from_text, to_text

type Json = bool | int | float | str | list[Json] | dict[str, Json] | None

type Position = tuple[int, int]
"""(boot, seq): a place in one node's sequence; (0, 0) is before its first event."""

BROADCAST = "all"
"""The `to` of a message that is meant for every agent."""

MAX_BYTES = 256 * 1024
"""Longest message accepted; a longer one is quarantined."""
MAX_CONTENT = 2000
"""Longest sentence that a message carries, in characters."""


class MessageType(StrEnum):
    """What a message does."""

    INTENT = "intent"
    TASK = "task"
    PROPOSAL = "proposal"
    GRANT = "grant"
    DENIAL = "denial"
    CONFIRMATION_REQUEST = "confirmation_request"
    CONFIRMATION = "confirmation"
    EXECUTE = "execute"
    RECEIPT = "receipt"
    REFUSAL = "refusal"
    CONFLICT = "conflict"
    RESOLUTION = "resolution"
    OBSERVATION = "observation"
    REVOCATION = "revocation"
    RECOVERY = "recovery"
    POLICY = "policy"
    ALERT = "alert"
    HELLO = "hello"
    HEARTBEAT = "heartbeat"


class EventId(NamedTuple):
    """`node.boot.seq`: ordered per node, unique for ever."""

    node: str
    boot: int
    seq: int

    @classmethod
    def parse(cls, text: str) -> "EventId":
        """Read an id; ValueError when it is none."""
        if not (match := _ID.fullmatch(text)):
            raise ValueError(f"not an event id: {text[:80]!r}")
        return cls(match[1], int(match[2]), int(match[3]))

    @property
    def position(self) -> Position:
        """The event's place in its node's sequence."""
        return self.boot, self.seq

    def __str__(self) -> str:
        """Write the id as messages carry it."""
        return f"{self.node}.{self.boot}.{self.seq}"


NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")
"""Names of nodes and agents."""
_ID = re.compile(r"([a-z][a-z0-9_-]{0,39})\.([1-9][0-9]{0,9})\.([1-9][0-9]{0,14})")
_PATH = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*){0,3}")


def is_path(text: str) -> bool:
    """Tell whether a text is a path that an event may write."""
    return len(text) <= 200 and _PATH.fullmatch(text) is not None


class MalformedError(ValueError):
    """A message breaks its schema; the text names the field."""


@dataclass(frozen=True, kw_only=True)
class Message:
    """One message; `docs/record.md` shows how it stands in the record."""

    id: str
    sender: str
    """`from` on the wire."""
    to: str
    type: MessageType
    at: datetime
    content: str
    """One human sentence."""
    cause: str | None = None
    """The id of the message that this one answers."""
    intent: str | None = None
    task: str | None = None
    lease: str | None = None
    expires_at: datetime | None = None
    base_commit: str | None = None
    body: Mapping[str, Any] = field(default_factory=dict)
    writes: Mapping[str, Json] = field(default_factory=dict)
    """Path to its new value; None deletes it."""

    @property
    def event(self) -> EventId:
        """The parsed id."""
        return EventId.parse(self.id)

    def encode(self) -> bytes:
        """Return the message as one line of JSON without its line feed."""
        fields: dict[str, Any] = {
            "id": self.id,
            "from": self.sender,
            "to": self.to,
            "type": self.type.value,
            "at": to_text(self.at),
        }
        for name in ("cause", "intent", "task", "lease", "base_commit"):
            if (value := getattr(self, name)) is not None:
                fields[name] = value
        if self.expires_at is not None:
            fields["expires_at"] = to_text(self.expires_at)
        fields["content"] = self.content
        if self.body:
            fields["body"] = self.body
        if self.writes:
            fields["writes"] = self.writes
        text = json.dumps(
            fields, ensure_ascii=False, separators=(",", ":"), allow_nan=False
        )
        # Names and requests come from anywhere; half a character is no UTF-8.
        return text.encode(errors="replace")

    @classmethod
    def decode(cls, data: bytes) -> "Message":
        """Read a message and check it against the schema.

        Raises:
            MalformedError: naming the first field that is wrong.
        """
        if len(data) > MAX_BYTES:
            raise MalformedError(f"longer than {MAX_BYTES} bytes")
        try:
            raw = json.loads(data, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            raise MalformedError(f"not JSON: {error}") from None
        # JSON can escape half of a character, which nothing could write again.
        if b"\\u" in data and not _is_text(raw):
            raise MalformedError("not Unicode")
        if not isinstance(raw, dict):
            raise MalformedError("not a JSON object")
        if unknown := raw.keys() - _FIELDS:
            raise MalformedError(f"unknown field {min(unknown)[:40]!r}")
        try:
            return cls(
                id=str(EventId.parse(_text(raw, "id"))),
                sender=_name(raw, "from"),
                to=_name(raw, "to"),
                type=_type(raw),
                at=_moment(raw, "at"),
                content=_text(raw, "content", limit=MAX_CONTENT),
                cause=_event(raw, "cause"),
                intent=_event(raw, "intent"),
                task=_event(raw, "task"),
                lease=_event(raw, "lease"),
                base_commit=_text(raw, "base_commit") if "base_commit" in raw else None,
                expires_at=_moment(raw, "expires_at") if "expires_at" in raw else None,
                body=_mapping(raw, "body"),
                writes=_writes(raw),
            )
        except MalformedError:
            raise
        except ValueError as error:
            raise MalformedError(str(error)) from None


_FIELDS = {
    *("id", "from", "to", "type", "at", "cause", "intent", "task", "lease"),
    *("expires_at", "base_commit", "content", "body", "writes"),
}


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _is_text(raw: object) -> bool:
    try:
        json.dumps(raw, ensure_ascii=False).encode()
    except (UnicodeEncodeError, RecursionError):
        return False
    return True


def _text(raw: Mapping[str, Any], name: str, limit: int = 200) -> str:
    value = raw.get(name)
    if not isinstance(value, str) or not value or len(value) > limit:
        raise MalformedError(f"{name}: expected a text of 1 to {limit} characters")
    return value


def _name(raw: Mapping[str, Any], name: str) -> str:
    value = _text(raw, name)
    if not NAME.fullmatch(value):
        raise MalformedError(f"{name}: not a name: {value[:40]!r}")
    return value


def _type(raw: Mapping[str, Any]) -> MessageType:
    try:
        return MessageType(_text(raw, "type"))
    except ValueError:
        raise MalformedError(f"type: unknown: {str(raw.get('type'))[:40]!r}") from None


def _moment(raw: Mapping[str, Any], name: str) -> datetime:
    try:
        return from_text(_text(raw, name))
    except ValueError as error:
        raise MalformedError(f"{name}: {error}") from None


def _event(raw: Mapping[str, Any], name: str) -> str | None:
    if name not in raw:
        return None
    try:
        return str(EventId.parse(_text(raw, name)))
    except ValueError as error:
        raise MalformedError(f"{name}: {error}") from None


def _mapping(raw: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = raw.get(name, {})
    if not isinstance(value, dict):
        raise MalformedError(f"{name}: expected an object")
    return value


def _writes(raw: Mapping[str, Any]) -> Mapping[str, Json]:
    writes = _mapping(raw, "writes")
    for path in writes:
        if not is_path(path):
            raise MalformedError(f"writes: not a path: {path[:80]!r}")
    return writes
