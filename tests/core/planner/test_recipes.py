"""Sentences for what phones control."""

from collections.abc import Iterator
from datetime import UTC, datetime
import json
from pathlib import Path

import pytest

from hearthnet.core.devices import Device
from hearthnet.core.intents import Plan, PlanKind
from hearthnet.core.phone.compile import RecipeFileError, compile_recipe
from hearthnet.core.phone.house import JointHouse, PhoneHouse
from hearthnet.core.phone.recipes import Recipes
from hearthnet.core.planner import Situation
from hearthnet.core.planner.parse import parse
from hearthnet.core.planner.prompt import build_prompt
from hearthnet.core.planner.recipes import RecipePlanner
from hearthnet.core.reasons import Reason
from hearthnet.core.view import View
from hearthnet.simulation import SimulatedHouse
from tests.core.home import request

SHIPPED = Path(__file__).parents[3] / "custom_components/hearthnet/recipes"
TEXT = (SHIPPED / "living_room_tv.yaml").read_text("utf-8")


class Home:
    """Recipes, beside what Home Assistant has."""

    def __init__(self, **texts: str) -> None:
        self.recipes, self.hass = Recipes(), SimulatedHouse()
        for node, text in texts.items():
            assert self.recipes.put(node, compile_recipe(text)) is None

    @property
    def situation(self) -> Situation:
        phones = PhoneHouse(
            self.recipes,
            View(),
            reachable=lambda _node: True,
            seen=lambda _node, _appliance: {},
            cameras=lambda: (),
            same=lambda entity_id: (entity_id, self.hass.device(entity_id)),
            at=lambda device: device,
            may_control=lambda _principal, _entity_id: True,
        )
        return Situation(house=JointHouse(self.hass, phones), now=datetime.now(UTC))

    async def plan(self, text: str) -> Plan | None:
        return await RecipePlanner(self.recipes).plan(request(text), self.situation)

    async def operation(self, text: str) -> str | None:
        plan = await self.plan(text)
        if plan is None:
            return None
        assert plan.kind is PlanKind.COMMAND
        (action,) = plan.actions
        assert action.targets == ("phone.living_room_tv",)
        return action.operation


@pytest.mark.parametrize(
    ("text", "operation"),
    [
        ("Turn off the living room TV", "tv.power_off"),
        ("switch the television on.", "tv.power_on"),
        ("Schalte Living room TV aus", "tv.power_off"),
        ("Fernseher einschalten", "tv.power_on"),  # a title of the recipe
        ("关闭 television", "tv.power_off"),
        ("Mute", "tv.mute"),
        ("turn off", None),
        ("turn off the living room", None),
        ("don't turn off the living room TV", None),
        ("turn off the living room TV and the lamp", None),
    ],
)
async def test_sentences(text: str, operation: str | None) -> None:
    assert await Home(phone=TEXT).operation(text) == operation


@pytest.mark.parametrize(
    "text",
    [
        "Is the living room TV on?",
        "What is the state of the television?",
        "Ist Living room TV noch an?",
        "Läuft der television?",
        "Est-ce que la television est encore allumée ?",
        "¿Está encendido el television?",
        "television开着吗",
    ],
)
async def test_questions(text: str) -> None:
    plan = await Home(phone=TEXT).plan(text)
    assert plan is not None
    assert (plan.kind, plan.actions) == (PlanKind.QUESTION, ())
    assert plan.asked == ("phone.living_room_tv",)


async def test_what_home_assistant_reaches_itself_is_left_to_it() -> None:
    home = Home(phone=TEXT.replace("app:", "same_as: media_player.tv\napp:", 1))
    tv = Device(
        id="media_player.tv",
        entity_id="media_player.tv",
        name="The box",
        domain="media_player",
    )
    assert await home.operation("turn off the television") == "tv.power_off"
    home.hass.add(tv, state="on")
    assert await home.operation("turn off the television") is None
    # Its own sentence says which way is wanted.
    assert await home.operation("Switch the television off") == "tv.power_off"


async def test_two_of_one_name() -> None:
    other = TEXT.replace("tv.", "box.").replace("living_room_tv", "bedroom_tv")
    plan = await Home(phone=TEXT, tablet=other).plan("turn off the television")
    assert plan is not None
    assert (plan.kind, plan.reason) == (PlanKind.UNCLEAR, Reason.AMBIGUOUS)


async def test_own_phrases() -> None:
    phrases = "    phrases: {en: ['(kill|end) [the] show']}\n"
    own = TEXT.replace("    risk: free\n", f"    risk: free\n{phrases}")
    home = Home(phone=own)
    assert await home.operation("End the show!") == "tv.power_off"
    assert await home.operation("Start the show") is None


def mistakes() -> Iterator[tuple[str, str]]:
    yield "phrases: {en: ['(end']}", "a closing ) is missing"
    yield "phrases: {en: ['end {area}']}", "nothing in braces"
    yield "phrases: {en: end}", "expected a list"


@pytest.mark.parametrize(("line", "text"), [*mistakes()])
def test_wrong_phrases(line: str, text: str) -> None:
    wrong = TEXT.replace("    risk: free\n", f"    risk: free\n    {line}\n")
    with pytest.raises(RecipeFileError, match=r"line 54, capabilities") as caught:
        compile_recipe(wrong)
    assert text in str(caught.value)


def test_models_are_told_what_apps_can_do() -> None:
    situation = Home(phone=TEXT).situation
    prompt = build_prompt(request("a bit quieter, 20 percent"), situation)
    told = json.loads(prompt.catalogue)["catalogue"]
    assert [row[:2] for row in told["devices"]] == [["tv1", "Living room TV"]]
    assert "tv.power_off" in told["operations"]
    assert any("tv.set_volume: level!=0..40" in row for row in told["operations"])

    def proposed(level: int) -> list[str]:
        action = {"n": 1, "device": "tv1", "op": "tv.set_volume"}
        data = {"kind": "command", "actions": [{**action, "args": {"level": level}}]}
        parsed = parse(data, prompt.candidates, situation.house.operations)
        return [one.operation.name for one in parsed.proposed]

    assert proposed(20) == ["tv.set_volume"]
    assert proposed(90) == []
