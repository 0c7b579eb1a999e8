"""Other agents through the gate: what their tools do, for whom, and how they fail."""

from dataclasses import dataclass
from typing import Any

from homeassistant.auth.const import GROUP_ID_READ_ONLY
from homeassistant.core import Context, HomeAssistant
from homeassistant.helpers import llm
import probatio
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry, MockUser

from .home import expose, lamp, place, set_up
from .setup import set_up_hearthnet


@pytest.fixture
async def entry(hass: HomeAssistant, hass_owner_user: MockUser) -> MockConfigEntry:
    door = {
        "name": "Front door",
        "unique_id": "door",
        "default_entity_id": "lock.door",
        "state": "locked",
        "lock": [],
        "unlock": [],
    }
    await set_up(hass, [lamp("hall"), lamp("bed")], lock=[door])
    expose(hass, "light.hall", "light.bed", "lock.door")
    place(hass, "Hall", "light.hall", "lock.door")
    return await set_up_hearthnet(hass)


@dataclass(frozen=True)
class Told:
    """What a tool answered."""

    data: Any
    error: bool


async def call(hass: HomeAssistant, tool: str, user: str | None, **args: Any) -> Told:
    """Use a tool as an agent does that this user talks to."""
    asked = llm.LLMContext(
        platform="other_agent",
        context=Context(user_id=user),
        language="en",
        assistant="conversation",
        device_id=None,
    )
    api = await llm.async_get_api(hass, "hearthnet", asked)
    given = llm.ToolInput(tool_name=f"hearthnet__{tool}", tool_args=args)
    result = await api.async_call_tool(given)
    return Told(result.data, result.error)


def wish(entity_id: str, action: str, **data: Any) -> dict[str, Any]:
    return {"entity_id": entity_id, "action": action, "data": data, "reason": "test"}


async def test_propose_plan_and_undo(
    hass: HomeAssistant, entry: MockConfigEntry, hass_owner_user: MockUser
) -> None:
    anna = hass_owner_user.id
    planned = await call(hass, "Plan", anna, **wish("light.hall", "light.turn_on"))
    assert planned.data["outcome"] == "planned"
    assert hass.states.is_state("light.hall", "off")

    wanted = wish("light.hall", "light.turn_on", brightness_pct=30)
    done = await call(hass, "Propose", anna, **wanted)
    assert (done.data["outcome"], done.error) == ("changed", False)
    assert hass.states.is_state("light.hall", "on")

    told = await call(hass, "Explain", anna, entity_id="light.hall")
    types = [event["type"] for event in told.data["events"]]
    assert types[0] == "intent"
    assert "receipt" in types

    undone = await call(hass, "Undo", anna)
    assert undone.data["outcome"] == "changed"
    assert hass.states.is_state("light.hall", "off")


async def test_a_denial_is_data(
    hass: HomeAssistant, entry: MockConfigEntry, hass_owner_user: MockUser
) -> None:
    """Unlocking waits for a person; a model's call is no confirmation."""
    unlock = wish("lock.door", "lock.unlock")
    told = await call(hass, "Propose", hass_owner_user.id, **unlock)
    assert (told.data["outcome"], told.error) == ("waiting", False)
    assert hass.states.is_state("lock.door", "locked")


async def test_the_requester_is_whom_the_agent_acts_for(
    hass: HomeAssistant, entry: MockConfigEntry, hass_owner_user: MockUser
) -> None:
    reader = MockUser(name="Ben", groups=[], id="ben").add_to_hass(hass)
    group = await hass.auth.async_get_group(GROUP_ID_READ_ONLY)
    assert group is not None
    reader.groups = [group]
    hass.bus.async_fire("user_updated", {"user_id": "ben"})
    await hass.async_block_till_done()
    turn_on = wish("light.hall", "light.turn_on")
    by_ben = await call(hass, "Propose", "ben", **turn_on)
    assert by_ben.data["outcome"] == "refused"
    by_nobody = await call(hass, "Propose", None, **turn_on)
    assert by_nobody.data["outcome"] == "refused"
    gone = await call(hass, "Propose", "gone", **turn_on)
    assert gone.error
    assert hass.states.is_state("light.hall", "off")
    # A model chose it: that is never the hand of a signed-in person.
    await call(hass, "Propose", hass_owner_user.id, **turn_on)
    hub = entry.runtime_data.hub
    told = await hub.chronicle.timeline(limit=100, before=None, messages=True)
    asked = [e["message"]["body"] for e in told["events"] if e["type"] == "intent"]
    assert asked[0]["principal"]["id"] == hass_owner_user.id
    assert {body["origin"] for body in asked} == {"chat", "agent"}


async def test_get_state(
    hass: HomeAssistant, entry: MockConfigEntry, hass_owner_user: MockUser
) -> None:
    anna = hass_owner_user.id
    everything = await call(hass, "GetState", anna)
    shown = {device["entity_id"] for device in everything.data["devices"]}
    assert shown == {"light.hall", "light.bed", "lock.door"}
    narrow = await call(hass, "GetState", anna, area="hall", domain="light")
    (found,) = narrow.data["devices"]
    assert found["entity_id"] == "light.hall"
    assert found["values"]["state"] == "off"


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("Propose", {"entity_id": "light.hall"}),
        ("Propose", wish("light.nowhere", "light.turn_on")),
        ("Propose", wish("light.hall", "shell_command.evil")),
        ("Propose", wish("light.hall", "light.turn_on", brightness_pct=400)),
        ("Explain", {}),
        ("Explain", {"intent": "nonsense"}),
        ("Explain", {"intent": "hub.77.1"}),
        ("GetState", {"room": "hall"}),
    ],
)
async def test_what_makes_no_sense_is_told_as_such(
    hass: HomeAssistant,
    entry: MockConfigEntry,
    hass_owner_user: MockUser,
    tool: str,
    args: dict[str, Any],
) -> None:
    told = await call(hass, tool, hass_owner_user.id, **args)
    assert told.error
    assert told.data["error"]


async def test_tools_are_described(hass: HomeAssistant, entry: MockConfigEntry) -> None:
    """As core requires of tools: tagged, annotated, with a schema that serializes."""
    asked = llm.LLMContext("test", Context(), "en", "conversation", None)
    api = await llm.async_get_api(hass, "hearthnet", asked)
    assert [tool.name.partition("__")[2] for tool in api.tools] == [
        *("Propose", "Plan", "GetState", "Explain", "Undo")
    ]
    for tool in api.tools:
        assert tool.integration == "hearthnet"
        assert not tool.annotations.open_world
        schema = probatio.to_openapi(
            tool.parameters,
            custom_serializer=api.custom_serializer,
            openapi_version="3.1.0",
        )
        assert schema["type"] == "object"
    assert await hass.config_entries.async_unload(entry.entry_id)
    with pytest.raises(Exception, match="not found"):
        await llm.async_get_api(hass, "hearthnet", asked)
