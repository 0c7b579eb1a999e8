"""What the hub and its agents show of themselves."""

import asyncio
from typing import Any

from homeassistant.components.diagnostics import REDACTED
from homeassistant.core import Context, HomeAssistant, callback
from homeassistant.helpers import device_registry as dr, entity_registry as er
from homeassistant.helpers.event import async_track_state_change_event
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    MockUser,
    get_system_health_info,
)

from custom_components.hearthnet.const import DOMAIN
from custom_components.hearthnet.core.status import AgentStatus
from custom_components.hearthnet.diagnostics import async_get_config_entry_diagnostics

from .home import expose, lamp, set_up
from .setup import ENTRY_ID, recorded, set_up_hearthnet

DESK = "light.desk"


@pytest.fixture
async def entry(hass: HomeAssistant, hass_owner_user: MockUser) -> MockConfigEntry:
    hass_owner_user.name = "Anna"
    await set_up(hass, [lamp("desk")])
    expose(hass, DESK)
    return await set_up_hearthnet(hass)


@pytest.fixture
def owner(hass_owner_user: MockUser) -> Context:
    return Context(user_id=hass_owner_user.id)


async def call(
    hass: HomeAssistant, name: str, context: Context, **data: Any
) -> dict[str, Any]:
    given = {
        "entity_id": DESK,
        "action": "light.turn_on",
        "data": {"brightness_pct": 40},
        "reason": "Anna wants to read",
    }
    response: Any = await hass.services.async_call(
        DOMAIN,
        name,
        given | data,
        blocking=True,
        return_response=True,
        context=context,
    )
    await hass.async_block_till_done()
    found: dict[str, Any] = response
    return found


def shown(hass: HomeAssistant, entity_id: str) -> str:
    state = hass.states.get(entity_id)
    assert state is not None
    return state.state


async def test_registry(hass: HomeAssistant, entry: MockConfigEntry) -> None:
    """Names, ids and devices that stay what they are."""
    registry = er.async_get(hass)
    entries = er.async_entries_for_config_entry(registry, ENTRY_ID)
    assert {item.entity_id: item.unique_id for item in entries} == {
        "binary_sensor.home_librarian": f"{ENTRY_ID}_librarian",
        "binary_sensor.jeeves_connectivity": f"{ENTRY_ID}_jeeves_online",
        "binary_sensor.rupert_connectivity": f"{ENTRY_ID}_rupert_online",
        "button.home_renew_the_hubs_key": f"{ENTRY_ID}_renew_key",
        "button.home_revoke_all_leases": f"{ENTRY_ID}_revoke_all",
        "conversation.home": f"{ENTRY_ID}_conversation",
        "event.home_decision": f"{ENTRY_ID}_decision",
        "sensor.home_active_leases": f"{ENTRY_ID}_active_leases",
        "sensor.home_events_not_yet_in_git": f"{ENTRY_ID}_unrecorded",
        "sensor.home_holds": f"{ENTRY_ID}_holds",
        "sensor.home_last_decision": f"{ENTRY_ID}_last_decision",
        "sensor.home_newest_commit": f"{ENTRY_ID}_head",
        "sensor.home_next_plan": f"{ENTRY_ID}_next_plan",
        "sensor.home_open_questions": f"{ENTRY_ID}_questions",
        "sensor.home_standing_approvals": f"{ENTRY_ID}_approvals",
        "sensor.jeeves_open_tasks": f"{ENTRY_ID}_jeeves_open_tasks",
        "sensor.rupert_open_tasks": f"{ENTRY_ID}_rupert_open_tasks",
        "switch.home_actuation_enabled": f"{ENTRY_ID}_actuation",
    }
    devices = dr.async_entries_for_config_entry(dr.async_get(hass), ENTRY_ID)
    names = {device.name: device for device in devices}
    assert set(names) == {"Home", "Rupert", "Jeeves"}
    assert names["Jeeves"].via_device_id == names["Home"].id
    assert names["Jeeves"].model == "Moves the devices of Home Assistant"


async def test_own_entities_are_no_targets(
    hass: HomeAssistant, entry: MockConfigEntry, owner: Context
) -> None:
    """No agent switches itself on: exposing them changes nothing."""
    expose(hass, "switch.home_actuation_enabled")
    refused = await call(
        hass,
        "propose",
        owner,
        entity_id="switch.home_actuation_enabled",
        action="switch.turn_off",
        data={},
    )
    assert refused["steps"][0]["reason"] == "unknown_target"
    assert shown(hass, "switch.home_actuation_enabled") == "on"


async def test_a_decision_shows(
    hass: HomeAssistant, entry: MockConfigEntry, owner: Context
) -> None:
    done = await call(hass, "propose", owner)
    assert shown(hass, "sensor.home_last_decision") == "changed"
    assert shown(hass, "sensor.home_holds") == "2"
    event = hass.states.get("event.home_decision")
    assert event is not None
    step = done["steps"][0]
    assert {
        key: event.attributes[key]
        for key in (
            *("event_type", "entity", "operation", "reason"),
            *("principal", "intent", "lease", "event"),
        )
    } == {
        "event_type": "changed",
        "entity": DESK,
        "operation": "light.turn_on",
        "reason": None,
        "principal": "Anna",
        "intent": done["intent"],
        "lease": step["lease"],
        "event": step["event"],
    }


@pytest.mark.usefixtures("all_entities_enabled")
async def test_record(
    hass: HomeAssistant, entry: MockConfigEntry, owner: Context
) -> None:
    await call(hass, "propose", owner)
    await recorded(entry)
    await hass.async_block_till_done()
    assert shown(hass, "binary_sensor.home_librarian") == "off"
    commit = entry.runtime_data.hub.status.librarian.commit
    assert shown(hass, "sensor.home_newest_commit") == commit


async def test_actuation_switch(
    hass: HomeAssistant, entry: MockConfigEntry, owner: Context
) -> None:
    """Off: what is granted ends, nothing new is granted, and it stays off."""
    granted = await call(hass, "request_lease", owner)
    assert shown(hass, "sensor.home_active_leases") == "1"
    switch = {"entity_id": "switch.home_actuation_enabled"}
    await hass.services.async_call("switch", "turn_off", switch, True, owner)
    await hass.async_block_till_done()
    assert shown(hass, "switch.home_actuation_enabled") == "off"
    assert shown(hass, "sensor.home_active_leases") == "0"
    refused = await call(hass, "propose", owner)
    assert refused["steps"][0]["reason"] == "actuation_disabled"
    assert refused["speech"] == "Desk was left alone: actuation is switched off."
    assert granted["granted"]

    assert await hass.config_entries.async_reload(ENTRY_ID)
    await hass.async_block_till_done()
    assert shown(hass, "switch.home_actuation_enabled") == "off"
    await hass.services.async_call("switch", "turn_on", switch, True, owner)
    assert (await call(hass, "propose", owner))["complete"]


async def test_revoke_all(
    hass: HomeAssistant, entry: MockConfigEntry, owner: Context
) -> None:
    lease = (await call(hass, "request_lease", owner))["lease"]
    button = {"entity_id": "button.home_revoke_all_leases"}
    await hass.services.async_call("button", "press", button, True, owner)
    await hass.async_block_till_done()
    assert shown(hass, "sensor.home_active_leases") == "0"
    response: Any = await hass.services.async_call(
        DOMAIN,
        "execute",
        {"lease": lease},
        blocking=True,
        return_response=True,
        context=owner,
    )
    assert response["steps"][0]["reason"] == "revoked"


async def test_expired_lease_is_not_active(
    hass: HomeAssistant, entry: MockConfigEntry, owner: Context
) -> None:
    """Unused, it ends by itself, on the manager's real clock."""
    await call(hass, "request_lease", owner, ttl=1)
    leases = "sensor.home_active_leases"
    assert shown(hass, leases) == "1"
    changed = asyncio.Event()
    async_track_state_change_event(hass, leases, callback(lambda _: changed.set()))
    async with asyncio.timeout(10):
        await changed.wait()
    assert shown(hass, leases) == "0"


async def test_another_agent_appears(
    hass: HomeAssistant, entry: MockConfigEntry
) -> None:
    """Its device and entities are added while everything runs."""
    coordinator = entry.runtime_data
    darcy = AgentStatus(name="darcy", online=False, open_tasks=3)
    data = coordinator.data
    changed = type(data)(**{**vars(data), "agents": (*data.agents, darcy)})
    coordinator.async_set_updated_data(changed)
    await hass.async_block_till_done()
    assert shown(hass, "binary_sensor.darcy_connectivity") == "off"
    assert shown(hass, "sensor.darcy_open_tasks") == "3"
    coordinator.async_set_updated_data(data)
    await hass.async_block_till_done()
    assert shown(hass, "sensor.darcy_open_tasks") == "unknown"


async def test_diagnostics(
    hass: HomeAssistant, entry: MockConfigEntry, owner: Context
) -> None:
    """Enough to help, nothing that tells who lives here or what they said."""
    await call(hass, "propose", owner)
    found = await async_get_config_entry_diagnostics(hass, entry)
    assert found["status"]["boot"] == 1
    assert found["status"]["holds"] == {"person state": 1, "person brightness_pct": 1}
    assert found["devices"] == {"light": 1}
    assert found["last"]["outcome"] == "changed"
    assert found["last"]["name"] == REDACTED
    assert found["entry"]["title"] == REDACTED
    assert "Anna" not in str(found)
    assert "read" not in str(found["last"])


async def test_system_health(hass: HomeAssistant, entry: MockConfigEntry) -> None:
    assert await async_setup_component(hass, "system_health", {})
    await recorded(entry)
    await hass.async_block_till_done()
    info = await get_system_health_info(hass, DOMAIN)
    assert info == {
        "boot": 1,
        "agents": "2 / 2",
        "journal": "ok",
        "librarian": "ok",
        "commit": entry.runtime_data.data.librarian.commit,
        "unrecorded": 0,
    }
    assert await hass.config_entries.async_unload(ENTRY_ID)
    assert await get_system_health_info(hass, DOMAIN) == {}
