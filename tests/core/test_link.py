"""A connection, to brokers that misbehave: it ends, and leaves nothing behind."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
import gc
import logging
import socket
import threading
from typing import Any

from paho.mqtt import client as paho
import pytest

from hearthnet.core.bus import link
from hearthnet.core.bus.client import Buffered
from hearthnet.core.bus.link import Link, LinkError, connect
from tests.core.bus_home import broker
from tests.support.mosquitto import Mosquitto
from tests.support.proxy import Proxy

type Work = Callable[[Link], Awaitable[None]]
type Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

CONNACK = b"\x20\x03\x00\x00\x00"
"""The broker's yes, in MQTT 5."""
PING, PONG = b"\xc0", b"\xd0\x00"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait a shorter time for a broker."""
    monkeypatch.setattr(link, "TIMEOUT", 0.5)


@pytest.fixture(autouse=True)
def nothing_is_logged(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Fail when Python had to log an error that nobody has read."""
    yield
    gc.collect()
    records = caplog.get_records("call") + caplog.records
    assert [r for r in records if r.levelno >= logging.WARNING] == []


class FalseBroker:
    """Something that listens where a broker should."""

    def __init__(self, serve: Serve) -> None:
        self._serve = serve
        self.port = 0
        self._serving: list[asyncio.Task[None]] = []
        self.came = asyncio.Event()
        self.gone = asyncio.Event()
        """Set when a client has closed its connection."""

    @asynccontextmanager
    async def listening(self) -> AsyncIterator["FalseBroker"]:
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            async with asyncio.timeout(5):
                await asyncio.gather(*self._serving)

    async def _accept(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        serving = asyncio.current_task()
        assert serving
        self._serving.append(serving)
        self.came.set()
        with suppress(ConnectionError):
            await self._serve(reader, writer)
            while await reader.read(65536):
                pass
        self.gone.set()
        writer.close()

    async def left_alone(self) -> None:
        """Wait until the client has let go of its connection."""
        async with asyncio.timeout(5):
            await self.gone.wait()


async def use(port: int, work: Work) -> None:
    """Connect, and do something."""
    async with connect(broker(port), "me") as connection:
        await work(connection)


async def nothing(_connection: Link) -> None:
    """Do nothing with a connection."""


async def subscribe(connection: Link) -> None:
    """Say something, and wait for an answer to something else."""
    connection.publish("a", b"b")
    await connection.subscribe("a")


async def test_one_that_never_answers() -> None:
    async def silent(_r: asyncio.StreamReader, _w: asyncio.StreamWriter) -> None:
        return

    async with FalseBroker(silent).listening() as false:
        with pytest.raises(LinkError, match="timed out"):
            await use(false.port, nothing)
        await false.left_alone()


async def test_one_that_accepts_and_drops() -> None:
    async def drop(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.transport.abort()

    async with FalseBroker(drop).listening() as false:
        with pytest.raises(LinkError, match="closed without an answer"):
            await use(false.port, nothing)


async def test_one_that_says_yes_and_drops() -> None:
    async def drop(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(CONNACK)
        writer.transport.close()

    async with FalseBroker(drop).listening() as false:
        for _ in range(20):  # it may end at any moment
            with pytest.raises(LinkError):
                await use(false.port, subscribe)


async def test_one_that_talks_nonsense() -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(CONNACK + bytes(range(256)) * 40)

    async with FalseBroker(talk).listening() as false:
        with pytest.raises(LinkError):
            await use(false.port, subscribe)
        await false.left_alone()


async def test_one_that_takes_what_it_is_given_and_does_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is there, as far as signs of life go."""
    monkeypatch.setattr(link, "PATIENCE", 0.2)
    monkeypatch.setattr(link, "KEEPALIVE", 1)

    async def idle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1024)
        writer.write(CONNACK)
        while data := await reader.read(1024):
            if data.startswith(PING):
                writer.write(PONG)

    async def give(connection: Link) -> None:
        connection.publish("a", b"b")
        await connection.watch()

    async with FalseBroker(idle).listening() as false:
        with pytest.raises(LinkError, match="does not answer"):
            await use(false.port, give)


async def test_what_is_too_long_is_not_even_read(mosquitto: Mosquitto) -> None:
    """A broker may let others say what would fill this node's memory."""

    async def listen(connection: Link) -> None:
        await connection.subscribe("a")
        async with connect(broker(mosquitto.port), "other") as other:
            await other.publish("a", bytes(10 * 2**20))
            await other.publish("a", b"short")
        delivery = await anext(connection.deliveries())
        assert delivery.payload == b"short"

    await use(mosquitto.port, listen)


async def test_one_that_is_given_up_while_it_connects() -> None:
    answered = asyncio.Event()

    async def late(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await answered.wait()
        writer.write(CONNACK)

    async with FalseBroker(late).listening() as false:
        using = asyncio.ensure_future(use(false.port, nothing))
        await false.came.wait()
        using.cancel()
        answered.set()
        await asyncio.gather(using, return_exceptions=True)
        await false.left_alone()


async def test_one_that_is_given_up_before_it_is_reached(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The connecting runs in a thread, which nobody can call off."""
    began, reached = threading.Event(), threading.Event()
    create = paho.Client._create_socket

    def slow(client: paho.Client) -> Any:
        began.set()
        assert reached.wait(10)
        return create(client)

    async def silent(_r: asyncio.StreamReader, _w: asyncio.StreamWriter) -> None:
        return

    monkeypatch.setattr(paho.Client, "_create_socket", slow)
    async with FalseBroker(silent).listening() as false:
        using = asyncio.ensure_future(use(false.port, nothing))
        await asyncio.to_thread(began.wait, 10)
        using.cancel()
        await asyncio.gather(using, return_exceptions=True)
        reached.set()
        await false.left_alone()


async def test_one_that_is_gone_before_the_next_word(mosquitto: Mosquitto) -> None:
    """What is to be written waits for the loop; by then there may be no socket."""

    async def lose(connection: Link) -> None:
        connection.publish("a", b"b")
        connection._client.release()
        await subscribe(connection)

    with pytest.raises(LinkError):
        await use(mosquitto.port, lose)


async def test_one_whose_cable_is_pulled(mosquitto: Mosquitto) -> None:
    """Half open: the connection stands and nothing comes through."""

    async def pull(connection: Link) -> None:
        await subscribe(connection)
        proxy.freeze()
        connection.publish("a", bytes(2**22))
        await subscribe(connection)

    async with Proxy(mosquitto.port) as proxy:
        with pytest.raises(LinkError):
            await use(proxy.port, pull)


async def test_one_that_is_killed(mosquitto: Mosquitto) -> None:
    async def kill(connection: Link) -> None:
        await subscribe(connection)
        mosquitto.kill()
        connection.publish("a", b"b")
        async for _ in connection.deliveries():
            pass

    with pytest.raises(LinkError):
        await use(mosquitto.port, kill)


async def test_one_that_takes_no_more(mosquitto: Mosquitto) -> None:
    async def go_on(connection: Link) -> None:
        sock = connection._paho.socket()
        assert isinstance(sock, Buffered)
        sock.shutdown(socket.SHUT_WR)
        connection.publish("a", b"b")
        async for _ in connection.deliveries():
            pass

    with pytest.raises(LinkError):
        await use(mosquitto.port, go_on)


def test_reads_at_once_what_paho_asks_for_in_bits() -> None:
    near, far = socket.socketpair()
    with near, far:
        near.setblocking(False)
        buffered = Buffered(near, lambda: 0)
        assert not buffered.pending()
        far.send(b"abcdef")
        assert buffered.recv(1) == b"a"
        with pytest.raises(BlockingIOError):
            near.recv(1)
        assert buffered.pending()
        assert buffered.recv(3) == b"bcd"
        assert buffered.recv(10) == b"ef"
        assert not buffered.pending()
        with pytest.raises(BlockingIOError):
            buffered.recv(1)
        far.send(b"g")
        far.shutdown(socket.SHUT_WR)
        assert [buffered.recv(1), buffered.recv(1)] == [b"g", b""]
        assert buffered.fileno() == near.fileno()


def test_sends_together_what_follows_at_once() -> None:
    waiting = 1
    with socket.create_server(("127.0.0.1", 0)) as server:
        near = socket.create_connection(server.getsockname())
        far, _ = server.accept()
    with near, far:
        near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        buffered = Buffered(near, lambda: waiting)
        buffered.send(b"abc")
        far.setblocking(False)
        with pytest.raises(BlockingIOError):
            far.recv(10)
        waiting = 0
        buffered.send(b"def")
        far.setblocking(True)
        assert far.recv(10) == b"abcdef"
