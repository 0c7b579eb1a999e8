"""What a start needs of all that a journal holds: little, however long it is.

What is over (an intent with its end, a lease with its receipt) is left out together
with what ended it. So whoever goes through the rest comes to the same as by going
through all.
"""

from collections import deque
from collections.abc import Iterable, Iterator

from .clock_trust import CONFIRMED
from .messages import Message, MessageType
from .node import Record

RECENT = 2100
"""How many of the newest are kept whatever they are: more than the chronicle tells."""


class Lasting:
    """Looks on while a journal is read."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._intents: dict[str, Record] = {}
        self._grants: dict[str, Record] = {}
        self._confirmed: Record | None = None
        self._newest: Record | None = None
        """That of the latest time, since somebody said that the clock is right."""
        self._recent: deque[Record] = deque(maxlen=RECENT)

    def watching(self, records: Iterable[Record]) -> Iterator[Record]:
        """Yield the records, oldest first, and keep what lasts."""
        for record in records:
            self._take(record)
            yield record

    @property
    def records(self) -> tuple[Record, ...]:
        """What lasts, oldest first."""
        one = (record for record in (self._confirmed, self._newest) if record)
        kept = (*self._intents.values(), *self._grants.values(), *one, *self._recent)
        found = {record.message.event.position: record for record in kept}
        return tuple(found[position] for position in sorted(found))

    def _take(self, record: Record) -> None:
        message = record.message
        self._recent.append(record)
        self._note_time(record)
        match message.type:
            case MessageType.INTENT:
                self._intents[message.id] = record
            case MessageType.GRANT:
                self._grants[message.id] = record
            case MessageType.RECOVERY:
                self._intents.clear()
            case MessageType.RESOLUTION if message.cause == message.intent:
                self._intents.pop(message.intent or "", None)
        if message.lease is not None and _ends(message):
            self._grants.pop(message.lease, None)

    def _note_time(self, record: Record) -> None:
        message = record.message
        if message.type is MessageType.ALERT and CONFIRMED in message.body:
            self._confirmed = self._newest = record
        elif self._newest is None or message.at > self._newest.message.at:
            self._newest = record


def _ends(message: Message) -> bool:
    """Tell whether a message says that its lease can no longer be used."""
    return message.type in (MessageType.RECEIPT, MessageType.RESOLUTION) or (
        message.type is MessageType.REFUSAL and bool(message.body.get("over"))
    )
