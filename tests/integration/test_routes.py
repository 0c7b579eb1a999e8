"""Routes past the gate: shown when they open, gone when closed, closed by a fix."""

from http import HTTPStatus

from homeassistant.components.assist_pipeline import (
    async_get_pipelines,
    async_update_pipeline,
)
from homeassistant.config_entries import ConfigSubentryData
from homeassistant.core import HomeAssistant
from homeassistant.helpers import issue_registry as ir
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from custom_components.hearthnet.const import DOMAIN
from custom_components.hearthnet.routes import UNGATED

from .setup import set_up_hearthnet

AGENT = "conversation.home"


def shown(hass: HomeAssistant) -> set[str]:
    kinds = ("prefers_local", "ungated_agent")
    issues = ir.async_get(hass).issues
    return {key for domain, key in issues if domain == DOMAIN and key.startswith(kinds)}


async def fix(
    hass: HomeAssistant, hass_client: ClientSessionGenerator, issue: str
) -> None:
    """Walk the fix flow as the repairs dashboard does."""
    assert await async_setup_component(hass, "repairs", {})
    client = await hass_client()
    path = "/api/repairs/issues/fix"
    response = await client.post(path, json={"handler": DOMAIN, "issue_id": issue})
    assert response.status == HTTPStatus.OK
    form = await response.json()
    assert form["step_id"] == "confirm"
    response = await client.post(f"{path}/{form['flow_id']}", json={})
    assert (await response.json())["type"] == "create_entry"
    await hass.async_block_till_done()


async def test_a_pipeline_that_prefers_local_intents(
    hass: HomeAssistant, hass_client: ClientSessionGenerator
) -> None:
    assert await async_setup_component(hass, "homeassistant", {})
    assert await async_setup_component(hass, "assist_pipeline", {})
    await set_up_hearthnet(hass)
    (pipeline,) = async_get_pipelines(hass)
    assert shown(hass) == set()
    await async_update_pipeline(
        hass, pipeline, conversation_engine=AGENT, prefer_local_intents=True
    )
    issue = f"prefers_local_{pipeline.id}"
    assert shown(hass) == {issue}
    await fix(hass, hass_client, issue)
    (pipeline,) = async_get_pipelines(hass)
    assert not pipeline.prefer_local_intents
    assert pipeline.conversation_engine == AGENT
    assert shown(hass) == set()


@pytest.mark.parametrize("theirs", [["assist"], ["homeassistant"], list(UNGATED)])
async def test_an_agent_with_other_tools_beside_ours(
    hass: HomeAssistant, hass_client: ClientSessionGenerator, theirs: list[str]
) -> None:
    assert await async_setup_component(hass, "homeassistant", {})
    await set_up_hearthnet(hass)
    agents = MockConfigEntry(
        domain="other_agent",
        title="Other",
        subentries_data=[
            ConfigSubentryData(
                data={"llm_hass_api": theirs, "prompt": "Be nice"},
                subentry_type="conversation",
                title="Talker",
                unique_id=None,
            )
        ],
    )
    agents.add_to_hass(hass)
    (subentry,) = agents.subentries.values()
    hass.config_entries.async_update_subentry(
        agents, subentry, data={**subentry.data, "llm_hass_api": [*theirs, DOMAIN]}
    )
    await hass.async_block_till_done()
    issue = f"ungated_agent_{agents.entry_id}.{subentry.subentry_id}"
    assert shown(hass) == {issue}
    await fix(hass, hass_client, issue)
    (subentry,) = agents.subentries.values()
    assert subentry.data == {"llm_hass_api": [DOMAIN], "prompt": "Be nice"}
    assert shown(hass) == set()


async def test_a_server_that_gives_all(
    hass: HomeAssistant, hass_client: ClientSessionGenerator
) -> None:
    """It does so unless told otherwise; what only reads is no way past the gate."""
    assert await async_setup_component(hass, "homeassistant", {})
    assert await async_setup_component(hass, "llm", {})
    data = {"all_llm_apis": True, "llm_hass_api": [], "read_only": False}
    server = MockConfigEntry(domain="mcp_server", title="All LLM APIs", data=data)
    server.add_to_hass(hass)
    await set_up_hearthnet(hass)
    issue = f"ungated_agent_{server.entry_id}"
    assert shown(hass) == {issue}
    hass.config_entries.async_update_entry(server, data={**data, "read_only": True})
    await hass.async_block_till_done()
    assert shown(hass) == set()
    hass.config_entries.async_update_entry(server, data=data)
    await hass.async_block_till_done()
    await fix(hass, hass_client, issue)
    assert server.data == {**data, "all_llm_apis": False, "llm_hass_api": [DOMAIN]}
    assert shown(hass) == set()


async def test_a_server_with_both(hass: HomeAssistant) -> None:
    """MCP servers keep their choice with the entry; closing it by hand counts too."""
    assert await async_setup_component(hass, "homeassistant", {})
    server = MockConfigEntry(
        domain="mcp_server", title="MCP", data={"llm_hass_api": ["assist", DOMAIN]}
    )
    server.add_to_hass(hass)
    await set_up_hearthnet(hass)
    assert shown(hass) == {f"ungated_agent_{server.entry_id}"}
    hass.config_entries.async_update_entry(server, data={"llm_hass_api": [DOMAIN]})
    await hass.async_block_till_done()
    assert shown(hass) == set()
