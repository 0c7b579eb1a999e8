"""A real Mosquitto broker on a free loopback port."""

import getpass
import os
from pathlib import Path
import shutil
from typing import Self

from .ports import free_port, listening
from .process import ServerProcess

# Debian puts it where ordinary users do not look.
_SEARCH_PATH = os.environ.get("PATH", os.defpath) + ":/usr/sbin"


def available() -> bool:
    """Tell whether there is a Mosquitto on this machine."""
    return shutil.which("mosquitto", path=_SEARCH_PATH) is not None


class Mosquitto:
    """A broker; restarting it keeps its port and, with persistence, its messages."""

    def __init__(self, directory: Path, config: str = "allow_anonymous true\n") -> None:
        self.port = free_port()
        self._directory = directory
        self._config = config
        self._process = ServerProcess(directory / "mosquitto.log")

    def start(self) -> None:
        """Start the broker and wait until it accepts connections."""
        program = shutil.which("mosquitto", path=_SEARCH_PATH)
        assert program, "mosquitto is missing: run script/setup"
        path = self._directory / "mosquitto.conf"
        path.write_text(
            f"listener {self.port} 127.0.0.1\n"
            f"user {getpass.getuser()}\n"  # or it drops root's rights to the directory
            f"persistence_location {self._directory}/\n"
            "log_type all\n"
            f"{self._config}"
        )
        self._process.start(
            [program, "-c", path],
            env=os.environ,
            ready=lambda: listening(self.port),
            timeout=10,
        )

    def stop(self) -> None:
        """Stop the broker in order: it says goodbye and saves."""
        self._process.stop()

    def kill(self) -> None:
        """End the broker as a power cut would."""
        self._process.kill()

    def log(self) -> str:
        """Return what the broker has logged."""
        return self._process.log()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
