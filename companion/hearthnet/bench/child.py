"""One measurement in a process of its own, where the environment decides.

    python -m hearthnet.bench.child MODULE '{"argument": 1}'

calls `measure` of that module of this package and prints the JSON that it returns.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
import json
import os
import signal
import subprocess
import sys
from types import FrameType
from typing import Any

from hearthnet.core.messages import Json

STOP_SECONDS = 20.0
"""How long a measurement that is called off may take to clear up."""
STOPPED = 128 + signal.SIGINT
"""The exit code of what was called off, as a shell tells it."""


@contextmanager
def stoppable() -> Iterator[None]:
    """Take SIGTERM for Ctrl-C: whatever runs is ended, and what it wrote removed."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        handler = signal.getsignal(signal.SIGINT)
        # A shell has what it runs in the background ignore Ctrl-C.
        (handler if callable(handler) else signal.default_int_handler)(number, frame)

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def in_child(
    module: str, environment: Mapping[str, str], **arguments: Json
) -> dict[str, Any]:
    """Return what `measure` of a module of this package says in another process."""
    command = [sys.executable, "-m", __name__, module, json.dumps(arguments)]
    with subprocess.Popen(  # noqa: S603 - our own module
        command,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        stdout=subprocess.PIPE,
        # Ctrl-C is for this process, which then tells the other one once.
        process_group=0,
    ) as process:
        try:
            output, _ = process.communicate()
        except BaseException:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(STOP_SECONDS)
            process.kill()
            raise
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return dict(json.loads(output))


def main(module: str, arguments: str) -> int:
    """Measure and print; return the exit code."""
    try:
        with stoppable():
            told = import_module(f"{__package__}.{module}").measure(
                **json.loads(arguments)
            )
    except KeyboardInterrupt:
        return STOPPED
    sys.stdout.write(json.dumps(told))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
