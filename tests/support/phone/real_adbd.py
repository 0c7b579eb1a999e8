"""Debian's build of Android's adbd, with mksh and toybox, around a simulated phone.

The daemon and the shell are Android's own code; only the framework's commands
(`am`, `input`, `dumpsys`, …) are answered from this process. It runs without
privileges in a sandbox, listens on loopback, and dies with this process.
"""

import asyncio
from collections.abc import Mapping
from hashlib import sha256
import os
from pathlib import Path
import shutil
import socket
import tempfile
from typing import Self

from tests.support.ports import free_port, listening
from tests.support.process import ServerProcess

from .framework import Framework
from .world import World

_ROOT = Path(__file__).parents[3]
_DATA = Path(os.environ.get("XDG_DATA_HOME", Path.home() / ".local/share"))


def _made_from() -> str:
    """Return what script/adbd names its folder after."""
    sources = sorted((Path(__file__).parent / "adbd").glob("*.*"))
    content = b"".join(path.read_bytes() for path in (_ROOT / "script/adbd", *sources))
    return sha256(content).hexdigest()[:12]


PREFIX = _DATA / f"hearthnet/adbd-{_made_from()}"
"""The private copy."""

_START = ("/usr/bin/perl", "/launch.pl", "/adbd")
_PASSWD = "shell:x:2000:2000:shell:/data/local/tmp:/system/bin/sh\n"


def missing() -> str | None:
    """Return why the real adbd cannot run here, None if it can."""
    if not (PREFIX / "launch.pl").exists():
        return f"no {PREFIX}: script/adbd could not get Debian's package"
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed"
    return None


def asks_for_keys() -> bool:
    """Tell whether the copy that asks for keys could be made on this machine."""
    return (PREFIX / "adbd-with-keys").exists()


class RealAdbd:
    """A phone with the real daemon. Use it as an async context manager."""

    def __init__(
        self, world: World | None = None, *, keys: bytes | None = None
    ) -> None:
        """Simulate `world`; with `keys` ask for one of these, or for the owner."""
        self.world = world or World()
        self.framework = Framework(self.world)
        self.port = free_port()
        self.asked: asyncio.Queue[bytes] = asyncio.Queue()
        """What adbd has told its framework: keys to allow, disconnections."""
        self._keys = keys
        self._folder = Path(tempfile.mkdtemp(prefix="adbd-"))
        self.data = self._folder / "data"
        """The phone's /data."""
        self._process = ServerProcess(self._folder / "output")
        self._server: asyncio.Server | None = None
        self._dialog: socket.socket | None = None

    async def __aenter__(self) -> Self:
        """Boot the phone: about 40 ms."""
        for name in ("data/local/tmp", "data/misc/adb", "sockets"):
            (self._folder / name).mkdir(parents=True)
        (self._folder / "passwd").write_text(_PASSWD)
        (self.data / "misc/adb/adb_keys").write_bytes(self._keys or b"")
        sockets = self._folder / "sockets"
        self._server = await asyncio.start_unix_server(
            self._command, sockets / "framework"
        )
        await asyncio.to_thread(self._boot)
        if self._keys is not None:
            self._watch(sockets / "adbd")
        return self

    async def __aexit__(self, *_: object) -> None:
        """Switch the phone off and leave nothing behind."""
        if self._dialog:
            asyncio.get_running_loop().remove_reader(self._dialog)
            self._dialog.close()
        await asyncio.to_thread(self._process.stop)
        assert self._server
        self._server.close()
        shutil.rmtree(self._folder)

    def answer(self, *, allow: bool) -> None:
        """Answer the dialog “Allow USB debugging?”, for this connection."""
        assert self._dialog
        self._dialog.send(b"OK" if allow else b"NO")

    def _boot(self) -> None:
        daemon = "adbd-with-keys"
        if self._keys is None:
            daemon = "usr/lib/android-sdk/platform-tools/adbd"
        self._process.start(
            ["bwrap", *self._sandbox(PREFIX / daemon), *_START],
            env=dict(os.environ),
            ready=lambda: listening(self.port),
            timeout=20,
        )

    def _sandbox(self, daemon: Path) -> list[str | Path]:
        library = next((PREFIX / "usr/lib").glob("*-linux-gnu")).name
        environment: Mapping[str, str] = {
            "ADBD_PORT": str(self.port),
            "ANDROID_DATA": "/data",
            "ANDROID_ROOT": "/system",
            "LD_LIBRARY_PATH": f"/usr/lib/{library}/android",
            "LD_PRELOAD": "/shim.so",
            "PATH": "/system/bin",
        }
        options: list[str | Path] = [
            *("--unshare-user", "--uid", "2000", "--gid", "2000"),
            *(
                "--unshare-pid",
                "--unshare-ipc",
                "--unshare-uts",
                "--hostname",
                "android",
            ),
            *("--die-with-parent", "--clearenv", "--proc", "/proc", "--dev", "/dev"),
            *("--ro-bind", PREFIX / "usr", "/usr", "--ro-bind", daemon, "/adbd"),
            *("--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64"),
            *("--ro-bind", PREFIX / "system", "/system"),
            *("--symlink", "/system/bin", "/bin"),
            *("--bind", self._folder / "sockets", "/dev/socket"),
            *("--bind", self._folder / "data", "/data", "--dir", "/etc"),
            *("--ro-bind", self._folder / "passwd", "/etc/passwd"),
            *("--ro-bind", PREFIX / "launch.pl", "/launch.pl"),
            *("--ro-bind", PREFIX / "shim.so", "/shim.so"),
        ]
        for name, value in environment.items():
            options += ["--setenv", name, value]
        return options

    def _watch(self, path: Path) -> None:
        """Be the framework that shows the dialog; without it a prompt stays unseen."""
        self._dialog = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._dialog.setblocking(False)
        self._dialog.connect(str(path))

        def readable() -> None:
            assert self._dialog
            if data := self._dialog.recv(4096):
                self.asked.put_nowait(data)
            else:
                asyncio.get_running_loop().remove_reader(self._dialog)

        asyncio.get_running_loop().add_reader(self._dialog, readable)

    async def _command(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Answer one of the framework's commands; see `adbd/framework.pl`."""
        try:
            request = (await reader.readuntil(b"\0\0"))[:-2]
            words = request.decode("utf-8", "surrogateescape").split("\0")
            result = await self.framework.run(words)
            path, data = next(iter(result.files.items()), ("-", b""))
            sizes = result.code, len(result.out), len(result.err), len(data)
            head = " ".join(map(str, sizes)) + f" {path}\n"
            writer.write(head.encode() + result.out + result.err + data)
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the command was killed
        finally:
            writer.close()
