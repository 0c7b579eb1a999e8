"""Telling our own effects from foreign changes.

A device reports a command's effect when it likes, with or without Home
Assistant's context, in one report or in several. What moves it toward the
values we asked for, until the operation's deadline, belongs to our receipt.
"""

from collections.abc import Mapping
from dataclasses import dataclass
import math

from .devices import Reading, Values
from .effects import same_value
from .messages import Json
from .outcomes import Goal, Pairs


@dataclass(slots=True)
class _Expected:
    execute: str
    effects: Pairs
    last: Values
    """The values of the last report that was ours."""
    until: float
    """Boot time; infinite while the actuation has no receipt."""


class Expectations:
    """What each device may report without a foreign hand."""

    def __init__(self) -> None:
        """Expect nothing."""
        self._expected: dict[str, _Expected] = {}

    def begin(self, execute: str, goal: Goal) -> None:
        """Expect a goal, from the moment before the device is told."""
        self._expected[goal.device.key] = _Expected(
            execute, goal.effects, goal.before.values, math.inf
        )

    def end(self, execute: str, readings: Mapping[str, Reading], until: float) -> None:
        """Take over what was read back; stragglers may come `until` then.

        `readings` are by `Device.key`.
        """
        for key, reading in readings.items():
            expected = self._expected.get(key)
            if expected is None or expected.execute != execute:
                continue
            expected.until = until
            if reading.available:
                expected.last = reading.values

    def claim(self, key: str, values: Values, now: float) -> str | None:
        """Return the execute that a report belongs to, None when it is foreign.

        A report that is claimed becomes what the next one is compared with, so
        that a person who switches back at once is not taken for our echo.
        """
        expected = self._expected.get(key)
        if expected is None:
            return None
        if now > expected.until:
            del self._expected[key]
            return None
        wanted = dict(expected.effects)
        names = values.keys() | expected.last.keys()
        if not all(_ours(name, wanted, expected.last, values) for name in names):
            if expected.until < math.inf:
                # Another hand has it now, whatever comes after.
                del self._expected[key]
            return None
        expected.last = dict(values)
        return expected.execute


def _ours(name: str, wanted: Values, last: Values, values: Values) -> bool:
    """Tell whether one attribute stayed, or moved as the effects make it move."""
    seen, before = values.get(name), last.get(name)
    # A lamp that goes on shows a brightness, at first any, and off it shows none.
    if seen == before or seen is None or before is None:
        return True
    if name not in wanted:
        return False
    goal = wanted[name]
    return same_value(name, goal, seen) or _between(before, seen, goal)


def _between(before: Json, seen: Json, goal: Json) -> bool:
    """Tell whether a number lies on the way from one to the other."""
    numbers = []
    for value in (before, seen, goal):
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        numbers.append(value)
    return min(numbers[0], numbers[2]) <= numbers[1] <= max(numbers[0], numbers[2])
