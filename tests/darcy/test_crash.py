"""kill -9 at every point of a run: the button is pressed once, whatever happens."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
import os
from pathlib import Path
import signal
import sys

import pytest

from tests.support.phone.fake_adbd import FakeAdbd
from tests.support.phone.world import World

ROOT = Path(__file__).parents[2]

type Live = Callable[[int, Path], Awaitable[int]]


@asynccontextmanager
async def lives(port: int) -> AsyncIterator[Live]:
    """A driver that lives and dies on demand."""
    driver = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.darcy.crash_driver", str(port)),
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert driver.stdin
    assert driver.stdout
    asked, answers = driver.stdin, driver.stdout

    async def live(kill_at: int, folder: Path) -> int:
        asked.write(f"{kill_at} {folder}\n".encode())
        return int(await answers.readline())

    try:
        yield live
    finally:
        asked.close()
        await driver.wait()


def fresh(adbd: FakeAdbd) -> World:
    """Put a new phone behind the daemon."""
    world = World()
    adbd.world = adbd.framework.world = world
    return world


@pytest.mark.slow
async def test_killed_at_every_point(adbd: FakeAdbd, tmp_path: Path) -> None:
    killed = pressed_before = 0
    async with lives(adbd.port) as live:
        point = 0
        while True:
            point += 1
            world = fresh(adbd)
            folder = tmp_path / str(point)
            status = await live(point, folder)
            first = len(world.tv.presses)
            if status == 0:
                break
            assert status == -signal.SIGKILL
            killed += 1
            pressed_before += first

            assert await live(0, folder) == 0, f"the next life after point {point}"
            assert world.tv.presses == ["power"], f"point {point}"
            assert not world.tv.power
            assert world.front is None

    # Points before and after the tap, in the journal, the gate and the driver.
    assert killed > 10
    assert 0 < pressed_before < killed
