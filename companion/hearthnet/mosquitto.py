"""A Mosquitto of our own on this machine, for benches and replays."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
import os
from pathlib import Path
import shutil
import socket
import subprocess
from time import monotonic, sleep

_CONFIGURATION = """\
listener {port} 127.0.0.1
allow_anonymous true
set_tcp_nodelay true
max_queued_messages 100000
"""
_PATIENCE = 10.0
_LOOK = 0.01


class MosquittoError(Exception):
    """There is no Mosquitto, or it does not start."""


def prepare(folder: Path) -> tuple[tuple[str, ...], int]:
    """Return the command that starts a broker, and the port that it will listen on.

    Raises:
        MosquittoError: there is none.
    """
    # Debian puts it where ordinary users do not look.
    path = os.environ.get("PATH", os.defpath) + ":/usr/sbin"
    if (program := shutil.which("mosquitto", path=path)) is None:
        raise MosquittoError("no mosquitto")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = int(server.getsockname()[1])
    settings = folder / "mosquitto.conf"
    settings.write_text(_CONFIGURATION.format(port=port))
    return (program, "-c", str(settings)), port


@contextmanager
def mosquitto(folder: Path) -> Iterator[int]:
    """Run a broker; its port on the loopback interface. Blocks until it listens.

    Raises:
        MosquittoError: there is none, or it does not start.
    """
    command, port = prepare(folder)
    process = subprocess.Popen(  # noqa: S603 - found by its name
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _until_it_listens(process, port)
        yield port
    finally:
        process.terminate()
        process.wait()


def _until_it_listens(process: subprocess.Popen[bytes], port: int) -> None:
    start = monotonic()
    while True:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        if process.poll() is not None or monotonic() - start > _PATIENCE:
            raise MosquittoError("mosquitto does not start")
        sleep(_LOOK)
