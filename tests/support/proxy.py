"""A TCP proxy that can be cut, to stand between a client and a real broker."""

import asyncio
from contextlib import suppress
from typing import Self


class Proxy:
    """Passes bytes on, until it is told not to."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._refusing = False
        self.port = 0

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server
        self._server.close()
        self.cut()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def cut(self, *, refuse: bool = False) -> None:
        """Break every connection, and with `refuse` every later one too."""
        self._refusing = refuse
        for writer in tuple(self._writers):
            writer.transport.abort()

    def heal(self) -> None:
        """Let bytes and connections through again."""
        self._refusing = False
        self._flowing.set()

    def freeze(self) -> None:
        """Keep connections open and let nothing through: a cable is pulled."""
        self._flowing.clear()

    async def _serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if self._refusing:
            writer.transport.abort()
            return
        try:
            other_reader, other_writer = await asyncio.open_connection(
                "127.0.0.1", self._target
            )
        except OSError:  # the broker is down
            writer.transport.abort()
            return
        self._writers |= {writer, other_writer}
        both = [
            asyncio.ensure_future(self._pass_on(reader, other_writer)),
            asyncio.ensure_future(self._pass_on(other_reader, writer)),
        ]
        self._tasks |= set(both)
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        for end in (writer, other_writer):
            self._writers.discard(end)
            end.transport.abort()

    async def _pass_on(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                await self._flowing.wait()
                writer.write(data)
                await writer.drain()
