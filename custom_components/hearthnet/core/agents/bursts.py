"""Who asks far too often: an automation in a loop, a satellite beside a television.

Policy caps how often a device may change. This caps what is taken in at all, so that
a loop can neither fill the record nor keep Rupert from everybody else.
"""

from collections import deque
from dataclasses import dataclass, field
from datetime import datetime

from ..devices import Principal
from ..status import BurstStatus

WINDOW = 60.0
"""Seconds in which requests are counted."""
FROM_SATELLITE = 20
"""Requests a window that a satellite may hear."""
FROM_PROGRAM = 60
"""Requests a window of an automation or another program. Persons are not counted."""
SHOWN = 600.0
"""Seconds after its last refused request for which a burst is shown."""


@dataclass
class _Burst:
    principal: Principal
    asked: deque[float] = field(default_factory=deque)
    """Boot times of all requests of the last window, refused ones too."""
    refused: int = 0
    """In a row, since the first that was too many."""
    since: datetime | None = None
    last: float = 0.0


class Bursts:
    """Counts the requests of each principal."""

    def __init__(self) -> None:
        """Start with nobody."""
        self._of: dict[tuple[str, str], _Burst] = {}

    def refuses(self, principal: Principal, boottime: float, now: datetime) -> int:
        """Count a request; return how many in a row were too many, 0 if it is taken."""
        if (most := _most(principal)) is None:
            return 0
        key = principal.kind, principal.id
        burst = self._of.setdefault(key, _Burst(principal))
        while burst.asked and boottime - burst.asked[0] >= WINDOW:
            burst.asked.popleft()
        burst.asked.append(boottime)
        if len(burst.asked) <= most:
            burst.refused = 0
            return 0
        burst.asked.popleft()  # as many as are needed to go on refusing
        if burst.refused == 0:
            burst.since = now
        burst.refused += 1
        burst.last = boottime
        return burst.refused

    def standing(self, boottime: float) -> tuple[BurstStatus, ...]:
        """Return who has asked too often lately."""
        return tuple(
            BurstStatus(
                principal=burst.principal.name,
                id=burst.principal.id,
                since=burst.since,
                refused=burst.refused,
            )
            for burst in self._of.values()
            if burst.since is not None and boottime - burst.last < SHOWN
        )


def _most(principal: Principal) -> int | None:
    """Return how many requests a window are taken of somebody; None: all."""
    if principal.kind == "satellite":
        return FROM_SATELLITE
    return FROM_PROGRAM if principal.role in ("automation", "agent") else None
