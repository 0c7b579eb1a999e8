"""An adbd in this process: the device side of the ADB protocol, with faults.

Written from AOSP's `protocol.md`; Debian's adb drives it too (a test), so that
it is not bent to the one client that Darcy uses.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
import os
import struct
from typing import Self

from .adb_keys import verifies
from .framework import Framework
from .mini_shell import MiniShell
from .world import World

_TOKEN, _SIGNATURE, _PUBLIC_KEY = 1, 2, 3
_VERSION = 0x01000000
_MAX_DATA = 256 * 1024
_BANNER = b"device::ro.product.model=FakePhone;features=shell_v2,cmd"


@dataclass
class Faults:
    """What goes wrong with the connection."""

    cut_after: int | None = None
    """Close after that many bytes were sent, over all connections."""
    reset: bool = False
    """Close with a reset rather than in order."""
    stall_after: int | None = None
    """Send nothing more after that many bytes, and keep the connection."""
    mute: bool = False
    """Accept connections and never say a word."""
    garble: bool = False
    """Send what is no message."""
    flood: bool = False
    """Answer a command with bytes without end."""


@dataclass
class FakeAdbd:
    """A phone's daemon. Use it as an async context manager."""

    world: World = field(default_factory=World)
    faults: Faults = field(default_factory=Faults)
    keys: list[bytes] | None = None
    """Public keys that are allowed; None: it asks for none (as on a debug build)."""
    allows: Callable[[bytes], Awaitable[bool]] | None = None
    """The owner in front of “Allow USB debugging?”; None: nobody is there."""
    asked: list[bytes] = field(default_factory=list)
    """Keys for which the dialog came up."""
    sent: int = 0
    """Bytes sent, over all connections."""
    connections: int = 0

    def __post_init__(self) -> None:
        """Give the phone its commands."""
        self.framework = Framework(self.world)
        self.shell = MiniShell(self.framework)
        self.port = 0
        self._open: set[_Connection] = set()
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        """Listen on a free loopback port, or on the one it had before."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop listening and close all connections."""
        assert self._server
        self._server.close()
        self.drop()
        await asyncio.gather(*(one.ended.wait() for one in self._open))
        await self._server.wait_closed()

    def drop(self) -> None:
        """Cut all connections."""
        for connection in self._open:
            connection.cut()

    async def _serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.connections += 1
        connection = _Connection(self, reader, writer)
        self._open.add(connection)
        try:
            await connection.run()
        finally:
            self._open.discard(connection)
            connection.ended.set()


class _Stream:
    """One opened service; one unanswered WRTE at a time, as the protocol has it."""

    def __init__(self, connection: "_Connection", local: int, remote: int) -> None:
        self.okay = asyncio.Event()
        self.okay.set()
        self._connection = connection
        self._ids = local, remote

    async def write(self, data: bytes) -> None:
        for at in range(0, len(data), _MAX_DATA):
            await self.okay.wait()
            self.okay.clear()
            part = data[at : at + _MAX_DATA]
            await self._connection.send(b"WRTE", *self._ids, part)

    async def close(self) -> None:
        await self._connection.send(b"CLSE", *self._ids)


class _Connection:
    def __init__(
        self,
        adbd: FakeAdbd,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self.ended = asyncio.Event()
        self._adbd = adbd
        self._reader = reader
        self._writer = writer
        self._streams: dict[int, _Stream] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._token = b""
        self._online = False
        self._next = 1

    def cut(self) -> None:
        if self._adbd.faults.reset:
            self._writer.transport.abort()
        else:
            self._writer.close()

    async def run(self) -> None:
        try:
            while True:
                head = await self._reader.readexactly(24)
                command, one, two, size, _sum, _magic = struct.unpack("<6I", head)
                data = await self._reader.readexactly(size)
                await self._take(struct.pack("<I", command), one, two, data)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            self._writer.transport.abort()

    async def send(self, name: bytes, one: int, two: int, data: bytes = b"") -> None:
        number = struct.unpack("<I", name)[0]
        check = sum(data) & 0xFFFFFFFF
        magic = number ^ 0xFFFFFFFF
        head = struct.pack("<6I", number, one, two, len(data), check, magic)
        await self._write(head + data)

    async def _write(self, data: bytes) -> None:
        adbd, faults = self._adbd, self._adbd.faults
        if faults.mute:
            return
        if faults.garble:
            data = b"HTTP/1.1 400 Bad Request\r\n\r\n"
        for limit, ends in ((faults.cut_after, True), (faults.stall_after, False)):
            if limit is not None and adbd.sent + len(data) > limit:
                data = data[: max(0, limit - adbd.sent)]
                adbd.sent = limit
                self._writer.write(data)
                if ends:
                    self.cut()
                    raise ConnectionResetError("cut")
                return
        adbd.sent += len(data)
        self._writer.write(data)
        await self._writer.drain()

    async def _take(self, name: bytes, one: int, two: int, data: bytes) -> None:
        if name == b"CNXN":
            await self._greet()
        elif name == b"AUTH":
            await self._authenticate(one, data)
        elif name == b"OPEN" and self._online:
            self._spawn(self._open(one, data.rstrip(b"\0").decode()))
        elif name == b"OKAY" and two in self._streams:
            self._streams[two].okay.set()
        elif name == b"CLSE":
            self._streams.pop(two, None)

    async def _greet(self) -> None:
        if self._adbd.keys is None:
            await self._welcome()
        else:
            self._token = os.urandom(20)
            await self.send(b"AUTH", _TOKEN, 0, self._token)

    async def _welcome(self) -> None:
        self._online = True
        await self.send(b"CNXN", _VERSION, _MAX_DATA, _BANNER)

    async def _authenticate(self, kind: int, data: bytes) -> None:
        keys = self._adbd.keys or []
        if kind == _SIGNATURE:
            if any(verifies(key, self._token, data) for key in keys):
                await self._welcome()
            else:
                self._token = os.urandom(20)
                await self.send(b"AUTH", _TOKEN, 0, self._token)
        elif kind == _PUBLIC_KEY:
            key = data.rstrip(b"\0")
            self._adbd.asked.append(key)
            if self._adbd.allows:
                self._spawn(self._ask(key))

    async def _ask(self, key: bytes) -> None:
        assert self._adbd.allows
        if await self._adbd.allows(key) and self._adbd.keys is not None:
            self._adbd.keys.append(key)
            await self._welcome()

    async def _open(self, remote: int, service: str) -> None:
        local, self._next = self._next, self._next + 1
        kind, _, line = service.partition(":")
        stream = self._streams[local] = _Stream(self, local, remote)
        if kind.split(",")[0] not in {"shell", "exec"}:
            await self.send(b"CLSE", 0, remote)
            return
        await self.send(b"OKAY", local, remote)
        while self._adbd.faults.flood:
            await stream.write(struct.pack("<BI", 1, 65536) + b"x" * 65536)
        result = await self._adbd.shell.run(line)
        if "v2" in kind:
            parts = ((1, result.out), (2, result.err), (3, bytes([result.code & 255])))
            for number, data in parts:
                if data:
                    await stream.write(struct.pack("<BI", number, len(data)) + data)
        else:
            await stream.write(result.out + result.err)
        await stream.close()

    def _spawn(self, work: Awaitable[None]) -> None:
        async def guarded() -> None:
            with suppress(ConnectionError):
                await work

        task = asyncio.create_task(guarded())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
