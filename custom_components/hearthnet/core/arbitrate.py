"""Conflicts between a wish and what is held: code decides, on evidence."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from .devices import Principal
from .effects import Effect
from .holds import PERSONS, Hold, Kind, SourceClass
from .policy.model import PersonOrder, Policy


class Answer(StrEnum):
    """What becomes of an action that meets holds."""

    FREE = "free"
    """Nothing that is held would change."""
    YIELDS = "yields"
    """The holds yield: the action may run, and its receipt ends them."""
    ASK = "ask"
    """A tie that the policy leaves open: a person is asked (keep or yield)."""
    REFUSED = "refused"
    """A stronger, or by the policy's order better, source holds it."""


@dataclass(frozen=True)
class Conflict:
    """A hold in the way of an effect, and which of the two gives way."""

    hold: Hold
    effect: Effect
    answer: Answer
    why: str


@dataclass(frozen=True)
class Arbitration:
    """The answer to an action, with every hold it met as evidence."""

    answer: Answer
    conflicts: tuple[Conflict, ...] = ()

    @property
    def obstacle(self) -> Conflict | None:
        """The first hold that does not yield."""
        unyielding = (Answer.ASK, Answer.REFUSED)
        return next((c for c in self.conflicts if c.answer in unyielding), None)


_STRICTNESS = list(Answer)


def arbitrate(
    effects: Iterable[Effect],
    source: SourceClass,
    principal: Principal,
    holds: Iterable[Hold],
    *,
    now: datetime | None,
    policy: Policy,
) -> Arbitration:
    """Return whether effects may run against what is held.

    Args:
        effects: what the action would change; none for a stop.
        source: whose wish the action is.
        principal: who wishes it.
        holds: the holds known, ended ones among them.
        now: the time, aware; None when the clock is not trusted: then no hold
            has ended.
        policy: says in which order persons stand.
    """
    live = [hold for hold in holds if hold.is_live(now)]
    conflicts = tuple(
        Conflict(hold, effect, *judge(hold, source, principal, policy))
        for effect in effects
        for hold in live
        if hold.against(effect)
    )
    answers = [conflict.answer for conflict in conflicts]
    return Arbitration(
        max(answers, key=_STRICTNESS.index, default=Answer.FREE), conflicts
    )


def judge(
    hold: Hold, source: SourceClass, principal: Principal, policy: Policy
) -> tuple[Answer, str]:
    """Return whether one hold yields to a source, and why."""
    who = hold.principal.name
    if hold.kind is Kind.QUIET:
        if source <= SourceClass.SCHEDULE:
            return Answer.REFUSED, "a switch was pressed a short while ago"
        return Answer.FREE, "only schedules and agents keep off"
    wish, held = _name(source), _name(hold.source)
    if source > hold.source:
        return Answer.YIELDS, f"{wish} is stronger than {held} of {who}"
    if source < hold.source:
        return Answer.REFUSED, f"{wish} is weaker than {held} of {who}"
    if principal.is_same_as(hold.principal):
        return Answer.YIELDS, f"{who} changes what {who} wished"
    if source not in PERSONS:
        return Answer.ASK, f"{wish} meets {held} of {who}, and neither is stronger"
    if policy.persons is PersonOrder.ROLE:
        mine, theirs = _rank(policy, principal), _rank(policy, hold.principal)
        if mine < theirs:
            return Answer.YIELDS, f"{principal.role} comes before {who}'s role"
        if mine > theirs:
            return Answer.REFUSED, f"{who}'s role comes before {principal.role}"
    return Answer.YIELDS, f"the newer wish counts, and {who}'s is older"


def _name(source: SourceClass) -> str:
    return {
        SourceClass.AGENT: "an agent's initiative",
        SourceClass.SCHEDULE: "a schedule",
        SourceClass.AUTOMATION: "an automation",
        SourceClass.STANDING: "a standing wish",
        SourceClass.PERSON: "a person's wish",
        SourceClass.SAFETY: "a safety automation",
    }[source]


def _rank(policy: Policy, principal: Principal) -> int:
    """Return the place of a principal's role; roles not listed come last."""
    try:
        return policy.roles.index(principal.role)
    except ValueError:
        return len(policy.roles)
