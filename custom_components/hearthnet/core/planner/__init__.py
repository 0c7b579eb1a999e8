"""Planners turn a request into a plan. A plan grants nothing."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from ..devices import House
from ..intents import Plan, Request
from ..policy.model import Policy


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
