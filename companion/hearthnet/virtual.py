"""An event loop in which time only passes when there is nothing left to do.

Whatever waits a minute for something that does not come waits no time at all, and
the same run is the same every time.
"""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
import selectors
from typing import Any

START = datetime(2026, 11, 30, 12, tzinfo=UTC)


@dataclass
class VirtualClock:
    """Both clocks of every node; implements `Clock`."""

    seconds: float = 0.0
    start: datetime = START

    def now(self) -> datetime:
        """Return the wall-clock time."""
        return self.start + timedelta(seconds=self.seconds)

    def boottime(self) -> float:
        """Return the seconds since the start."""
        return self.seconds


class _Leap(selectors.SelectSelector):
    """Lets the clock jump to the next timer in place of waiting for it."""

    def __init__(self, clock: VirtualClock) -> None:
        super().__init__()
        self._clock = clock

    def select(
        self, timeout: float | None = None
    ) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise RuntimeError("everybody waits, and nothing will ever happen")
        if timeout > 0:
            self._clock.seconds += timeout
        return super().select(0)


class _Loop(asyncio.SelectorEventLoop):
    """A loop that goes by a given clock."""

    def __init__(self, clock: VirtualClock) -> None:
        super().__init__(_Leap(clock))
        self._manual = clock

    def time(self) -> float:
        return self._manual.boottime()


def run[T](main: Coroutine[Any, Any, T], clock: VirtualClock) -> T:
    """Run a coroutine in the time of `clock`."""
    with asyncio.Runner(loop_factory=lambda: _Loop(clock)) as runner:
        return runner.run(main)
