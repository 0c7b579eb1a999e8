"""What was thrown away, put on record once and not a thousand times."""

from ..journal import JournalError
from ..messages import MessageType
from ..node import Node, Record
from .inbound import Rejected

SECONDS = 60.0
"""A topic with bad deliveries is reported once in so long."""
SHOWN = 3600.0
"""Seconds for which a topic with bad deliveries is shown to people."""
MAX_TOPICS = 100
"""How many topics are told apart: whoever floods the broker invents them."""


class Reports:
    """Tells of bad deliveries."""

    def __init__(self, node: Node) -> None:
        """Record in the name of `node`."""
        self._node = node
        self._reported: dict[str, float] = {}
        self._rejected: dict[str, Rejected] = {}

    @property
    def rejected(self) -> dict[str, Rejected]:
        """What was thrown away in the last hour, the last of each topic."""
        since = self._node.clock.boottime() - SHOWN
        return {t: r for t, r in self._rejected.items() if self._reported[t] > since}

    def take(self, found: Rejected) -> Record | None:
        """Put it on record; return the event, None if the topic's was just told."""
        now = self._node.clock.boottime()
        if now - self._reported.get(found.topic, -SECONDS) < SECONDS:
            return None
        if len(self._reported) >= MAX_TOPICS:
            return None
        self._reported[found.topic] = now
        self._reported = {t: a for t, a in self._reported.items() if now - a < SHOWN}
        self._rejected = {t: r for t, r in self.rejected.items() if t != found.topic}
        self._rejected[found.topic] = found
        text = f"Thrown away, {found.fault}: {found.topic[:200]}: {found.text[:200]}"
        try:
            return self._node.emit(
                sender=self._node.name,
                to=found.sender or self._node.name,
                type=MessageType.ALERT,
                content=text,
                cause=found.event,
                body={
                    "fault": found.fault,
                    "topic": found.topic[:500],
                    "text": found.text[:500],
                },
            )
        except (JournalError, ValueError):
            # A topic may hold what no message can; what it held is gone already.
            return None
