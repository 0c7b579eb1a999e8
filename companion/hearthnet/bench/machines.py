"""Broker, librarian and manager as processes of their own, beside a hub in this one."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC
import os
from pathlib import Path
import signal
import sys

from hearthnet.background import Background
from hearthnet.config import Config
from hearthnet.core.clock import SystemClock
from hearthnet.core.companion import Identity
from hearthnet.core.enrolled import DARCY, DEWEY, Enrolled
from hearthnet.core.hub import Hub
from hearthnet.core.keys import SigningKey
from hearthnet.core.librarian.stream import Named
from hearthnet.core.node import Node
from hearthnet.core.outside import Outside
from hearthnet.core.policy.load import preset
from hearthnet.core.reservations import LoopWaiter
from hearthnet.core.restart import Startup
from hearthnet.mosquitto import MosquittoError, prepare

from .home import KEY, NoPlanner, lamps
from .manager import DEVICES, NAME, SECRET, broker
from .rows import UnavailableError

LIBRARIAN = "dewey"
_SEED = bytes(range(2, 34))
_PROGRAM = "import sys; from hearthnet.cli import main; sys.exit(main())"


class Process:
    """A program that is started, killed and started again."""

    def __init__(self, *command: str) -> None:
        """Prepare to run `command`."""
        self._command = command
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Start it."""
        self._process = await asyncio.create_subprocess_exec(
            *self._command,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )

    async def end(self, number: signal.Signals) -> None:
        """End it, if it runs."""
        if self._process is not None and self._process.returncode is None:
            self._process.send_signal(number)
            await self._process.wait()

    @property
    def memory(self) -> int:
        """Bytes that it holds in memory."""
        assert self._process
        return resident(self._process.pid)


def resident(pid: int) -> int:
    """Return the bytes of a process in memory, 0 where nothing tells."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    found = (line.split() for line in lines if line.startswith("VmRSS:"))
    return next((int(words[1]) * 1024 for words in found), 0)


@dataclass(kw_only=True)
class Machines:
    """A hub, and what it reaches over the broker."""

    hub: Hub
    outside: Outside
    mosquitto: Process
    librarian: Process
    manager: Process
    lamps: list[str]
    news: asyncio.Event = field(default_factory=asyncio.Event)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until something is so."""
        while not condition():
            self.news.clear()
            await self.news.wait()

    async def seen(self, *names: str) -> None:
        """Wait until exactly these are there."""
        online = self.outside.bus.presence.online
        await self.until(
            lambda: {n for n in (LIBRARIAN, NAME) if online(n)} == set(names)
        )

    async def durable(self, behind: int = 0) -> None:
        """Wait until all but the last `behind` events of the hub are in Git."""
        boot, seq = self.hub.node.position
        assert self.outside.librarian
        feed = self.outside.librarian.feed
        await self.until(lambda: feed.durable >= (boot, seq - behind))


@asynccontextmanager
async def machines(folder: Path) -> AsyncIterator[Machines]:
    """Start all of them in `folder`.

    Raises:
        UnavailableError: there is no Mosquitto.
    """
    try:
        command, port = prepare(folder)
    except MosquittoError as error:
        raise UnavailableError(str(error)) from error
    mosquitto = Process(*command)
    config = _configure(folder, port)
    python = (sys.executable, "-c", _PROGRAM, "dewey", "--config", str(config))
    librarian = Process(*python)
    place = (str(folder / NAME), str(port))
    manager = Process(sys.executable, "-m", f"{__package__}.manager", *place)
    for process in (mosquitto, librarian, manager):
        await process.start()
    try:
        async with _hub(folder, port) as (hub, outside, news):
            made = Machines(
                hub=hub,
                outside=outside,
                mosquitto=mosquitto,
                librarian=librarian,
                manager=manager,
                lamps=list(lamps(DEVICES, NAME).known),
                news=news,
            )
            await made.seen(LIBRARIAN, NAME)
            await made.durable()
            yield made
    finally:
        for process in (manager, librarian, mosquitto):
            await process.end(signal.SIGTERM)


@asynccontextmanager
async def _hub(
    folder: Path, port: int
) -> AsyncIterator[tuple[Hub, Outside, asyncio.Event]]:
    tasks, news, clock = Background(), asyncio.Event(), SystemClock()
    node = Node(name="hub", folder=folder / "hub", key=KEY, clock=clock)
    enrolled = {
        LIBRARIAN: Enrolled(name=LIBRARIAN, role=DEWEY, key=SigningKey(_SEED).public),
        NAME: Enrolled(name=NAME, role=DARCY, key=SECRET.public),
    }
    outside = Outside(
        node,
        broker(port),
        enrolled,
        chain=[],
        record=Named(node=LIBRARIAN),
        on_change=news.set,
    )
    house = lamps(DEVICES, NAME)
    hub = Hub(
        node=node,
        house=house,
        adapter=house,
        planner=NoPlanner(),
        policy_text=preset("balanced"),
        librarian=outside.librarian,
        waiter=LoopWaiter(clock),
        spawn=tasks.spawn,
        zone=lambda: UTC,
        outside=outside,
    )
    await hub.start(Startup.read(node))
    hub.open()
    running = asyncio.ensure_future(outside.run())
    try:
        yield hub, outside, news
    finally:
        await hub.stop()
        await outside.stop(running, 5)
        await tasks.end()
        await node.close()


def _configure(folder: Path, port: int) -> Path:
    """Write what `hearthnet pair` would for the librarian."""
    identity = Identity(
        name=LIBRARIAN,
        role=DEWEY,
        key=SigningKey(_SEED),
        hub=KEY.public,
        broker=broker(port),
    )
    path = folder / "dewey.toml"
    data = folder / LIBRARIAN
    Config(path=path, seed=_SEED, identity=identity, data=data, settings={}).write()
    return path
