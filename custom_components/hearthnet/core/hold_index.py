"""The holds of a view, found by the device that they lie on.

A home may keep thousands of holds, and each decision asks for those of a few
devices. What the view has learned since the last question is all that is read.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from heapq import heappop, heappush

from .holds import Hold
from .view import View

HOLDS = "holds"
KEPT = timedelta(hours=1)
"""How long a hold stays on record after its end."""
SWEPT = 100
"""How many of those that are over go at once."""


class HoldIndex:
    """Follows the holds of a view, ended ones too."""

    def __init__(self, view: View) -> None:
        """Follow `view`, whatever it becomes."""
        self._view = view
        self._seen = 0
        self._holds: dict[str, Hold] = {}
        self._on: dict[str, dict[str, Hold]] = {}
        """Device key, members' too, to the holds on it by path."""
        self._ends: list[tuple[datetime, str]] = []

    def all(self) -> tuple[Hold, ...]:
        """Return all of them, in the order of their paths."""
        self._refresh()
        return _ordered(self._holds)

    def on(self, devices: Iterable[str]) -> tuple[Hold, ...]:
        """Return those that lie on any of the devices, in the order of their paths."""
        self._refresh()
        found: dict[str, Hold] = {}
        for device in devices:
            found.update(self._on.get(device, {}))
        return _ordered(found)

    def over(self, now: datetime) -> dict[str, None]:
        """Return the paths of holds that nobody needs any more, as writes.

        They have been over for a while: a lease that was decided on one while it
        stood is over too, and a clock that was ahead had the time to come back.
        """
        self._refresh()
        looked = []
        found: dict[str, None] = {}
        while self._ends and self._ends[0][0] <= now - KEPT and len(found) < SWEPT:
            ends_at, path = heappop(self._ends)
            if path in self._holds:
                looked.append((ends_at, path))
                found[path] = None
        for one in looked:  # until they are gone, somebody may ask again
            heappush(self._ends, one)
        return found

    def _refresh(self) -> None:
        moment = self._view.order_in(HOLDS)
        if moment == self._seen:
            return
        for path in self._view.changed_in(HOLDS, since=self._seen):
            if (old := self._holds.pop(path, None)) is not None:
                for device in (old.device, *old.members):
                    self._on[device].pop(path, None)
            if (value := self._view.get(path)) is not None:
                self._add(
                    path, Hold.from_dict(value if isinstance(value, dict) else {})
                )
        self._seen = moment

    def _add(self, path: str, hold: Hold) -> None:
        self._holds[path] = hold
        for device in (hold.device, *hold.members):
            self._on.setdefault(device, {})[path] = hold
        heappush(self._ends, (hold.ends_at, path))


def _ordered(holds: dict[str, Hold]) -> tuple[Hold, ...]:
    return tuple(hold for _, hold in sorted(holds.items(), key=lambda item: item[0]))
