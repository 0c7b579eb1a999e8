"""Chains of messages told as people read them: one line for each outcome. Pure.

An event is what `Chronicle` answers with: a row of the index with its message.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from .agents.steps import evidence_of
from .arbitrate import Answer
from .clock import from_text
from .devices import Principal, Values
from .intents import Evidence, PlanKind
from .messages import EventId, Json, MessageType
from .reasons import Outcome, Reason
from .status import Cause

type Event = Mapping[str, Any]

DECIDING = frozenset(
    {
        *(MessageType.RECEIPT, MessageType.REFUSAL, MessageType.DENIAL),
        *(MessageType.GRANT, MessageType.RESOLUTION),
        *(MessageType.CONFIRMATION_REQUEST, MessageType.CONFIRMATION),
        *(MessageType.OBSERVATION, MessageType.RECOVERY),
    }
)
"""Types of the messages that can make or change a line."""
_SURE = (
    *(MessageType.RECEIPT, MessageType.REFUSAL, MessageType.DENIAL),
    *(MessageType.CONFIRMATION_REQUEST, MessageType.CONFIRMATION),
)
"""Of these, the last one a task has is its end."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The request that a line came of."""

    intent: str
    text: str
    principal: Principal
    origin: str
    sentence: bool = True
    """False: the text only says why."""
    after: str | None = None
    """The question that a person agreed to, or the plan whose time has come."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """What became of one action, or a change that HearthNet did not make."""

    id: str
    """The task's, or what it waited as: a question, a plan for later. So it stays
    the same from waiting to done, though going on makes a new intent."""
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
    until: datetime | None = None
    """When a plan for later is due."""
    hold: Mapping[str, Json] | None = None
    """The hold that was in the way, as the record has it."""
    commit: str | None = None


def lines_of(
    events: Sequence[Event], boot: int = 0, plans: Collection[str] = ()
) -> list[Line]:
    """Return the lines of a chain, or of one event that has none.

    Questions from before the hub's `boot` are over: they ended with theirs. `plans`
    are the intents of the plans for later that still stand.
    """
    told = [event for event in events if event.get("message")]
    intent = next((e for e in told if e["type"] == MessageType.INTENT), None)
    if intent is None:
        return [line for event in told for line in _alone(event)]
    asked = _asked(intent)
    # What a lease is used for is told where the lease was asked for.
    tasks = [
        _Task(e, [m for m in told if m["task"] == e["id"]], boot)
        for e in told
        if e["type"] == MessageType.TASK and not _body(e).get("use")
    ]
    lines = [
        line
        for number, task in enumerate(tasks)
        if not task.tried_again(tasks[number + 1 :])
        for line in task.lines(asked)
    ]
    ends = [e for e in told if _ends(e, asked)]
    if ends:
        lines += _untasked(ends[-1], asked)
    if lines and asked.after:
        lines[0] = replace(lines[0], id=asked.after)
    apart = any(e["type"] == MessageType.TASK for e in told)
    return lines if lines or apart else _nothing(ends, asked, plans)


def _body(event: Event) -> Mapping[str, Any]:
    body: Mapping[str, Any] = event["message"].get("body", {})
    return body


def _reason(event: Event) -> Reason | None:
    code = _body(event).get("reason")
    return Reason(code) if code in set(Reason) else None


# One task


class _Task:
    """A task with its messages, in order."""

    def __init__(self, task: Event, events: Sequence[Event], boot: int) -> None:
        self.task = task
        self.order = _body(task)
        self.events = events
        self.end = self._end()
        self._boot = boot

    def lines(self, asked: Asked) -> list[Line]:
        """Return what became of it: a line, or one for each of a group's members."""
        if self.end is None or self._approved:
            return []
        body = _body(self.end)
        members: Mapping[str, str] = body.get("members") or {}
        if len(set(members.values())) < 2:
            outcome, reason = self._verdict(self.end)
            moved = members or body.get("values") or {}
            return [self._line(asked, self.order["device"], moved, outcome, reason)]
        # They came out differently: who looks for one of them wants its own line.
        return [
            replace(
                self._line(asked, member, (member,), Outcome(outcome), None),
                id=f"{self.task['id']}/{member}",
            )
            for member, outcome in members.items()
        ]

    def tried_again(self, later: "Iterable[_Task]") -> bool:
        """Tell whether a race was lost and the same action proposed once more."""
        if self.end is None or _reason(self.end) is not Reason.STALE_STATE:
            return False
        return any(
            all(self.order[n] == other.order[n] for n in ("device", "operation"))
            for other in later
        )

    def _of(self, *types: MessageType) -> Event | None:
        """Return the last message of some types."""
        return next((e for e in reversed(self.events) if e["type"] in types), None)

    def _end(self) -> Event | None:
        """Return the message that says what became of it; the last word counts."""
        if (sure := self._of(*_SURE)) is not None:
            return sure
        given_up = self._of(MessageType.RESOLUTION)
        if self.order.get("lease_only"):
            return given_up or self._of(MessageType.GRANT)
        return given_up

    @property
    def _approved(self) -> bool:
        """Tell whether the line goes on in the intent that an approval made."""
        end = self.end
        return end is not None and _body(end).get("answer") == "approved"

    def _verdict(self, end: Event) -> tuple[Outcome, Reason | None]:
        reason = _reason(end)
        if reason is Reason.REVOKED and (why := self._revoked()):
            reason = why[0].code
        match end["type"]:
            case MessageType.RECEIPT | MessageType.DENIAL if "outcome" in _body(end):
                return Outcome(_body(end)["outcome"]), reason
            case MessageType.CONFIRMATION_REQUEST:
                if EventId.parse(end["id"]).boot < self._boot:
                    return Outcome.REFUSED, Reason.RESTARTED
                return Outcome.WAITING, reason
            case MessageType.CONFIRMATION:
                return Outcome.REFUSED, _UNANSWERED[_body(end)["answer"]]
            case MessageType.GRANT:
                return Outcome.GRANTED, reason
            case MessageType.RESOLUTION if self.order.get("lease_only"):
                return Outcome.REFUSED, reason or Reason.EXPIRED
            case MessageType.RESOLUTION if self._of(MessageType.GRANT):
                # A lease was out and its holder fell silent: only a read can tell.
                return Outcome.UNKNOWN, reason
        if reason is Reason.UNREACHABLE:
            return Outcome.UNREACHABLE, reason
        return Outcome.REFUSED, reason

    def _line(
        self,
        asked: Asked,
        device: str,
        moved: Collection[str],
        outcome: Outcome,
        reason: Reason | None,
    ) -> Line:
        assert self.end is not None
        body = _body(self.end)
        values: Mapping[str, Values] = body.get("values") or {}
        question = self._of(MessageType.CONFIRMATION_REQUEST)
        proposal = self._of(MessageType.PROPOSAL)
        named = (device,) if device in moved else (device, *self.order["targets"])
        return Line(
            id=(question or self.task)["id"],
            event=self.end["id"],
            at=from_text(self.end["at"]),
            outcome=outcome,
            reason=reason,
            evidence=(*self._revoked(), *evidence_of(body.get("evidence") or ())),
            device=device,
            devices=tuple(dict.fromkeys(named)),
            operation=self.order["operation"],
            # The proposal has what “10 % brighter” came to.
            parameters=_body(proposal or self.task).get("parameters") or {},
            seen=tuple(values[one] for one in moved if one in values),
            asked=asked,
            agent=self.task["recipient"] or "",
            hold=self._hold(),
            commit=self.end["commit"],
        )

    def _revoked(self) -> tuple[Evidence, ...]:
        """Return why the lease that was refused had been revoked, if that is known."""
        assert self.end is not None
        revocation = self._of(MessageType.REVOCATION)
        if revocation is None or _reason(self.end) is not Reason.REVOKED:
            return ()
        return evidence_of(_body(revocation).get("evidence") or ())

    def _hold(self) -> Mapping[str, Json] | None:
        """Return the hold that decided a conflict."""
        conflict = self._of(MessageType.CONFLICT)
        for met in _body(conflict).get("conflicts", ()) if conflict else ():
            hold: Mapping[str, Json] = met["hold"]
            if met["answer"] in (Answer.REFUSED, Answer.ASK):
                return hold
        return None


_UNANSWERED = {
    "rejected": Reason.CONFIRMATION_REQUIRED,
    "expired": Reason.UNANSWERED,
    "superseded": Reason.SUPERSEDED,
}
"""How a question ended to the reason why nothing was done."""


# What has no task


def _asked(intent: Event) -> Asked:
    body = _body(intent)
    return Asked(
        intent=intent["id"],
        text=str(body.get("text", "")),
        principal=Principal.from_dict(body["principal"]),
        origin=str(body.get("origin", "")),
        sentence=bool(body.get("sentence", True)),
        after=intent["cause"],
    )


def _ends(event: Event, asked: Asked) -> bool:
    """Tell whether a message ends the request itself."""
    return (
        event["type"] == MessageType.RESOLUTION
        and event["cause"] == asked.intent
        and event["task"] is None
    )


def _untasked(end: Event, asked: Asked) -> list[Line]:
    """Tell of the steps of a plan that came to no task."""
    return [
        Line(
            id=f"{end['id']}/{number}",
            event=end["id"],
            at=from_text(end["at"]),
            outcome=Outcome(step["outcome"]),
            reason=Reason(step["reason"]) if step["reason"] else None,
            evidence=evidence_of(step["evidence"]),
            device=step["device"],
            devices=(step["device"],),
            operation=step["operation"],
            asked=asked,
            commit=end["commit"],
        )
        for number, step in enumerate(_body(end).get("refused") or ())
    ]


def _nothing(ends: Sequence[Event], asked: Asked, plans: Collection[str]) -> list[Line]:
    """Tell of a request that came to no task yet, or never did."""
    end = _body(ends[-1]) if ends else {}
    if not ends or end.get("kind") == PlanKind.QUESTION or end.get("canceled"):
        return []  # nothing was to be done, or it is told where it was planned
    line = Line(
        id=asked.after or asked.intent,
        event=ends[-1]["id"],
        at=from_text(ends[-1]["at"]),
        outcome=Outcome.REFUSED,
        reason=_reason(ends[-1]),
        asked=asked,
        commit=ends[-1]["commit"],
    )
    written = ends[-1]["message"].get("writes", {})
    plan = written.get(f"deferred/{asked.intent}.json")
    if plan is None:
        return [line]
    # One that stands no more has been carried out, which is told where it was.
    return [_planned(line, plan)] if asked.intent in plans else []


def _planned(line: Line, plan: Mapping[str, Any]) -> Line:
    """Tell of a plan for later; what it is about by name if that is one thing."""
    actions = plan["actions"]
    devices = tuple(dict.fromkeys(d for action in actions for d in action["targets"]))
    single = len(actions) == len(devices) == 1
    return replace(
        line,
        outcome=Outcome.WAITING,
        until=from_text(plan["due"]),
        device=devices[0] if single else None,
        devices=devices,
        operation=actions[0]["operation"] if single else None,
        parameters=actions[0]["parameters"] if single else {},
    )


def _alone(event: Event) -> list[Line]:
    if event["type"] == MessageType.OBSERVATION:
        return _outside(event)
    if event["type"] == MessageType.RECOVERY:
        return _dropped(event)
    return []


def _outside(event: Event) -> list[Line]:
    body = _body(event)
    if "cause" not in body:
        return []  # a read that ended our own doubt
    principal = body.get("principal") or {}
    named = body["cause"] == Cause.AUTOMATION  # then the detail is its name
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
            by=principal.get("name") or (body["detail"] if named else ""),
            # A hold is named after the message that made it.
            undid=tuple(dict.fromkeys(str(h).rpartition("-")[0] for h in holds)),
            commit=event["commit"],
        )
    ]


def _dropped(event: Event) -> list[Line]:
    """Tell of the requests that a restart dropped, each by its words."""
    nobody = Principal(kind="system", id="", name="").as_dict()
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
                principal=Principal.from_dict(dropped.get("principal") or nobody),
                origin=dropped.get("origin") or "",
            ),
            commit=event["commit"],
        )
        for dropped in _body(event).get("dropped", ())
    ]
