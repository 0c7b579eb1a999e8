"""The observer beside a real hub: what is our own is told by receipts alone."""

from datetime import timedelta
from typing import Any

from homeassistant.auth.const import GROUP_ID_USER
from homeassistant.components import conversation
from homeassistant.core import Context, HomeAssistant
from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    MockUser,
    async_fire_time_changed,
)

from .home import device_id, expose, group, lamp, place, set_up
from .setup import set_up_hearthnet


@pytest.fixture
async def owner(hass_owner_user: MockUser) -> Context:
    hass_owner_user.name = "Anna"
    return Context(user_id=hass_owner_user.id)


@pytest.fixture
async def entry(hass: HomeAssistant, owner: Context) -> MockConfigEntry:
    await set_up(hass, [lamp("desk"), lamp("ceiling")])
    expose(hass, "light.desk", "light.ceiling")
    await group(hass, "light", "Both", ["light.desk", "light.ceiling"])
    expose(hass, "light.both")
    place(hass, "Office", "light.desk", "light.ceiling", "light.both")
    return await set_up_hearthnet(hass)


async def say(hass: HomeAssistant, text: str, context: Context) -> str:
    result = await conversation.async_converse(
        hass, text, None, context, "en", "conversation.home"
    )
    await hass.async_block_till_done()
    spoken: str = result.response.speech["plain"]["speech"]
    return spoken


async def settle(hass: HomeAssistant) -> None:
    """Let bursts end."""
    async_fire_time_changed(
        hass, dt_util.utcnow() + timedelta(seconds=5), fire_all=True
    )
    await hass.async_block_till_done()


async def observed(entry: MockConfigEntry) -> list[dict[str, Any]]:
    """Return the observations, the newest first."""
    found = await entry.runtime_data.hub.chronicle.timeline(type="observation")
    rows: list[dict[str, Any]] = found["events"]
    return rows


def holds(entry: MockConfigEntry, entity_id: str, hass: HomeAssistant) -> list[Any]:
    return [
        hold
        for hold in entry.runtime_data.hub.status.holds
        if hold.device == device_id(hass, entity_id)
    ]


async def test_our_own_effects_are_no_observations(
    hass: HomeAssistant, entry: MockConfigEntry, owner: Context
) -> None:
    before = len(await observed(entry))
    assert await say(hass, "turn on the desk", owner) == "Desk is now on."
    text = await say(hass, "set the brightness of the office to 20%", owner)
    assert "20 % bright" in text
    await say(hass, "turn off the lights in the office", owner)
    await settle(hass)
    assert len(await observed(entry)) == before
    for key in ("desk", "ceiling"):
        kept = entry.runtime_data.hub.node.view
        found = [kept.get(path) for path in kept.paths("devices/")]
        (value,) = [f for f in found if f["entity_id"] == f"light.{key}"]
        assert value["values"] == {"state": "off"}


async def test_a_switch_ends_what_a_person_wished(
    hass: HomeAssistant, entry: MockConfigEntry, owner: Context
) -> None:
    await say(hass, "turn on the desk", owner)
    await settle(hass)
    assert [hold.source for hold in holds(entry, "light.desk", hass)] != []
    hass.states.async_set("input_boolean.desk", "off")
    await hass.async_block_till_done()
    newest = (await observed(entry))[0]
    assert newest["content"].startswith("Desk")
    assert not any(h.value == "on" for h in holds(entry, "light.desk", hass))


async def test_another_person_outside_hearthnet_leaves_a_wish(
    hass: HomeAssistant, entry: MockConfigEntry
) -> None:
    user = await hass.auth.async_create_user("Ben", group_ids=[GROUP_ID_USER])
    await hass.async_block_till_done()
    await hass.services.async_call(
        "light",
        "turn_on",
        {"entity_id": "light.ceiling", "brightness_pct": 70},
        blocking=True,
        context=Context(user_id=user.id),
    )
    await hass.async_block_till_done()
    await settle(hass)
    assert {hold.principal for hold in holds(entry, "light.ceiling", hass)} == {"Ben"}
