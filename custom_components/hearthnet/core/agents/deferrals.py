"""Fires deferred plans when they are due; owned and ended by the hub."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime

from ..clock import Clock
from ..deferred import Deferred
from ..intents import Result
from ..news import PlanFailed, went_wrong
from ..state import State
from .base import Spawn

LONGEST_WAIT = 60.0
"""Seconds between two looks at the clock, which may be set at any time."""
AGAIN = 1.0
"""Seconds until the next look at a plan that is due and is not on its way."""


class Deferrals:
    """Waits for the next deferred plan."""

    def __init__(
        self,
        state: State,
        clock: Clock,
        spawn: Spawn,
        *,
        trusted: Callable[[], bool],
        fire: Callable[[Deferred], Awaitable[Result]],
        miss: Callable[[Deferred], object],
        failed: Callable[[PlanFailed], object],
    ) -> None:
        """Take where plans are kept and what happens to them.

        `trusted` tells whether the wall clock may be believed; while not,
        nothing fires. `miss` is told of plans whose time is over for good,
        `failed` of these and of what was not done when it was due.
        """
        self._state = state
        self._clock = clock
        self._spawn = spawn
        self._trusted = trusted
        self._fire = fire
        self._miss = miss
        self._failed = failed
        self._changed = asyncio.Event()
        self._firing: set[str] = set()
        """Ids of plans on their way: one that takes its time keeps no other up."""

    def changed(self) -> None:
        """Look again: a plan came or went."""
        self._changed.set()

    async def run(self) -> None:
        """Fire plans until canceled."""
        while True:
            self._changed.clear()
            now = self._clock.now()
            if trusted := self._trusted():
                self._look(now)
            try:
                async with asyncio.timeout(self._wait(trusted)):
                    await self._changed.wait()
            except TimeoutError:
                continue

    def _look(self, now: datetime) -> None:
        for plan in self._waiting():
            if plan.missed(now):
                self._miss(plan)
                self._failed(PlanFailed(plan=plan.waiting, result=None))
            elif plan.due <= now:
                self._firing.add(plan.id)
                self._spawn(self._run(plan))

    async def _run(self, plan: Deferred) -> None:
        try:
            result = await self._fire(plan)
            if went_wrong(result):
                self._failed(PlanFailed(plan=plan.waiting, result=result))
        finally:
            self._firing.discard(plan.id)

    def _waiting(self) -> list[Deferred]:
        return [p for p in self._state.deferred() if p.id not in self._firing]

    def _wait(self, trusted: bool) -> float:
        """Return the seconds until the next look."""
        if not trusted:
            return LONGEST_WAIT
        now = self._clock.now()
        left = [(plan.due - now).total_seconds() for plan in self._waiting()]
        # One that came due since the look, or that the journal did not take.
        soonest = min((s if s > 0 else AGAIN for s in left), default=LONGEST_WAIT)
        return min(soonest, LONGEST_WAIT)
