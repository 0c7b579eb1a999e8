"""What happens to a home between plan and act: removed, added anew, renamed, away."""

import asyncio
from typing import Any, cast

from homeassistant.auth.const import GROUP_ID_USER
from homeassistant.components import conversation
from homeassistant.core import Context, HomeAssistant
from homeassistant.helpers import area_registry as ar, entity_registry as er
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry, MockUser

from custom_components.hearthnet.const import DOMAIN

from .home import expose, lamp, place, set_up
from .setup import set_up_hearthnet

DESK, SHELF = "light.desk", "light.shelf"
LATER = "Turn on the desk in two minutes"


@pytest.fixture
async def anna(hass: HomeAssistant) -> Context:
    """A resident's context."""
    group = await hass.auth.async_get_group(GROUP_ID_USER)
    user = MockUser(name="Anna", groups=[group]).add_to_hass(hass)
    return Context(user_id=user.id)


@pytest.fixture
async def entry(hass: HomeAssistant, anna: Context) -> MockConfigEntry:
    """A study with two slow lamps that are off."""
    slow = {"delay": {"milliseconds": 100}}
    await set_up(hass, [lamp("desk", before=[slow]), lamp("shelf", before=[slow])])
    expose(hass, DESK, SHELF)
    place(hass, "Study", DESK, SHELF)
    return await set_up_hearthnet(hass)


async def call(
    hass: HomeAssistant, name: str, context: Context, /, **data: Any
) -> dict[str, Any]:
    """Call an action and return its response."""
    response = await hass.services.async_call(
        DOMAIN, name, data, blocking=True, return_response=True, context=context
    )
    return cast(dict[str, Any], response)


async def fire(entry: MockConfigEntry) -> Any:
    """Let the one plan that waits be due; return what comes of it."""
    hub = entry.runtime_data.hub
    (plan,) = hub.state.deferred()
    return await hub._rupert.fire(plan)


async def later(hass: HomeAssistant, context: Context) -> None:
    """Plan something for later, by voice."""
    await conversation.async_converse(
        hass, LATER, None, context, language="en", agent_id="conversation.home"
    )


async def test_renamed_until_due(
    hass: HomeAssistant, entry: MockConfigEntry, anna: Context
) -> None:
    """A plan follows the lamp, not its name; a newcomer of that name is not meant."""
    await later(hass, anna)
    registry = er.async_get(hass)
    registry.async_update_entity(DESK, new_entity_id="light.old", name="Old lamp")
    registry.async_update_entity(SHELF, new_entity_id=DESK, name="Desk")
    await hass.async_block_till_done()
    result = await fire(entry)
    assert [step.entity_id for step in result.steps] == ["light.old"]
    assert hass.states.is_state("light.old", "on")
    assert hass.states.is_state(DESK, "off")


async def test_removed_until_due(
    hass: HomeAssistant, entry: MockConfigEntry, anna: Context
) -> None:
    """It is told by the name that it had, and nothing else moves in its place."""
    await later(hass, anna)
    er.async_get(hass).async_remove(DESK)
    er.async_get(hass).async_update_entity(SHELF, new_entity_id=DESK)
    await hass.async_block_till_done()
    result = await fire(entry)
    (step,) = result.steps
    assert (step.name, step.reason) == ("Desk", "unknown_target")
    assert hass.states.is_state(DESK, "off")


async def test_removed_and_added_anew_until_due(
    hass: HomeAssistant, entry: MockConfigEntry, anna: Context
) -> None:
    """Home Assistant knows the same thing again by its unique id; so does the plan."""
    await later(hass, anna)
    registry = er.async_get(hass)
    known = registry.async_get(DESK)
    assert known is not None
    registry.async_remove(DESK)
    await hass.async_block_till_done()
    again = registry.async_get_or_create(
        "light",
        known.platform,
        known.unique_id,
        original_name="Desk",
        object_id_base="desk",
    )
    assert again.id == known.id
    expose(hass, again.entity_id)
    hass.states.async_set(again.entity_id, "on", {"friendly_name": "Desk"})
    await hass.async_block_till_done()
    result = await fire(entry)
    assert [step.outcome for step in result.steps] == ["already_so"]


async def test_away_when_due(
    hass: HomeAssistant, entry: MockConfigEntry, anna: Context
) -> None:
    """Unreachable is told as such; back again, it is not done late by itself."""
    await later(hass, anna)
    hass.states.async_set("input_boolean.desk", "unavailable")
    await hass.async_block_till_done()
    result = await fire(entry)
    assert [step.outcome for step in result.steps] == ["unreachable"]
    hass.states.async_set("input_boolean.desk", "off")
    await hass.async_block_till_done()
    assert hass.states.is_state(DESK, "off")
    told = await call(hass, "ask", anna, text="Turn on the desk", language="en")
    assert told["outcome"] == "changed"


async def study_going_on(
    hass: HomeAssistant, entry: MockConfigEntry, anna: Context
) -> asyncio.Task[dict[str, Any]]:
    """Ask for the lights of the study; return when they are being moved."""
    running = hass.async_create_task(
        call(hass, "ask", anna, text="Turn on the lights in the study", language="en")
    )
    acting = asyncio.Event()
    node = entry.runtime_data.hub.node
    end = node.subscribe(
        lambda record: acting.set() if record.message.type == "execute" else None
    )
    await acting.wait()
    end()
    return running


async def test_a_room_deleted_while_its_lamps_go_on(
    hass: HomeAssistant, entry: MockConfigEntry, anna: Context
) -> None:
    """What was meant when it was said is done; the next sentence knows no such room."""
    running = await study_going_on(hass, entry, anna)
    areas = ar.async_get(hass)
    study = areas.async_get_area_by_name("Study")
    assert study is not None
    areas.async_delete(study.id)
    told = await running
    assert {step["name"]: step["outcome"] for step in told["steps"]} == {
        "Desk": "changed",
        "Shelf": "changed",
    }
    gone = await call(
        hass, "ask", anna, text="Turn off the lights in the study", language="en"
    )
    assert gone["outcome"] != "changed"
    assert hass.states.is_state(DESK, "on")


async def test_a_device_removed_while_it_acts(
    hass: HomeAssistant, entry: MockConfigEntry, anna: Context
) -> None:
    """One lamp is taken out in the middle: the other is done, and both are told."""
    running = await study_going_on(hass, entry, anna)
    er.async_get(hass).async_remove(SHELF)
    told = await running
    outcomes = {step["name"]: step["outcome"] for step in told["steps"]}
    assert outcomes["Desk"] == "changed"
    assert outcomes["Shelf"] not in ("changed", "already_so")
    assert len(outcomes) == 2
