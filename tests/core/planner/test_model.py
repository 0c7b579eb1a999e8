"""Asking a model: one repair round, retries before anything acted, caps, later."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest

from hearthnet.core.intents import Plan, PlanKind
from hearthnet.core.messages import Json
from hearthnet.core.planner.budget import Amount, Budget
from hearthnet.core.planner.errors import PlannerError
from hearthnet.core.planner.model import ModelPlanner, Repair, Usage
from hearthnet.core.planner.prompt import Prompt
from hearthnet.core.reasons import Reason

from .houses import (
    NOW,
    ScriptedModel,
    act,
    alias,
    answer,
    ask,
    no_sleep,
    plan,
    situation,
    small_house,
)

HOUSE = small_house()
HALL = alias(HOUSE, "light.hall")
GOOD = answer(act(HALL, "light.turn_on"))
BAD = answer(act(HALL, "light.turn_on", brightness_pct=300))
OPTIONS = ("budget", "sleep", "keeps_later")
OVERLOADED = PlannerError(Reason.MODEL_OVERLOADED, "busy", wait=1.0)


async def made_by(model: Any, text: str = "Hall light on", **fields: Any) -> Plan:
    """Return the plan of a model, with a budget of its own unless one is given."""
    options: dict[str, Any] = {"budget": Budget(), "sleep": no_sleep}
    options |= {name: fields.pop(name) for name in OPTIONS if name in fields}
    asked = ModelPlanner(model, jitter=lambda: 0.5, **options)
    acted = fields.pop("acted", False)
    made = await asked.plan(ask(text, **fields), situation(HOUSE, acted=acted))
    assert made
    return made


async def test_plan_names_its_source_and_what_it_took() -> None:
    model = ScriptedModel([GOOD])
    made = await made_by(model)
    assert made.kind is PlanKind.COMMAND
    assert made.source == "scripted"
    assert made.consultation
    assert made.consultation.prompt == model.prompts[0].digest
    assert (made.consultation.calls, made.consultation.input_tokens) == (1, 1000)
    assert made.consultation.as_dict()["output_tokens"] == 100


async def test_one_repair_round_with_machine_errors() -> None:
    model = ScriptedModel([BAD, GOOD])
    made = await made_by(model)
    assert len(made.actions) == 1
    assert made.dropped == ()
    assert made.consultation
    assert made.consultation.calls == 2
    (repair,) = model.repairs[1:]
    assert repair
    assert repair.answer == BAD
    assert repair.faults == (
        {
            "field": "actions[0].args.brightness_pct",
            "value": 300,
            "allowed": "brightness_pct: expected a number from 1 to 100 %",
        },
    )
    assert model.prompts[0].encode() == model.prompts[1].encode()


async def test_only_one_repair_round() -> None:
    model = ScriptedModel([BAD])
    made = await made_by(model)
    assert len(model.prompts) == 2
    assert made.actions == ()
    assert [d.reason for d in made.dropped] == [Reason.BAD_PARAMETER]


@pytest.mark.parametrize("second", [OVERLOADED, "no plan", {}])
async def test_a_failed_repair_leaves_what_was_good(second: Any) -> None:
    mixed = answer(act(HALL, "light.turn_on"), act("light77", "light.turn_on"))
    made = await made_by(ScriptedModel([mixed, second]))
    assert [a.targets for a in made.actions] == [("id_light_hall",)]
    assert [d.name for d in made.dropped] == ["light77"]


async def test_no_answer_twice_is_an_honest_nothing() -> None:
    made = await made_by(ScriptedModel(["Sure!", "I did it."]))
    assert (made.kind, made.reason) == (PlanKind.UNCLEAR, Reason.MODEL_FAILED)
    assert made.say is None


async def test_retry_waits_with_jitter() -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    budget = Budget()
    model = ScriptedModel([OVERLOADED, GOOD])
    made = await made_by(model, budget=budget, sleep=sleep)
    assert len(made.actions) == 1
    assert waits == [1.25]
    assert budget.today(NOW).calls == 2
    assert budget.today(NOW).seconds >= 1.25


async def test_retried_once_only() -> None:
    model = ScriptedModel([OVERLOADED])
    made = await made_by(model)
    assert made.reason is Reason.MODEL_OVERLOADED
    assert len(model.prompts) == 2


async def test_nothing_is_retried_after_something_was_executed() -> None:
    model = ScriptedModel([OVERLOADED, GOOD])
    made = await made_by(model, acted=True)
    assert made.reason is Reason.MODEL_OVERLOADED
    assert len(model.prompts) == 1


@pytest.mark.parametrize(
    "error",
    [
        PlannerError(Reason.MODEL_UNAUTHORIZED, "invalid key"),
        PlannerError(Reason.MODEL_RATE_LIMITED, "slow down", wait=3600.0),
    ],
)
async def test_what_no_wait_helps_is_not_retried(error: PlannerError) -> None:
    model = ScriptedModel([error])
    made = await made_by(model)
    assert made.reason is error.reason
    assert len(model.prompts) == 1


@dataclass
class SlowModel:
    """Answers never."""

    name: str = "slow"
    most_devices: int = 60
    seconds: float = 30.0
    canceled: list[bool] = field(default_factory=list)
    asked: asyncio.Event = field(default_factory=asyncio.Event)

    async def ask(self, prompt: Prompt, repair: Repair | None, usage: Usage) -> Json:
        """Wait until canceled; what was used until then counts."""
        usage.input_tokens = 700
        self.asked.set()
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            self.canceled.append(True)
            raise
        return None


@pytest.mark.parametrize(
    ("seconds", "fields"),
    [(0.01, {}), (30.0, {"deadline": 0.01})],
)
async def test_time_out(seconds: float, fields: dict[str, Any]) -> None:
    model = SlowModel(seconds=seconds)
    made = await made_by(model, **fields)
    assert made.reason is Reason.MODEL_TIMEOUT
    assert model.canceled == [True]


async def test_cancellation_is_passed_on_and_counted() -> None:
    model, budget = SlowModel(), Budget()
    task = asyncio.create_task(made_by(model, budget=budget))
    await model.asked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert model.canceled == [True]
    assert budget.today(NOW).calls == 1
    assert budget.today(NOW).tokens == 700


async def test_past_the_cap_no_model_is_asked() -> None:
    """C10: an honest stop, with a word that tells why."""
    budget = Budget(per_day=Amount(calls=1, tokens=10**6, seconds=100))
    model = ScriptedModel([GOOD])
    assert (await made_by(model, budget=budget)).actions
    made = await made_by(model, budget=budget)
    assert (made.kind, made.reason) == (PlanKind.UNCLEAR, Reason.BUDGET_SPENT)
    assert len(model.prompts) == 1


async def test_a_cap_in_the_repair_round_keeps_the_good_parts() -> None:
    budget = Budget(per_intent=Amount(calls=1, tokens=10**6, seconds=100))
    mixed = answer(act(HALL, "light.turn_on"), act("light77", "light.turn_on"))
    made = await made_by(ScriptedModel([mixed]), budget=budget)
    assert len(made.actions) == 1


@pytest.mark.parametrize(
    "text",
    [
        "turn off the hall light in two minutes",
        "Schalte in fünf Minuten das Licht im Flur aus",
        "when I leave turn everything off",
    ],
)
async def test_later_is_not_now(text: str) -> None:
    """D06, D07, C5: where nothing keeps it, it is declined; nothing moves now."""
    model = ScriptedModel([GOOD])
    made = await made_by(model, text)
    assert (made.kind, made.reason, made.actions) == (
        PlanKind.UNCLEAR,
        Reason.LATER,
        (),
    )
    assert model.prompts == []


async def test_later_is_planned_where_it_is_kept() -> None:
    made = await made_by(
        ScriptedModel([GOOD]), "hall light on in five minutes", keeps_later=True
    )
    assert len(made.actions) == 1
    assert made.due
    assert (made.due - NOW).total_seconds() == 300


async def test_until_is_a_standing_intent() -> None:
    made = await made_by(ScriptedModel([GOOD]), "keep the hall light on until ten")
    assert made.standing
    assert made.until
    assert made.until.hour == 22


async def test_fewer_devices_for_a_weak_model() -> None:
    model = ScriptedModel([GOOD], most_devices=3)
    await made_by(model)
    assert len(model.prompts[0].candidates.devices) == 3


async def test_the_plan_of_a_sentence_is_the_same_every_time() -> None:
    first, second = [await plan("Hall light on", GOOD) for _ in range(2)]
    assert first.actions == second.actions
    assert first.consultation
    assert second.consultation
    assert first.consultation.prompt == second.consultation.prompt
