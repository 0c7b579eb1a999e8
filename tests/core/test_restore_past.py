"""Back to how it was at a time: by word in five languages, by time, by commit."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from hearthnet.core.clock import ManualClock
from hearthnet.core.devices import Device
from hearthnet.core.intents import PlanKind
from hearthnet.core.messages import Json
from hearthnet.core.planner.words.times import earlier
from hearthnet.core.reasons import Outcome, Reason
from hearthnet.core.render import render
from hearthnet.core.status import Cause
from hearthnet.simulation import SimulatedHouse

from .home import BEN, Home, lamp, request, running

NOW = datetime(2026, 11, 30, 21, 30, tzinfo=ZoneInfo("Europe/Berlin"))


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("at eight", ["30T20:00"]),
        ("at ten", ["30T10:00"]),
        ("at 22:00", ["29T22:00"]),
        ("at 8 am", ["30T08:00"]),
        ("um acht Uhr", ["30T20:00"]),
        ("à huit heures", ["30T20:00"]),
        ("a las ocho", ["30T20:00"]),
        ("八点", ["30T20:00"]),
        ("早上八点", ["30T08:00"]),
        ("at noon", ["30T12:00"]),
        ("an hour ago", ["30T20:30"]),
        ("vor zehn Minuten", ["30T21:20"]),
        ("il y a une heure", ["30T20:30"]),
        ("hace una hora", ["30T20:30"]),
        ("两小时前", ["30T19:30"]),
        ("yesterday at 21:00", ["29T21:00"]),
        ("yesterday at eight", ["29T20:00", "29T08:00"]),
        ("gestern um acht", ["29T20:00", "29T08:00"]),
        ("昨天晚上八点", ["29T20:00"]),
        ("before dinner", []),
    ],
)
def test_earlier(text: str, times: list[str]) -> None:
    """Without a half of the day, the nearer one; of yesterday, both."""
    assert [f"{t:%dT%H:%M}" for t in earlier(text, NOW)] == times


def evening(house: SimulatedHouse) -> ManualClock:
    """Return a clock at eight in the evening."""
    clock = ManualClock()
    clock.advance(8 * 3600)
    return clock


def see(home: Home, device: Device, **values: Json) -> None:
    """Let a device be at some values, as Ben set it."""
    home.house.change(device.id, **values)
    home.hub.observe(
        device.id, home.house.values[device.id], cause=Cause.PERSON, principal=BEN
    )


@pytest.mark.parametrize(
    "words",
    [
        "Put the living room back to how it was at half past",
        "Put the living room back to how it was at eight",
        "put the living room back to the way it was 45 minutes ago",
        "Stell das Living Room wieder so her, wie es um acht war",
        "Setze living room auf den Stand von acht Uhr zurück",
        "Remets le living room comme il était à huit heures",
        "Deja el living room como estaba a las ocho",
        "把living room恢复到八点的样子",
    ],
)
async def test_by_word(tmp_path: Path, words: str) -> None:
    """Exactly what was so at eight, and only there; the time is told."""
    house = SimulatedHouse()
    clock = evening(house)
    sofa = lamp(house, "sofa", area="Living Room", state="on", brightness_pct=30)
    floor = lamp(house, "floor", area="Living Room", state="off")
    desk = lamp(house, "desk", state="on", brightness_pct=30)
    async with running(tmp_path, house, clock=clock) as home:
        for device in (sofa, floor, desk):
            see(home, device)
        clock.advance(45 * 60)
        see(home, sofa, brightness_pct=100)
        see(home, floor, state="on", brightness_pct=50)
        see(home, desk, brightness_pct=100)
        result = await home.hub.wishes.ask(request(words))
        if "half" in words:
            assert result.reason is Reason.NOT_UNDERSTOOD
            assert house.acts == []
            return
        assert {s.name: s.outcome for s in result.steps} == {
            "Sofa": Outcome.CHANGED,
            "Floor": Outcome.CHANGED,
        }
        assert house.values[sofa.id]["brightness_pct"] == 30
        assert house.values[floor.id]["state"] == "off"
        assert house.values[desk.id]["brightness_pct"] == 100
        now = clock.now()
        assert render(result, "en", now=now).startswith("Back to how it was at 20:00:")
        # It is a wish like any other: it can be undone.
        await home.hub.wishes.ask(request("undo that"))
        assert house.values[sofa.id]["brightness_pct"] == 100
        assert house.values[floor.id]["state"] == "on"


async def test_what_cannot_be_put_back_is_named(tmp_path: Path) -> None:
    """A device that came later, one without a way back, an unknown room and time."""
    house = SimulatedHouse()
    clock = evening(house)
    sofa = lamp(house, "sofa", area="Living Room", state="off")
    siren = house.add(
        Device(
            id="id_siren",
            entity_id="siren.siren",
            name="Siren",
            domain="siren",
            area="Living Room",
        ),
        state="on",
    )
    async with running(tmp_path, house, clock=clock) as home:
        see(home, sofa)
        see(home, siren)
        clock.advance(3600)
        late = lamp(house, "late", area="Living Room", state="on")
        see(home, late)
        see(home, siren, state="off")
        see(home, sofa, state="on")
        past = "restore living room to 8 pm"
        shown = await home.hub.wishes.ask(request(past, dry_run=True))
        assert house.acts == []
        result = await home.hub.wishes.ask(request(past))
        for told, outcome in ((shown, Outcome.PLANNED), (result, Outcome.CHANGED)):
            assert {s.name: (s.outcome, s.reason) for s in told.steps} == {
                "Sofa": (outcome, None),
                "Siren": (Outcome.REFUSED, Reason.NO_WAY_BACK),
                "Late": (Outcome.REFUSED, Reason.NOT_RECORDED),
            }
        nothing = await home.hub.wishes.ask(request("restore the attic to 8 pm"))
        assert nothing.reason is Reason.UNKNOWN_TARGET
        asked = await home.hub.wishes.ask(
            request("restore living room to yesterday at eight")
        )
        assert (asked.reason, asked.near) == (Reason.AMBIGUOUS, ("08:00", "20:00"))
        old = await home.hub.wishes.ask(
            request("restore living room to yesterday at 8 pm")
        )
        assert old.reason is Reason.NOT_RECORDED


async def test_as_it_was_already(tmp_path: Path) -> None:
    house = SimulatedHouse()
    clock = evening(house)
    sofa = lamp(house, "sofa", area="Living Room", state="on", brightness_pct=30)
    async with running(tmp_path, house, clock=clock) as home:
        see(home, sofa)
        clock.advance(600)
        result = await home.hub.wishes.ask(request("restore living room to 20:05"))
        assert (result.kind, result.steps) == (PlanKind.COMMAND, ())
        assert render(result, "en", now=clock.now()) == "There is nothing to do."
        at = clock.now() - timedelta(hours=1)
        with pytest.raises(LookupError):
            await home.hub.wishes.restore(
                request("x"), (sofa.id,), at=at.astimezone(UTC)
            )
