"""Whether the wall clock can be right: it is never behind what was recorded."""

from datetime import datetime, timedelta

from .messages import Message, MessageType
from .node import Node

SLACK = timedelta(seconds=2)
"""How far the wall clock may be behind the last event and still be trusted."""
CONFIRMED = "clock_confirmed"
"""Marks the alert with which a person says that the clock is right."""


class ClockTrust:
    """Compares the clock with the newest event of a node, over all its boots.

    Events recorded with a clock that ran ahead would make every later one
    untrusted until that date; a person's word sets the comparison anew.
    """

    def __init__(self, node: Node) -> None:
        """Follow `node` from now on."""
        self._clock = node.clock
        self._newest: datetime | None = None
        node.subscribe(lambda record: self.learn(record.message))

    def learn(self, message: Message) -> None:
        """Take an event, in the order in which they were recorded."""
        confirmed = message.type is MessageType.ALERT and CONFIRMED in message.body
        if confirmed or self._newest is None:
            self._newest = message.at
        else:
            self._newest = max(message.at, self._newest)

    @property
    def ahead(self) -> datetime | None:
        """When the newest event was, if the clock is behind it; else None."""
        newest = self._newest
        behind = newest is not None and self._clock.now() < newest - SLACK
        return newest if behind else None

    @property
    def now(self) -> datetime | None:
        """The wall-clock time; None while it cannot be right."""
        return None if self.ahead else self._clock.now()
