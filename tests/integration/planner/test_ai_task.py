"""Any AI Task entity as the planner's model."""

import json
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.helpers import llm
from homeassistant.util import dt as dt_util
import probatio
import pytest

from custom_components.hearthnet import planner_ai_task
from custom_components.hearthnet.core.devices import Device, Principal
from custom_components.hearthnet.core.intents import Origin, Plan, PlanKind, Request
from custom_components.hearthnet.core.phone.choice import Question
from custom_components.hearthnet.core.planner import Situation
from custom_components.hearthnet.core.planner.budget import Budget
from custom_components.hearthnet.core.planner.choice import Chooser
from custom_components.hearthnet.core.planner.errors import PlannerError
from custom_components.hearthnet.core.planner.model import ModelPlanner
from custom_components.hearthnet.core.planner.prompt import build_prompt
from custom_components.hearthnet.core.planner.schema import ANSWER
from custom_components.hearthnet.core.reasons import Reason
from custom_components.hearthnet.planner_ai_task import (
    MOST_DEVICES,
    STRUCTURE,
    AiTaskModel,
    instructions_of,
)

from .house import FixedHouse
from .ollama import ENTITY, OllamaLike, set_up

ANNA = Principal(kind="user", id="anna", name="Anna", role="owner")


@pytest.fixture
async def model(hass: HomeAssistant) -> OllamaLike:
    """Return the model behind the entity."""
    return await set_up(hass)


def lamps(count: int) -> FixedHouse:
    """Return a house with so many lamps; the first one is `light1`."""
    return FixedHouse(
        tuple(
            Device(
                id=f"id{number:03}",
                entity_id=f"light.n{number}",
                name=f"Lamp {number}",
                domain="light",
                area="Hall",
            )
            for number in range(1, count + 1)
        )
    )


def answer(op: str = "light.turn_on", device: str = "light1", **args: str) -> str:
    """Return what the model writes: values are texts, as the structure says."""
    action = {
        "n": 1.0,
        "device": device,
        "op": op,
        "args": [{"name": n, "value": v} for n, v in args.items()],
        "relative": [],
        "after": 0.0,
        "why": "",
    }
    return json.dumps({"kind": "command", "say": "", "actions": [action], "asked": []})


async def plan(
    hass: HomeAssistant, *, house: FixedHouse | None = None, **fields: Any
) -> Plan:
    """Return the plan for one sentence."""
    request = Request(
        **{"text": "Lamp 1 on", "principal": ANNA, "origin": Origin.APP, **fields}
    )
    planner = ModelPlanner(
        AiTaskModel(hass, fields.get("entity", ENTITY)), Budget(), jitter=lambda: 0.0
    )
    made = await planner.plan(
        request, Situation(house=house or lamps(3), now=dt_util.now())
    )
    assert made
    return made


async def test_choice(hass: HomeAssistant, model: OllamaLike) -> None:
    """A number is all that the structure has room for."""
    question = Question(
        lease="hub.1.1",
        execute="phone.1.1",
        wanted="id btn_power",
        candidates=({"id": "a"}, {"id": "standby"}),
    )
    used: list[Reason | None] = []
    budget = Budget()
    chooser = Chooser(AiTaskModel(hass, ENTITY), budget, dt_util.now, used.append)
    model.replies = ['{"number": 2.0}', '{"number": 0}', '{"number": 3}']
    assert await chooser.choose(question) == 2
    assert await chooser.choose(question) is None
    with pytest.raises(PlannerError, match="no candidate"):
        await chooser.choose(question)
    assert used == [None, None, Reason.MODEL_FAILED]
    assert budget.today(dt_util.now()).calls == 3


async def test_plan(hass: HomeAssistant, model: OllamaLike) -> None:
    model.replies = [answer(brightness_pct="30")]
    made = await plan(hass)
    (action,) = made.actions
    assert action.targets == ("id001",)
    assert action.parameters == {"brightness_pct": 30}
    assert made.source == ENTITY
    assert made.consultation
    assert (made.consultation.calls, made.consultation.input_tokens) == (1, 0)


async def test_twenty_candidates(hass: HomeAssistant, model: OllamaLike) -> None:
    model.replies = [answer()]
    await plan(hass, house=lamps(300))
    (task,) = model.tasks
    assert f"{MOST_DEVICES} of 300 devices" in task.instructions
    assert task.instructions.count(',"Hall"]') == MOST_DEVICES
    assert task.llm_api is None


async def test_own_validation_and_repair(
    hass: HomeAssistant, model: OllamaLike
) -> None:
    """Core does not validate what the model answers."""
    model.replies = [answer(device="light99", secret="x"), answer()]
    made = await plan(hass)
    assert len(made.actions) == 1
    assert made.dropped == ()
    assert "actions[0].device" in model.tasks[1].instructions


async def test_broken_json_is_tried_again(
    hass: HomeAssistant, model: OllamaLike
) -> None:
    model.replies = ["{'kind': ", answer()]
    assert (await plan(hass)).actions
    model.replies, model.tasks = ["Sure, the lamp is on!"], []
    made = await plan(hass)
    assert (made.kind, made.reason) == (PlanKind.UNCLEAR, Reason.MODEL_FAILED)
    assert made.say is None


async def test_hard_time_out(
    hass: HomeAssistant, model: OllamaLike, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert planner_ai_task.SECONDS == 20.0
    monkeypatch.setattr(planner_ai_task, "SECONDS", 0.05)
    model.replies, model.latency = [answer()], 60
    made = await plan(hass)
    assert made.reason is Reason.MODEL_TIMEOUT
    assert model.canceled


async def test_no_such_entity(hass: HomeAssistant, model: OllamaLike) -> None:
    planner = ModelPlanner(AiTaskModel(hass, "ai_task.gone"), Budget())
    request = Request(text="Lamp 1 on", principal=ANNA, origin=Origin.APP)
    made = await planner.plan(request, Situation(house=lamps(1), now=dt_util.now()))
    assert made
    assert made.reason is Reason.MODEL_UNKNOWN


async def test_without_ai_task(hass: HomeAssistant) -> None:
    made = await plan(hass)
    assert made.reason is Reason.MODEL_UNKNOWN


async def test_a_question_stays_one(hass: HomeAssistant, model: OllamaLike) -> None:
    """Small models act on questions (core#126392); code does not."""
    model.replies = [answer()]
    made = await plan(hass, text="Is lamp 1 on?")
    assert (made.kind, made.actions) == (PlanKind.QUESTION, ())
    assert made.asked == ("id001",)


def test_structure_is_the_core_s_answer() -> None:
    """What providers get of the structure has the same fields as the core's schema."""
    schema = probatio.to_openapi(
        STRUCTURE, custom_serializer=llm.selector_serializer, openapi_version="3.1.0"
    )
    assert set(schema["properties"]) == set(ANSWER["properties"])
    assert set(schema["required"]) == set(ANSWER["required"])
    action = schema["properties"]["actions"]["items"]
    expected = ANSWER["properties"]["actions"]["items"]
    assert set(action["properties"]) == set(expected["properties"])
    for name in ("args", "relative"):
        inner = action["properties"][name]["items"]["properties"]
        assert set(inner) == set(expected["properties"][name]["items"]["properties"])


def test_same_text_for_the_same_prompt() -> None:
    request = Request(text="Lamp 1 on", principal=ANNA, origin=Origin.APP)
    now = dt_util.now()
    texts = {
        instructions_of(
            build_prompt(request, Situation(house=lamps(5), now=now), MOST_DEVICES),
            None,
        )
        for _ in range(2)
    }
    assert len(texts) == 1
