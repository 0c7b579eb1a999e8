"""Packing: what keeps the repository small, done beside the recording.

Not `git gc`: it locks branches while the librarian moves them. The geometric
repack takes no lock that matters and rewrites only what has doubled.
"""

import asyncio
from collections.abc import Sequence
import contextlib
import fcntl
import os
from pathlib import Path
import shutil

ENOUGH = 2000
"""So many loose objects are packed once the house is quiet."""
TOO_MANY = 20_000
"""So many are packed at once. Packing in the midst of many writes makes them slow:
ext4 does not use again for minutes what was just deleted, and searches past it."""
_COMMIT_GRAPH = ("--reachable", "--split", "--changed-paths", "--no-progress")
_TAIL = 2000

type Command = Sequence[str]


def count_loose(folder: Path) -> int:
    """Return how many objects are not packed. Blocks."""
    return sum(1 for _ in (folder / "objects").glob("??/*"))


class Packer:
    """Packs a repository with the git program, if there is one."""

    def __init__(self, folder: Path, git: str | None = None) -> None:
        """Look for git; None: in the PATH."""
        self._folder = folder
        self.git = git or shutil.which("git")
        self.problem: str | None = None

    async def pack(self) -> bool:
        """Pack what is loose; return whether it was done.

        Failing is no reason to stop recording: `problem` says what went wrong.
        """
        if self.git is None:
            self.problem = "git is not installed: the repository grows unpacked"
            return False
        with contextlib.ExitStack() as stack:
            held = os.open(
                self._folder / "hearthnet" / "packing.lock",
                os.O_RDWR | os.O_CREAT | os.O_CLOEXEC,
                0o600,
            )
            stack.callback(os.close, held)
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                return False  # git that a killed librarian started is still at it
            for command in self._commands(self.git):
                if not await self._run(command, held):
                    return False
        self.problem = None
        return True

    def _commands(self, git: str) -> list[Command]:
        start = (git, "-c", f"safe.directory={self._folder}", "-C", str(self._folder))
        return [
            (*start, "repack", "-q", "-d", "-l", "--geometric=2", "--write-midx"),
            (*start, "prune-packed", "-q"),
            (*start, "commit-graph", "write", *_COMMIT_GRAPH),
        ]

    async def _run(self, command: Command, held: int) -> bool:
        process = await asyncio.create_subprocess_exec(
            *("nice", "-n", "5") if shutil.which("nice") else (),
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, "LC_ALL": "C"},
            # The child keeps the lock: it may outlive this process.
            pass_fds=[held],
        )
        try:
            _, errors = await process.communicate()
        except BaseException:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            await process.communicate()
            raise
        if process.returncode:
            text = errors.decode(errors="replace").strip()[-_TAIL:]
            self.problem = f"packing failed: {text or process.returncode}"
            return False
        return True
