"""Caps on what models may use: per intent and per day, in calls, tokens, seconds.

Past a cap there is no model, only the sentences and playbooks that need none, and a
clear word. Time comes in as a parameter, and what was spent can be kept, so that a
restart is no way around a cap.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

from ..messages import Json
from ..reasons import Reason
from .errors import PlannerError


@dataclass(frozen=True, kw_only=True)
class Amount:
    """Calls, tokens (in and out, cached ones too) and seconds of waiting."""

    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0

    def __add__(self, other: "Amount") -> "Amount":
        return Amount(
            calls=self.calls + other.calls,
            tokens=self.tokens + other.tokens,
            seconds=self.seconds + other.seconds,
        )

    def as_dict(self) -> dict[str, Json]:
        """Return the JSON form."""
        return {
            "calls": self.calls,
            "tokens": self.tokens,
            "seconds": round(self.seconds, 3),
        }


PER_INTENT = Amount(calls=4, tokens=40_000, seconds=40)
"""Two rounds, each with a retry, of the largest prompt."""
PER_DAY = Amount(calls=500, tokens=2_000_000, seconds=3_600)


@dataclass
class Budget:
    """What may be used, and what was used today.

    Intents that run at once share the day's cap; each may exceed it by the one call
    that it is in, whose size the prompt's and the answer's limits bound.
    """

    per_intent: Amount = PER_INTENT
    per_day: Amount = PER_DAY
    day: date | None = None
    """The local day that `spent` belongs to."""
    spent: Amount = field(default_factory=Amount)

    def today(self, now: datetime) -> Amount:
        """Return what was used on the local day of `now`."""
        return self.spent if now.date() == self.day else Amount()

    def charge(self, amount: Amount, now: datetime) -> None:
        """Note that something was used at `now`, local time."""
        self.spent = self.today(now) + amount
        self.day = now.date()

    def check(self, intent: Amount, now: datetime) -> None:
        """See that one more call may be made.

        Args:
            intent: what the intent has used so far.
            now: local time.

        Raises:
            PlannerError: `BUDGET_SPENT`, naming the cap.
        """
        for name, used, cap in (
            ("intent", intent, self.per_intent),
            ("day", self.today(now), self.per_day),
        ):
            if (what := _exceeded(used, cap)) is not None:
                raise PlannerError(Reason.BUDGET_SPENT, f"{what} per {name}")

    def seconds_left(self, intent: Amount, now: datetime) -> float:
        """Return how long a call may take under both caps."""
        return max(
            0.0,
            min(
                self.per_intent.seconds - intent.seconds,
                self.per_day.seconds - self.today(now).seconds,
            ),
        )

    def as_dict(self) -> dict[str, Json]:
        """Return what is to be kept over a restart."""
        day = self.day.isoformat() if self.day else None
        return {"day": day, "spent": self.spent.as_dict()}

    def restore(self, data: Mapping[str, Json]) -> None:
        """Take over what `as_dict` returned; a broken one counts as nothing spent."""
        day, spent = data.get("day"), data.get("spent")
        if not isinstance(day, str) or not isinstance(spent, Mapping):
            return
        try:
            self.day = date.fromisoformat(day)
        except ValueError:
            return
        self.spent = Amount(
            calls=int(_number(spent.get("calls"))),
            tokens=int(_number(spent.get("tokens"))),
            seconds=_number(spent.get("seconds")),
        )


def _exceeded(used: Amount, cap: Amount) -> str | None:
    """Return which cap leaves no room for another call, if one does."""
    if used.calls >= cap.calls:
        return "calls"
    if used.tokens >= cap.tokens:
        return "tokens"
    return "seconds" if used.seconds >= cap.seconds else None


def _number(value: Json) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    return max(0.0, float(value))
