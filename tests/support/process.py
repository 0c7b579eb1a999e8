"""Server processes of tests: started in a group of their own, ended without a trace."""

import atexit
from collections.abc import Callable, Mapping, Sequence
import os
from pathlib import Path
import signal
import subprocess
import time

_POLL = 0.05


def wait_until(
    condition: Callable[[], bool], timeout: float, failure: Callable[[], str]
) -> None:
    """Wait for what only another process can bring about."""
    end = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(failure())
        time.sleep(_POLL)


def living_members(group: int) -> list[int]:
    """Return the processes of a group that have not ended."""
    members = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            # pid (command) state parent group: the command may hold blanks, brackets
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it ended meanwhile
            continue
        if int(fields[2]) == group and fields[0] != "Z":
            members.append(int(stat.parent.name))
    return members


class ServerProcess:
    """A server that a test starts, stops and kills; its output goes to a file."""

    def __init__(self, output: Path) -> None:
        self.output = output
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The server's process id; it must have been started."""
        assert self._process
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether the server has been started and has not ended."""
        return self._process is not None and self._process.poll() is None

    def log(self) -> str:
        """Return all that the server has written, over all its starts."""
        return self.output.read_text(errors="replace") if self.output.exists() else ""

    def start(
        self,
        command: Sequence[str | Path],
        *,
        env: Mapping[str, str],
        ready: Callable[[], bool],
        timeout: float,
    ) -> None:
        """Start the server and wait until it is ready."""
        assert not self.running
        with self.output.open("ab") as output:
            self._process = subprocess.Popen(
                command,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        atexit.register(self.stop)  # for scripts that fail without a fixture's teardown

        def ready_or_ended() -> bool:
            return not self.running or ready()

        wait_until(ready_or_ended, timeout, self.tail)
        if not self.running:
            raise RuntimeError(f"{command[0]} ended while starting\n{self.tail()}")

    def stop(self, timeout: float = 60) -> None:
        """Ask the server to end, and see that nothing of it stays."""
        self._end(signal.SIGTERM, timeout)

    def kill(self, timeout: float = 10) -> None:
        """End the server as a power cut would; its children have to notice."""
        self._end(signal.SIGKILL, timeout)

    def tail(self) -> str:
        """Return the last lines of the server's output."""
        return "\n".join(self.log().splitlines()[-40:])

    def _end(self, number: signal.Signals, timeout: float) -> None:
        atexit.unregister(self.stop)
        process, self._process = self._process, None
        if process is None:
            return

        def ended() -> bool:
            return process.poll() is not None and not living_members(process.pid)

        def left_behind() -> str:
            return f"left behind: {living_members(process.pid)}\n{self.tail()}"

        process.send_signal(number)
        try:
            wait_until(ended, timeout, left_behind)
        except TimeoutError:
            os.killpg(process.pid, signal.SIGKILL)
            wait_until(ended, timeout, left_behind)
            raise
