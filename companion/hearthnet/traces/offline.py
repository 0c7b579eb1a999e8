"""What if no model had answered on a recorded day: what code recognized is kept. Pure.

What a model had planned becomes what the home makes of it while none is reached. The
time until then stays as it was.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hearthnet.core.intents import PlanKind
from hearthnet.core.reasons import Reason

from .trace import Step, Trace

_HELP = "sentences"
"""Who says what was probably meant where a model has no answer: code, either way."""


def offline(trace: Trace) -> Trace:
    """Return the same day without any model."""
    return replace(trace, steps=tuple(map(_unreached, trace.steps)))


def _unreached(step: Step) -> Step:
    plan: Mapping[str, Any] = step.data.get("plan") or {}
    if not plan.get("calls") or plan.get("source") == _HELP:
        return step
    nothing = {
        "kind": PlanKind.UNCLEAR.value,
        "reason": Reason.MODEL_UNREACHABLE.value,
        "source": plan.get("source", ""),
    }
    return replace(step, data={**step.data, "plan": nothing})
