"""Whose turn it is: an older wish never undoes what a newer one was granted.

Wishes for one device may come faster than it can follow them, as from a slider.
Each that lost a race is grounded afresh; without an order among them the last
to be granted would win, which is not the last that was wished.
"""

from collections.abc import Collection
from dataclasses import dataclass

from ..assignment import Assignment
from ..holds import SourceClass
from ..intents import Evidence
from ..leases import Lease
from ..messages import EventId, Position
from ..reasons import Reason


@dataclass(frozen=True)
class _Turn:
    wished: Position
    source: SourceClass
    lease: str
    intent: str


class Turns:
    """Remembers for each device the newest wish that was granted, of each strength."""

    def __init__(self) -> None:
        """Start a boot: nothing was wished yet."""
        self._newest: dict[str, dict[SourceClass, _Turn]] = {}
        """By `Device.key`. A weaker wish that came in between hides no stronger one."""

    def granted(self, keys: Collection[str], lease: Lease, task: Assignment) -> None:
        """Note a grant; one at a time is wished for, so the newest is the last."""
        wished = EventId.parse(task.task.intent).position
        turn = _Turn(wished, task.source, lease.id, task.task.intent)
        for key in keys:
            self._newest.setdefault(key, {})[task.source] = turn

    def later(self, keys: Collection[str], task: Assignment) -> Evidence | None:
        """Return the newer wish, no weaker than this one, that was granted before."""
        wished = EventId.parse(task.task.intent).position
        later = [
            turn
            for key in keys
            for turn in self._newest.get(key, {}).values()
            if turn.wished > wished and turn.source >= task.source
        ]
        if not later:
            return None
        turn = max(later, key=lambda turn: turn.wished)
        return Evidence(
            code=Reason.SUPERSEDED,
            text=f"the later request {turn.intent} was granted before",
            event=turn.intent,
            lease=turn.lease,
            intent=turn.intent,
        )
