"""What the librarian accepts: each node's events in order, each once, none missing.

No transport is in here: the same rules hold for the hub's pipe and for a broker.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
import json
from typing import Any

from ..journal import Entry
from ..keys import VerifyKey
from ..messages import EventId, MalformedError, Message, MessageType, Position
from ..paths import foreign
from .reader import encode
from .record import Event


@dataclass
class Offer:
    """What became of records that a node offered."""

    accepted: list[Event] = field(default_factory=list)
    gap_after: Position | None = None
    """Records after this place are missing before those offered."""
    forged: int = 0
    """How many were thrown away because they are not the node's."""
    notices: list[str] = field(default_factory=list)
    """What a person should know, in words."""


class Intake:
    """Decides, per node, which record comes next; pure and in memory."""

    def __init__(
        self,
        last: Mapping[str, Position],
        owners: Mapping[str, str],
        keys: Iterable[tuple[str, VerifyKey]],
    ) -> None:
        """Go on from what is recorded.

        `last` is each node's last event, `owners` maps each path that has a
        value to the node that wrote it, `keys` are those that nodes are known by.
        """
        self._last = dict(last)
        self._owners = dict(owners)
        self._keys: dict[str, set[VerifyKey]] = {}
        for node, key in keys:
            self.learn(node, key)

    def learn(self, node: str, key: VerifyKey) -> None:
        """Take another key of a node.

        Its older ones still count here: what they signed may not be recorded yet.
        Whoever brings the records has to prove himself with the present one.
        """
        self._keys.setdefault(node, set()).add(key)

    @property
    def last(self) -> dict[str, Position]:
        """Per node the last event accepted."""
        return dict(self._last)

    def offer(
        self,
        node: str,
        entries: Sequence[Entry],
        *,
        trusted: bool,
        oldest: bool = False,
    ) -> Offer:
        """Accept what comes next of `entries`, in order, up to the first gap.

        `trusted` says that the transport itself vouches for the node; other
        nodes' records count only with their signature. `oldest` says that the
        node has nothing older than the first entry: then what is missing
        before it is lost, and waiting for it would stop the record for ever.
        """
        offer = Offer()
        for number, entry in enumerate(entries):
            last = self._last.get(node, (0, 0))
            if entry.position <= last:
                continue
            if not trusted and not self._signed(node, entry):
                offer.forged += 1
                break
            ended = _ended(entry) if entry.position != (last[0], last[1] + 1) else last
            if ended is None or ended > last:
                if not (oldest and number == 0):
                    offer.gap_after = last
                    break
                offer.notices.append(
                    f"{node}: everything after {last[0]}.{last[1]} and before"
                    f" {entry.boot}.{entry.seq} is lost"
                )
            elif ended < last:
                offer.notices.append(
                    f"{node} went back to {ended[0]}.{ended[1]};"
                    f" the record knows it up to {last[0]}.{last[1]}"
                )
            offer.accepted.append(self._check(node, entry, trusted=trusted))
            self._last[node] = entry.position
        return offer

    def _check(self, node: str, entry: Entry, *, trusted: bool) -> Event:
        """Read a record; what breaks the rules is recorded, but counts for nothing."""
        event = EventId(node, entry.boot, entry.seq)
        try:
            message = _decode(entry.data)
        except MalformedError as error:
            return Event(event, entry.data, entry.signature, None, str(error))
        if trusted and message.type is MessageType.HELLO:
            self._learn_key(node, message)
        problem = self._problem(event, message, entry)
        if problem is None:
            for path, value in message.writes.items():
                if value is None:
                    self._owners.pop(path, None)
                else:
                    self._owners[path] = node
        return Event(event, entry.data, entry.signature, message, problem)

    def _problem(self, event: EventId, message: Message, entry: Entry) -> str | None:
        if message.event != event:
            return f"it stands at {event} in the journal"
        if message.type is MessageType.GRANT and not self._signed(event.node, entry):
            return f"the grant is not signed by {event.node}"
        if path := foreign(event.node, message.writes, self._owners):
            return f"{event.node} may not write {path}"
        for path, value in message.writes.items():
            try:
                if value is not None:
                    encode(path, value)
            except (TypeError, ValueError, RecursionError) as error:
                return f"{path}: {error}"
        return None

    def _learn_key(self, node: str, message: Message) -> None:
        """Take the key that a node names over a transport that vouches for it."""
        try:
            self.learn(node, VerifyKey.from_text(message.body["key"]))
        except (KeyError, TypeError, ValueError):
            return

    def _signed(self, node: str, entry: Entry) -> bool:
        signature = entry.signature
        return signature is not None and any(
            key.verifies(entry.data, signature) for key in self._keys.get(node, ())
        )


def _decode(data: bytes) -> Message:
    if any(byte in data for byte in (b"\n", b"\r", b"\0")):
        raise MalformedError("more than one line")
    try:
        data.decode()
    except UnicodeDecodeError as error:
        raise MalformedError(f"not UTF-8: {error}") from None
    return Message.decode(data)


def _ended(entry: Entry) -> Position | None:
    """Return where the boot before ended, if the record is the hello that says so.

    Read without the schema: a hello of a newer version must still be followed.
    """
    if entry.seq != 1:
        return None
    try:
        raw: Any = json.loads(entry.data)
        boot, seq = raw["body"]["ended"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    if type(boot) is not int or type(seq) is not int:
        return None
    return boot, seq
