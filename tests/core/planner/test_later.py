"""Sentences about later: what is left of them, and when it is for."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from hearthnet.core.devices import Principal
from hearthnet.core.intents import Action, Origin, Plan, PlanKind, Request
from hearthnet.core.planner import Situation
from hearthnet.core.planner.later import LaterPlanner, without_time
from hearthnet.simulation import SimulatedHouse

NOW = datetime(2026, 11, 30, 18, 0, tzinfo=ZoneInfo("Europe/Berlin"))
ANNA = Principal(kind="user", id="anna", name="Anna", role="owner")


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("Turn off the AC in two minutes", "Turn off the AC"),
        ("In 5 minutes, turn off the hall light", "turn off the hall light"),
        ("turn on bedroom lights at nine tomorrow", "turn on bedroom lights"),
        ("Turn on the light at 7:30 pm", "Turn on the light"),
        (
            "Schalte in fünf Minuten das Licht im Flur aus",
            "Schalte das Licht im Flur aus",
        ),
        ("Mach um 9 Uhr die Küche hell", "Mach die Küche hell"),
        ("五分钟后关灯", "关灯"),
        ("turn on the hall light for 10 minutes", "turn on the hall light"),
        ("Mach das Licht für eine Stunde an", "Mach das Licht an"),
        ("Ventilator 10 Minuten lang an", "Ventilator an"),
        ("allume la lampe pendant cinq minutes", "allume la lampe"),
        ("enciende la luz durante 5 minutos", "enciende la luz"),
        ("打开走廊灯10分钟", "打开走廊灯"),
        ("Éteins la lumière dans dix minutes", "Éteins la lumière"),
        ("Apaga la luz a las nueve", "Apaga la luz"),
        ("keep the desk lamp on until ten", "keep the desk lamp on"),
        ("开灯直到晚上十点", "开灯"),
        ("到晚上十点为止开灯", "开灯"),
        ("Turn on the light", None),
    ],
)
def test_what_is_left_without_the_time(text: str, rest: str | None) -> None:
    assert without_time(text) == rest


class Echo:
    """Plans one action for one sentence, and remembers what it was asked."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.asked: list[str] = []

    async def plan(self, request: Request, situation: Situation) -> Plan | None:
        self.asked.append(request.text)
        if request.text != self.text:
            return None
        action = Action(targets=("lamp",), operation="light.turn_off")
        return Plan(kind=PlanKind.COMMAND, actions=(action,))


def ask(text: str) -> Request:
    return Request(text=text, principal=ANNA, origin=Origin.APP)


SITUATION = Situation(house=SimulatedHouse(), now=NOW)


async def test_the_rest_is_planned_for_its_time() -> None:
    """D06, D07: nothing is planned for now."""
    planner = LaterPlanner(Echo("Schalte das Licht im Flur aus"))
    plan = await planner.plan(
        ask("Schalte in fünf Minuten das Licht im Flur aus"), SITUATION
    )
    assert plan is not None
    assert plan.due == NOW + timedelta(minutes=5)


async def test_until_makes_it_stand() -> None:
    planner = LaterPlanner(Echo("keep the lamp off"))
    plan = await planner.plan(ask("keep the lamp off until 22:00"), SITUATION)
    assert plan is not None
    assert plan.due is None
    assert plan.standing
    assert plan.until == NOW.replace(hour=22)
    assert not plan.reverts


@pytest.mark.parametrize(
    "text",
    [
        "turn on the lamp until ten",
        "Schalte die Lampe bis zehn Uhr ein",
        "Allume la lampe jusqu'à 22 heures",
        "Enciende la lámpara hasta las diez",
        "开灯直到晚上十点",
    ],
)
async def test_what_is_done_until_ten_goes_back(text: str) -> None:
    """Said at six, ten is in the evening; what is only to be kept stays."""
    planner = LaterPlanner(Echo(without_time(text) or ""))
    plan = await planner.plan(ask(text), SITUATION)
    assert plan is not None
    assert plan.reverts
    assert plan.until == NOW.replace(hour=22)


async def test_other_sentences_pass_as_they_are() -> None:
    inner = Echo("turn off the lamp")
    plan = await LaterPlanner(inner).plan(ask("turn off the lamp"), SITUATION)
    assert plan is not None
    assert plan.due is None
    assert inner.asked == ["turn off the lamp"]
