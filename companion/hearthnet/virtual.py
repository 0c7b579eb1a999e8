"""An event loop in which time only passes when there is nothing left to do.

Whatever waits a minute for something that does not come waits no time at all, and
the same run is the same every time.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
import selectors
from time import monotonic
from typing import Any

START = datetime(2026, 11, 30, 12, tzinfo=UTC)
PATIENCE = 60.0
"""Real seconds after which what is under way outside is given up."""
_LOOK = 0.05
"""Real seconds between two looks at it: whatever ends wakes the loop at once."""


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


class Underway:
    """What takes real time, in threads or elsewhere: the clock stands still for it."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._count = 0

    def wait_for(self, future: asyncio.Future[Any]) -> None:
        """Let no time pass before a future is done."""
        self._count += 1
        future.add_done_callback(self._ended)

    @contextmanager
    def meanwhile(self) -> Iterator[None]:
        """Let no time pass while something is done."""
        self._count += 1
        try:
            yield
        finally:
            self._count -= 1

    def pending(self) -> bool:
        """Tell whether there is something; it may be set going by this look."""
        return self._count > 0

    def _ended(self, _future: asyncio.Future[Any]) -> None:
        self._count -= 1


class _Leap(selectors.SelectSelector):
    """Lets the clock jump to the next timer in place of waiting for it."""

    def __init__(self, clock: VirtualClock, underway: Underway) -> None:
        super().__init__()
        self._clock = clock
        self._underway = underway
        self._since: float | None = None

    def select(
        self, timeout: float | None = None
    ) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or timeout > 0:
            if self._underway.pending():
                return self._wait()
            if events := super().select(0):
                return events
            if timeout is None:
                raise RuntimeError("everybody waits, and nothing will ever happen")
            self._clock.seconds += timeout
            return []
        return super().select(0)

    def _wait(self) -> list[tuple[selectors.SelectorKey, int]]:
        """Wait in real time."""
        events = super().select(_LOOK)
        if events:
            self._since = None
        elif self._since is None:
            self._since = monotonic()
        elif monotonic() - self._since > PATIENCE:
            raise RuntimeError(f"nothing has come from outside for {PATIENCE:g} s")
        return events


class _Loop(asyncio.SelectorEventLoop):
    """A loop that goes by a given clock."""

    def __init__(self, clock: VirtualClock, underway: Underway) -> None:
        super().__init__(_Leap(clock, underway))
        self._manual = clock
        self._underway = underway

    def time(self) -> float:
        return self._manual.boottime()

    def run_in_executor[*Ts, T](
        self, executor: Executor | None, func: Callable[[*Ts], T], *args: *Ts
    ) -> asyncio.Future[T]:
        future = super().run_in_executor(executor, func, *args)
        self._underway.wait_for(future)
        return future

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:
        with self._underway.meanwhile():
            await super().shutdown_default_executor(timeout)


def run[T](
    main: Coroutine[Any, Any, T],
    clock: VirtualClock,
    underway: Underway | None = None,
) -> T:
    """Run a coroutine in the time of `clock`, which stands still for what is underway.

    Raises:
        RuntimeError: all wait for what nobody will do.
    """
    known = underway or Underway()
    with asyncio.Runner(loop_factory=lambda: _Loop(clock, known)) as runner:
        return runner.run(main)
