"""One sentence that two satellites heard is one intent."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, NamedTuple

from ..clock import Clock
from ..intents import Origin, Request, Result

ECHO = 2.0
"""Seconds within which the same words from another satellite are the same intent."""


class _Said(NamedTuple):
    at: float
    by: str
    answer: asyncio.Future[Result]


class Echo:
    """Remembers what satellites heard a moment ago."""

    def __init__(self, clock: Clock) -> None:
        """Start in silence."""
        self._clock = clock
        self._said: dict[tuple[str, str], _Said] = {}

    async def once(
        self, request: Request, ask: Callable[[Request], Coroutine[Any, Any, Result]]
    ) -> Result:
        """Ask, or wait for the answer to what another satellite heard just now.

        One satellite hears nothing twice: there, somebody has said it again.
        """
        if request.origin is not Origin.VOICE or request.dry_run:
            return await ask(request)
        key = " ".join(request.text.casefold().split()), request.language
        now = self._clock.boottime()
        self._said = {k: v for k, v in self._said.items() if now - v.at < ECHO}
        said = self._said.get(key)
        if said is None or said.by == request.principal.id:
            answer = asyncio.ensure_future(ask(request))
            said = self._said[key] = _Said(now, request.principal.id, answer)
        return await asyncio.shield(said.answer)
