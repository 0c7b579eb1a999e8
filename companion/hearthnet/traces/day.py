"""A day out of a record: the events of a trace, and the state before them. Pure.

A day begins and ends at moments at which nothing is under way. What was half done at
its beginning would have come from nowhere, and what is half done at its end goes on
when it is played. A record is long, so only what may belong to the day is kept.
"""

from collections.abc import Iterator
from datetime import datetime

from hearthnet.core.messages import EventId, Message, MessageType, Position
from hearthnet.core.paths import HUB
from hearthnet.core.view import View


class Day:
    """Takes a record's events one after another, the oldest first."""

    def __init__(self) -> None:
        """Begin before the first one."""
        self.before = View()
        """The state before the messages."""
        self.messages: list[Message] = []
        self.first: int | None = None
        """The place in them at which the day shall begin."""
        self._work = _UnderWay()
        self._quiet = 0

    def begin(self) -> None:
        """Let the day begin with the next event, or as little before as it may."""
        self._forget()
        self.first = len(self.messages)

    def take(self, message: Message) -> None:
        """Take the next event."""
        if self.first is None:
            self._forget()
        self.messages.append(message)
        if message.event.node == HUB:
            self._work.take(message)
        if not self._work.any(message.at):
            self._quiet = len(self.messages)

    def _forget(self) -> None:
        """Keep of what was before the last quiet moment only what came of it."""
        for message in self.messages[: self._quiet]:
            self.before.apply(message)
        del self.messages[: self._quiet]
        self._quiet = 0

    def span(self) -> tuple[int, int]:
        """Return the places at which it can begin and end, no later than it shall.

        It begins before the grant of each lease that is used in it, and has the cause
        of each of its events: a phone's journal may be recorded after the hub's.
        """
        first = self.first or 0
        end = self._quiet
        while (place := self._without_cause(first, end)) < end:
            end = self._quiet_until(place)
        places = {message.id: place for place, message in enumerate(self.messages)}
        while True:
            first = self._quiet_until(first)
            granted = (places.get(lease, first) for lease in self._leases(first, end))
            if (place := min(granted, default=first)) >= first:
                return first, end
            first = place

    def earlier(self, first: int, end: int) -> str | None:
        """Return the oldest lease that is used in it and older than all of it."""
        known = self.before.position.get(HUB, (0, 0))
        leases = map(EventId.parse, self._leases(first, end))
        older = [one.position for one in leases if one.position <= known]
        return str(EventId(HUB, *min(older))) if older else None

    def _leases(self, first: int, end: int) -> Iterator[str]:
        for message in self.messages[first:end]:
            if message.type is MessageType.TASK and message.lease:
                yield message.lease

    def _quiet_until(self, place: int) -> int:
        """Return the last place, not after `place`, at which nothing was under way."""
        work, found = _UnderWay(), 0
        for number, message in enumerate(self.messages[:place], 1):
            if message.event.node == HUB:
                work.take(message)
            if not work.any(message.at):
                found = number
        return found

    def _without_cause(self, first: int, end: int) -> int:
        """Return the place of the first event whose cause is yet to come, or `end`."""
        last: dict[str, Position] = dict(self.before.position)
        places: dict[str, int] = {}
        for place, message in enumerate(self.messages):
            places[message.id] = place
            last[message.event.node] = message.event.position
        for place in range(first, end):
            if (cause := self.messages[place].cause) is None:
                continue
            event = EventId.parse(cause)
            # What is older than what is on record will not come any more.
            to_come = event.position > last.get(event.node, event.position)
            if places.get(cause, end if to_come else -1) >= end:
                return place
        return end


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
