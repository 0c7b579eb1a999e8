"""Each node's events: in order, none missing, each signed by its key. Pure."""

from collections.abc import Iterator, Mapping, Sequence

from hearthnet.core.keys import VerifyKey, follow
from hearthnet.core.librarian.reader import encode
from hearthnet.core.librarian.record import Event
from hearthnet.core.messages import Message, MessageType, Position
from hearthnet.core.paths import foreign
from hearthnet.core.view import View

from .findings import Rule

type Problem = tuple[str, str]
"""(rule, text)"""


class Nodes:
    """Where each node's sequence stands, and its key."""

    def __init__(
        self,
        trusted: Mapping[str, VerifyKey],
        chain: Sequence[Mapping[str, str]],
    ) -> None:
        """Take the keys that are known from elsewhere, and the hub's chain of keys.

        A node whose key is not among them is believed its first one.
        """
        self._trusted = trusted
        self._chain = chain
        self.keys: dict[str, VerifyKey] = dict(trusted)
        self.last: dict[str, Position] = {}
        self.notes: list[str] = []

    def take(self, event: Event) -> Iterator[Problem]:
        """Take the next event and yield what is wrong with its place or signature."""
        yield from self._place(event)
        self.last[event.id.node] = max(
            event.id.position, self.last.get(event.id.node, (0, 0))
        )
        hello = event.message is not None and event.message.type is MessageType.HELLO
        if hello:
            yield from self._key(event)
        key = self.keys.get(event.id.node)
        if key is None:
            yield Rule.SIGNATURE, f"{event.id.node} has not named a key yet"
        elif event.signature is None:
            yield Rule.SIGNATURE, "the event is not signed"
        elif not key.verifies(event.data, event.signature):
            text = f"not signed by the key {key.fingerprint} of {event.id.node}"
            yield Rule.SIGNATURE, text

    def _place(self, event: Event) -> Iterator[Problem]:
        last, here = self.last.get(event.id.node, (0, 0)), event.id.position
        if here <= last:
            yield Rule.ORDER, f"it stands after {event.id.node}.{last[0]}.{last[1]}"
            return
        if here == (last[0], last[1] + 1):
            return
        ended = _ended(event)
        if ended is None or ended > last:
            text = f"events of {event.id.node} after {last[0]}.{last[1]} are missing"
            yield Rule.GAP, text
        elif ended < last:
            self.notes.append(
                f"{event.id}: {event.id.node} went back to {ended[0]}.{ended[1]}, as"
                " after a restore"
            )

    def _key(self, event: Event) -> Iterator[Problem]:
        """Take the key that a node's start names."""
        assert event.message is not None
        node, text = event.id.node, event.message.body.get("key")
        try:
            named = VerifyKey.from_text(str(text))
        except ValueError:
            yield Rule.KEY, f"{node} names no key"
            return
        known = self.keys.get(node)
        if known not in (None, named) and follow(known, self._chain) != named:
            text = f"{node} names the key {named.fingerprint} after {known.fingerprint}"
            yield Rule.KEY, text
            if node in self._trusted:
                return  # what is known from elsewhere stays
        self.keys[node] = named


def quarantine(event: Event, view: View) -> str | None:
    """Return why an event counts for nothing, as the librarian would; else None."""
    message = event.message
    if message is None:
        return _broken(event.data)
    if message.event != event.id:
        return f"it stands at {event.id} in the journal"
    if message.type is MessageType.GRANT and event.signature is None:
        return f"the grant is not signed by {event.id.node}"
    writers = {
        path: version.partition(".")[0]
        for path in message.writes
        if view.get(path) is not None and (version := view.version(path)) is not None
    }
    if path := foreign(event.id.node, message.writes, writers):
        return f"{event.id.node} may not write {path}"
    for path, value in message.writes.items():
        try:
            if value is not None:
                encode(path, value)
        except (TypeError, ValueError, RecursionError) as error:
            return f"{path}: {error}"
    return None


def _broken(data: bytes) -> str | None:
    """Return why bytes are no message, or None."""
    if any(byte in data for byte in (b"\n", b"\r", b"\0")):
        return "more than one line"
    try:
        data.decode()
        Message.decode(data)
    except ValueError as error:
        return str(error)
    return None


def _ended(event: Event) -> Position | None:
    """Return where the boot before ended, if the event is the start that says so."""
    if event.id.seq != 1 or event.message is None:
        return None
    match event.message.body.get("ended"):
        case [int(boot), int(seq)]:
            return boot, seq
    return None
