"""Plans for later: told, canceled by word in five languages, and undone in time."""

# ruff: noqa: RUF001 - Chinese punctuation

import asyncio
from datetime import UTC, timedelta
from pathlib import Path

import pytest

from hearthnet.core.clock import ManualClock
from hearthnet.core.devices import Principal
from hearthnet.core.intents import Action, PlanKind
from hearthnet.core.messages import MessageType
from hearthnet.core.news import PlanFailed
from hearthnet.core.reasons import Outcome, Reason
from hearthnet.core.render import render
from hearthnet.core.status import Cause
from hearthnet.simulation import Behavior, SimulatedHouse

from .home import BEN, Home, ScriptedPlanner, command, lamp, request, running

CHILD = Principal(kind="user", id="mia", name="Mia", role="child")
NINE, TEN = "off at nine", "off at ten"


def later_house() -> tuple[SimulatedHouse, ManualClock, ScriptedPlanner]:
    """Return a lamp that is on, and plans for nine and ten in the evening."""
    house = SimulatedHouse()
    desk = lamp(house, "desk", state="on", brightness_pct=40)
    clock = ManualClock()
    today = clock.now().astimezone(UTC).replace(hour=18, minute=0, second=0)
    clock.advance((today - clock.now()).total_seconds() % 86400)
    off = Action(targets=(desk.id,), operation="light.turn_off")
    nine = clock.now().replace(hour=21, minute=0)
    planner = ScriptedPlanner(
        {
            NINE: command(off, due=nine),
            TEN: command(off, due=nine + timedelta(hours=1)),
        }
    )
    return house, clock, planner


async def waiting(home: Home) -> list[str]:
    """Return the words of the plans that wait."""
    return [plan.text for plan in home.hub.status.deferred]


@pytest.mark.parametrize(
    "question",
    [
        "What is planned?",
        "what's planned for today",
        "Was ist geplant?",
        "Was hast du heute vor?",
        "Qu'est-ce qui est prévu ?",
        "¿Qué hay planeado?",
        "有什么计划？",
    ],
)
async def test_what_is_planned(tmp_path: Path, question: str) -> None:
    """A question; the next plan comes first, each with its time."""
    house, clock, planner = later_house()
    async with running(tmp_path, house, planner, clock=clock) as home:
        nothing = await home.hub.wishes.ask(request(question))
        assert nothing.reason is Reason.NOTHING_PLANNED
        assert render(nothing, "en", now=clock.now()) == "Nothing is planned."
        await home.hub.wishes.ask(request(TEN))
        await home.hub.wishes.ask(request(NINE))
        told = await home.hub.wishes.ask(request(question))
        assert told.kind is PlanKind.QUESTION
        assert render(told, "en", now=clock.now()) == (
            "Planned for 21:00: “off at nine”. Planned for 22:00: “off at ten”."
        )
        tomorrow = await home.hub.wishes.ask(request("What is planned for tomorrow?"))
        assert tomorrow.waiting == ()
        assert house.acts == []


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ("Cancel that, please.", [TEN]),
        ("Brich das ab!", [TEN]),
        ("annule ça", [TEN]),
        ("Cancela eso", [TEN]),
        ("请取消这个计划", [TEN]),
        ("undo that", [TEN]),
        ("Cancel the plan for ten.", [NINE]),
        ("cancel the 10 pm plan", [NINE]),
        ("Streiche den Plan für zehn Uhr", [NINE]),
        ("Annule le plan de dix heures", [NINE]),
        ("Cancela el plan de las diez", [NINE]),
        ("取消晚上十点的计划", [NINE]),
        ("cancel the plan with ten", [NINE]),
        ("Cancel all plans", []),
        ("Storniere alle Pläne", []),
        ("annule tous les plans", []),
        ("cancela todos los planes", []),
        ("取消所有计划", []),
    ],
)
async def test_cancel_by_word(tmp_path: Path, words: str, left: list[str]) -> None:
    """“That” is what the person planned last, here the plan for nine."""
    house, clock, planner = later_house()
    async with running(tmp_path, house, planner, clock=clock) as home:
        await home.hub.wishes.ask(request(TEN))
        await home.hub.wishes.ask(request(NINE))
        result = await home.hub.wishes.ask(request(words))
        assert await waiting(home) == left
        assert len(result.canceled) == 2 - len(left)
        assert "is canceled" in render(result, "en", now=clock.now())
        assert house.acts == []


async def test_cancel_what_is_not_there(tmp_path: Path) -> None:
    """Nothing is said to be canceled that was not; two plans are asked about."""
    house, clock, planner = later_house()
    planner.plans["off at nine tomorrow"] = command(
        *planner.plans[NINE].actions, due=clock.now() + timedelta(hours=15)
    )
    async with running(tmp_path, house, planner, clock=clock) as home:
        for words in ("cancel that", "cancel all plans", "cancel the plan for nine"):
            result = await home.hub.wishes.ask(request(words))
            assert result.reason is Reason.NOTHING_PLANNED
        await home.hub.wishes.ask(request(NINE))
        result = await home.hub.wishes.ask(request("cancel the plan for eight"))
        assert result.reason is Reason.NOTHING_PLANNED
        await home.hub.wishes.ask(request("off at nine tomorrow"))
        result = await home.hub.wishes.ask(request("cancel the plan with off"))
        assert result.reason is Reason.AMBIGUOUS
        assert result.near == ("21:00 off at nine", "09:00 off at nine tomorrow")
        assert len(home.hub.status.deferred) == 2


async def test_a_child_neither_sees_nor_cancels_others_plans(tmp_path: Path) -> None:
    house, clock, planner = later_house()
    async with running(tmp_path, house, planner, clock=clock) as home:
        made = await home.hub.wishes.ask(request(NINE))
        for words in ("what is planned?", "cancel all plans", "cancel that"):
            result = await home.hub.wishes.ask(request(words, CHILD))
            assert result.reason is Reason.NOTHING_PLANNED
        with pytest.raises(PermissionError):
            await home.hub.control.cancel(made.intent, CHILD)
        await home.hub.wishes.ask(request(TEN, CHILD))
        await home.hub.wishes.ask(request("cancel that", CHILD))
        assert await waiting(home) == [NINE]
        await home.hub.wishes.ask(request("cancel all plans", BEN))
        assert await waiting(home) == []


async def test_undo_means_what_was_wished_last(tmp_path: Path) -> None:
    """After a plan that is canceled; after an act the act is undone."""
    house, clock, planner = later_house()
    desk = house.device("id_desk")
    assert desk is not None
    full = Action(
        targets=(desk.id,), operation="light.turn_on", parameters={"brightness_pct": 90}
    )
    planner.plans["full"] = command(full)
    async with running(tmp_path, house, planner, clock=clock) as home:
        await home.hub.wishes.ask(request(NINE))
        await home.hub.wishes.ask(request("full"))
        await home.hub.wishes.ask(request("undo that"))
        assert house.values[desk.id]["brightness_pct"] == 40
        assert await waiting(home) == [NINE]


async def test_until_goes_back_when_the_time_has_come(tmp_path: Path) -> None:
    """What is done until ten is undone at ten, over a restart, by a new lease."""
    house, clock, planner = later_house()
    shelf = lamp(house, "shelf", state="off")
    ten = clock.now().replace(hour=22)
    full = Action(
        targets=("id_desk", shelf.id),
        operation="light.turn_on",
        parameters={"brightness_pct": 90},
    )
    planner.plans["full until ten"] = command(
        full, standing=True, until=ten, reverts=True
    )
    async with running(tmp_path, house, planner, clock=clock) as home:
        result = await home.hub.wishes.ask(request("full until ten"))
        assert result.until == ten
        assert render(result, "en", now=clock.now()).endswith(
            "After 22:00 it will be as it was before."
        )
        assert await waiting(home) == ["full until ten"]
        house.change(shelf.id, brightness_pct=20)
        home.hub.observe(
            shelf.id, house.values[shelf.id], cause=Cause.PERSON, principal=BEN
        )
    clock.advance((ten - clock.now()).total_seconds() + 5)
    async with running(tmp_path, house, clock=clock) as home:
        await home.until(MessageType.RECEIPT)
        receipt = home.of(MessageType.RECEIPT)[-1]
        assert receipt.body["outcome"] == Outcome.CHANGED
        assert house.values["id_desk"]["brightness_pct"] == 40
        # Ben has set it since; that is left alone.
        assert house.values[shelf.id]["brightness_pct"] == 20
        assert home.hub.status.deferred == ()


async def test_until_of_what_was_so_already_only_holds(tmp_path: Path) -> None:
    house, clock, planner = later_house()
    keep = Action(targets=("id_desk",), operation="light.turn_on")
    planner.plans["on until ten"] = command(
        keep, standing=True, until=clock.now() + timedelta(hours=4), reverts=True
    )
    async with running(tmp_path, house, planner, clock=clock) as home:
        result = await home.hub.wishes.ask(request("on until ten"))
        assert result.steps[0].outcome is Outcome.ALREADY_SO
        assert result.until is None
        assert home.hub.status.deferred == ()


async def test_a_canceled_until_leaves_things_as_they_are(tmp_path: Path) -> None:
    house, clock, planner = later_house()
    off = planner.plans[NINE].actions
    planner.plans["off until ten"] = command(
        *off, standing=True, until=clock.now() + timedelta(hours=4), reverts=True
    )
    async with running(tmp_path, house, planner, clock=clock) as home:
        await home.hub.wishes.ask(request("off until ten"))
        result = await home.hub.wishes.ask(request("cancel that"))
        assert [one.text for one in result.canceled] == ["off until ten"]
        clock.advance(4 * 3600 + 5)
        assert home.hub.status.deferred == ()
        assert house.values["id_desk"]["state"] == "off"


async def test_a_plan_that_takes_its_time_keeps_no_other_up(tmp_path: Path) -> None:
    """Each goes its own way when it is due, once, however often one looks."""
    house, clock, planner = later_house()
    shelf = lamp(house, "shelf", state="on")
    nine = clock.now().replace(hour=21, minute=0)
    planner.plans["shelf off at nine"] = command(
        Action(targets=(shelf.id,), operation="light.turn_off"), due=nine
    )
    stuck = asyncio.Event()
    house.behavior["id_desk"] = Behavior(gate=stuck)
    async with running(tmp_path, house, planner, clock=clock) as home:
        for text in (NINE, "shelf off at nine"):
            await home.hub.wishes.ask(request(text))
        clock.advance((nine - clock.now()).total_seconds())  # to the moment itself
        for _ in range(5):
            home.hub._deferrals.changed()
            await asyncio.sleep(0)
        await home.until(MessageType.RECEIPT)
        assert house.values[shelf.id]["state"] == "off"
        assert house.values["id_desk"]["state"] == "on"
        stuck.set()
        await home.until(MessageType.RECEIPT, 2)
        assert house.values["id_desk"]["state"] == "off"
        assert len(house.acts) == 2


async def test_what_goes_wrong_when_it_is_due_is_told(tmp_path: Path) -> None:
    """Not what a person decided, nor what is done."""
    house, clock, planner = later_house()
    told: asyncio.Queue[PlanFailed] = asyncio.Queue()
    async with running(tmp_path, house, planner, clock=clock) as home:
        home.hub.overview.subscribe(
            lambda item: told.put_nowait(item) if isinstance(item, PlanFailed) else None
        )
        await home.hub.wishes.ask(request(NINE))
        await home.hub.wishes.ask(request(TEN))
        house.unavailable.add("id_desk")
        clock.advance(3 * 3600)
        home.hub._deferrals.changed()
        async with asyncio.timeout(10):
            failed = await told.get()
        assert failed.plan.text == NINE
        assert failed.result is not None
        assert failed.result.steps[0].outcome is Outcome.UNREACHABLE
        house.unavailable.clear()
        clock.advance(3600)
        home.hub._deferrals.changed()
        await home.until(MessageType.RECEIPT)
        await home.hub.wishes.ask(request("what is planned?"))
        assert told.empty()
