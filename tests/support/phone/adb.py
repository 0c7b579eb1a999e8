"""Google's own client, in Debian's package: a witness that a daemon speaks ADB."""

import asyncio
from dataclasses import dataclass
import os
from pathlib import Path
import shutil
from typing import Self

from tests.support.ports import free_port, listening
from tests.support.process import ServerProcess


@dataclass(frozen=True)
class Said:
    """What a run of adb gave back."""

    code: int
    out: bytes
    err: bytes


class Adb:
    """An adb with a server and keys of its own. Use it as an async context manager."""

    def __init__(self, folder: Path) -> None:
        """Keep server log and keys in `folder`."""
        self._port = free_port()
        self._home = folder
        self._server = ServerProcess(folder / "server-log")

    @staticmethod
    def there() -> bool:
        """Tell whether adb is installed."""
        return shutil.which("adb") is not None

    async def __aenter__(self) -> Self:
        """Start the server in the foreground, so that it can be ended for sure."""
        await asyncio.to_thread(
            self._server.start,
            ["adb", "-P", str(self._port), "nodaemon", "server"],
            env=self._environment,
            ready=lambda: listening(self._port),
            timeout=20,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        """End the server."""
        await asyncio.to_thread(self._server.stop)

    async def run(self, *words: str) -> Said:
        """Run adb once."""
        process = await asyncio.create_subprocess_exec(
            *("adb", "-P", str(self._port), *words),
            env=self._environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await process.communicate()
        assert process.returncode is not None
        return Said(process.returncode, out, err)

    @property
    def public_key(self) -> bytes:
        """Its public key, once the server has started."""
        return (self._home / ".android/adbkey.pub").read_bytes()

    @property
    def _environment(self) -> dict[str, str]:
        # Without these adb would use the user's keys and look for devices on USB.
        return {
            "HOME": str(self._home),
            "ANDROID_USER_HOME": str(self._home / ".android"),
            "PATH": os.environ["PATH"],
            "TMPDIR": str(self._home),
            "ADB_MDNS": "0",
        }
