"""A model says what is meant where a selector fails: a number, and nothing more."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
import dataclasses
from datetime import UTC, datetime
import json
from pathlib import Path
from typing import Any

from anthropic import AsyncAnthropic
import pytest

from hearthnet.core.messages import Message, MessageType
from hearthnet.core.phone.choice import Question
from hearthnet.core.planner.anthropic import AnthropicModel, Settings
from hearthnet.core.planner.budget import Amount, Budget
from hearthnet.core.planner.choice import Chooser
from hearthnet.core.policy.load import preset
from hearthnet.core.reasons import Outcome, Reason
from tests.core.home import ANNA
from tests.support.messages_api import KEY, MODEL, Body, MessagesApi, Reply
from tests.support.mosquitto import Mosquitto
from tests.support.phone.fake_adbd import FakeAdbd

from .conftest import (
    outdated_recipe,
    until,
)
from .hub import Home, darcy, home

ALLOWED = preset("balanced") + "\nvision: [tv.living_room_tv]\n"


def named(id_: str) -> Callable[[Body], Reply]:
    """Choose the candidate of an id, as a model that sees well does."""

    def reply(body: Body) -> Reply:
        asked = json.loads(body["messages"][0]["content"][0]["text"])
        found = [c["number"] for c in asked["candidates"] if c.get("id") == id_]
        return Reply(answer={"number": found[0] if found else 0})

    return reply


@pytest.fixture
async def api() -> AsyncIterator[MessagesApi]:
    async with MessagesApi(named("btn_power")) as server:
        yield server


def chooser(api: MessagesApi, budget: Budget | None = None) -> Chooser:
    client = AsyncAnthropic(api_key=KEY, base_url=api.url)
    model = AnthropicModel(client, Settings(model=MODEL))
    return Chooser(model, budget or Budget(), lambda: datetime.now(UTC))


@asynccontextmanager
async def seeing(
    folder: Path,
    mosquitto: Mosquitto,
    adbd: FakeAdbd,
    key_file: Path,
    model: Chooser | None,
    policy: str = ALLOWED,
) -> AsyncIterator[Home]:
    adbd.world.touched_at -= 3600
    async with (
        home(
            folder,
            mosquitto.port,
            recipe=outdated_recipe(),
            policy=policy,
            chooser=model,
        ) as here,
        darcy(folder, mosquitto.port, adbd.port, key_file),
    ):
        await here.reached()
        yield here


async def choices(here: Home) -> list[Message]:
    return [
        message
        for message in await here.messages()
        if message.type is MessageType.RESOLUTION and "digest" in message.body
    ]


async def test_from_the_phone_to_the_model_and_back(
    mosquitto: Mosquitto,
    adbd: FakeAdbd,
    key_file: Path,
    tmp_path: Path,
    api: MessagesApi,
) -> None:
    budget = Budget()
    model = chooser(api, budget)
    async with seeing(tmp_path, mosquitto, adbd, key_file, model) as here:
        done = await here.do("tv.power_off")
        assert done.steps[0].outcome is Outcome.CHANGED, done
        assert adbd.world.tv.presses == ["power"]
        (choice,) = await choices(here)
        assert choice.body["choice"] == 1
        assert (choice.body["of"], choice.body["model"]) == (4, MODEL)
        assert choice.intent == done.intent
        said = json.dumps([m.body for m in await here.messages()])
        assert "HDMI1" not in said, "no text of a screen is on record"
        (grant,) = (m for m in await here.messages() if m.type is MessageType.GRANT)
        assert grant.body["vision"] is True
        # What is found needs no model, and its lease carries no leave for one.
        volume = await here.do("tv.set_volume", level=13)
        assert volume.steps[0].outcome is Outcome.CHANGED, volume
    assert len(api.requests) == 1
    assert budget.spent.calls == 1
    assert budget.spent.tokens > 0


@pytest.mark.parametrize(
    ("reply", "policy", "reason"),
    [
        (Reply(answer={"number": 0}), ALLOWED, None),
        (Reply(answer={"number": 9}), ALLOWED, Reason.MODEL_FAILED),
        (Reply(answer={"tap": "btn_power"}), ALLOWED, Reason.MODEL_FAILED),
        (Reply(error="overloaded_error"), ALLOWED, Reason.MODEL_OVERLOADED),
        (named("btn_power"), preset("balanced"), None),
    ],
)
async def test_no_choice_no_tap(
    mosquitto: Mosquitto,
    adbd: FakeAdbd,
    key_file: Path,
    tmp_path: Path,
    reply: Reply,
    policy: str,
    reason: Reason | None,
) -> None:
    async with (
        MessagesApi(reply) as api,
        seeing(tmp_path, mosquitto, adbd, key_file, chooser(api), policy) as here,
    ):
        result = await here.do("tv.power_off")
        (step,) = result.steps
        assert (step.outcome, step.reason) == (Outcome.REFUSED, Reason.NODE_NOT_FOUND)
        found = await choices(here)
        assert len(found) == len(api.requests) == (policy == ALLOWED)
        assert all(m.body["reason"] == reason for m in found)
        assert all(m.body["choice"] is None for m in found)
    assert adbd.world.tv.presses == []


async def test_without_a_model_nobody_waits_for_one(
    mosquitto: Mosquitto, adbd: FakeAdbd, key_file: Path, tmp_path: Path
) -> None:
    async with seeing(tmp_path, mosquitto, adbd, key_file, None) as here:
        (step,) = (await here.do("tv.power_off")).steps
        assert (step.outcome, step.reason) == (Outcome.REFUSED, Reason.NODE_NOT_FOUND)
        (grant,) = (m for m in await here.messages() if m.type is MessageType.GRANT)
        assert "vision" not in grant.body


async def test_a_spent_budget_says_so(
    mosquitto: Mosquitto,
    adbd: FakeAdbd,
    key_file: Path,
    tmp_path: Path,
    api: MessagesApi,
) -> None:
    model = chooser(api, Budget(per_day=Amount(calls=0, tokens=0, seconds=0)))
    async with seeing(tmp_path, mosquitto, adbd, key_file, model) as here:
        (step,) = (await here.do("tv.power_off")).steps
        assert step.reason is Reason.NODE_NOT_FOUND
        (choice,) = await choices(here)
        assert choice.body["reason"] == Reason.BUDGET_SPENT
    assert api.requests == []


async def test_a_lease_that_is_revoked_meanwhile_taps_nothing(
    mosquitto: Mosquitto,
    adbd: FakeAdbd,
    key_file: Path,
    tmp_path: Path,
) -> None:
    asked = asyncio.Event()

    def slowly(body: Body) -> Reply:
        asked.set()
        return named("btn_power")(body)

    async with (
        MessagesApi(slowly) as api,
        seeing(tmp_path, mosquitto, adbd, key_file, chooser(api)) as here,
    ):
        questions: list[Question] = []
        take = here.outside.on_question

        def note(phone: str, question: Question) -> object:
            questions.append(question)
            return take(phone, question)

        here.outside.on_question = note
        api.latency = 0.3
        doing = asyncio.ensure_future(here.do("tv.power_off"))
        await asked.wait()
        # The same lease gets no second question.
        here.outside.on_question("phone", questions[0])
        assert await here.hub.control.revoke_all(ANNA) == 1
        (step,) = (await doing).steps
        assert (step.outcome, step.reason) == (Outcome.REFUSED, Reason.REVOKED)
        assert len(api.requests) == 1
    assert adbd.world.tv.presses == []


async def test_a_hub_that_is_gone_meanwhile(
    mosquitto: Mosquitto,
    adbd: FakeAdbd,
    key_file: Path,
    tmp_path: Path,
    api: MessagesApi,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    adbd.world.touched_at -= 3600
    async with (
        home(
            tmp_path,
            mosquitto.port,
            recipe=outdated_recipe(),
            policy=ALLOWED,
            chooser=chooser(api),
        ) as here,
        darcy(tmp_path, mosquitto.port, adbd.port, key_file) as one,
    ):
        await here.reached()
        mqtt = one.companion.mqtt
        send = mqtt.send_frame

        def cut(to: str, kind: str, **fields: Any) -> bool:
            return kind != "question" and send(to, kind, **fields)

        monkeypatch.setattr(mqtt, "send_frame", cut)
        (step,) = (await here.do("tv.power_off")).steps
        assert (step.outcome, step.reason) == (Outcome.REFUSED, Reason.NODE_NOT_FOUND)
        assert step.evidence[1].code is Reason.MODEL_UNREACHABLE
    assert api.requests == []
    assert adbd.world.tv.presses == []


async def test_who_has_no_live_lease_asks_nothing(
    mosquitto: Mosquitto,
    adbd: FakeAdbd,
    key_file: Path,
    tmp_path: Path,
    api: MessagesApi,
) -> None:
    """A phone that was taken over gets nothing from the model that it may not ask."""
    async with seeing(tmp_path, mosquitto, adbd, key_file, chooser(api)) as here:
        asked: list[str] = []
        take = here.outside.on_question

        def note(phone: str, question: Question) -> object:
            asked.append(question.lease)
            return take(phone, question)

        here.outside.on_question = note
        question = Question(
            lease="hub.1.1", execute="phone.1.1", wanted="x", candidates=({"id": "y"},)
        )
        here.outside.on_question("phone", question)
        done = await here.do("tv.power_off")
        assert done.steps[0].outcome is Outcome.CHANGED
        here.outside.on_question(
            "phone", dataclasses.replace(question, lease=asked[-1])
        )
        await until(lambda: len(asked) == 3)
        assert len(await choices(here)) == 1
    assert len(api.requests) == 1
