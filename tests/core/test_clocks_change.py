"""“At nine”, “until 23:00” when the clocks change, or the home's zone is corrected."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from hypothesis import given, settings, strategies as st
import pytest

from hearthnet.core.clock import ManualClock, from_text
from hearthnet.core.holding import ends_at
from hearthnet.core.holds import SourceClass
from hearthnet.core.intents import Action
from hearthnet.core.messages import MessageType
from hearthnet.core.planner.words.times import earlier, later
from hearthnet.core.policy.load import load, preset
from hearthnet.core.reasons import Reason
from hearthnet.core.status import DeferredStatus
from hearthnet.simulation import SimulatedHouse

from .home import Home, ScriptedPlanner, command, lamp, request, running

BERLIN = ZoneInfo("Europe/Berlin")
# In 2026 the clocks go on at 2:00 on March 29 and back at 3:00 on October 25.


def at(text: str, fold: int = 0) -> datetime:
    """Return a time in Berlin."""
    return datetime.fromisoformat(f"2026-{text}").replace(tzinfo=BERLIN, fold=fold)


@pytest.mark.parametrize(
    ("now", "text", "utc"),
    [
        # The evening before, for the morning after.
        (at("03-28T21:30"), "turn it on at nine", "03-29T07:00"),
        (at("10-24T21:30"), "turn it on at nine", "10-25T08:00"),
        (at("03-28T22:00"), "at 8 am tomorrow", "03-29T06:00"),
        (at("10-24T22:00"), "tomorrow at 8 am", "10-25T07:00"),
        # A span is a span.
        (at("03-29T01:50"), "in zwanzig Minuten", "03-29T01:10"),
        (at("10-25T02:50"), "in twenty minutes", "10-25T01:10"),
        (at("10-24T22:00"), "in ten hours", "10-25T06:00"),
        # The hour that there is not: an hour later by name.
        (at("03-29T01:50"), "at 2:30 am", "03-29T01:30"),
        # The hour that comes twice: the next time that the clock shows it.
        (at("10-25T01:50"), "at 2:30 am", "10-25T00:30"),
        (at("10-25T02:50"), "at 2:30 am", "10-25T01:30"),
        (at("10-25T02:10", 1), "at 2:30 am", "10-25T01:30"),
        (at("10-25T02:50", 1), "at 2:30 am", "10-26T01:30"),
        (at("10-25T02:50", 1), "um drei Uhr", "10-25T02:00"),
        # Ends.
        (at("10-24T22:30"), "until 23:00", "10-24T21:00"),
        (at("10-24T23:00"), "until 23:00", "10-25T22:00"),
        (at("03-28T23:30"), "until midnight", "03-28T23:00"),
    ],
)
def test_later(now: datetime, text: str, utc: str) -> None:
    """Clock times are by the clock on the wall, spans by how long they last."""
    found = later(text, now)
    assert found is not None
    moment = found.due or found.until
    assert moment is not None
    assert f"{moment.astimezone(UTC):%m-%dT%H:%M}" == utc
    # It is told as a clock will show it.
    assert moment == moment.astimezone(UTC).astimezone(BERLIN)
    assert moment.strftime("%H") == moment.astimezone(UTC).astimezone(BERLIN).strftime(
        "%H"
    )


@pytest.mark.parametrize(
    ("now", "text", "utc"),
    [
        (at("10-25T02:50", 1), "at 2:55 am", "10-25T00:55"),
        (at("10-25T02:50", 1), "at 2:45 am", "10-25T01:45"),
        (at("10-25T02:50"), "at 2:45 am", "10-25T00:45"),
        (at("10-25T09:00"), "an hour ago", "10-25T07:00"),
        (at("10-25T03:10"), "vor zwei Stunden", "10-25T00:10"),
        (at("03-29T09:00"), "yesterday at 21:00", "03-28T20:00"),
    ],
)
def test_earlier(now: datetime, text: str, utc: str) -> None:
    """The last time that a clock showed it, in the hour that came twice too."""
    (moment,) = earlier(text, now)
    assert f"{moment.astimezone(UTC):%m-%dT%H:%M}" == utc


MOMENTS = st.datetimes(
    datetime(2026, 1, 1),  # noqa: DTZ001
    datetime(2026, 12, 31),  # noqa: DTZ001
    timezones=st.sampled_from(
        [
            *(BERLIN, ZoneInfo("America/St_Johns"), ZoneInfo("Australia/Lord_Howe")),
            *(ZoneInfo("America/Havana"), ZoneInfo("Asia/Kolkata"), UTC),
        ]
    ),
)


@settings(deadline=None)
@given(MOMENTS, st.integers(0, 23), st.integers(0, 59))
def test_the_next_time_is_ahead_and_less_than_a_day(
    now: datetime, hour: int, minute: int
) -> None:
    """Whatever the clocks do, in zones that change at odd hours too."""
    now = now.astimezone(UTC).astimezone(now.tzinfo)
    found = later(f"at {hour:02}:{minute:02}", now)
    assert found is not None
    assert found.due is not None
    ahead = found.due.astimezone(UTC) - now.astimezone(UTC)
    assert timedelta() < ahead <= timedelta(hours=25)
    (before,) = earlier(f"at {hour:02}:{minute:02}", now)
    behind = now.astimezone(UTC) - before.astimezone(UTC)
    assert timedelta() <= behind <= timedelta(hours=25)


@pytest.mark.parametrize(
    ("now", "utc"),
    [
        (at("03-28T20:00"), "03-28T23:00"),
        (at("03-29T00:30"), "03-29T22:00"),
        (at("10-25T00:30"), "10-25T23:00"),
    ],
)
def test_a_standing_wish_ends_at_midnight_on_the_wall(now: datetime, utc: str) -> None:
    """Also on the days of 23 and of 25 hours."""
    policy = load(preset("balanced"))
    end = ends_at(SourceClass.STANDING, now.astimezone(UTC), now, policy)
    assert end is not None
    assert f"{end:%m-%dT%H:%M}" == utc


NINE, SOON = "on at nine", "on in an hour"


async def planned(home: Home) -> dict[str, str]:
    """Return when what is planned is due, in UTC."""
    found: tuple[DeferredStatus, ...] = home.hub.status.deferred
    return {plan.text: f"{plan.due.astimezone(UTC):%H:%M}" for plan in found}


async def test_a_corrected_zone_keeps_what_was_said_by_the_clock(
    tmp_path: Path,
) -> None:
    """“At nine” is nine where the home is; “in an hour” stays an hour from then."""
    house, clock = SimulatedHouse(), ManualClock()  # noon in UTC
    desk = lamp(house, "desk")
    switch_on = Action(targets=(desk.id,), operation="light.turn_on")
    now = clock.now()
    planner = ScriptedPlanner(
        {
            NINE: command(switch_on, due=now.replace(hour=21), by_clock=True),
            SOON: command(switch_on, due=now + timedelta(hours=1)),
        }
    )
    async with running(tmp_path, house, planner, clock=clock) as home:
        for text in (NINE, SOON):
            await home.hub.wishes.ask(request(text))
        home.hub.control.set_clocks(UTC)
        assert home.of(MessageType.RESOLUTION)[-1].body.get("planner")  # no news
        home.zone = BERLIN
        home.hub.set_clocks()
        assert await planned(home) == {NINE: "20:00", SOON: "13:00"}
        moved = home.of(MessageType.RESOLUTION)[-1]
        assert from_text(moved.body["due"]).hour == 20
    # It is on record, not in memory only; and it fires then, once.
    clock.advance(8 * 3600 + 1)
    async with running(tmp_path, house, planner, clock=clock) as home:
        await home.until(MessageType.RECEIPT)
        assert house.values[desk.id]["state"] == "on"
        assert await planned(home) == {}


async def test_a_zone_in_which_the_time_is_over(tmp_path: Path) -> None:
    """It is reported as missed, not done late."""
    house, clock = SimulatedHouse(), ManualClock()
    desk = lamp(house, "desk")
    switch_on = Action(targets=(desk.id,), operation="light.turn_on")
    due = clock.now() + timedelta(minutes=30)
    planner = ScriptedPlanner({NINE: command(switch_on, due=due, by_clock=True)})
    async with running(tmp_path, house, planner, clock=clock) as home:
        await home.hub.wishes.ask(request(NINE))
        home.zone = BERLIN
        home.hub.set_clocks()
        while home.hub.status.deferred:
            await home.until(
                MessageType.RESOLUTION, len(home.of(MessageType.RESOLUTION)) + 1
            )
        assert home.of(MessageType.RESOLUTION)[-1].body["reason"] == Reason.CANCELED
        assert house.acts == []
