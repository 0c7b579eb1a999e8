"""What the record says of an intent at its end. Pure."""

from dataclasses import dataclass

from ..deferred import Deferred
from ..intents import Plan, PlanKind, Request, Result, Step
from ..messages import Json
from ..reasons import Reason
from .jobs import Intent


@dataclass(frozen=True, kw_only=True)
class Ending:
    """The message that ends an intent."""

    content: str
    body: dict[str, Json]
    writes: dict[str, Json]
    """With what is kept for later, if anything is."""


def ending_of(intent: Intent, plan: Plan, result: Result) -> Ending:
    """Return how to put the end of an intent on record."""
    counts: dict[str, int] = {}
    for step in result.steps:
        counts[step.outcome] = counts.get(step.outcome, 0) + 1
    kept = _kept(intent, plan, result)
    # They have no message of their own: what they were to do stands here.
    untold = [step for step in result.steps if step.event is None]
    return Ending(
        content=f"The intent ended: {_told(counts, plan, result)}.",
        body={
            "kind": plan.kind,
            "planner": plan.source,
            "reason": plan.reason,
            "outcomes": dict(counts),
            "devices": list(dict.fromkeys(step.device for step in untold)),
            "refused": list(map(_refused, untold)),
            "near": list(plan.near),
            "canceled": [one.id for one in result.canceled],
            "model": plan.consultation.as_dict() if plan.consultation else None,
        },
        writes={kept.path: kept.as_dict()} if kept else {},
    )


def _refused(step: Step) -> Json:
    """Return the JSON form of a step that was not done.

    Without its parameters: that they cannot be written may be why.
    """
    return {
        "device": step.device,
        "operation": step.operation,
        "outcome": step.outcome,
        "reason": step.reason,
        "evidence": [item.as_dict() for item in step.evidence],
    }


def _kept(intent: Intent, plan: Plan, result: Result) -> Deferred | None:
    """Return what is kept for later: the plan, or the way back from it."""
    if (due := result.due or result.until) is None:
        return None
    return Deferred(
        id=intent.id,
        due=due,
        wall=due.replace(tzinfo=None) if plan.by_clock else None,
        request=intent.request,
        actions=plan.actions,
        reverts=result.due is None,
    )


def _told(counts: dict[str, int], plan: Plan, result: Result) -> str:
    told = ", ".join(f"{n} {outcome}" for outcome, n in counts.items())
    if result.due is not None:
        return f"it waits until {result.due:%Y-%m-%d %H:%M %Z}"
    if result.until is not None:
        return f"{told}, until {result.until:%Y-%m-%d %H:%M %Z}"
    if result.canceled:
        return f"{len(result.canceled)} plans canceled"
    if plan.kind is PlanKind.QUESTION:
        return f"answered from {len(result.answers) + len(result.waiting)} readings"
    return told or f"nothing done ({plan.reason or 'empty plan'})"


def nothing(request: Request, reason: Reason | None) -> Result:
    """Return the answer to what is not on record."""
    return Result(
        intent="",
        kind=PlanKind.COMMAND,
        language=request.language,
        reason=reason,
    )
