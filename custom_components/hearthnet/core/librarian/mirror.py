"""A copy of the record elsewhere, for people: `git push` now and then.

Nothing depends on it. It is pushed with the git program, which knows how to
reach whatever a person's URL names.
"""

import asyncio
import logging
from pathlib import Path

_LOGGER = logging.getLogger(__name__)

PAUSE = 30.0
"""Seconds from a change to the push, and at least between two."""
LIMIT = 300.0


class Mirror:
    """Pushes the branch after it has moved."""

    def __init__(self, folder: Path, url: str | None) -> None:
        """Without a `url` do nothing."""
        self._folder = folder
        self._url = url
        self._moved = asyncio.Event()
        self.problem: str | None = None

    def note(self) -> None:
        """Note that the branch has moved."""
        self._moved.set()

    async def run(self) -> None:
        """Push, for ever."""
        while True:
            await self._moved.wait()
            await asyncio.sleep(PAUSE)
            self._moved.clear()
            if self._url is not None:
                await self.push(self._url)

    async def push(self, url: str) -> None:
        """Push once; what goes wrong is in `problem`."""
        try:
            process = await asyncio.create_subprocess_exec(
                *("git", "-C", str(self._folder), "push", "--quiet", "--", url),
                "refs/heads/main:refs/heads/main",
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
            )
        except OSError as error:
            self.problem = f"git cannot be started: {error}"
            return
        try:
            async with asyncio.timeout(LIMIT):
                _, errors = await process.communicate()
        except TimeoutError:
            errors = b"it takes too long"
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        failed = process.returncode != 0
        problem = errors.decode(errors="replace").strip()[-300:] if failed else None
        if problem != self.problem and problem is not None:
            _LOGGER.warning("The mirror %s: %s", url, problem)
        self.problem = problem
