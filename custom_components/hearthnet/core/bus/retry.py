"""Trying again: soon at first, then ever more seldom, never all at once."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ..clock import Clock

FIRST_DELAY = 0.5
LONGEST_DELAY = 3.0
"""With its jitter four and a half: short enough that all see each other ten seconds
after a broker is back, however long it was away, and though a process takes some of
them to start; a home has few nodes."""
STEADY_SECONDS = 10.0
"""After so long without a failure the delay starts small again."""


class Backoff:
    """The pauses between attempts."""

    def __init__(self, clock: Clock, jitter: Callable[[], float]) -> None:
        """`jitter` gives a number from 0 to 1."""
        self._clock = clock
        self._jitter = jitter
        self._delay = FIRST_DELAY
        self._began = clock.boottime()

    def begin(self) -> None:
        """Note that an attempt begins."""
        self._began = self._clock.boottime()

    async def pause(self, enough: asyncio.Event) -> None:
        """Wait before the next attempt, or until `enough` is set."""
        if self._clock.boottime() - self._began > STEADY_SECONDS:
            self._delay = FIRST_DELAY
        with suppress(TimeoutError):
            async with asyncio.timeout(self._delay * (0.5 + self._jitter())):
                await enough.wait()
        self._delay = min(2 * self._delay, LONGEST_DELAY)


async def first(work: list[asyncio.Future[Any]]) -> None:
    """Wait until one ends, and raise what it raised."""
    done, _ = await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
    for one in done:
        one.result()
