"""Who is what: by user, by satellite; and what guests may read (C17, C18)."""

from typing import Any

from homeassistant.components import conversation
from homeassistant.core import Context, HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import device_registry as dr, entity_registry as er
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry, MockUser

from .home import expose, lamp, set_up
from .model import say
from .setup import ENTRY_ID, set_up_hearthnet

HEATING = {"heat": 1}


@pytest.fixture
async def users(hass: HomeAssistant, hass_owner_user: MockUser) -> dict[str, str]:
    """Anna owns the home; Ben, Gil and Kim are users like others."""
    found = {"anna": hass_owner_user.id}
    for name in ("ben", "gil", "kim"):
        user = await hass.auth.async_create_user(
            name.capitalize(), group_ids=["system-users"]
        )
        found[name] = user.id
    return found


@pytest.fixture(autouse=True)
async def _home(hass: HomeAssistant) -> None:
    switch = {
        "name": "Pump",
        "unique_id": "pump",
        "default_entity_id": "switch.pump",
        "turn_on": [],
        "turn_off": [],
    }
    # Without a unique id it has no registry entry.
    fountain = {"name": "Fountain", "turn_on": [], "turn_off": []}
    await set_up(hass, [lamp("hall"), lamp("bed")], switch=[switch, fountain])
    expose(hass, "light.hall", "light.bed", "switch.pump")


async def step(hass: HomeAssistant, name: str) -> Any:
    options = hass.config_entries.options
    menu = await options.async_init(ENTRY_ID)
    return await options.async_configure(menu["flow_id"], {"next_step_id": name})


async def test_form(hass: HomeAssistant, users: dict[str, str]) -> None:
    entry = await set_up_hearthnet(hass)
    options = hass.config_entries.options
    form = await step(hass, "roles")
    labels = form["data_schema"].schema["guest_users"].config["options"]
    assert {"Ben", "Gil", "Kim"} <= {option["label"] for option in labels}
    chosen = {"guest_users": [users["gil"]], "child_users": [users["gil"]]}
    form = await options.async_configure(form["flow_id"], chosen)
    assert form["errors"] == {"child_users": "two_roles"}
    chosen["child_users"] = [users["kim"]]
    chosen["child_satellites"] = ["assist_satellite.nursery"]
    done = await options.async_configure(form["flow_id"], chosen)
    assert done["type"] is FlowResultType.CREATE_ENTRY
    await hass.async_block_till_done()
    assert entry.options["roles"] == {users["gil"]: "guest", users["kim"]: "child"}
    assert entry.options["satellite_roles"] == {"assist_satellite.nursery": "child"}
    form = await step(hass, "roles")
    suggested = {
        str(key): key.description["suggested_value"]
        for key in form["data_schema"].schema
        if key.description
    }
    assert suggested["guest_users"] == [users["gil"]]


@pytest.mark.parametrize(
    ("name", "lamp_outcome", "pump_outcome"),
    [
        ("anna", "changed", "unverified"),
        ("ben", "changed", "unverified"),
        ("gil", "changed", "refused"),
        ("kim", "changed", "refused"),
    ],
)
async def test_rights(
    hass: HomeAssistant,
    users: dict[str, str],
    name: str,
    lamp_outcome: str,
    pump_outcome: str,
) -> None:
    roles = {users["gil"]: "guest", users["kim"]: "child"}
    await set_up_hearthnet(hass, roles=roles, free_plugs=["switch.pump"])
    told = await say(hass, "turn on the hall", users[name])
    assert told["outcome"] == lamp_outcome
    told = await say(hass, "turn on the pump", users[name])
    assert told["outcome"] == pump_outcome


@pytest.mark.parametrize("by", ["satellite", "device"])
async def test_satellite(hass: HomeAssistant, by: str) -> None:
    """The nursery's satellite speaks for a child, known by entity or by device."""
    source = MockConfigEntry(domain="test")
    source.add_to_hass(hass)
    device = dr.async_get(hass).async_get_or_create(
        config_entry_id=source.entry_id, identifiers={("test", "nursery")}
    )
    nursery = er.async_get(hass).async_get_or_create(
        "assist_satellite",
        "test",
        "nursery",
        suggested_object_id="nursery",
        device_id=device.id,
    )
    roles = {nursery.entity_id: "child"}
    await set_up_hearthnet(
        hass, satellite_roles=roles, free_plugs=["switch.pump"], voice_role="resident"
    )
    where: dict[str, Any] = {"device_id": device.id}
    if by == "satellite":
        where["satellite_id"] = nursery.entity_id
    result = await conversation.async_converse(
        hass,
        "turn on the pump",
        conversation_id=None,
        context=Context(),
        language="en",
        agent_id="conversation.home",
        **where,
    )
    assert result.response.error_code is not None
    speech = result.response.speech["plain"]["speech"]
    assert "Pump was left alone" in speech


async def read(hass: HomeAssistant, action: str, user: str, **data: Any) -> Any:
    return await hass.services.async_call(
        "hearthnet",
        action,
        data,
        blocking=True,
        return_response=True,
        context=Context(user_id=user),
    )


async def test_what_a_guest_reads(hass: HomeAssistant, users: dict[str, str]) -> None:
    """Own intents whole; of others' only what anybody in the room saw."""
    await set_up_hearthnet(hass, roles={users["gil"]: "guest"})
    theirs = await say(hass, "turn on the hall", users["anna"])
    own = await say(hass, "turn on the bed", users["gil"])
    everything = await read(hass, "timeline", users["ben"])
    assert any("Anna" in event["content"] for event in everything["events"]) or any(
        event["intent"] == theirs["intent"] for event in everything["events"]
    )

    seen = (await read(hass, "timeline", users["gil"]))["events"]
    others = [event for event in seen if event["intent"] != own["intent"]]
    others = [event for event in others if event["id"] != own["intent"]]
    assert {event["type"] for event in others} <= {"receipt", "observation"}
    assert {event["content"] for event in others} <= {"Hall", "Bed"}
    assert all(event["intent"] is None for event in others)
    assert any(event["type"] == "intent" for event in seen)

    for hidden in ({"text": "turn on the hall"}, {"intent": theirs["intent"]}):
        found = await read(hass, "timeline", users["gil"], **hidden)
        assert found["events"] == []
    told = await read(hass, "explain", users["gil"], intent=theirs["intent"])
    assert {event["content"] for event in told["events"]} == {"Hall"}
    assert "message" not in str(told)
    mine = await read(hass, "explain", users["gil"], intent=own["intent"])
    assert mine["events"][0]["type"] == "intent"
    with pytest.raises(HomeAssistantError):
        await read(hass, "explain", users["gil"], event=theirs["intent"] + "9")


async def test_unregistered(hass: HomeAssistant) -> None:
    entry = await set_up_hearthnet(hass)
    options = hass.config_entries.options
    form = await step(hass, "unregistered")
    chosen = {"unregistered": ["switch.fountain"]}
    await options.async_configure(form["flow_id"], chosen)
    await hass.async_block_till_done()
    assert entry.options["unregistered"] == {"switch.fountain": "template"}
    expose(hass, "switch.fountain")
    await hass.async_block_till_done()
    devices = {d.entity_id for d in entry.runtime_data.house.devices()}
    assert "switch.fountain" in devices
