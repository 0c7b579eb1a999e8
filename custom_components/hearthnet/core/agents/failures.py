"""What becomes of a task whose manager is gone: decided from the record alone.

Nothing is done twice that is not certainly the same as once: an action is given
out again only if it is absolute, its lease is dead, and a read shows that the
goal is not met.
"""

import asyncio
from dataclasses import replace
from enum import StrEnum
import random
from typing import Protocol

from ..bus.retry import FIRST_DELAY, LONGEST_DELAY
from ..clock import Clock
from ..compile import Compiled
from ..devices import House
from ..intents import Step
from ..outcomes import goals_of
from ..reasons import Outcome, Reason

LOOK = 1.0
"""Seconds between looks at whether a manager is still there."""


class Standing(StrEnum):
    """Where a task stands."""

    CONFIRMED = "confirmed"
    """There is a receipt, or an answer that ends it."""
    IN_FLIGHT = "in_flight"
    """A lease is out, and nobody has said what came of it."""
    BLOCKED = "blocked"
    """Nothing was granted: the manager is not there."""
    REVIEW = "review"
    """Only a person can tell what is to be done."""


class Peers(Protocol):
    """What the root knows of managers."""

    def alive(self, agent: str) -> bool:
        """Tell whether an agent is there."""

    def life(self, agent: str) -> str:
        """Name an agent's present start: another one knows nothing of its tasks."""

    def expected(self, agent: str) -> bool:
        """Tell whether an agent that is away belongs to this home."""


class Here:
    """Managers of this node only: they are there as long as it is."""

    def alive(self, agent: str) -> bool:
        """Tell whether an agent is there."""
        return True

    def life(self, agent: str) -> str:
        """Name an agent's present start."""
        return ""

    def expected(self, agent: str) -> bool:
        """Tell whether an agent that is away belongs to this home."""
        return False


def standing(steps: tuple[Step, ...], *, absolute: bool) -> Standing:
    """Return where a task stands that ended with these steps."""
    silent = [s for s in steps if s.reason in (Reason.MANAGER_OFFLINE, Reason.DEADLINE)]
    if any(step.outcome is Outcome.UNKNOWN for step in silent):
        return Standing.IN_FLIGHT if absolute else Standing.REVIEW
    if any(step.reason is Reason.MANAGER_OFFLINE for step in silent):
        return Standing.BLOCKED
    return Standing.CONFIRMED


def lost(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return what a manager that has died meanwhile says of its task.

    Where its receipt says only that nobody knows, it is as good as none.
    """
    return tuple(
        replace(step, reason=Reason.MANAGER_OFFLINE)
        if step.outcome is Outcome.UNKNOWN
        else step
        for step in steps
    )


def unmet(compiled: Compiled, house: House) -> bool | None:
    """Tell whether a read shows that a goal is not met; None if it cannot be read."""
    devices = [target.device for target in compiled.targets]
    readings = {device.id: house.read(device.id) for device in devices}
    if not all(reading.available for reading in readings.values()):
        return None
    goals = goals_of(compiled.operation, compiled.parameters, devices, readings)
    return not all(goal.met(readings[target]) for target, goal in goals.items())


class Patience:
    """The pauses between attempts, up to a moment."""

    def __init__(self, clock: Clock, deadline: float) -> None:
        """`deadline` is a boot time."""
        self._clock = clock
        self._deadline = deadline
        self._delay = FIRST_DELAY

    async def pause(self) -> bool:
        """Wait before another attempt; False when there is no time for one."""
        # Not a secret: it only keeps many from trying at the same moment.
        delay = self._delay * (0.5 + random.random())  # noqa: S311
        self._delay = min(2 * self._delay, LONGEST_DELAY)
        left = self._deadline - self._clock.boottime()
        if left <= 0:
            return False
        await asyncio.sleep(min(delay, left))
        return self._clock.boottime() < self._deadline
