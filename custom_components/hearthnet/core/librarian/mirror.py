"""A copy of the record elsewhere, for people: `git push` now and then.

Nothing depends on it. It is pushed with the git program, which knows how to
reach whatever a person's URL names.
"""

import asyncio
from collections.abc import Callable
import os
from pathlib import Path
import re

PAUSE = 30.0
"""Seconds from a change to the push, and at least between two."""
LIMIT = 300.0
_SECRET = re.compile(r"//[^/@\s]*@")


class Mirror:
    """Pushes the branch after it has moved."""

    def __init__(
        self, folder: Path, url: str | None, tell: Callable[[str | None], None]
    ) -> None:
        """Without a `url` do nothing; `tell` hears what is wrong, None: nothing."""
        self._folder = folder
        self._url = url
        self._tell = tell
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
        """Push once; what goes wrong is told and in `problem`."""
        problem = await self._push(url)
        if problem is not None:
            problem = f"the mirror: {problem.replace(url, 'its address')}"
        if problem != self.problem:
            self.problem = problem
            self._tell(problem)

    async def _push(self, url: str) -> str | None:
        try:
            process = await asyncio.create_subprocess_exec(
                *("git", "-C", str(self._folder), "push", "--quiet", "--", url),
                "refs/heads/main:refs/heads/main",
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
                # Nobody is there to type a password, or to trust a new host.
                env={
                    "GIT_SSH_COMMAND": "ssh -o BatchMode=yes",
                    **os.environ,
                    "GIT_TERMINAL_PROMPT": "0",
                },
            )
        except OSError as error:
            return f"git cannot be started: {error}"
        try:
            async with asyncio.timeout(LIMIT):
                _, errors = await process.communicate()
        except TimeoutError:
            errors = b"it takes too long"
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode == 0:
            return None
        # An address may hold a password, and git repeats it.
        text = _SECRET.sub("//", errors.decode(errors="replace").strip())
        return text[-300:] or f"git ended with {process.returncode}"
