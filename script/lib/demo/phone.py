"""A phone with a remote-control app, behind a real adbd where there is one."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
import threading

from tests.support.phone import real_adbd
from tests.support.phone.apps import TvApp
from tests.support.phone.fake_adbd import FakeAdbd
from tests.support.phone.real_adbd import RealAdbd
from tests.support.phone.world import World


@dataclass(frozen=True, kw_only=True)
class Phone:
    """A phone that is switched on."""

    world: World
    port: int
    adbd: str
    """What answers there, in words."""

    @property
    def television(self) -> TvApp:
        """The television behind the app."""
        return self.world.tv


@contextmanager
def phone() -> Iterator[Phone]:
    """Switch a phone on; its framework answers from a thread of this process."""
    missing = real_adbd.missing()
    world = World()
    daemon = FakeAdbd(world) if missing else RealAdbd(world)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="phone", daemon=True)
    thread.start()
    asyncio.run_coroutine_threadsafe(daemon.__aenter__(), loop).result(30)
    try:
        yield Phone(
            world=world,
            port=daemon.port,
            adbd=f"a Python adbd ({missing})" if missing else "Android's own adbd",
        )
    finally:
        ending = daemon.__aexit__(None, None, None)
        asyncio.run_coroutine_threadsafe(ending, loop).result(30)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
