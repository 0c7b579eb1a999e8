"""aiomqtt's client, made to let go of everything, however a connection ends.

aiomqtt 2.5 connects in a thread and watches its sockets a moment later. A connection
that breaks, is refused or is given up meanwhile leaves it with a closed socket to
watch, with an open one that answers the broker for ever, or with an error that
nobody reads. Home Assistant would log each of them as a fault.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
import socket
import ssl
from typing import Any, override

import aiomqtt
from paho.mqtt import client as paho

type _Work = Callable[[], object]

_MORE = getattr(socket, "MSG_MORE", 0)
_CHUNK = 2**14
"""Bytes that are read at once: a dozen messages, which take some milliseconds."""


class Client(aiomqtt.Client):
    """A client for one connection; `release` it at the end."""

    _released = False

    @property
    def ended(self) -> asyncio.Future[None]:
        """Done when the connection has ended, with the error that ended it if any."""
        return self._disconnected

    def release(self) -> None:
        """Let go of the socket, in whatever state the connection is."""
        self._released = True
        self._client._sock_close()  # noqa: SLF001 - not to be had otherwise
        _read(self._connected)

    @override
    def _client_connect(self) -> None:
        super()._client_connect()
        if self._released:  # whoever wanted it has gone meanwhile,
            with suppress(RuntimeError):  # and maybe the loop with him
                self._loop.call_soon_threadsafe(self.release)

    @override
    def _on_disconnect(self, *arguments: Any) -> None:
        """Let a connection that ends before it was accepted fail at once."""
        if not self._connected.done():
            self._connected.set_exception(aiomqtt.MqttError("closed without an answer"))
        elif not self._connected.cancelled():
            super()._on_disconnect(*arguments)
            _read(self._disconnected)

    @override
    def _on_socket_open(
        self, client: paho.Client, _userdata: object, sock: Any
    ) -> None:
        # paho takes whatever reads and writes for its socket.
        more = client._out_packet.__len__  # noqa: SLF001
        client._sock = buffered = Buffered(sock, more)  # noqa: SLF001

        def read() -> None:
            client.loop_read()
            while client.socket() is buffered and buffered.pending():
                client.loop_read()

        def watch() -> None:
            # Nagle's algorithm makes an answer wait for an acknowledgement: 88 ms.
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._loop.add_reader(sock, self._guarded(read))
            self._misc_task = self._loop.create_task(self._misc_loop())

        self._soon(sock, watch)

    @override
    def _on_socket_register_write(
        self, client: paho.Client, _userdata: object, sock: Any
    ) -> None:
        write = self._guarded(client.loop_write)

        def try_at_once() -> None:
            write()
            if client.want_write() and sock.fileno() >= 0:
                self._loop.add_writer(sock, write)

        self._soon(sock, try_at_once)

    def _soon(self, sock: socket.socket, work: _Work) -> None:
        """Do something in the loop, unless the socket is closed by then."""

        def unless_closed() -> None:
            if sock.fileno() >= 0:
                work()

        try:
            asyncio.get_running_loop().call_soon(unless_closed)
        except RuntimeError:  # the thread that connects
            self._loop.call_soon_threadsafe(unless_closed)

    def _guarded(self, work: _Work) -> _Work:
        """Take an error of the socket for the end of the connection."""

        def guarded() -> None:
            try:
                work()
            except Exception as error:  # noqa: BLE001 - whatever a broker provokes
                if not self._disconnected.done():
                    self._disconnected.set_exception(error)
                    _read(self._disconnected)

        return guarded


class Buffered:
    """A socket that asks the kernel for as much as there is, and hands it out.

    paho asks for each byte of a packet's header.
    """

    def __init__(self, sock: socket.socket, more: Callable[[], int]) -> None:
        """Take a socket that does not block; `more` tells how much waits to be sent."""
        self._sock = sock
        self._more = more
        self._data = b""
        self._at = 0

    def recv(self, size: int) -> bytes:
        """Return up to `size` bytes; BlockingIOError, or TLS's own, without any."""
        if self._at == len(self._data):
            self._data, self._at = self._sock.recv(_CHUNK), 0
        part = self._data[self._at : self._at + size]
        self._at += len(part)
        return part

    def send(self, data: bytes) -> int:
        """Send, together with what follows."""
        tls = isinstance(self._sock, ssl.SSLSocket)
        return self._sock.send(data, 0 if tls or not self._more() else _MORE)

    def pending(self) -> bool:
        """Tell whether there is something for which the socket stays silent."""
        if self._at < len(self._data):
            return True
        # TLS may have decoded more than was asked for.
        return isinstance(self._sock, ssl.SSLSocket) and self._sock.pending() > 0

    def __getattr__(self, name: str) -> Any:
        """Be the socket in everything else."""
        return getattr(self._sock, name)


def _read(future: asyncio.Future[None]) -> None:
    """Take note of an error, or Python logs that nobody did."""
    if future.done() and not future.cancelled():
        future.exception()
