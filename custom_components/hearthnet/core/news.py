"""What is new of a hub, for whoever waits for it: between two statuses. Pure."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from .devices import Device, Principal, Values
from .intents import PlanKind, Result, Waiting
from .reasons import Outcome, Reason
from .status import Cause, HoldStatus, HubStatus, QuestionStatus


@dataclass(frozen=True, kw_only=True)
class Finished:
    """An intent that has come to its end."""

    intent: str
    text: str
    principal: str
    kind: PlanKind
    complete: bool
    """Every step was read back as done."""
    reason: Reason | None
    """Why nothing was planned."""
    outcomes: tuple[Outcome, ...]
    """One a step."""


@dataclass(frozen=True, kw_only=True)
class AgentLost:
    """An agent that was online and is not any more."""

    name: str


@dataclass(frozen=True, kw_only=True)
class HoldEnded:
    """What was held on a device, and now by nobody."""

    device: str
    """`Device.key`."""
    attributes: tuple[str, ...]
    principal: str
    """Who had asked for it."""
    expired: bool
    """Its time was over; else it was released, or a stronger or newer wish won."""


@dataclass(frozen=True, kw_only=True)
class HoldBroken:
    """A device was changed past HearthNet, against what is held still."""

    event: str
    """The observation."""
    device: Device
    values: Values
    """What it shows now."""
    cause: Cause
    principal: Principal | None
    """Who did it, if that is known; an automation too."""
    holds: tuple[HoldStatus, ...]


@dataclass(frozen=True, kw_only=True)
class PlanFailed:
    """A plan for later that was not done, or not wholly, when its time had come."""

    plan: Waiting
    result: Result | None
    """What came of it; None when its time went by unnoticed."""


type News = Finished | HoldBroken | PlanFailed | AgentLost | HoldEnded | QuestionStatus


_WRONG = frozenset(
    {
        *(Outcome.FAILED, Outcome.PARTIAL, Outcome.REFUSED),
        *(Outcome.UNKNOWN, Outcome.UNREACHABLE),
    }
)


def went_wrong(result: Result) -> bool:
    """Tell whether what was to be done was not, without anybody's will."""
    if result.reason is not None:
        return result.reason is not Reason.NOTHING_TO_UNDO
    return any(
        step.outcome in _WRONG and step.reason is not Reason.CHANGED_SINCE
        for step in result.steps
    )


def news(before: HubStatus, now: HubStatus, moment: datetime) -> Iterator[News]:
    """Yield what one status has that an earlier one had not; `moment` is the later's.

    A hold that somebody renewed has not ended.
    """
    for agent in now.agents:
        if not agent.online and any(
            was.name == agent.name and was.online for was in before.agents
        ):
            yield AgentLost(name=agent.name)
    asked = {question.id for question in before.questions}
    yield from (question for question in now.questions if question.id not in asked)
    held = {(hold.device, hold.attribute) for hold in now.holds}
    ended: defaultdict[tuple[str, str], list[HoldStatus]] = defaultdict(list)
    for hold in before.holds:
        if (hold.device, hold.attribute) not in held:
            ended[hold.device, hold.principal].append(hold)
    for (device, principal), holds in ended.items():
        yield HoldEnded(
            device=device,
            attributes=tuple(dict.fromkeys(hold.attribute for hold in holds)),
            principal=principal,
            expired=all(h.ends_at is not None and h.ends_at <= moment for h in holds),
        )
