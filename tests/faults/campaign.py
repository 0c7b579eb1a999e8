"""Kill, cut, repeat and reorder; then compare devices, journals and Git."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
import json
import os
from pathlib import Path
import random
import signal
import subprocess
import sys
import time
from typing import Any

from hearthnet.config import Config
from hearthnet.core.bus.link import LinkError, connect
from hearthnet.core.companion import Identity
from hearthnet.core.segment import segments
from tests.core.bus_home import KEYS, PREFIX, broker
from tests.support.mosquitto import Mosquitto
from tests.support.proxy import Proxy

from .outcome import PRESENCE, Outcome, compare

NODES = ("hub", "phone", "dewey")
POINTS = 120
"""The highest numbered point that a kill is armed at."""
JUMPS = (-7200.0, -30.0, 30.0, 86400.0)
"""By how many seconds a clock may be wrong."""
_PROGRAM = "import sys; from hearthnet.cli import main; sys.exit(main())"


class Child:
    """One node's process."""

    def __init__(self, name: str, folder: Path, shim: Path | None) -> None:
        """Prepare to run the node `name`, with the shim that notes syncs."""
        self.name = name
        self._folder = folder
        self._shim = shim
        self._log = folder / f"{name}.synced"
        self.process: asyncio.subprocess.Process | None = None
        self.told: dict[str, Any] = {}
        self.news = asyncio.Event()
        self._reading: asyncio.Task[None] | None = None

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self.process is not None and self.process.returncode is None

    async def start(
        self, port: int, *, kill_at: int = 0, jump: float = 0.0, wishes: bool = True
    ) -> None:
        """Start it: to die at a point, with a wrong clock, or without wishes."""
        command: list[str | Path] = ["-m", "tests.faults.child", self.name]
        command += [self._folder, str(port), str(jump), "wishes" if wishes else "rest"]
        if self.name == "dewey":
            command = ["-c", _PROGRAM, "dewey"]
            command += ["--config", self._folder / "dewey.toml"]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "HEARTHNET_KILL_AT": str(kill_at),
        }
        if self._shim is not None and self.name != "dewey":
            environment |= {
                "LD_PRELOAD": str(self._shim),
                "SYNCED_LOG": str(self._log),
            }
        with (self._folder / f"{self.name}.err").open("ab") as errors:
            self.process = await asyncio.create_subprocess_exec(
                sys.executable,
                *command,
                env=environment,
                stdout=asyncio.subprocess.PIPE,
                stderr=errors,
            )
        self.told = {}
        self._reading = asyncio.ensure_future(self._read(self.process))

    async def end(self, number: signal.Signals) -> int:
        """End it, and take away what a power cut would; return how many bytes."""
        assert self.process
        with suppress(ProcessLookupError):
            self.process.send_signal(number)
        return await self.ended()

    async def ended(self) -> int:
        """Wait until it has ended; see `end`."""
        assert self.process
        assert self._reading
        await self.process.wait()
        await self._reading
        killed = self.process.returncode == -signal.SIGKILL
        # It may be told to end before it listens.
        if not killed and self.process.returncode not in (0, -signal.SIGTERM):
            errors = (self._folder / f"{self.name}.err").read_text()[-2000:]
            code = self.process.returncode
            raise RuntimeError(f"{self.name} ended with {code}: {errors}")
        return self._drop() if killed else 0

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout
        while line := await process.stdout.readline():
            with suppress(ValueError):  # cut off in the middle
                self.told = json.loads(line)
            self.news.set()

    def _drop(self) -> int:
        if not self._log.exists():
            return 0
        lines = self._log.read_text().splitlines()
        sizes = {path: int(size) for size, _, path in (x.partition(" ") for x in lines)}
        dropped = 0
        for path in (self._folder / self.name).glob("*.log"):
            more = path.stat().st_size - sizes.get(str(path), 0)
            if more > 0:
                os.truncate(path, sizes.get(str(path), 0))
                dropped += more
        return dropped


class Campaign:
    """One home and what is done to it."""

    def __init__(self, folder: Path, seed: int) -> None:
        """Prepare a home in `folder`."""
        self._folder = folder
        self._random = random.Random(seed)
        self._mosquitto = Mosquitto(folder, "allow_anonymous true\nlog_type none\n")
        self._broker_up = asyncio.Event()
        shim = _shim(folder)
        self.nodes = {name: Child(name, folder, shim) for name in NODES}
        self.outcome = Outcome()

    async def run(self, kills: int) -> Outcome:
        """Kill so often, let the home come to rest, and compare."""
        self._mosquitto.start()
        self._broker_up.set()
        try:
            async with (
                Proxy(self._mosquitto.port) as near,
                Proxy(self._mosquitto.port) as far,
                self._echo(),
            ):
                ports = {"hub": near.port, "phone": far.port}
                self._ports = {**ports, "dewey": self._mosquitto.port}
                self._configure()
                for name in NODES:
                    await self._start(name)
                await self._all_there()
                while self.outcome.kills.total() < kills:
                    await self._strike((near, far))
                for proxy in (near, far):
                    proxy.heal()
                for name in ("hub", "phone"):  # once more, with a clock that is right
                    await self.nodes[name].end(signal.SIGTERM)
                    await self._start(name)
                await self._all_there()
                await self._rest()
        finally:
            for child in self.nodes.values():
                if child.alive:
                    await child.end(signal.SIGKILL)
            self._mosquitto.stop()
        compare(self._folder, self.outcome)
        return self.outcome

    # What is done

    async def _strike(self, proxies: tuple[Proxy, Proxy]) -> None:
        """Do one bad thing; let the home go on a little."""
        draw = self._random
        await asyncio.sleep(draw.uniform(0.02, 0.6))
        if draw.random() < 0.25:
            self.outcome.cuts += 1
            draw.choice(proxies).cut()
        victim = draw.choice(("broker", *NODES))
        self.outcome.kills[victim] += 1
        if victim == "broker":
            self._broker_up.clear()
            await asyncio.to_thread(self._mosquitto.kill)
            await asyncio.sleep(draw.uniform(0, 0.3))
            await asyncio.to_thread(self._mosquitto.start)
            self._broker_up.set()
            return
        child = self.nodes[victim]
        self.outcome.dropped += await child.end(signal.SIGKILL)
        if draw.random() < 0.5:
            await self._start(victim, kill_at=draw.randint(1, POINTS))
            assert child.process
            with suppress(TimeoutError):
                async with asyncio.timeout(4):
                    await child.process.wait()
            if child.alive:  # it never came so far: it is killed where it is
                self.outcome.kills[victim] += 1
                self.outcome.dropped += await child.end(signal.SIGKILL)
            else:
                self.outcome.kills[f"{victim}@"] += 1
                self.outcome.dropped += await child.ended()
        jump = draw.choice(JUMPS) if draw.random() < 0.1 else 0.0
        self.outcome.jumps += bool(jump)
        await self._start(victim, jump=jump)
        if draw.random() < 0.2:
            await self._all_there()

    async def _start(self, name: str, **options: Any) -> None:
        await self.nodes[name].start(self._ports[name], **options)

    @asynccontextmanager
    async def _echo(self) -> AsyncIterator[None]:
        """Have somebody on the broker who repeats what was said, late, out of order."""
        echoing = asyncio.ensure_future(self._repeat())
        try:
            yield
        finally:
            echoing.cancel()
            await asyncio.gather(echoing, return_exceptions=True)

    async def _repeat(self) -> None:
        heard: list[tuple[str, bytes]] = []
        while await self._broker_up.wait():
            with suppress(LinkError, OSError):
                async with connect(broker(self._mosquitto.port), "echo") as link:
                    await link.subscribe(f"{PREFIX}/inbox/#", f"{PREFIX}/broadcast/#")
                    async for delivery in link.deliveries():
                        link.ack(delivery)
                        if (delivery.topic, delivery.payload) in heard:
                            continue
                        heard.append((delivery.topic, delivery.payload))
                        if len(heard) > 40 or self._random.random() < 0.1:
                            topic, payload = heard.pop(
                                self._random.randrange(len(heard))
                            )
                            if self._random.random() < 0.3:
                                link.publish(topic, payload)
                                self.outcome.repeated += 1

    # What has to become of it

    async def _all_there(self) -> None:
        """Wait until the hub sees everybody; note how long it took."""
        began = time.monotonic()
        try:
            await self._until(
                lambda told: told.get("online") == ["dewey", "phone"], 6 * PRESENCE
            )
        except TimeoutError:
            self.outcome.faults.append(f"not seen: {self.nodes['hub'].told}")
        self.outcome.presence.append(time.monotonic() - began)

    async def _rest(self) -> None:
        """Stop the wishes; wait until Git has everything."""
        await self.nodes["hub"].end(signal.SIGTERM)
        await self.nodes["phone"].end(signal.SIGTERM)
        for name in ("hub", "phone"):
            await self._start(name, wishes=False)

        def recorded_all(told: Mapping[str, Any]) -> bool:
            nodes = told.get("nodes", {})
            if told.get("online") != ["dewey", "phone"]:
                return False  # what its journal ends with may be of the boot before
            own = nodes.get("hub") == told.get("end")
            return bool(own and nodes.get("phone") == _end(self._folder / "phone"))

        await self._until(recorded_all, 60)
        for name in NODES:
            await self.nodes[name].end(signal.SIGTERM)

    async def _until(
        self, condition: Callable[[Mapping[str, Any]], bool], seconds: float
    ) -> None:
        hub = self.nodes["hub"]
        async with asyncio.timeout(seconds):
            while not condition(hub.told):
                hub.news.clear()
                with suppress(TimeoutError):
                    async with asyncio.timeout(0.2):
                        await hub.news.wait()

    def _configure(self) -> None:
        """Write what `hearthnet pair` would for the librarian."""
        seed = bytes([3]) * 32
        identity = Identity(
            name="dewey",
            role="dewey",
            key=KEYS["dewey"],
            hub=KEYS["hub"].public,
            broker=broker(self._ports["dewey"]),
        )
        settings = {"dewey": {"repository": str(self._folder / "record")}}
        Config(
            path=self._folder / "dewey.toml",
            seed=seed,
            identity=identity,
            data=self._folder / "dewey",
            settings=settings,
        ).write()


def _shim(folder: Path) -> Path | None:
    """Compile the shim; None where there is no compiler."""
    library = folder / "synced.so"
    source = Path(__file__).with_name("synced.c")
    options = ("-shared", "-fPIC", "-O2", "-o")
    try:
        subprocess.run(["cc", *options, library, source, "-ldl"], check=True)
    except FileNotFoundError:
        return None
    return library


def _end(folder: Path) -> list[int] | None:
    """Return the place of a journal's last event."""
    last = max(segments(folder), key=lambda one: (one.boot, one.first), default=None)
    if last is None:
        return None
    count = len((folder / last.name).read_text("utf-8").splitlines())
    end = last.first + count - 1
    return [last.boot, end] if end else None
