"""What a trace gives, in the core's own types."""

from collections import deque
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from hearthnet.core.adapter import AdapterError
from hearthnet.core.intents import DEFAULT_DEADLINE, Origin, Plan, PlanKind, Request
from hearthnet.core.reasons import Outcome, Reason
from hearthnet.simulation import Answered, Behavior, SimulatedHouse

from .trace import Step, Trace, action_of, principal_of


def house_of(trace: Trace) -> SimulatedHouse:
    """Return the home, whose devices answer as they did."""
    house = SimulatedHouse()
    for device in trace.devices:
        house.add(device, **dict(trace.values.get(device.id, {})))
        answers = trace.answers.get(device.id)
        if answers:
            house.behavior[device.id] = Behavior(answers=deque(map(_answer, answers)))
    house.unavailable |= trace.away
    return house


def _answer(data: Mapping[str, Any]) -> Answered:
    fails = None
    if "fails" in data:
        fails = AdapterError(Outcome(data["fails"]), str(data.get("text", "it failed")))
    return Answered(
        seconds=float(data.get("seconds", 0.0)),
        values=data.get("values", {}),
        fails=fails,
    )


def request_of(step: Step) -> Request:
    """Return what somebody asks for."""
    data = step.data
    principal = principal_of(data["principal"])
    assert principal is not None
    return Request(
        text=data.get("text", ""),
        principal=principal,
        origin=Origin(data.get("origin", "app")),
        language=data.get("language", "en"),
        area=data.get("area"),
        deadline=float(data.get("deadline", DEFAULT_DEADLINE)),
    )


def plan_of(step: Step) -> Plan | None:
    """Return what it was taken for; None when no planner knew."""
    data = step.data.get("plan")
    if data is None:
        return None
    reason, until, due = data.get("reason"), data.get("until"), data.get("due")
    return Plan(
        kind=PlanKind(data["kind"]),
        actions=tuple(map(action_of, data.get("actions", ()))),
        asked=tuple(data.get("asked", ())),
        reason=None if reason is None else Reason(reason),
        near=tuple(data.get("near", ())),
        standing=bool(data.get("standing")),
        until=None if until is None else datetime.fromisoformat(until),
        due=None if due is None else datetime.fromisoformat(due),
        source=data.get("source", "sentences"),
    )
