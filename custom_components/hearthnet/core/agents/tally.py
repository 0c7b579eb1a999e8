"""How much was granted lately, for the policy's rates and counts."""

from collections import deque
from dataclasses import dataclass, field

from ..policy.model import Usage

REMEMBERED = 3600.0
"""Seconds for which grants are counted against a policy's rates."""


@dataclass
class Tally:
    """Grants of the last hour, for the policy's rates and counts."""

    grants: deque[tuple[float, str, str]] = field(default_factory=deque)
    """(boot time, principal id, device key), oldest first."""
    moved: dict[str, set[str]] = field(default_factory=dict)
    """Intent to the keys it has moved."""

    def usage(self, now: float, principal: str, intent: str, keys: set[str]) -> Usage:
        """Return what counts against a new grant of `keys`."""
        while self.grants and now - self.grants[0][0] > REMEMBERED:
            self.grants.popleft()
        ages: dict[str, list[float]] = {}
        for at, who, key in self.grants:
            if who == principal:
                ages.setdefault(key, []).append(now - at)
        return Usage(
            devices=len(self.moved.get(intent, set()) - keys),
            ages={key: tuple(seconds) for key, seconds in ages.items()},
        )

    def count(self, now: float, principal: str, intent: str, keys: set[str]) -> None:
        """Count a grant."""
        self.grants.extend((now, principal, key) for key in sorted(keys))
        self.moved.setdefault(intent, set()).update(keys)

    def forget(self, intent: str) -> None:
        """Drop what an intent has moved: it is over."""
        self.moved.pop(intent, None)
