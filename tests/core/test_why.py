"""“Why is it on?”: answered from the record, to those who may know."""

from dataclasses import replace
from pathlib import Path

import pytest

from hearthnet.core.devices import Device, Principal
from hearthnet.core.intents import Action, Because, Origin, Plan, PlanKind, Request
from hearthnet.core.render import render
from hearthnet.core.status import Cause
from hearthnet.simulation import SimulatedHouse

from .home import (
    ANNA,
    BEN,
    ROUTINE,
    Home,
    ScriptedPlanner,
    command,
    lamp,
    request,
    running,
)

GUEST = Principal(kind="user", id="gus", name="Gus", role="guest")
ON, DIM, OFF = "Light, please", "A bit darker", "Lights out"


def sentences(desk: Device) -> ScriptedPlanner:
    def turn_on(**parameters: int) -> Action:
        return Action(
            targets=(desk.id,), operation="light.turn_on", parameters=parameters
        )

    off = Action(targets=(desk.id,), operation="light.turn_off")
    return ScriptedPlanner(
        {
            ON: command(turn_on(brightness_pct=80)),
            DIM: command(turn_on(brightness_pct=20)),
            OFF: command(off),
            "why": Plan(kind=PlanKind.QUESTION, asked=(desk.id,), why=True),
        }
    )


async def why(home: Home, who: Principal = ANNA) -> Because | None:
    result = await home.hub.wishes.ask(request("why", who))
    (answer,) = result.answers
    assert result.why
    return answer.because


async def told(home: Home, who: Principal = ANNA) -> str:
    result = await home.hub.wishes.ask(request("why", who))
    return render(result, "en", now=home.clock.now())


async def test_whose_wish_it_was_and_in_which_words(tmp_path: Path) -> None:
    house = SimulatedHouse()
    desk = lamp(house, "desk", state="off")
    async with running(tmp_path, house, sentences(desk)) as home:
        assert await why(home) is None
        assert (await told(home)).endswith("Why is not on record.")
        await home.hub.wishes.ask(request(ON))
        # Another brightness is not why it is on, and neither is a second wish for it.
        await home.hub.wishes.ask(request(DIM, BEN))
        await home.hub.wishes.ask(request(ON, BEN))
        because = await why(home)
        assert because is not None
        assert (because.who, because.text) == ("Anna", ON)
        assert (await told(home)).startswith("Desk is on, 80 % bright. Anna asked for")
        await home.hub.wishes.ask(request(OFF, BEN))
        because = await why(home)
        assert because is not None
        assert (because.who, because.text) == ("Ben", OFF)


async def test_what_others_wanted_is_not_for_guests(tmp_path: Path) -> None:
    house = SimulatedHouse()
    desk = lamp(house, "desk", state="off")
    async with running(tmp_path, house, sentences(desk)) as home:
        await home.hub.wishes.ask(request(ON))
        because = await why(home, GUEST)
        assert because is not None
        assert (because.who, because.text, because.cause) == ("", "", "")
        assert "Anna" not in await told(home, GUEST)
        assert ON not in await told(home, GUEST)
        await home.hub.wishes.ask(request(OFF, GUEST))
        because = await why(home, GUEST)
        assert because is not None
        assert (because.who, because.text) == ("Gus", OFF)


@pytest.mark.parametrize(
    ("cause", "principal", "detail", "text"),
    [
        (Cause.PERSON, BEN, "", "Ben changed it at"),
        (Cause.AUTOMATION, None, "Wind down", "Wind down changed it at"),
        (Cause.DEVICE, None, "", "at its own switch"),
        (Cause.UNKNOWN, None, "", "what did it is not known"),
    ],
)
async def test_what_was_done_past_hearthnet(
    cause: Cause, principal: Principal | None, detail: str, text: str, tmp_path: Path
) -> None:
    house = SimulatedHouse()
    desk = lamp(house, "desk", state="off")
    async with running(tmp_path, house, sentences(desk)) as home:
        await home.hub.wishes.ask(request(ON))
        house.change(desk.id, state="off", brightness_pct=None)
        home.hub.observe(
            desk.id,
            house.values[desk.id],
            cause=cause,
            principal=principal,
            detail=detail,
        )
        assert text in await told(home)
        because = await why(home, GUEST)
        assert because is not None
        assert (because.who, because.cause) == ("", cause)


async def test_after_a_restart_it_is_still_known(tmp_path: Path) -> None:
    """What is found again as it was has not changed."""
    house = SimulatedHouse()
    desk = lamp(house, "desk", state="off")
    async with running(tmp_path, house, sentences(desk)) as home:
        await home.hub.wishes.ask(request(ON))
    async with running(tmp_path, house, sentences(desk)) as home:
        home.hub.observe(desk.id, house.values[desk.id], cause=Cause.RECONNECT)
        because = await why(home)
        assert because is not None
        assert (because.who, because.text) == ("Anna", ON)


async def test_an_effect_that_shows_late_is_the_wish_s(tmp_path: Path) -> None:
    house = SimulatedHouse()
    desk = lamp(house, "desk", state="off")
    async with running(tmp_path, house, sentences(desk)) as home:
        await home.hub.wishes.ask(request(ON))
        house.change(desk.id, state="off", brightness_pct=None)
        home.hub.observe(desk.id, house.values[desk.id], cause=Cause.OWN)
        because = await why(home)
        assert because is not None
        assert because.who == "Anna"


async def test_a_routine_has_a_name_and_no_words(tmp_path: Path) -> None:
    house = SimulatedHouse()
    desk = lamp(house, "desk", state="off")
    planner = sentences(desk)
    async with running(tmp_path, house, planner) as home:
        wish: Request = replace(request(ON, ROUTINE), origin=Origin.AUTOMATION)
        await home.hub.wishes.ask(wish)
        assert "Wind down changed it at" in await told(home)


async def test_of_a_thermostat_it_is_the_target_that_is_explained(
    tmp_path: Path,
) -> None:
    """It has been heating since autumn; who asks why it is so warm means today."""
    house = SimulatedHouse()
    stove = Device(
        id="id_stove", entity_id="climate.stove", name="Stove", domain="climate"
    )
    house.add(stove, state="heat", temperature=19)
    warm, why_so = (
        "21 degrees",
        Plan(kind=PlanKind.QUESTION, asked=(stove.id,), why=True),
    )
    action = Action(
        targets=(stove.id,),
        operation="climate.set_temperature",
        parameters={"temperature": 21},
    )
    planner = ScriptedPlanner({warm: command(action), "why": why_so})
    async with running(tmp_path, house, planner) as home:
        home.hub.observe(
            stove.id, {"state": "heat", "temperature": 19}, cause=Cause.RECONNECT
        )
        await home.hub.wishes.ask(request(warm, BEN))
        because = await why(home)
        assert because is not None
        assert (because.who, because.text) == ("Ben", warm)
