"""Termux's own commands, where Darcy runs on the phone itself.

Each of them asks an app (Termux:API) that may be missing, old or stopped; then
it never answers, so nothing here waits without limit.
"""

import asyncio
from contextlib import suppress
import os
import shutil
import signal


class TermuxError(Exception):
    """A command of Termux's failed, or its app does not answer."""


def has(command: str) -> bool:
    """Tell whether Termux has a command; false on any other machine."""
    return command.startswith("termux-") and shutil.which(command) is not None


async def run(*words: str, timeout: float) -> bytes:
    """Run a command and return its output.

    Raises:
        TermuxError: it cannot be run, fails, or takes longer than `timeout`.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            *words,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise TermuxError(f"{words[0]}: {error.strerror}") from error
    try:
        async with asyncio.timeout(timeout):
            out, err = await process.communicate()
    except TimeoutError:
        text = f"{words[0]} does not answer: is the app Termux:API installed?"
        raise TermuxError(text) from None
    finally:
        await _end(process)
    if process.returncode:
        said = err.decode(errors="replace").strip()[:160]
        raise TermuxError(f"{words[0]}: exit code {process.returncode} {said}")
    return out


async def _end(process: asyncio.subprocess.Process) -> None:
    """See that a command, and what it has started, is gone."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            # These commands are scripts; the one that hangs is their child.
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
