"""Chains of messages told as people read them: one line for each outcome. Pure.

An event is what `Chronicle` answers with: a row of the index with its message.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from .agents.steps import evidence_of
from .clock import from_text
from .devices import Principal, Values
from .intents import Evidence, PlanKind
from .messages import Json, MessageType
from .reasons import DONE, Outcome, Reason
from .status import Cause

type Event = Mapping[str, Any]

DECIDING = frozenset(
    {
        *(MessageType.RECEIPT, MessageType.REFUSAL, MessageType.DENIAL),
        *(MessageType.GRANT, MessageType.CONFIRMATION_REQUEST),
        *(MessageType.RESOLUTION, MessageType.OBSERVATION, MessageType.RECOVERY),
    }
)
"""Types of the messages that can make or change a line."""
_CLOSING = DECIDING - {MessageType.OBSERVATION, MessageType.RECOVERY}
_SURE = _CLOSING - {MessageType.GRANT, MessageType.RESOLUTION}


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The request that a line came of."""

    intent: str
    text: str
    principal: Principal
    origin: str


@dataclass(frozen=True, kw_only=True)
class Line:
    """What became of one action, or a change that HearthNet did not make."""

    id: str
    """The task's, so that it stays the same from waiting to done."""
    event: str
    """The message that decided it."""
    at: datetime
    outcome: Outcome | None
    """None: others made the change."""
    reason: Reason | None = None
    evidence: tuple[Evidence, ...] = ()
    cause: Cause | None = None
    device: str | None = None
    """What was named: a device or a group. None: it came to no device."""
    devices: tuple[str, ...] = ()
    """All that it is about, a group's members too."""
    operation: str | None = None
    parameters: Mapping[str, Json] = field(default_factory=dict)
    seen: tuple[Values, ...] = ()
    """What was read back, of each device."""
    asked: Asked | None = None
    by: str = ""
    """Who made a change that is not ours, if that is known."""
    agent: str = ""
    undid: tuple[str, ...] = ()
    """Of a change by others: the messages whose holds it broke or ended."""
    hold: Mapping[str, Json] | None = None
    """The hold that was in the way, as the record has it."""
    commit: str | None = None


def lines_of(events: Sequence[Event]) -> list[Line]:
    """Return the lines of a chain, or of one event that has none."""
    told = [event for event in events if event.get("message")]
    intent = next((e for e in told if e["type"] == MessageType.INTENT), None)
    if intent is None:
        return [line for event in told for line in _alone(event)]
    asked = _asked(intent)
    # What a lease is used for is told where the lease was asked for.
    tasks = [
        e
        for e in told
        if e["type"] == MessageType.TASK and not e["message"]["body"].get("use")
    ]
    ends = {task["id"]: _end(task, told) for task in tasks}
    lines = [
        line
        for number, task in enumerate(tasks)
        if (end := ends[task["id"]])
        and not _tried_again(task, end, tasks[number + 1 :])
        for line in _lines(task, end, told, asked)
    ]
    return lines or _nothing(told, asked)


# One task


def _end(task: Event, events: Iterable[Event]) -> Event | None:
    """Return the message that says what became of a task, the last word first."""
    said = [e for e in events if e["task"] == task["id"] and e["type"] in _CLOSING]
    sure = [e for e in said if e["type"] in _SURE]
    if sure:
        return sure[-1]
    wanted = MessageType.RESOLUTION
    if task["message"]["body"].get("lease_only"):
        wanted = MessageType.GRANT
    return next((e for e in said if e["type"] == wanted), None)


def _tried_again(task: Event, end: Event, later: Iterable[Event]) -> bool:
    """Tell whether a race was lost and the same action proposed once more."""
    if _reason(end) is not Reason.STALE_STATE:
        return False
    return any(_action(other) == _action(task) for other in later)


def _action(task: Event) -> tuple[str, str]:
    body = task["message"]["body"]
    return body["device"], body["operation"]


def _lines(
    task: Event, end: Event, events: Sequence[Event], asked: Asked
) -> list[Line]:
    body, order = end["message"].get("body", {}), task["message"]["body"]
    members: Mapping[str, str] = body.get("members") or {}
    values: Mapping[str, Values] = body.get("values") or {}
    proposal = next(
        (
            e
            for e in events
            if e["task"] == task["id"] and e["type"] == MessageType.PROPOSAL
        ),
        task,
    )

    def line(suffix: str, device: str, moved: Iterable[str], outcome: Outcome) -> Line:
        return Line(
            id=task["id"] + suffix,
            event=end["id"],
            at=from_text(end["at"]),
            outcome=outcome,
            reason=_reason(end),
            evidence=evidence_of(body.get("evidence") or ()),
            device=device,
            devices=tuple(dict.fromkeys((device, *moved))),
            operation=order["operation"],
            parameters=proposal["message"]["body"].get("parameters") or {},
            seen=tuple(values[one] for one in moved if one in values),
            asked=asked,
            agent=task["recipient"] or "",
            hold=_hold(task["id"], events),
            commit=end["commit"],
        )

    if len(set(members.values())) > 1:
        # They came out differently: who looks for one of them wants its own line.
        return [
            line(f"/{member}", member, (member,), Outcome(outcome))
            for member, outcome in members.items()
        ]
    return [line("", order["device"], members, _outcome(task, end, events))]


def _outcome(task: Event, end: Event, events: Iterable[Event]) -> Outcome:
    match end["type"]:
        case MessageType.RECEIPT:
            return Outcome(end["message"]["body"]["outcome"])
        case MessageType.CONFIRMATION_REQUEST:
            return Outcome.WAITING
        case MessageType.GRANT:
            return Outcome.GRANTED
        case MessageType.RESOLUTION if any(
            e["task"] == task["id"] and e["type"] == MessageType.GRANT for e in events
        ):
            # A lease was out and its holder fell silent: only a read can tell.
            return Outcome.UNKNOWN
    if _reason(end) is Reason.UNREACHABLE:
        return Outcome.UNREACHABLE
    return Outcome.REFUSED


def _reason(end: Event) -> Reason | None:
    code = end["message"].get("body", {}).get("reason")
    return Reason(code) if code in set(Reason) else None


def _hold(task: str, events: Iterable[Event]) -> Mapping[str, Json] | None:
    """Return the hold that decided a conflict."""
    for event in events:
        if event["task"] == task and event["type"] == MessageType.CONFLICT:
            for conflict in event["message"]["body"].get("conflicts", ()):
                hold: Mapping[str, Json] = conflict["hold"]
                if conflict["answer"] in ("refused", "ask"):
                    return hold
    return None


# What has no task


def _asked(intent: Event) -> Asked:
    body = intent["message"]["body"]
    return Asked(
        intent=intent["id"],
        text=str(body.get("text", "")),
        principal=Principal.from_dict(body["principal"]),
        origin=str(body.get("origin", "")),
    )


def _nothing(events: Iterable[Event], asked: Asked) -> list[Line]:
    """Tell of a request none of whose actions is on record one by one.

    A question asked for none, and what is done is told somewhere else.
    """
    for event in events:
        body = event["message"].get("body", {})
        ended = event["cause"] == asked.intent and event["task"] is None
        if event["type"] != MessageType.RESOLUTION or not ended:
            continue
        outcomes = set(body.get("outcomes") or (Outcome.REFUSED,))
        if body.get("kind") == PlanKind.QUESTION or outcomes & DONE:
            return []
        outcome = outcomes.pop() if len(outcomes) == 1 else Outcome.REFUSED
        return [
            Line(
                id=asked.intent,
                event=event["id"],
                at=from_text(event["at"]),
                outcome=Outcome(outcome),
                reason=_reason(event),
                asked=asked,
                commit=event["commit"],
            )
        ]
    return []


def _alone(event: Event) -> list[Line]:
    if event["type"] == MessageType.OBSERVATION:
        return _outside(event)
    if event["type"] == MessageType.RECOVERY:
        return _dropped(event)
    return []


def _outside(event: Event) -> list[Line]:
    body = event["message"].get("body", {})
    if "cause" not in body:
        return []  # a read that ended our own doubt
    principal = body.get("principal") or {}
    holds = [*body.get("broken", ()), *(e["hold"] for e in body.get("ended", ()))]
    return [
        Line(
            id=event["id"],
            event=event["id"],
            at=from_text(event["at"]),
            outcome=None,
            cause=Cause(body["cause"]),
            device=body["device"],
            devices=(body["device"],),
            seen=(body["values"],),
            by=body.get("detail") or principal.get("name", ""),
            # A hold is named after the message that made it.
            undid=tuple(dict.fromkeys(str(h).rpartition("-")[0] for h in holds)),
            commit=event["commit"],
        )
    ]


def _dropped(event: Event) -> list[Line]:
    """Tell of the requests that a restart dropped, each by its words."""
    nobody = Principal(kind="system", id="", name="")
    return [
        Line(
            id=dropped["intent"],
            event=event["id"],
            at=from_text(event["at"]),
            outcome=Outcome.REFUSED,
            reason=Reason.RESTARTED,
            asked=Asked(
                intent=dropped["intent"],
                text=dropped["text"],
                principal=nobody,
                origin="",
            ),
            commit=event["commit"],
        )
        for dropped in event["message"].get("body", {}).get("dropped", ())
    ]
