"""A clock behind the record is not believed, until a person says that it is right."""

from datetime import datetime, timedelta
from pathlib import Path

from hearthnet.core.clock import ManualClock
from hearthnet.core.intents import Origin
from hearthnet.core.reasons import Outcome, Reason
from hearthnet.simulation import SimulatedHouse

from .home import ANNA, Home, lamp, running


def ahead(home: Home) -> datetime | None:
    return home.hub.status.ahead


async def turn_on(home: Home, device: str) -> Reason | Outcome | None:
    result = await home.hub.wishes.propose(
        principal=ANNA,
        origin=Origin.APP,
        targets=(device,),
        operation="light.turn_on",
        parameters={},
        reason="a test",
    )
    (step,) = result.steps
    return step.reason or step.outcome


async def test_a_persons_word_ends_the_distrust_for_good(tmp_path: Path) -> None:
    house = SimulatedHouse()
    desk, shelf = lamp(house, "desk"), lamp(house, "shelf")
    clock = ManualClock()
    right = clock.now()
    clock.wall += timedelta(days=3650)
    async with running(tmp_path, house, clock=clock) as home:
        assert ahead(home) is None
        wrong = home.hub.node.hello.message.at

    clock.wall = right
    async with running(tmp_path, house, clock=clock) as home:
        assert ahead(home) == wrong
        assert await turn_on(home, desk.id) is Reason.CLOCK_BEHIND
        await home.hub.control.confirm_clock(ANNA)
        assert ahead(home) is None
        assert await turn_on(home, desk.id) is Outcome.CHANGED

    clock.advance(60)
    async with running(tmp_path, house, clock=clock) as home:
        assert ahead(home) is None
        assert await turn_on(home, shelf.id) is Outcome.CHANGED
        clock.wall -= timedelta(hours=1)
        assert ahead(home) is not None  # the word was for that once


async def test_a_clock_that_goes_back_a_little_is_believed(tmp_path: Path) -> None:
    house = SimulatedHouse()
    clock = ManualClock()
    async with running(tmp_path, house, clock=clock) as home:
        clock.wall -= timedelta(seconds=1)
        assert ahead(home) is None
        clock.wall -= timedelta(seconds=5)
        assert ahead(home) is not None
