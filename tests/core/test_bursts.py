"""C18: a loop spams neither devices nor the record, and is named."""

from datetime import timedelta
from pathlib import Path

from hearthnet.core.agents.bursts import Bursts
from hearthnet.core.clock import ManualClock
from hearthnet.core.devices import Principal
from hearthnet.core.intents import Origin
from hearthnet.core.messages import MessageType
from hearthnet.core.reasons import Outcome, Reason
from hearthnet.core.render import render
from hearthnet.simulation import SimulatedHouse

from .home import ANNA, ROUTINE, Home, lamp, request, running

TELEVISION = Principal(
    kind="satellite", id="assist_satellite.tv", name="Living room", role="resident"
)


def test_sixty_a_minute_of_a_program() -> None:
    """Exactly so many, by the minute that is over now; who refuses is seen a while."""
    bursts, now = Bursts(), ManualClock().now()
    start = 1_000_000.0
    told = [bursts.refuses(ROUTINE, start + number / 2, now) for number in range(61)]
    assert told == [0] * 60 + [1]
    # The first is a minute old now, but each that was refused counts too.
    assert bursts.refuses(ROUTINE, start + 60, now) == 2
    (standing,) = bursts.standing(start + 60)
    assert (standing.refused, standing.since) == (2, now)
    assert bursts.refuses(ROUTINE, start + 119.9, now) == 0
    assert bursts.standing(start + 659.9)
    assert not bursts.standing(start + 660)
    # A loop, however fast, fills no memory.
    later = now + timedelta(seconds=300)
    for _ in range(1000):
        refused = bursts.refuses(ROUTINE, start + 300, later)
    assert refused == 940
    assert len(bursts._of["automation", ROUTINE.id].asked) == 60
    assert bursts.standing(start + 300)[0].since == later


def test_persons_are_not_counted() -> None:
    bursts, now = Bursts(), ManualClock().now()
    assert not any(bursts.refuses(ANNA, 5.0, now) for _ in range(1000))
    assert bursts.standing(5.0) == ()


async def toggle(home: Home, number: int) -> Outcome:
    """Let the routine switch a lamp, on and off by turns."""
    result = await home.hub.wishes.propose(
        principal=ROUTINE,
        origin=Origin.AUTOMATION,
        targets=("id_desk",),
        operation=f"light.turn_{'off' if number % 2 else 'on'}",
        parameters={},
        reason="loop",
    )
    (step,) = result.steps
    return step.outcome


async def test_a_loop_is_cut_off_and_named(tmp_path: Path) -> None:
    """Past the cap nothing is recorded but one alert; others are heard as ever."""
    house, clock = SimulatedHouse(), ManualClock()
    lamp(house, "desk")
    async with running(tmp_path, house, clock=clock) as home:
        for number in range(60):
            await toggle(home, number)
        events, acts = len(home.messages), len(house.acts)
        assert not home.hub.status.bursts
        for number in range(500):
            assert await toggle(home, number) is Outcome.REFUSED
        assert len(home.messages) == events + 1
        assert len(house.acts) == acts
        alert = home.of(MessageType.ALERT)[-1]
        assert "Wind down asks too often" in alert.content
        (burst,) = home.hub.status.bursts
        assert (burst.principal, burst.id) == ("Wind down", "automation.wind_down")
        assert burst.refused == 500
        by_anna = await home.hub.wishes.propose(
            principal=ANNA,
            origin=Origin.APP,
            targets=("id_desk",),
            operation="light.turn_on",
            parameters={},
            reason="I read",
        )
        assert by_anna.complete
        # Slower it is still a loop; it is over when it stops, and told anew later.
        for number in range(120):
            clock.advance(0.5)
            await toggle(home, number)
        assert len(house.acts) == acts + 1
        clock.advance(60)
        await toggle(home, 1)
        assert home.hub.status.bursts
        clock.advance(600)
        assert not home.hub.status.bursts
        for number in range(60 + 1):
            await toggle(home, number)
        assert len(home.of(MessageType.ALERT)) == 2


async def test_nonsense_from_a_satellite(tmp_path: Path) -> None:
    """A television beside a microphone: after a while it is not even planned."""
    house = SimulatedHouse()
    async with running(tmp_path, house) as home:
        for number in range(20 + 30):
            words = request(f"blah {number}", TELEVISION, origin=Origin.VOICE)
            result = await home.hub.wishes.ask(words)
        assert len(home.planner.asked) == 20
        assert result.reason is Reason.RATE_LIMITED
        assert render(result, "en", now=home.clock.now()) == (
            "Nothing was touched: there were too many requests in a short time."
        )
        assert house.acts == []
