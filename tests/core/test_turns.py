"""Wishes for one device that come faster than it can follow: the newest stands."""

import asyncio
from pathlib import Path

from hypothesis import HealthCheck, given, settings, strategies as st
import pytest

from hearthnet.core.devices import Principal
from hearthnet.core.intents import Origin, Step
from hearthnet.core.reasons import Outcome, Reason
from hearthnet.core.status import Cause
from hearthnet.simulation import Behavior, SimulatedHouse

from .home import ANNA, BEN, Home, lamp, running


async def wish(home: Home, device: str, level: int, who: Principal = ANNA) -> Step:
    """Ask for a brightness and return what became of it."""
    result = await home.hub.propose(
        principal=who,
        origin=Origin.APP,
        targets=(device,),
        operation="light.turn_on",
        parameters={"brightness_pct": level},
        reason="a slider",
    )
    return result.steps[0]


@pytest.mark.parametrize("gap", [0, 1, 3, 8, 21])
@pytest.mark.parametrize("number", [2, 5, 12])
@pytest.mark.parametrize("slow", [False, True])
async def test_the_newest_of_many_wishes_stands(
    tmp_path: Path, gap: int, number: int, slow: bool
) -> None:
    house = SimulatedHouse()
    desk = lamp(house, "desk")
    arrived = asyncio.Event()
    if slow:
        house.behavior[desk.id] = Behavior(gate=arrived)
    async with running(tmp_path, house) as home:
        wishes = []
        for level in range(1, number + 1):
            wishes.append(asyncio.create_task(wish(home, desk.id, 8 * level)))
            for _ in range(gap):
                await asyncio.sleep(0)
        await asyncio.sleep(0.01)
        arrived.set()
        steps = await asyncio.wait_for(asyncio.gather(*wishes), 10)
        assert house.values[desk.id]["brightness_pct"] == 8 * number
        assert steps[-1].outcome is Outcome.CHANGED
        moved = [
            str(permit.parameters["brightness_pct"]).zfill(3) for permit in house.acts
        ]
        assert moved == sorted(moved), "an older wish ran after a newer one"
        reasons = {step.reason for step in steps} - {None}
        assert reasons <= {Reason.REVOKED, Reason.SUPERSEDED}


async def test_an_older_wish_that_lost_its_race_does_not_come_back(
    tmp_path: Path,
) -> None:
    """It would be proposed anew, and undo what somebody wished after it."""
    house = SimulatedHouse()
    desk = lamp(house, "desk")
    async with running(tmp_path, house) as home:
        older = asyncio.create_task(wish(home, desk.id, 20))
        newer = asyncio.create_task(wish(home, desk.id, 80, BEN))
        await asyncio.sleep(0)
        home.hub.observe(desk.id, {"state": "off", "dim": 1}, cause=Cause.DEVICE)
        steps = await asyncio.gather(older, newer)
        assert steps[1].outcome is Outcome.CHANGED
        assert house.values[desk.id]["brightness_pct"] == 80


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(gaps=st.lists(st.integers(0, 25), min_size=2, max_size=9))
async def test_whenever_they_come(
    tmp_path_factory: pytest.TempPathFactory, gaps: list[int]
) -> None:
    house = SimulatedHouse()
    desk = lamp(house, "desk")
    async with running(tmp_path_factory.mktemp("home"), house) as home:
        wishes = []
        for level, gap in enumerate(gaps, 1):
            wishes.append(asyncio.create_task(wish(home, desk.id, 8 * level)))
            for _ in range(gap):
                await asyncio.sleep(0)
        await asyncio.wait_for(asyncio.gather(*wishes), 10)
        assert house.values[desk.id]["brightness_pct"] == 8 * len(gaps)
