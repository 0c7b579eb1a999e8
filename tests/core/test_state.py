"""The view read as what it keeps, holds above all."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hearthnet.core.clock import ManualClock
from hearthnet.core.hold_index import KEPT, SWEPT
from hearthnet.core.holds import Hold, SourceClass
from hearthnet.core.intents import Origin
from hearthnet.core.messages import Message, MessageType
from hearthnet.core.reasons import Outcome
from hearthnet.core.state import State
from hearthnet.core.view import View
from hearthnet.simulation import SimulatedHouse

from .home import ANNA, Home, lamp, running

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def hold(name: str, ends_at: datetime) -> Hold:
    return Hold(
        id=name,
        device="lamp",
        attribute="state",
        value="on",
        source=SourceClass.PERSON,
        principal=ANNA,
        since=NOON,
        ends_at=ends_at,
    )


def write(view: View, seq: int, **writes: Any) -> None:
    view.apply(
        Message(
            id=f"hub.1.{seq}",
            sender="rupert",
            to="rupert",
            type=MessageType.RESOLUTION,
            at=NOON,
            content="Holds change.",
            writes={f"holds/{name}.json": value for name, value in writes.items()},
        )
    )


def test_holds_follow_the_view() -> None:
    view = View()
    state = State(view)
    first, second = hold("a", NOON), hold("b", NOON + timedelta(minutes=1))
    assert state.all_holds() == ()
    write(view, 1, a=first.as_dict())
    assert state.all_holds() == (first,)
    write(view, 2, b=second.as_dict())
    assert state.all_holds() == (first, second)
    assert state.holds(NOON) == (second,)
    assert state.holds(None) == (first, second)
    write(view, 3, a=None)
    assert state.all_holds() == (second,)


def test_what_has_been_over_for_a_while_may_go() -> None:
    view = View()
    state = State(view)
    names = {f"h{n}": hold(f"h{n}", NOON).as_dict() for n in range(SWEPT + 5)}
    write(view, 1, later=hold("later", NOON + timedelta(seconds=1)).as_dict(), **names)
    end = NOON + KEPT
    assert state.over(end - timedelta(seconds=1)) == {}
    gone = state.over(end)
    assert len(gone) == SWEPT
    assert set(gone.values()) == {None}
    assert "holds/later.json" not in gone
    assert state.over(end) == gone
    write(view, 2, **dict.fromkeys(names))
    assert state.over(end) == {}
    assert state.over(end + timedelta(seconds=1)) == {"holds/later.json": None}


def test_holds_are_found_by_device_and_member() -> None:
    view = View()
    state = State(view)
    one = hold("a", NOON)
    group = replace(hold("b", NOON + timedelta(1)), device="all", members=("lamp", "x"))
    write(view, 1, b=group.as_dict(), a=one.as_dict())
    assert state.holds_on(["lamp"], None) == (one, group)
    assert state.holds_on(["lamp", "all"], NOON) == (group,)
    assert state.holds_on(["x"], None) == (group,)
    assert state.holds_on(["other"], None) == ()
    write(view, 2, b=replace(group, members=("x",)).as_dict(), a=None)
    assert state.holds_on(["lamp"], None) == ()
    write(view, 3, b=None)
    assert state.holds_on(["x", "all"], None) == ()


async def test_the_end_of_a_task_takes_old_holds_with_it(tmp_path: Path) -> None:
    house, clock = SimulatedHouse(), ManualClock()
    lamp(house, "sofa")
    lamp(house, "desk")

    async def switch(home: Home, device: str) -> None:
        result = await home.hub.wishes.propose(
            principal=ANNA,
            origin=Origin.APP,
            targets=(device,),
            operation="light.turn_on",
            parameters={},
            reason="Light.",
        )
        assert [step.outcome for step in result.steps] == [Outcome.CHANGED]

    async with running(tmp_path, house, clock=clock) as home:
        await switch(home, "id_sofa")
        (held,) = home.hub.state.all_holds()
        assert held.device == "id_sofa"
        clock.advance(30 * 60 + KEPT.total_seconds())
        await switch(home, "id_desk")
        assert [h.device for h in home.hub.state.all_holds()] == ["id_desk"]
        (ended,) = [m for m in home.messages if held.path in m.writes][1:]
        assert ended.type is MessageType.RESOLUTION
