"""What became of an actuation, judged from readings alone. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .devices import Device, Reading, Values
from .effects import same_value
from .messages import Json
from .operations import Operation, Parameters, supported
from .reasons import DONE, Outcome

TRANSITION = "transition"
"""The parameter that tells a device to take its time."""
TRAVEL = 120.0
"""Seconds that a blind, a gate or a robot may be on its way."""
type Pairs = tuple[tuple[str, Json], ...]


@dataclass(frozen=True, slots=True)
class Goal:
    """What an actuation shall make true of one target."""

    device: Device
    before: Reading
    effects: Pairs
    exact: bool = False
    """As of the operation."""

    @property
    def silent(self) -> bool:
        """Tell whether no read can show that the goal is met."""
        return self.device.assumed_state or not self.effects

    def met(self, reading: Reading) -> bool:
        """Tell whether a reading shows every effect."""
        return reading.available and met(self.effects, reading.values, exact=self.exact)


def goals_of(
    row: Operation,
    parameters: Parameters,
    devices: Iterable[Device],
    readings: Mapping[str, Reading],
) -> dict[str, Goal]:
    """Return the goal for each target, from what it reads now."""
    return {
        device.id: Goal(
            device,
            readings[device.id],
            row.effects(supported(parameters, device), readings[device.id].values),
            row.exact,
        )
        for device in devices
    }


def read_back_deadline(row: Operation, parameters: Parameters) -> float:
    """Return how many seconds a read-back may take."""
    extra = parameters.get(TRANSITION)
    if isinstance(extra, bool) or not isinstance(extra, int | float):
        return row.deadline
    return row.deadline + extra


def arrival_deadline(row: Operation, parameters: Parameters) -> float:
    """Return how many seconds a device may go on showing what it was told."""
    return TRAVEL if row.moves else read_back_deadline(row, parameters)


def met(effects: Pairs, values: Values, *, exact: bool = False) -> bool:
    """Tell whether values show every effect; `exact` see `same_value`."""
    return all(
        same_value(name, value, values.get(name), exact=exact)
        for name, value in effects
    )


def needless(row: Operation, goals: Mapping[str, Goal]) -> bool:
    """Tell whether every target that can be read has reached its goal already."""
    return row.absolute and all(
        not goal.silent and goal.met(goal.before)
        for goal in goals.values()
        if goal.before.available
    )


def untouched(goal: Goal) -> Outcome:
    """Judge one target of an actuation that was needless."""
    return Outcome.ALREADY_SO if goal.before.available else Outcome.UNREACHABLE


def satisfied(goals: Mapping[str, Goal], readings: Mapping[str, Reading]) -> bool:
    """Tell whether there is nothing more to wait for."""
    return all(
        goal.silent or not goal.before.available or goal.met(readings[target])
        for target, goal in goals.items()
    )


def judge(
    row: Operation, goal: Goal, reading: Reading, fault: Outcome | None
) -> Outcome:
    """Judge one target after the act.

    `fault` is what the adapter said went wrong. A read that shows the goal
    outweighs it, as it outweighs everything else (invariant 7).
    """
    if not goal.before.available and not reading.available:
        return Outcome.UNREACHABLE
    if goal.silent:
        return fault or Outcome.UNVERIFIED
    if not reading.available:
        return fault or Outcome.UNKNOWN
    if goal.met(reading):
        was = row.absolute and goal.met(goal.before)
        return Outcome.ALREADY_SO if was else Outcome.CHANGED
    if fault is not None:
        return fault
    if row.moves:
        # Many a blind tells only where it arrives.
        still = reading.values == goal.before.values
        return Outcome.UNVERIFIED if still else Outcome.RUNNING
    return Outcome.PARTIAL if _some(goal, reading) else Outcome.FAILED


def combine(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the outcome of the whole from those of its targets."""
    found = set(outcomes)
    if len(found) == 1:
        return found.pop()
    if found <= DONE:
        return Outcome.CHANGED
    if Outcome.UNKNOWN in found:
        return Outcome.UNKNOWN
    bad = {Outcome.FAILED, Outcome.UNREACHABLE}
    if found <= bad:
        return Outcome.FAILED
    if found & (bad | {Outcome.PARTIAL}):
        return Outcome.PARTIAL
    return Outcome.RUNNING if Outcome.RUNNING in found else Outcome.UNVERIFIED


def _some(goal: Goal, reading: Reading) -> bool:
    """Tell whether an effect that was not there before has been reached."""
    return any(
        met((effect,), reading.values, exact=goal.exact)
        and not met((effect,), goal.before.values, exact=goal.exact)
        for effect in goal.effects
    )
