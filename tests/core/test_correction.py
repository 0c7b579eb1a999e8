"""“No, the floor lamp”: the wrong one goes back, the right one moves, and no more."""

from pathlib import Path

import pytest

from hearthnet.core.devices import Principal
from hearthnet.core.intents import Action
from hearthnet.core.messages import MessageType
from hearthnet.simulation import SimulatedHouse

from .home import ANNA, BEN, Home, command, lamp, request, running

WRONG, RIGHT = "turn on the desk lamp", "no, the floor lamp"
TURNS = (("user", WRONG), ("assistant", "Desk is now on."))


async def say(home: Home, text: str, who: Principal = ANNA, **fields: object) -> None:
    """Have one of the two lamps switched on by a sentence."""
    target = "id_desk" if text == WRONG else "id_floor"
    home.planner.plans[text] = command(
        Action(targets=(target,), operation="light.turn_on")
    )
    await home.hub.wishes.ask(request(text, who, **fields))


@pytest.mark.parametrize(
    ("text", "who", "turns", "desk"),
    [
        (RIGHT, ANNA, TURNS, "off"),
        ("the floor lamp too", ANNA, TURNS, "on"),  # no correction
        (RIGHT, BEN, TURNS, "on"),  # it was not his
        (RIGHT, ANNA, (), "on"),  # another conversation
        (RIGHT, ANNA, (("user", "thanks"), ("assistant", "Fine.")), "on"),
    ],
)
async def test_what_was_wrong_goes_back(
    tmp_path: Path,
    text: str,
    who: Principal,
    turns: tuple[tuple[str, str], ...],
    desk: str,
) -> None:
    house = SimulatedHouse()
    for name in ("desk", "floor"):
        lamp(house, name, state="off")
    async with running(tmp_path, house) as home:
        await say(home, WRONG)
        await say(home, text, who, turns=turns)
        assert house.values["id_floor"]["state"] == "on"
        assert house.values["id_desk"]["state"] == desk


async def test_what_is_meant_anew_is_not_taken_back(tmp_path: Path) -> None:
    """“No, dimmer” of the same lamp is a new wish, and no undo in between."""
    house = SimulatedHouse()
    lamp(house, "desk", state="off")
    async with running(tmp_path, house) as home:
        await say(home, WRONG)
        home.planner.plans["no, at 20"] = command(
            Action(
                targets=("id_desk",),
                operation="light.turn_on",
                parameters={"brightness_pct": 20},
            )
        )
        await home.hub.wishes.ask(request("no, at 20", turns=TURNS))
        assert house.values["id_desk"]["brightness_pct"] == 20
        assert len(home.of(MessageType.EXECUTE)) == 2


async def test_an_undo_takes_back_the_whole_correction(tmp_path: Path) -> None:
    house = SimulatedHouse()
    for name in ("desk", "floor"):
        lamp(house, name, state="off")
    async with running(tmp_path, house) as home:
        await say(home, WRONG)
        await say(home, RIGHT, turns=TURNS)
        await home.hub.wishes.ask(request("undo that"))
        assert house.values["id_floor"]["state"] == "off"
        assert house.values["id_desk"]["state"] == "on"


@pytest.mark.parametrize("text", ["rather not", "doch nicht", "mejor no", "还是算了"])
async def test_rather_not_undoes_what_was_said_before(
    tmp_path: Path, text: str
) -> None:
    house = SimulatedHouse()
    lamp(house, "desk", state="off")
    async with running(tmp_path, house) as home:
        await say(home, WRONG)
        # By itself it may mean anything.
        await home.hub.wishes.ask(request(text))
        assert house.values["id_desk"]["state"] == "on"
        await home.hub.wishes.ask(request(text, turns=TURNS))
        assert house.values["id_desk"]["state"] == "off"


@pytest.mark.parametrize(
    ("text", "turns", "waits"),
    [
        ("never mind", "turn on the desk lamp in an hour", False),
        ("abbrechen", "turn on the desk lamp in an hour", False),
        ("cancela", "turn on the desk lamp in an hour", False),
        ("never mind", "is it warm", True),  # the plan is of another sentence
    ],
)
async def test_never_mind_ends_the_plan_that_was_just_made(
    tmp_path: Path, text: str, turns: str, waits: bool
) -> None:
    house = SimulatedHouse()
    lamp(house, "desk", state="off")
    async with running(tmp_path, house) as home:
        made = "turn on the desk lamp in an hour"
        later = home.clock.now().replace(year=2100)
        home.planner.plans[made] = command(
            Action(targets=("id_desk",), operation="light.turn_on"), due=later
        )
        await home.hub.wishes.ask(request(made))
        said = (("user", turns), ("assistant", "I will."))
        await home.hub.wishes.ask(request(text, turns=said))
        assert bool(home.hub.state.deferred()) is waits
