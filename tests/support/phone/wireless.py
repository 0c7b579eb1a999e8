"""The port of wireless debugging: it answers STLS, and the daemon behind it speaks TLS.

Debian's adbd has no such listener of its own, but does the daemon's half of TLS once a
client has agreed; this port does the rest as a phone's does.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
import struct

_HEAD = 24
_VERSION = 0x01000000


@asynccontextmanager
async def wireless_port(adbd: int) -> AsyncIterator[int]:
    """Listen before the daemon on the port `adbd`; yield the port."""
    running: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        running.add(task)
        with suppress(OSError, asyncio.IncompleteReadError):
            head = await reader.readexactly(_HEAD)
            await reader.readexactly(struct.unpack("<6I", head)[3])
            writer.write(_packet(b"STLS"))
            theirs, ours = await asyncio.open_connection("127.0.0.1", adbd)
            await asyncio.gather(_pipe(reader, ours), _pipe(theirs, writer))
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.close()


def _packet(name: bytes, data: bytes = b"", most: int = 0) -> bytes:
    command = int.from_bytes(name, "little")
    fields = (command, _VERSION, most, len(data), sum(data), command ^ 0xFFFFFFFF)
    return struct.pack("<6I", *fields) + data
