"""What agents do in the background, where no Home Assistant looks after it."""

import asyncio
from collections.abc import Coroutine
from typing import Any


class Background:
    """Keeps tasks until they have ended."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._running: set[asyncio.Task[None]] = set()

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine in the running loop."""
        self.keep(asyncio.get_running_loop().create_task(work))

    def keep(self, task: asyncio.Task[None]) -> None:
        """Look after a task."""
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def end(self) -> None:
        """Cancel what still runs, and wait for its end."""
        tasks = tuple(self._running)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
