"""Fires deferred plans when they are due; owned and ended by the hub."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime

from ..clock import Clock
from ..deferred import Deferred
from ..state import State

LONGEST_WAIT = 60.0
"""Seconds between two looks at the clock, which may be set at any time."""


class Deferrals:
    """Waits for the next deferred plan."""

    def __init__(
        self,
        state: State,
        clock: Clock,
        *,
        trusted: Callable[[], bool],
        fire: Callable[[Deferred], Awaitable[object]],
        miss: Callable[[Deferred], object],
    ) -> None:
        """Take where plans are kept and what happens to them.

        `trusted` tells whether the wall clock may be believed; while not,
        nothing fires. `miss` is told of plans whose time is over for good.
        """
        self._state = state
        self._clock = clock
        self._trusted = trusted
        self._fire = fire
        self._miss = miss
        self._changed = asyncio.Event()

    def changed(self) -> None:
        """Look again: a plan came or went."""
        self._changed.set()

    async def run(self) -> None:
        """Fire plans until canceled."""
        while True:
            self._changed.clear()
            if self._trusted():
                await self._look(self._clock.now())
            try:
                async with asyncio.timeout(self._wait()):
                    await self._changed.wait()
            except TimeoutError:
                continue

    async def _look(self, now: datetime) -> None:
        for plan in self._state.deferred():
            if plan.missed(now):
                self._miss(plan)
            elif plan.due <= now:
                await self._fire(plan)

    def _wait(self) -> float:
        """Return the seconds until the next look."""
        now = self._clock.now()
        plans = self._state.deferred()
        left = min(((plan.due - now).total_seconds() for plan in plans), default=0.0)
        return min(max(left, 0.0), LONGEST_WAIT) if left > 0 else LONGEST_WAIT
