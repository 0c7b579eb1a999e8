"""`hearthnet darcy` as a program: kill -9 in the middle of a run on the phone."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
import os
from pathlib import Path
import signal
import sys

import pytest

from hearthnet.config import Config
from hearthnet.core.bus import retry
from hearthnet.core.companion import Identity
from hearthnet.core.paths import device_path
from hearthnet.core.reasons import Outcome, Reason
from hearthnet.core.shadow import doubt
from tests.core.bus_home import KEYS, broker
from tests.support.mosquitto import Mosquitto
from tests.support.phone.fake_adbd import FakeAdbd

from .desk import TV
from .hub import home

ROOT = Path(__file__).parents[2]
SEED = bytes([2]) * 32
"""The seed of the phone's key."""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "FIRST_DELAY", 0.05)
    monkeypatch.setattr("hearthnet.core.agents.failures.FIRST_DELAY", 0.05)
    monkeypatch.setattr("hearthnet.core.agents.dispatch.LOOK", 0.05)


def configure(folder: Path, port: int, phone: int, key: Path) -> Path:
    """Write what `hearthnet pair` would have written, and the phone's address."""
    config = Config(
        path=folder / "darcy.toml",
        seed=SEED,
        identity=Identity(
            name="phone",
            role="darcy",
            key=KEYS["phone"],
            hub=KEYS["hub"].public,
            broker=broker(port),
        ),
        data=folder / "data",
        settings={
            "phone": {"port": phone, "key": str(key), "quiet_seconds": 0, "every": 5}
        },
    )
    config.write()
    return config.path


@asynccontextmanager
async def program(
    config: Path, *, kill_at: int = 0
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run `hearthnet darcy`; it may be killed at its n-th point."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", "from hearthnet.cli import main; exit(main())"),
        *("darcy", "--config", str(config)),
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "HEARTHNET_KILL_AT": str(kill_at),
        },
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def tapped(adbd: FakeAdbd) -> None:
    """Wait until the button was pressed."""
    async with asyncio.timeout(30):
        while not adbd.world.tv.presses:  # noqa: ASYNC110 - a phone tells nobody
            await asyncio.sleep(0.01)


async def test_killed_after_the_tap(
    mosquitto: Mosquitto, adbd: FakeAdbd, key_file: Path, tmp_path: Path
) -> None:
    """Nobody knows at first; then the app is read, and nothing is tapped twice."""
    config = configure(tmp_path, mosquitto.port, adbd.port, key_file)
    adbd.world.tv.status = "On"  # the app does not show the change yet
    async with home(tmp_path, mosquitto.port) as here:
        async with program(config) as first:
            await here.reached()
            asking = asyncio.ensure_future(here.do("tv.power_off"))
            await tapped(adbd)
            first.send_signal(signal.SIGKILL)
            assert await first.wait() == -signal.SIGKILL
        adbd.world.tv.status = None
        adbd.world.locked = adbd.world.secure = True  # the app cannot be read
        async with program(config) as second:
            step = (await asking).steps[0]
            assert step.outcome is Outcome.UNKNOWN, step
            # Before the app was read nothing is granted.
            blind = await here.do("tv.power_off")
            assert blind.steps[0].reason is Reason.UNREACHABLE, blind
            assert doubt(here.hub.node.view.get(device_path(TV))) is not None
            adbd.world.locked = adbd.world.secure = False
            again = await here.do("tv.power_off")
            assert again.steps[0].outcome is Outcome.ALREADY_SO, again
            assert adbd.world.tv.presses == ["power"]
            second.terminate()
            assert await second.wait() == 0
        await here.until(lambda: not here.outside.alive("phone"))
        assert here.appliances.read(TV).available is False


async def test_others_cannot_read_the_configuration(tmp_path: Path) -> None:
    config = configure(tmp_path, 1, 1, tmp_path / "adbkey")
    config.chmod(0o644)
    async with program(config) as process:
        assert await process.wait() == 1
