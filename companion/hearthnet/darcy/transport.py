"""TCP to adbd that notices a closed connection at once and bounds what it takes.

It also does what adb-shell cannot: the port of wireless debugging answers a greeting
with STLS, and once the client has said the same, all goes on in TLS (AOSP,
`packages/modules/adb/protocol.txt`).
"""

import asyncio
import socket
import ssl
import struct

from adb_shell.exceptions import TcpTimeoutException
from adb_shell.transport.base_transport_async import BaseTransportAsync

from .wireless import find

MAX_REPLY = 8 * 1024 * 1024
"""Most bytes of one reply. A dump has some hundred kB; more is no phone's answer."""

_HEAD = struct.Struct("<6I")
"""Command, two arguments, length and sum of the data, and the command's complement."""
_STLS = b"STLS"
_COMMAND = int.from_bytes(_STLS, "little")
_STARTTLS = _HEAD.pack(_COMMAND, 0x01000000, 0, 0, 0, _COMMAND ^ 0xFFFFFFFF)

_KEEPALIVE = (("TCP_KEEPIDLE", 10), ("TCP_KEEPINTVL", 5), ("TCP_KEEPCNT", 3))
"""A phone that leaves the Wi-Fi says nothing; its silence is noticed in 25 s."""


class Transport(BaseTransportAsync):  # type: ignore[misc] # adb-shell has no types
    """What adb-shell reads from and writes to.

    adb-shell's own spins on an empty read without ever yielding, up to its
    timeout of 10 s, and waits on closing for a peer that no longer reads.
    """

    def __init__(
        self, host: str, port: int | None, tls: ssl.SSLContext | None = None
    ) -> None:
        """Connect to `host` and `port` when told, with `tls` if the port wants it.

        Without a `port` it is that of wireless debugging, wherever that is then.
        """
        self._host = host
        self._port = port
        self._tls = tls
        self._greeted = False
        """Whether the first answer has come."""
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._left = MAX_REPLY

    @property
    def alive(self) -> bool:
        """Tell whether it is connected and the peer has not closed or reset."""
        if self._streams is None:
            return False
        reader = self._streams[0]
        return reader.exception() is None and not reader.at_eof()

    def begin_reply(self) -> None:
        """Let another reply come in."""
        self._left = MAX_REPLY

    async def connect(self, transport_timeout_s: float | None) -> None:
        """Open the connection; TcpTimeoutException or OSError when it fails."""
        self.drop()
        self.begin_reply()
        try:
            async with asyncio.timeout(transport_timeout_s):
                host, port = self._host, self._port
                if port is None:
                    host, port = await find(host)
                reader, writer = await asyncio.open_connection(host, port)
        except TimeoutError as error:
            raise TcpTimeoutException(f"no connection to {self._host}") from error
        self._streams = reader, writer
        self._greeted = False
        peer = writer.get_extra_info("socket")
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, seconds in _KEEPALIVE:
            if (option := getattr(socket, name, None)) is not None:
                peer.setsockopt(socket.IPPROTO_TCP, option, seconds)

    async def close(self) -> None:
        """Close the connection."""
        self.drop()

    def drop(self) -> None:
        """Close the connection without waiting for anybody."""
        streams, self._streams = self._streams, None
        if streams:
            streams[1].transport.abort()

    async def bulk_read(
        self, numbytes: int, transport_timeout_s: float | None
    ) -> bytes:
        """Return some bytes, at least one."""
        try:
            async with asyncio.timeout(transport_timeout_s):
                if not self._greeted and self._tls is not None:
                    data = await self._greeting(self._tls)
                else:
                    data = await self._open[0].read(min(numbytes, 1 << 20))
        except TimeoutError as error:
            raise TcpTimeoutException("adbd does not answer") from error
        if not data:
            raise ConnectionResetError("adbd closed the connection")
        self._left -= len(data)
        if self._left < 0:
            raise ConnectionAbortedError(f"a reply of over {MAX_REPLY} bytes")
        return data

    async def _greeting(self, tls: ssl.SSLContext) -> bytes:
        """Return the head of the first packet, in TLS if adbd wants that."""
        reader, writer = self._open
        try:
            head = await reader.readexactly(_HEAD.size)
            if head.startswith(_STLS):
                await reader.readexactly(_HEAD.unpack(head)[3])
                writer.write(_STARTTLS)
                await writer.start_tls(tls)
                head = await reader.readexactly(_HEAD.size)
        except asyncio.IncompleteReadError as error:
            raise ConnectionResetError("adbd closed the connection") from error
        self._greeted = True
        return head

    async def bulk_write(self, data: bytes, transport_timeout_s: float | None) -> int:
        """Send bytes and return how many."""
        writer = self._open[1]
        writer.write(data)
        try:
            async with asyncio.timeout(transport_timeout_s):
                await writer.drain()
        except TimeoutError as error:
            raise TcpTimeoutException("adbd takes nothing") from error
        return len(data)

    @property
    def _open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._streams is None:
            raise ConnectionResetError("not connected")
        return self._streams
