"""How fast a chat may be written to. Pure; the clock comes in."""

from collections import deque

MOST = 20
"""Messages that Telegram takes for a group within `WITHIN` seconds, edits too."""
WITHIN = 60.0
APART = 1.0
"""Seconds between two messages to one chat."""


class Pace:
    """Remembers when messages went out, to tell when the next may."""

    def __init__(self) -> None:
        """Start rested."""
        self._sent: deque[float] = deque(maxlen=MOST)
        self._resume = 0.0

    def wait(self, now: float) -> float:
        """Return how many seconds the next message has to wait."""
        soonest = [now, self._resume]
        if self._sent:
            soonest.append(self._sent[-1] + APART)
        if len(self._sent) == MOST:
            soonest.append(self._sent[0] + WITHIN)
        return max(soonest) - now

    def sent(self, now: float) -> None:
        """Note that one went out."""
        self._sent.append(now)

    def hold(self, until: float) -> None:
        """Send nothing before a moment: the other side said so."""
        self._resume = max(self._resume, until)
