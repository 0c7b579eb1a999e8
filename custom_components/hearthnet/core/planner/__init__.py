"""Planners turn a request into a plan. A plan grants nothing."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from ..devices import House
from ..intents import Plan, PlanKind, Request
from ..policy.model import Policy
from ..reasons import Reason


@dataclass(frozen=True, kw_only=True)
class Situation:
    """What a planner may look at, all at one position of the record."""

    house: House
    now: datetime
    """Local time, aware."""
    policy: Policy | None = None
    """The policy in force, for planners that tell a model about it."""
    acted: bool = False
    """True when something of this intent was executed: nothing is retried then."""


class Planner(Protocol):
    """Makes a plan, or None when the request is not for this planner."""

    async def plan(self, request: Request, situation: Situation) -> Plan | None:
        """Return a plan; never act."""


class FirstOf:
    """Asks planners in order and takes the first plan that is not None."""

    def __init__(self, *planners: Planner) -> None:
        """Take the planners, the cheapest and surest first."""
        self._planners = planners

    async def plan(self, request: Request, situation: Situation) -> Plan | None:
        """Return the first plan."""
        for planner in self._planners:
            if (plan := await planner.plan(request, situation)) is not None:
                return plan
        return None


NO_ANSWER = frozenset(
    {
        *(reason for reason in Reason if reason.startswith("model_")),
        *(Reason.BUDGET_SPENT, Reason.NOT_UNDERSTOOD),
    }
)
"""Why a model has no plan, as far as another planner may know more."""


class WithHelp:
    """A planner, and another that is asked for near names where it has no answer."""

    def __init__(self, planner: Planner, helper: Planner) -> None:
        """Take both."""
        self._planner = planner
        self._helper = helper

    async def plan(self, request: Request, situation: Situation) -> Plan | None:
        """Return the plan, or what was probably meant instead of why there is none."""
        plan = await self._planner.plan(request, situation)
        if plan is None or plan.say or plan.near or plan.reason not in NO_ANSWER:
            return plan
        other = await self._helper.plan(request, situation)
        if other is None or other.kind is not PlanKind.UNCLEAR or not other.near:
            return plan
        return replace(other, consultation=plan.consultation)
