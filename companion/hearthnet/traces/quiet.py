"""Moments at which nothing is under way: there a trace can begin and end. Pure.

What was half done at its beginning would have come from nowhere, and what is half
done at its end goes on when it is played.
"""

from collections.abc import Sequence
from datetime import datetime

from hearthnet.core.messages import EventId, Message, MessageType, Position
from hearthnet.core.paths import HUB


def span(messages: Sequence[Message], first: int, end: int) -> tuple[int, int]:
    """Return where a trace can begin and end: not after `first`, not after `end`.

    It begins before the grant of each lease that is used in it, and has the cause of
    each of its events: a phone's journal may be recorded after the hub's.
    """
    end = quiet(messages, end)
    while (place := _without_cause(messages, first, end)) < end:
        end = quiet(messages, place)
    granted = {
        message.id: place
        for place, message in enumerate(messages[:first])
        if message.type is MessageType.GRANT
    }
    while True:
        first = quiet(messages, first)
        used = {
            message.lease
            for message in messages[first:end]
            if message.type is MessageType.TASK and message.lease
        }
        before = [granted[lease] for lease in used & granted.keys()]
        if min(before, default=first) >= first:
            return first, end
        first = min(before)


def _without_cause(messages: Sequence[Message], first: int, end: int) -> int:
    """Return the place of the first event whose cause is yet to come, else `end`."""
    last: dict[str, Position] = {}
    places: dict[str, int] = {}
    for place, message in enumerate(messages):
        places[message.id] = place
        last[message.event.node] = message.event.position
    for place in range(first, end):
        if (cause := messages[place].cause) is None:
            continue
        event = EventId.parse(cause)
        # What is older than what is on record will not come any more.
        to_come = event.position > last.get(event.node, event.position)
        if places.get(cause, end if to_come else -1) >= end:
            return place
    return end


def quiet(messages: Sequence[Message], place: int) -> int:
    """Return the last place, not after `place`, at which nothing was under way."""
    work = _UnderWay()
    found = 0
    for number, message in enumerate(messages[:place], 1):
        if message.event.node == HUB:
            work.take(message)
        if not work.any(message.at):
            found = number
    return found


class _UnderWay:
    """Intents, questions and leases that have not come to an end."""

    def __init__(self) -> None:
        self._boot = 0
        self._intents: set[str] = set()
        self._kept: set[str] = set()
        """Tasks whose lease is for later use."""
        self._waiting: dict[str, datetime | None] = {}
        """Questions and leases for later, to when their time is over."""

    def take(self, message: Message) -> None:
        """Take the hub's next event."""
        match message.type:
            case MessageType.INTENT:
                if message.event.boot != self._boot:
                    self._clear()  # what an earlier start began is dead
                self._boot = message.event.boot
                self._intents.add(message.id)
                self._waiting.pop(message.cause or "", None)
            case MessageType.RESOLUTION if message.cause == message.intent:
                self._intents.discard(message.intent or "")
            case MessageType.RECOVERY:
                self._clear()
            case MessageType.TASK if message.body.get("lease_only"):
                self._kept.add(message.id)
            case MessageType.GRANT if message.task in self._kept:
                self._waiting[message.id] = message.expires_at
            case MessageType.CONFIRMATION_REQUEST:
                self._waiting[message.id] = message.expires_at
            case MessageType.CONFIRMATION if message.body.get("answer") != "approved":
                # What was agreed to is asked for anew, by an intent that names it.
                self._waiting.pop(message.cause or "", None)
            case MessageType.EXECUTE | MessageType.REFUSAL | MessageType.REVOCATION:
                self._waiting.pop(message.lease or "", None)

    def any(self, now: datetime) -> bool:
        """Tell whether something is under way."""
        for name, until in list(self._waiting.items()):
            if until is not None and until <= now:
                del self._waiting[name]
        return bool(self._intents or self._waiting)

    def _clear(self) -> None:
        self._intents.clear()
        self._kept.clear()
        self._waiting.clear()
