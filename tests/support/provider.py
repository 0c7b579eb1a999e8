"""The Messages API server beside what is not asynchronous: a demo, a scripted day."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
import threading

from .messages_api import Body, MessagesApi, Reply


@contextmanager
def provider(
    reply: Callable[[Body], Reply], *, latency: float = 0.0, rate: float = 0.0
) -> Iterator[MessagesApi]:
    """Run the server in a thread with a loop of its own.

    Args:
        reply: makes the answer of a request.
        latency: seconds until an answer begins.
        rate: tokens a second afterwards; 0 is as fast as it goes.
    """
    ready, ended = threading.Event(), asyncio.Event()
    api = MessagesApi(reply, latency=latency, rate=rate)
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        async with api:
            ready.set()
            await ended.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    try:
        if not ready.wait(10):
            raise RuntimeError("the model's server did not start")
        yield api
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join()
        loop.close()
