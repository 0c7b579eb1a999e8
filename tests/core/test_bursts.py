"""C18: a loop spams neither devices nor the record, and is named."""

from pathlib import Path

from hearthnet.core.agents.bursts import FROM_PROGRAM, FROM_SATELLITE, SHOWN, WINDOW
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
        for number in range(FROM_PROGRAM):
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
        for number in range(2 * FROM_PROGRAM):
            clock.advance(WINDOW / FROM_PROGRAM / 2)
            await toggle(home, number)
        assert len(house.acts) == acts + 1
        clock.advance(WINDOW)
        await toggle(home, 1)
        assert home.hub.status.bursts
        clock.advance(SHOWN)
        assert not home.hub.status.bursts
        for number in range(FROM_PROGRAM + 1):
            await toggle(home, number)
        assert len(home.of(MessageType.ALERT)) == 2


async def test_nonsense_from_a_satellite(tmp_path: Path) -> None:
    """A television beside a microphone: after a while it is not even planned."""
    house = SimulatedHouse()
    async with running(tmp_path, house) as home:
        for number in range(FROM_SATELLITE + 30):
            words = request(f"blah {number}", TELEVISION, origin=Origin.VOICE)
            result = await home.hub.wishes.ask(words)
        assert len(home.planner.asked) == FROM_SATELLITE
        assert result.reason is Reason.RATE_LIMITED
        assert render(result, "en", now=home.clock.now()) == (
            "Nothing was touched: there were too many requests in a short time."
        )
        assert house.acts == []
