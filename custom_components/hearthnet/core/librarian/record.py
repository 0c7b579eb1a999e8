"""How an event is written as a commit, and read back from one.

    <what happened, in one sentence>

    <the message: exactly the bytes that were signed>
    Signature: <node> <base64>

    Event: hub.7.812
    Type: receipt
    ...

The last paragraph is Git's own format for trailers, so that
`git log --format='%(trailers:key=Lease)'` works.
"""

import base64
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
import json
import re
from typing import Any

from ..messages import EventId, Json, MalformedError, Message, MessageType
from ..paths import device_of

SUBJECT = 100
_QUARANTINED = "quarantined"
_SIGNATURE = "Signature: "
_TRAILER = re.compile(r"([A-Z][a-z]+): (.*)")


@dataclass(frozen=True, slots=True)
class Event:
    """A record of a node's journal, as the librarian accepted it."""

    id: EventId
    data: bytes
    signature: bytes | None
    message: Message | None
    """None: the bytes break the schema."""
    problem: str | None = None
    """Why the event is quarantined: recorded, but its writes do not count."""

    @property
    def writes(self) -> Mapping[str, Json]:
        """The writes that count."""
        return self.message.writes if self.message and not self.problem else {}

    @property
    def type(self) -> str:
        """What the event does."""
        return self.message.type.value if self.message else _QUARANTINED

    @property
    def intent(self) -> str | None:
        """The intent that the event belongs to, or is."""
        return self._named("intent", MessageType.INTENT)

    @property
    def task(self) -> str | None:
        """The task that the event belongs to, or is."""
        return self._named("task", MessageType.TASK)

    @property
    def lease(self) -> str | None:
        """The lease that the event belongs to, or is."""
        return self._named("lease", MessageType.GRANT)

    @property
    def outcome(self) -> str | None:
        """What became of an action."""
        return self._word("outcome")

    @property
    def reason(self) -> str | None:
        """Why something was refused."""
        return self._word("reason")

    @property
    def devices(self) -> tuple[str, ...]:
        """The devices that the event is about, each once."""
        if self.message is None:
            return ()
        found = dict.fromkeys(
            device
            for path in self.message.writes
            if (device := device_of(path)) is not None
        )
        body = self.message.body
        for key in ("device", "devices", "target", "targets"):
            found.update(dict.fromkeys(_texts(body.get(key))))
        return tuple(found)

    def _named(self, name: str, maker: MessageType) -> str | None:
        if self.message is None:
            return None
        if self.message.type is maker:
            return self.message.id
        value: str | None = getattr(self.message, name)
        return value

    def _word(self, name: str) -> str | None:
        value = self.message.body.get(name) if self.message else None
        return value if isinstance(value, str) else None


def to_commit(event: Event) -> str:
    """Return the text of the commit that records an event."""
    lines = [subject(event), "", _line(event)]
    if event.signature:
        signature = base64.b64encode(event.signature).decode()
        lines.append(f"{_SIGNATURE}{event.id.node} {signature}")
    lines.append("")
    lines.extend(f"{name}: {one_line(value)}" for name, value in _trailers(event))
    return "\n".join(lines) + "\n"


def author(event: Event) -> tuple[str, str, float | None]:
    """Return whose commit it is that records an event: name, address, moment."""
    name = event.message.sender if event.message else event.id.node
    at = event.message.at.timestamp() if event.message else None
    return name, f"{name}@{event.id.node}", at


def from_commit(text: bytes) -> Event | None:
    """Read an event back; None when the commit records none.

    Raises:
        ValueError: the commit's text is none that `to_commit` writes.
    """
    try:
        return _from_commit(text)
    except (LookupError, TypeError, RecursionError) as error:
        raise ValueError(f"not an event's commit: {error!r}") from None


def _from_commit(text: bytes) -> Event | None:
    lines = text.decode(errors="surrogateescape").split("\n")
    trailers = {
        match[1]: match[2] for line in lines[4:] if (match := _TRAILER.fullmatch(line))
    }
    if "Event" not in trailers or len(lines) < 5:
        return None
    data = lines[2].encode(errors="surrogateescape")
    problem = trailers.get("Quarantined")
    signature = None
    if lines[3].startswith(_SIGNATURE):
        signature = base64.b64decode(lines[3].split(" ")[2])
    message: Message | None = None
    if trailers["Type"] == _QUARANTINED:
        data = base64.b64decode(json.loads(data)[_QUARANTINED])
    else:
        try:
            message = Message.decode(data)
        except MalformedError as error:
            # Recorded by a librarian that knew a newer schema.
            problem = problem or str(error)
    return Event(EventId.parse(trailers["Event"]), data, signature, message, problem)


def subject(event: Event) -> str:
    """Return the sentence that stands first in the commit."""
    if event.message is None:
        text = f"Quarantined: {event.problem}"
    else:
        text = event.message.content
    # git interpret-trailers takes a line of dashes for the message's end.
    text = one_line(text).lstrip("-") or "(no words)"
    return text if len(text) <= SUBJECT else text[: SUBJECT - 1].rstrip() + "…"


def one_line(text: str) -> str:
    """Return a text without control characters or runs of space."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _line(event: Event) -> str:
    if event.message is not None:
        return event.data.decode()
    return json.dumps(
        {
            "id": str(event.id),
            _QUARANTINED: base64.b64encode(event.data).decode(),
        },
        separators=(",", ":"),
    )


def _trailers(event: Event) -> Iterator[tuple[str, str]]:
    yield "Event", str(event.id)
    yield "Type", event.type
    named = {"Intent": event.intent, "Task": event.task, "Lease": event.lease}
    yield from ((name, value) for name, value in named.items() if value)
    yield from (("Device", device) for device in event.devices)
    if event.outcome:
        yield "Outcome", event.outcome
    if event.reason:
        yield "Reason", event.reason
    if event.message and event.message.base_commit:
        yield "Base", event.message.base_commit
    if event.problem:
        yield "Quarantined", event.problem


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield from (item for item in value if isinstance(item, str))
