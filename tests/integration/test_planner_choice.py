"""Choosing who plans: none, Claude with a tested key, an AI Task entity."""

import asyncio
from typing import Any
from unittest.mock import patch

from homeassistant.config_entries import SOURCE_REAUTH, SOURCE_USER, ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.hearthnet.const import DOMAIN
from tests.support.messages_api import KEY, MODEL, model_info

from .model import CLAUDE, DATA, claude
from .setup import ENTRY_ID, OPTIONS, set_up_hearthnet

pytestmark = pytest.mark.usefixtures("socket_enabled")
CHOICES = {"name": "Home", "policy": "balanced", "voice_role": "resident"}


@pytest.fixture(autouse=True)
async def _homeassistant(hass: HomeAssistant) -> None:
    assert await async_setup_component(hass, "homeassistant", {})


async def start(hass: HomeAssistant, planner: str) -> Any:
    flow = hass.config_entries.flow
    form = await flow.async_init(DOMAIN, context={"source": SOURCE_USER})
    return await flow.async_configure(form["flow_id"], CHOICES | {"planner": planner})


async def test_claude(hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch) -> None:
    """The key is proved by the list of models, the model by itself."""
    flow = hass.config_entries.flow
    async with claude(monkeypatch) as api:
        api.models["claude-old"] = model_info("claude-old", lifecycle="retired")
        api.models["claude-deep"] = model_info("claude-deep", thinking_off=False)
        form: Any = await start(hass, "anthropic")
        assert form["step_id"] == "anthropic"
        form = await flow.async_configure(form["flow_id"], {"api_key": "wrong"})
        assert form["errors"] == {"api_key": "key_refused"}
        form = await flow.async_configure(form["flow_id"], {"api_key": f" {KEY} "})
        assert form["step_id"] == "model"
        offered = form["data_schema"].schema["model"].config["options"]
        assert offered == [MODEL, "claude-deep"]
        for wrong in ("claude-old", "claude-none"):
            form = await flow.async_configure(form["flow_id"], {"model": wrong})
            assert form["errors"] == {"model": "model_unknown"}
        with patch("custom_components.hearthnet.async_setup_entry"):
            done = await flow.async_configure(form["flow_id"], {"model": "claude-deep"})
    assert done["type"] is FlowResultType.CREATE_ENTRY
    assert done["data"] == {"api_key": KEY}
    assert done["options"] == OPTIONS | CLAUDE | {
        "model": "claude-deep",
        "thinking_off": False,
    }
    assert api.requests == []


async def test_provider_away(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    form = await start(hass, "anthropic")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    with patch("anthropic._base_client.BaseClient._calculate_retry_timeout") as wait:
        wait.return_value = 0
        form = await hass.config_entries.flow.async_configure(
            form["flow_id"], {"api_key": KEY}
        )
    assert form["errors"] == {"base": "model_unreachable"}


async def test_ai_task(hass: HomeAssistant) -> None:
    form = await start(hass, "ai_task")
    assert form["step_id"] == "ai_task"
    with patch("custom_components.hearthnet.async_setup_entry"):
        done = await hass.config_entries.flow.async_configure(
            form["flow_id"], {"ai_task": "ai_task.small_model"}
        )
    assert done["data"] == {}
    assert done["options"] == OPTIONS | {
        "planner": "ai_task",
        "ai_task": "ai_task.small_model",
    }


async def test_reconfigure(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To Claude and back; the key goes with the choice."""
    entry = await set_up_hearthnet(hass)
    user = entry.data["user"]
    flow = hass.config_entries.flow
    async with claude(monkeypatch):
        form = await entry.start_reconfigure_flow(hass)
        chosen = {"name": "Mill Lane", "planner": "anthropic"}
        form = await flow.async_configure(form["flow_id"], chosen)
        form = await flow.async_configure(form["flow_id"], {"api_key": KEY})
        done = await flow.async_configure(form["flow_id"], {"model": MODEL})
        assert done["reason"] == "reconfigure_successful"
        await hass.async_block_till_done()
        assert entry.options == OPTIONS | CLAUDE
        assert entry.data == {"user": user, "api_key": KEY}
        assert entry.runtime_data.model.planner is not None

        form = await entry.start_reconfigure_flow(hass)
        chosen = {"name": "Home", "planner": "none"}
        await flow.async_configure(form["flow_id"], chosen)
        await hass.async_block_till_done()
    assert entry.options == OPTIONS
    assert entry.data == {"user": user}
    assert entry.runtime_data.model.planner is None
    assert hass.states.get("sensor.home_model_calls_today") is None


async def test_options(hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = await set_up_hearthnet(hass)
    options = hass.config_entries.options
    async with claude(monkeypatch):
        menu = await options.async_init(ENTRY_ID)
        form = await options.async_configure(
            menu["flow_id"], {"next_step_id": "planner"}
        )
        form = await options.async_configure(form["flow_id"], {"planner": "anthropic"})
        form = await options.async_configure(form["flow_id"], {"api_key": KEY})
        boot = entry.runtime_data.data.boot
        await options.async_configure(form["flow_id"], {"model": MODEL})
        await hass.async_block_till_done()
        assert entry.runtime_data.data.boot == boot + 1
        assert entry.options == OPTIONS | CLAUDE
        assert entry.data["api_key"] == KEY
        assert entry.runtime_data.model.planner is not None

        menu = await options.async_init(ENTRY_ID)
        asked: Any = await options.async_configure(
            menu["flow_id"], {"next_step_id": "caps"}
        )
        caps = {name.schema: 7 for name in asked["data_schema"].schema}
        await options.async_configure(asked["flow_id"], caps)
        await hass.async_block_till_done()
    assert entry.options == OPTIONS | CLAUDE | caps
    assert entry.runtime_data.model.budget.per_day.tokens == 7
    assert entry.runtime_data.model.budget.per_intent.seconds == 7


async def test_reauth(hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that ends at a start is asked for anew, and tested."""
    async with claude(monkeypatch):
        flow, begun = hass.config_entries.flow, asyncio.Event()
        flow.async_subscribe_flow(lambda _change, _flow: begun.set())
        entry = await set_up_hearthnet(hass, {"api_key": "ended"}, **CLAUDE)
        async with asyncio.timeout(20):
            await begun.wait()
        (asked,) = flow.async_progress_by_handler(DOMAIN)
        assert asked["context"]["source"] == SOURCE_REAUTH
        form = await flow.async_configure(asked["flow_id"])
        assert form["step_id"] == "reauth_confirm"
        form = await flow.async_configure(form["flow_id"], {"api_key": "wrong"})
        assert form["errors"] == {"api_key": "key_refused"}
        done = await flow.async_configure(form["flow_id"], {"api_key": KEY})
        assert done["reason"] == "reauth_successful"
        await hass.async_block_till_done()
    assert entry.data["api_key"] == KEY
    assert entry.options == OPTIONS | CLAUDE
    assert flow.async_progress_by_handler(DOMAIN) == []


async def test_migration(hass: HomeAssistant) -> None:
    old = {"policy": "cautious", "voice_role": "guest", "free_plugs": []}
    entry = MockConfigEntry(domain=DOMAIN, options=old, version=1, minor_version=1)
    entry.add_to_hass(hass)
    assert await hass.config_entries.async_setup(entry.entry_id)
    assert entry.minor_version == 2
    assert entry.options == old | {"planner": "none"}


async def test_entry_from_the_future(hass: HomeAssistant) -> None:
    entry = MockConfigEntry(domain=DOMAIN, data=DATA, version=2)
    entry.add_to_hass(hass)
    assert not await hass.config_entries.async_setup(entry.entry_id)
    assert entry.state is ConfigEntryState.MIGRATION_ERROR
