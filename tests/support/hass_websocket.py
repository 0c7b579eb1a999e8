"""Home Assistant's websocket API for tests that are not asynchronous."""

import asyncio
from collections.abc import Callable, Coroutine
import contextlib
import queue
import threading
import time
from typing import Any, Self

import aiohttp

_TIMEOUT = 30


class CommandError(Exception):
    """Home Assistant refused a command."""

    def __init__(self, command: str, code: str, message: str) -> None:
        super().__init__(f"{command}: {code}: {message}")
        self.code = code


class Subscription:
    """The events of one subscription, in order."""

    def __init__(self) -> None:
        self._events: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def next(self, timeout: float = _TIMEOUT) -> Any:
        """Wait for the next event."""
        try:
            event = self._events.get(timeout=timeout)
        except queue.Empty:
            raise TimeoutError("no event") from None
        if isinstance(event, ConnectionError):
            raise event
        return event

    def wait_for(
        self, condition: Callable[[Any], bool], timeout: float = _TIMEOUT
    ) -> Any:
        """Wait for the next event that meets a condition; the others are dropped."""
        end = time.monotonic() + timeout
        while not condition(event := self.next(max(0.0, end - time.monotonic()))):
            pass
        return event

    def put(self, event: Any) -> None:
        """Add an event, or the error that no more will come."""
        self._events.put(event)


class HassWebsocket:
    """An authenticated connection, served by a thread with its own loop."""

    def __init__(self, url: str, token: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._next_id = 0
        self._replies: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._subscriptions: dict[int, Subscription] = {}
        try:
            self._run(self._connect(url, token))
        except BaseException:
            self._end_loop()
            raise

    def call(self, command: str, **data: Any) -> Any:
        """Send a command and return its result."""
        return self._run(self._call(command, data, None))

    def start(self, command: str, **data: Any) -> Callable[[], Any]:
        """Send a command; return what waits for its result."""
        work = self._call(command, data, None)
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        return lambda: future.result(_TIMEOUT)

    def subscribe(self, command: str, **data: Any) -> Subscription:
        """Send a command that subscribes and return what collects its events."""
        subscription = Subscription()
        self._run(self._call(command, data, subscription))
        return subscription

    def close(self) -> None:
        """Close the connection; its subscriptions end."""
        if self._thread.is_alive():
            self._run(self._close())
            self._end_loop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run[T](self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(_TIMEOUT)

    def _end_loop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _connect(self, url: str, token: str) -> None:
        async with contextlib.AsyncExitStack() as stack:
            session = await stack.enter_async_context(aiohttp.ClientSession())
            self._socket = await stack.enter_async_context(
                session.ws_connect(f"{url}/api/websocket", max_msg_size=0)
            )
            await self._socket.receive_json()
            await self._socket.send_json({"type": "auth", "access_token": token})
            answer = await self._socket.receive_json()
            if answer["type"] != "auth_ok":
                raise CommandError("auth", answer["type"], answer["message"])
            self._stack = stack.pop_all()
        self._reader = self._loop.create_task(self._read())

    async def _close(self) -> None:
        await self._stack.aclose()
        await self._reader

    async def _read(self) -> None:
        async for raw in self._socket:
            message = raw.json()
            if message["type"] == "event":
                self._subscriptions[message["id"]].put(message["event"])
            elif reply := self._replies.pop(message["id"], None):
                reply.set_result(message)
        ended = ConnectionError("Home Assistant closed the connection")
        for reply in self._replies.values():
            reply.set_exception(ended)
        for subscription in self._subscriptions.values():
            subscription.put(ended)

    async def _call(
        self, command: str, data: dict[str, Any], subscription: Subscription | None
    ) -> Any:
        self._next_id += 1
        number = self._next_id
        if subscription:  # events may come right behind the result
            self._subscriptions[number] = subscription
        reply = self._replies[number] = self._loop.create_future()
        await self._socket.send_json({"id": number, "type": command, **data})
        message = await reply
        if not message["success"]:
            error = message["error"]
            raise CommandError(command, error["code"], error["message"])
        return message["result"]
