"""The keeper: reconnects, tells what changes, opens apps only when nobody is there."""

import asyncio
import time

import pytest

from hearthnet.core.clock import ManualClock
from hearthnet.core.devices import Reading
from hearthnet.core.reasons import Outcome, Reason
from hearthnet.darcy.adapter import PhoneAdapter
from hearthnet.darcy.keeper import UNUSED, Keeper
from hearthnet.darcy.link import LinkError
from hearthnet.darcy.sensors import PhoneState, Sensors
from hearthnet.darcy.shelf import Shelf

from .conftest import Bench, until

TV = "phone.living_room_tv"


class Told:
    """What a keeper has told."""

    def __init__(self) -> None:
        self.states: list[PhoneState] = []
        self.readings: list[tuple[str, Reading]] = []
        self.problems: list[Reason | None] = []

    def reading(self, target: str, reading: Reading) -> None:
        self.readings.append((target, reading))

    def problem(self, problem: LinkError | None) -> None:
        reason = problem.reason if problem else None
        if reason != (self.problems[-1] if self.problems else None):
            self.problems.append(reason)


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def keeper(bench: Bench, told: Told, clock: ManualClock) -> Keeper:
    shelf = Shelf("phone")
    shelf.put(bench.recipe.compiled())
    return Keeper(
        bench.phone.link,
        Sensors(bench.phone.link),
        PhoneAdapter(bench.phone, shelf, clock),
        shelf,
        clock,
        on_state=told.states.append,
        on_reading=told.reading,
        on_problem=told.problem,
        every=0.001,
    )


async def test_the_keeper_tells_what_changes(
    keeper: Keeper, told: Told, bench: Bench
) -> None:
    await keeper.look()
    await keeper.look()
    bench.world.battery = 80
    await keeper.look()

    assert [state.battery for state in told.states] == [81, 80]
    assert told.problems == []


async def test_apps_are_read_when_due_and_nobody_is_there(
    keeper: Keeper, told: Told, bench: Bench, clock: ManualClock
) -> None:
    await keeper.look()
    assert [target for target, _ in told.readings] == [TV]
    assert told.readings[0][1].values["volume_level"] == 0.12
    bench.world.awake = False

    await keeper.look()
    assert len(told.readings) == 1, "not due"
    clock.advance(901)
    await keeper.look()
    assert len(told.readings) == 2


@pytest.mark.parametrize("ago", [1.0, UNUSED - 1])
async def test_apps_are_not_read_under_somebodys_hands(
    keeper: Keeper, told: Told, bench: Bench, ago: float
) -> None:
    bench.world.touched_at = time.monotonic() - ago

    await keeper.look()

    assert not told.readings
    assert not bench.world.inputs()


async def test_an_app_that_cannot_be_read_is_tried_later(
    keeper: Keeper, told: Told, bench: Bench, clock: ManualClock
) -> None:
    bench.world.null_roots = 99
    await keeper.look()
    assert not told.readings
    bench.world.null_roots = 0
    bench.world.awake = False
    clock.advance(901)

    await keeper.look()

    assert told.readings


async def test_the_keeper_reconnects(keeper: Keeper, told: Told, bench: Bench) -> None:
    task = asyncio.create_task(keeper.run())
    await bench.adbd.__aexit__()
    await until(lambda: Reason.ADB_OFFLINE in told.problems)
    await bench.adbd.__aenter__()
    await until(lambda: told.problems[-1] is None and bool(told.states))
    task.cancel()

    assert told.problems == [Reason.ADB_OFFLINE, None]


async def test_nothing_ends_the_keeper(
    keeper: Keeper, told: Told, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer that nobody thought of costs one look, and not the node."""
    read = keeper._sensors.read
    broken = [OverflowError("too large"), RecursionError("too deep"), KeyError("x")]

    async def once_broken() -> PhoneState:
        if broken:
            raise broken.pop()
        return await read()

    monkeypatch.setattr(keeper._sensors, "read", once_broken)
    task = asyncio.create_task(keeper.run())
    await until(lambda: bool(told.states) or task.done())
    assert not task.done()
    task.cancel()


async def test_a_key_that_is_not_allowed_is_one_problem(
    keeper: Keeper, told: Told, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hearthnet.darcy.keeper.ALLOW", 0.02)
    bench.adbd.keys = []

    for _ in range(5):
        await keeper.look()

    assert told.problems == [Reason.ADB_UNAUTHORIZED]


async def test_reaching_does_not_wait_for_the_dialog(
    keeper: Keeper, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hearthnet.darcy.keeper.ALLOW", 0.02)
    bench.adbd.keys = []
    await keeper.look()
    monkeypatch.setattr("hearthnet.darcy.keeper.ALLOW", 60)
    bench.phone.link.hurry(person=True)
    looking = asyncio.create_task(keeper.look())
    await until(lambda: len(bench.adbd.asked) == 2)

    assert not await keeper._adapter.reach()

    assert not looking.done()
    looking.cancel()


async def test_a_run_does_not_wait_for_the_dialog(keeper: Keeper, bench: Bench) -> None:
    bench.adbd.keys = []
    looking = asyncio.create_task(keeper.look())
    await until(lambda: bool(bench.adbd.asked))

    report = await bench.run("tv.power_off")

    looking.cancel()
    assert report.outcome is Outcome.UNREACHABLE
    assert report.reason is Reason.ADB_UNAUTHORIZED
