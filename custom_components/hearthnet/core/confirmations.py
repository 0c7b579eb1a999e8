"""Confirmations: a person is asked before something risky happens.

An approval is bound to exactly what was shown (who wants it, which devices,
which operation and values, and the state they were in), not to a commit. It is
good once, for two minutes, within one hub boot, and leads to a new proposal
that is verified like any other.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from .devices import Principal, Values
from .intents import Action, Request
from .messages import Json

LIFE = 120.0
"""Seconds for which a question stands."""
APPROVERS = frozenset({"owner", "resident"})
"""Roles that may answer; guests and children may ask."""


@dataclass(frozen=True, kw_only=True)
class Binding:
    """What a person is shown and agrees to."""

    principal: Principal
    target: tuple[str, ...]
    """Device ids, sorted."""
    operation: str
    parameters: Mapping[str, Json]
    shown: Mapping[str, Values]
    """By device id, the control attributes when the question was asked."""

    def as_dict(self) -> dict[str, Json]:
        """Return the JSON form that the question carries."""
        return {
            "principal": self.principal.as_dict(),
            "target": list(self.target),
            "operation": self.operation,
            "parameters": dict(self.parameters),
            "shown": {device: dict(values) for device, values in self.shown.items()},
        }


@dataclass(frozen=True, kw_only=True)
class Pending:
    """A question that nobody has answered yet."""

    id: str
    """Id of the `confirmation_request`."""
    intent: str | None
    task: str | None
    sentence: str
    binding: Binding
    request: Request
    action: Action
    until: float
    """Boot time at which it is over."""
    expires_at: datetime


class Confirmations:
    """The open questions of this boot."""

    def __init__(self) -> None:
        """Start with none."""
        self._pending: dict[str, Pending] = {}

    def add(self, pending: Pending) -> list[Pending]:
        """Ask a question; return those it replaces.

        A newer wish for one of the same devices ends an older question about
        it: nobody shall approve what is no longer wanted.
        """
        replaced = self.touching(pending.binding.target)
        self.drop(replaced)
        self._pending[pending.id] = pending
        return replaced

    def touching(self, target: tuple[str, ...]) -> list[Pending]:
        """Return the questions about any of some devices."""
        return [
            p for p in self._pending.values() if set(p.binding.target) & set(target)
        ]

    def take(self, question: str, now: float) -> Pending | None:
        """Return a question that still stands, and end it: it is good once."""
        pending = self._pending.get(question)
        if pending is None or pending.until <= now:
            return None
        return self._pending.pop(question)

    def drop(self, questions: list[Pending]) -> None:
        """End questions."""
        for pending in questions:
            self._pending.pop(pending.id, None)

    def over(self, now: float) -> list[Pending]:
        """End and return the questions whose time is over."""
        late = [p for p in self._pending.values() if p.until <= now]
        self.drop(late)
        return late

    def standing(self, now: float) -> tuple[Pending, ...]:
        """Return the questions that stand, oldest first."""
        return tuple(p for p in self._pending.values() if now < p.until)
