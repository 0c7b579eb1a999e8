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


class Client(aiomqtt.Client):
    """A client for one connection; `release` it at the end."""

    _released = False

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
        def read() -> None:
            client.loop_read()
            # TLS may have decoded more than was asked for, and the socket stays silent.
            while isinstance(sock, ssl.SSLSocket) and sock.pending():
                client.loop_read()

        def watch() -> None:
            self._loop.add_reader(sock, self._guarded(read))
            self._misc_task = self._loop.create_task(self._misc_loop())

        self._soon(sock, watch)

    @override
    def _on_socket_register_write(
        self, client: paho.Client, _userdata: object, sock: Any
    ) -> None:
        write = self._guarded(client.loop_write)
        self._soon(sock, lambda: self._loop.add_writer(sock, write))

    def _soon(self, sock: socket.socket, work: _Work) -> None:
        """Do something in the loop, unless the socket is closed by then."""

        def unless_closed() -> None:
            if sock.fileno() >= 0:
                work()

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


def _read(future: asyncio.Future[None]) -> None:
    """Take note of an error, or Python logs that nobody did."""
    if future.done() and not future.cancelled():
        future.exception()
