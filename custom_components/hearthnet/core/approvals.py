"""Standing approvals: a person agrees to the same again, until a stated time.

“For this routine until 23:00.” An approval is bound as the question was that it
answers, to who wants it, which devices, which operation and values; only the state
is free, for a routine does its thing again and again. It is in the record, with its
end; everything else that speaks against an action still does.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Self

from .clock import from_text, to_text
from .confirmations import Binding
from .devices import Principal
from .messages import Json, MalformedError

FOLDER = "approvals"
LONGEST = timedelta(hours=24)
"""How far ahead an approval may end."""
EVENING = 23
"""The hour until which a chat offers to approve."""
TOO_SOON = timedelta(minutes=30)
"""Less than this until the evening is not worth it: the next one is meant."""


@dataclass(frozen=True, kw_only=True)
class Approval:
    """What a person has agreed to beforehand."""

    id: str
    """The question that was answered so."""
    by: Principal
    principal: Principal
    """Who may have it done."""
    target: tuple[str, ...]
    """Device ids, sorted."""
    operation: str
    parameters: Mapping[str, Json]
    since: datetime
    until: datetime

    @property
    def path(self) -> str:
        """The path of the approval in the record."""
        return f"{FOLDER}/{self.id}.json"

    def stands(self, now: datetime | None) -> bool:
        """Tell whether it counts; never while the clock is not trusted."""
        return now is not None and self.since <= now < self.until

    def covers(
        self,
        principal: Principal,
        target: tuple[str, ...],
        operation: str,
        parameters: Mapping[str, Json],
    ) -> bool:
        """Tell whether it is about exactly this; a principal's name does not count."""
        return (
            (self.principal.kind, self.principal.id) == (principal.kind, principal.id)
            and self.principal.role == principal.role
            and self.target == target
            and self.operation == operation
            and dict(self.parameters) == dict(parameters)
        )

    def as_dict(self) -> dict[str, Json]:
        """Return the JSON form in which the record keeps it."""
        return {
            "id": self.id,
            "by": self.by.as_dict(),
            "principal": self.principal.as_dict(),
            "target": list(self.target),
            "operation": self.operation,
            "parameters": dict(self.parameters),
            "since": to_text(self.since),
            "until": to_text(self.until),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read the JSON form; MalformedError when it has another shape."""
        try:
            return cls(
                id=str(data["id"]),
                by=Principal.from_dict(data["by"]),
                principal=Principal.from_dict(data["principal"]),
                target=tuple(map(str, data["target"])),
                operation=str(data["operation"]),
                parameters=dict(data["parameters"]),
                since=from_text(data["since"]),
                until=from_text(data["until"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise MalformedError(f"not an approval: {error!r}") from None

    @classmethod
    def of(
        cls,
        question: str,
        binding: Binding,
        by: Principal,
        *,
        since: datetime,
        until: datetime,
    ) -> Self:
        """Agree to what a question asked, and to the same until `until`.

        Raises:
            ValueError: that is no time ahead, or too far.
        """
        if not since < until <= since + LONGEST:
            raise ValueError(f"until {until:%Y-%m-%d %H:%M} is not within a day")
        return cls(
            id=question,
            by=by,
            principal=binding.principal,
            target=binding.target,
            operation=binding.operation,
            parameters=binding.parameters,
            since=since,
            until=until,
        )


def this_evening(now: datetime) -> datetime:
    """Return the end that is offered for a routine: this evening, local time.

    Late in the evening that is the next one, as far as an approval may go.
    """
    evening = now.replace(hour=EVENING, minute=0, second=0, microsecond=0)
    if evening - now >= TOO_SOON:
        return evening
    return min(evening + timedelta(days=1), now + LONGEST)
