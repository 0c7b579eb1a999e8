"""How much was granted lately, for the policy's rates and counts."""

from collections import deque
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from ..policy.model import Usage

REMEMBERED = 3600.0
"""Seconds for which grants are counted against a policy's rates."""

type _Whose = tuple[str, str]
"""A principal's id and a device's key."""


@dataclass
class Tally:
    """Grants of the last hour, for the policy's rates and counts."""

    _order: deque[tuple[float, _Whose]] = field(default_factory=deque)
    """Every grant with its boot time, oldest first."""
    _times: dict[_Whose, deque[float]] = field(default_factory=dict)
    """The same: a busy hour has thousands, and each decision asks about few."""
    _moved: dict[str, set[str]] = field(default_factory=dict)
    """Intent to the keys it has moved."""

    def usage(
        self, now: float, principal: str, intent: str, keys: AbstractSet[str]
    ) -> Usage:
        """Return what counts against a new grant of `keys`."""
        while self._order and now - self._order[0][0] > REMEMBERED:
            _, whose = self._order.popleft()
            self._times[whose].popleft()
            if not self._times[whose]:
                del self._times[whose]
        return Usage(
            devices=len(self._moved.get(intent, set()) - keys),
            ages={
                key: tuple(now - at for at in times)
                for key in keys
                if (times := self._times.get((principal, key)))
            },
        )

    def count(
        self, now: float, principal: str, intent: str, keys: AbstractSet[str]
    ) -> None:
        """Count a grant."""
        for key in keys:
            self._order.append((now, (principal, key)))
            self._times.setdefault((principal, key), deque()).append(now)
        self._moved.setdefault(intent, set()).update(keys)

    def forget(self, intent: str) -> None:
        """Drop what an intent has moved: it is over."""
        self._moved.pop(intent, None)
