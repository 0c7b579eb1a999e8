"""The model in use: its plans, what they cost, caps, and what a person must fix."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from http import HTTPStatus
import json
from typing import Any

from freezegun.api import FrozenDateTimeFactory
from homeassistant.components.diagnostics import REDACTED
from homeassistant.config_entries import SOURCE_REAUTH
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.common import (
    MockUser,
    async_fire_time_changed,
)
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from custom_components.hearthnet.const import DOMAIN
from custom_components.hearthnet.diagnostics import async_get_config_entry_diagnostics
from tests.support.messages_api import (
    KEY,
    Reply,
    act,
    first_light,
    model_info,
    plan,
)

from .home import expose, lamp, set_up
from .model import CLAUDE, DATA, claude, say
from .planner.ollama import ENTITY, set_up as set_up_ollama
from .setup import OPTIONS, set_up_hearthnet

pytestmark = pytest.mark.usefixtures("socket_enabled")
COZY = "Make it a bit more homely please"
ANSWER: dict[str, Any] = {"kind": "command", "say": "", "actions": [], "asked": []}
LAMP_ON = {
    "n": 1.0,
    "device": "light1",
    "op": "light.turn_on",
    "args": [],
    "relative": [],
    "after": 0.0,
    "why": "",
}


@pytest.fixture(autouse=True)
async def _lamp(hass: HomeAssistant) -> None:
    await set_up(hass, [lamp("hall")])
    expose(hass, "light.hall")


def number(hass: HomeAssistant, key: str) -> float:
    state = hass.states.get(f"sensor.home_{key}")
    assert state is not None
    return float(state.state)


async def test_plan_and_cost(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch, hass_admin_user: MockUser
) -> None:
    """What the model plans is carried out; calls, tokens and seconds are counted."""
    async with claude(monkeypatch, first_light) as api:
        entry = await set_up_hearthnet(hass, DATA, **CLAUDE)
        known = await say(hass, "turn off the hall", hass_admin_user.id)
        assert known["complete"]
        assert api.requests == []
        told = await say(hass, COZY, hass_admin_user.id)
        await hass.async_block_till_done()
    assert told["outcome"] == "changed"
    state = hass.states.get("light.hall")
    assert state is not None
    assert state.state == "on"
    assert len(api.requests) == 1
    last = entry.runtime_data.model.last
    assert number(hass, "model_calls_today") == 1
    assert number(hass, "model_tokens_today") == last.tokens > 100
    assert number(hass, "model_calls_of_the_last_sentence") == 1
    assert number(hass, "model_time_of_the_last_sentence") > 0

    await hass.config_entries.async_reload(entry.entry_id)
    await hass.async_block_till_done()
    assert number(hass, "model_tokens_today") == last.tokens


async def test_cap(
    hass: HomeAssistant,
    monkeypatch: pytest.MonkeyPatch,
    hass_admin_user: MockUser,
    freezer: FrozenDateTimeFactory,
) -> None:
    """Past the cap no model is asked, known sentences go on, midnight ends it."""
    issue = (DOMAIN, "budget_spent")
    issues = ir.async_get(hass)
    async with claude(monkeypatch, first_light) as api:
        await set_up_hearthnet(hass, DATA, **CLAUDE, calls_per_day=1)
        await say(hass, COZY, hass_admin_user.id)
        assert issues.async_get_issue(*issue) is not None
        told = await say(hass, COZY, hass_admin_user.id)
        assert told["reason"] == "budget_spent"
        assert len(api.requests) == 1
        known = await say(hass, "turn off the hall", hass_admin_user.id)
        assert known["complete"]
        midnight = dt_util.start_of_local_day() + timedelta(days=1, seconds=1)
        freezer.move_to(midnight)
        async_fire_time_changed(hass, midnight)
        await hass.async_block_till_done()
        assert issues.async_get_issue(*issue) is None
        assert number(hass, "model_calls_today") == 0


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        ("authentication_error", "model_unauthorized"),
        ("not_found_error", "model_unknown"),
        ("overloaded_error", "model_overloaded"),
    ],
)
async def test_faults(
    hass: HomeAssistant,
    monkeypatch: pytest.MonkeyPatch,
    hass_admin_user: MockUser,
    error: str,
    reason: str,
) -> None:
    """A person is asked for what only a person can put right, and nothing moves."""
    async with claude(monkeypatch, Reply(error=error)):
        await set_up_hearthnet(hass, DATA, **CLAUDE)
        told = await say(hass, COZY, hass_admin_user.id)
        await hass.async_block_till_done()
    assert told["reason"] == reason
    assert told["steps"] == []
    flows = hass.config_entries.flow.async_progress_by_handler(DOMAIN)
    assert [flow["context"]["source"] for flow in flows] == (
        [SOURCE_REAUTH] if error == "authentication_error" else []
    )
    issue = ir.async_get(hass).async_get_issue(DOMAIN, "model_unknown")
    assert (issue is not None) == (error == "not_found_error")


async def test_a_model_that_claims_success_is_not_believed(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch, hass_admin_user: MockUser
) -> None:
    """C1: text without a call, a claim beside nothing, a claim beside a failure."""
    claims = [
        Reply(text="Done! I have turned on all the lights."),
        plan(kind="command", say="Done, everything is on."),
        plan(kind="unclear", say="I have switched the lamp on for you."),
        plan(kind="question", say="I turned it on."),
        plan(act("light9", "light.turn_on"), say="The lamp is on now."),
    ]
    for claim in claims:
        async with claude(monkeypatch, claim):
            entry = await set_up_hearthnet(hass, DATA, **CLAUDE)
            told = await say(hass, COZY, hass_admin_user.id)
            speech = told["speech"].casefold()
            assert not told["complete"]
            for word in ("done", "turned on", "switched", "is on"):
                assert word not in speech, told
            assert await hass.config_entries.async_remove(entry.entry_id)
    state = hass.states.get("light.hall")
    assert state is not None
    assert state.state == "off"


async def test_what_is_asked_is_read_live(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch, hass_admin_user: MockUser
) -> None:
    """C9: neither the model's view nor an earlier turn stands in for a reading."""

    def meanwhile(_body: dict[str, Any]) -> Reply:
        hass.states.async_set("input_boolean.hall", "on")
        reply = plan(kind="question", say="It is off, as I said.")
        return replace(reply, answer={**reply.answer, "asked": ["light1"]})

    async with claude(monkeypatch, meanwhile):
        await set_up_hearthnet(hass, DATA, **CLAUDE)
        told = await say(hass, "Would I stumble in the hall now?", hass_admin_user.id)
    (answer,) = told["answers"]
    assert answer["values"]["state"] == "on"
    assert "off" not in told["speech"]


async def test_diagnostics_keep_the_key(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with claude(monkeypatch):
        entry: Any = await set_up_hearthnet(hass, DATA, **CLAUDE)
        told = await async_get_config_entry_diagnostics(hass, entry)
    assert told["entry"]["data"]["api_key"] == REDACTED
    assert KEY not in str(told)
    assert told["model"]["planner"] == "anthropic"


class Repairs:
    """The flow that puts an issue right, walked as the dashboard does."""

    def __init__(self, client: Any) -> None:
        """Take a signed-in client."""
        self._client = client
        self._path = "/api/repairs/issues/fix"

    async def start(self, issue: str) -> dict[str, Any]:
        form = await self._post(self._path, handler=DOMAIN, issue_id=issue)
        self._path += f"/{form['flow_id']}"
        return form

    async def submit(self, **given: str) -> dict[str, Any]:
        return await self._post(self._path, **given)

    async def _post(self, path: str, **data: str) -> dict[str, Any]:
        response = await self._client.post(path, json=data)
        assert response.status == HTTPStatus.OK
        return dict(await response.json())


async def test_another_model_is_chosen_in_repairs(
    hass: HomeAssistant,
    monkeypatch: pytest.MonkeyPatch,
    hass_client: ClientSessionGenerator,
) -> None:
    """It is proved like the first, and takes its place at once."""
    assert await async_setup_component(hass, "repairs", {})
    issues = ir.async_get(hass)
    async with claude(monkeypatch) as api:
        api.models["claude-next"] = model_info("claude-next", thinking_off=False)
        shown = asyncio.Event()
        hass.bus.async_listen_once(
            ir.EVENT_REPAIRS_ISSUE_REGISTRY_UPDATED, callback(lambda _: shown.set())
        )
        entry = await set_up_hearthnet(hass, DATA, **CLAUDE | {"model": "claude-gone"})
        async with asyncio.timeout(10):
            await shown.wait()
        assert issues.async_get_issue(DOMAIN, "model_unknown") is not None
        repairs = Repairs(await hass_client())
        form = await repairs.start("model_unknown")
        assert form["step_id"] == "model"
        assert form["description_placeholders"]["model"] == "claude-gone"
        form = await repairs.submit(model="claude-none")
        assert form["errors"] == {"model": "model_unknown"}
        done = await repairs.submit(model="claude-next")
        assert done["type"] == "create_entry"
        await hass.async_block_till_done()
        assert entry.options == OPTIONS | CLAUDE | {
            "model": "claude-next",
            "thinking_off": False,
        }
        assert entry.runtime_data.model.planner is not None
    assert issues.async_get_issue(DOMAIN, "model_unknown") is None


async def test_another_ai_task_entity_is_chosen_in_repairs(
    hass: HomeAssistant,
    hass_client: ClientSessionGenerator,
    hass_admin_user: MockUser,
) -> None:
    assert await async_setup_component(hass, "repairs", {})
    small = await set_up_ollama(hass)
    small.replies = [json.dumps({**ANSWER, "actions": [LAMP_ON]})]
    entry = await set_up_hearthnet(hass, planner="ai_task", ai_task="ai_task.gone")
    told = await say(hass, COZY, hass_admin_user.id)
    assert told["reason"] == "model_unknown"
    repairs = Repairs(await hass_client())
    form = await repairs.start("model_unknown")
    assert form["step_id"] == "ai_task"
    form = await repairs.submit(ai_task="ai_task.nowhere")
    assert form["errors"] == {"ai_task": "no_such_entity"}
    assert (await repairs.submit(ai_task=ENTITY))["type"] == "create_entry"
    await hass.async_block_till_done()
    assert entry.options["ai_task"] == ENTITY
    told = await say(hass, COZY, hass_admin_user.id)
    assert told["outcome"] == "changed"


@pytest.mark.parametrize(
    "reply",
    [
        "Sure, the lamp is on!",
        "",
        "{}",
        "null",
        json.dumps({**ANSWER, "actions": [{**LAMP_ON, "op": "light.explode"}]}),
        json.dumps({**ANSWER, "say": "Done, I turned on everything."}),
    ],
)
async def test_a_weak_model_is_an_honest_nothing(
    hass: HomeAssistant, hass_admin_user: MockUser, reply: str
) -> None:
    """Nonsense or nothing: said so, nothing moved, and known sentences go on."""
    small = await set_up_ollama(hass)
    small.replies = [reply]
    await set_up_hearthnet(hass, planner="ai_task", ai_task=ENTITY)
    told = await say(hass, COZY, hass_admin_user.id)
    assert not told["complete"]
    assert "done" not in told["speech"].casefold()
    assert told["speech"].startswith(("Nothing was touched: ", "Hall was left alone"))
    assert (await say(hass, "turn on the hall", hass_admin_user.id))["complete"]


async def test_a_failed_model_does_not_hide_a_near_name(
    hass: HomeAssistant, hass_admin_user: MockUser
) -> None:
    """What offline words know better is what is said; the cost is on record."""
    small = await set_up_ollama(hass)
    small.replies = ["{}"]
    entry = await set_up_hearthnet(hass, planner="ai_task", ai_task=ENTITY)
    told = await say(hass, "turn on the hal", hass_admin_user.id)
    assert told["speech"].endswith("Did you mean Hall?")
    assert entry.runtime_data.model.last.calls == 2


async def test_caps_show_where_they_end(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The owner's caps, of the day and of a sentence, beside what they cap."""
    async with claude(monkeypatch, first_light):
        caps = {"calls_per_day": 30, "tokens_per_day": 9000, "seconds_per_day": 60}
        caps |= {"calls_per_sentence": 3, "tokens_per_sentence": 800}
        await set_up_hearthnet(hass, DATA, **CLAUDE, **caps)
    shown = {
        key: hass.states.get(f"sensor.home_{key}")
        for key in (
            *("model_calls_today", "model_tokens_today", "model_time_today"),
            *("model_calls_of_the_last_sentence", "model_tokens_of_the_last_sentence"),
        )
    }
    assert [state.attributes["cap"] for state in shown.values() if state] == [
        *(30, 9000, 60, 3, 800),
    ]
