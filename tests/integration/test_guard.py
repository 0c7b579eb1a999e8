"""The guard: what happens past HearthNet to something that is held."""

from datetime import timedelta
from typing import Any

from homeassistant.components import persistent_notification
from homeassistant.core import Context, HomeAssistant
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    MockUser,
    async_capture_events,
    async_fire_time_changed,
)

from custom_components.hearthnet.const import DOMAIN
from custom_components.hearthnet.notices import WRAP

from .home import expose, lamp, set_up
from .setup import add_entry, set_up_hearthnet

DESK = "light.desk"


@pytest.fixture
async def owner(hass: HomeAssistant, hass_owner_user: MockUser) -> Context:
    hass_owner_user.name = "Anna"
    await set_up(hass, [lamp("desk")])
    expose(hass, DESK)
    return Context(user_id=hass_owner_user.id)


async def wish(hass: HomeAssistant, owner: Context) -> None:
    """Anna wants the desk lamp at 40 %."""
    given = {
        "entity_id": DESK,
        "action": "light.turn_on",
        "data": {"brightness_pct": 40},
        "reason": "reading",
    }
    await hass.services.async_call(DOMAIN, "propose", given, True, owner)
    await hass.async_block_till_done()


async def dusk(hass: HomeAssistant, **data: Any) -> None:
    """Let an automation set the lamp past HearthNet; other runs follow by event."""
    automations = [
        {
            "id": "dusk_id",
            "alias": "Dusk",
            "triggers": [{"trigger": "event", "event_type": "dusk"}],
            "actions": [
                {
                    "action": "light.turn_on",
                    "target": {"entity_id": DESK},
                    "data": {"brightness_pct": "{{ trigger.event.data.level }}"},
                }
            ],
        },
        {
            "alias": "Watch",
            "triggers": [{"trigger": f"{DOMAIN}.hold_broken"}],
            "actions": [{"event": "told", "event_data": {"got": "{{ trigger }}"}}],
        },
    ]
    assert await async_setup_component(hass, "automation", {"automation": automations})
    await hass.async_block_till_done()


async def at_dusk(hass: HomeAssistant, level: int) -> None:
    hass.bus.async_fire("dusk", {"level": level})
    await hass.async_block_till_done()


def notices(hass: HomeAssistant) -> list[Any]:
    found = persistent_notification._async_get_or_create_notifications(  # type: ignore[attr-defined]
        hass
    )
    return list(found.values())


async def test_an_automation_breaks_a_hold(hass: HomeAssistant, owner: Context) -> None:
    """It is named, with the way to have it ask; a second time replaces the first."""
    entry = await set_up_hearthnet(hass)
    await dusk(hass)
    told: list[Any] = async_capture_events(hass, "told")
    await wish(hass, owner)
    await at_dusk(hass, 40)
    assert notices(hass) == []
    await at_dusk(hass, 90)
    (notice,) = notices(hass)
    assert notice["title"] == "Desk was changed against a wish"
    message = notice["message"]
    assert message.startswith("Anna wanted Desk kept until ")
    assert "40 % bright. Past HearthNet, Dusk changed it: on, 90 % bright." in message
    assert "[edit Dusk](/config/automation/edit/dusk_id)" in message
    assert f"({WRAP})" in message
    (event,) = told
    got = event.data["got"]
    assert got["entity_id"] == DESK
    assert got["wanted"] == {"brightness_pct": 40}
    assert got["seen"]["brightness_pct"] == 90
    assert (got["principal"], got["by"], got["cause"]) == ("Anna", "Dusk", "automation")
    assert len(entry.runtime_data.hub.status.holds) == 2

    await at_dusk(hass, 20)
    async_fire_time_changed(hass, dt_util.utcnow() + timedelta(seconds=5))
    await hass.async_block_till_done()
    (notice,) = notices(hass)
    assert "20 % bright" in notice["message"]


async def test_nothing_is_held(hass: HomeAssistant, owner: Context) -> None:
    """A lamp that nobody asked for is anybody's, and a person may always.

    What the automation did just before the wish is not told after it.
    """
    await set_up_hearthnet(hass)
    await dusk(hass)
    await at_dusk(hass, 90)
    assert notices(hass) == []
    await wish(hass, owner)
    off = {"entity_id": DESK}
    await hass.services.async_call("light", "turn_off", off, True, owner)
    await hass.async_block_till_done()
    assert notices(hass) == []


async def test_an_unknown_cause_is_not_guessed(
    hass: HomeAssistant, owner: Context
) -> None:
    await set_up_hearthnet(hass)
    await wish(hass, owner)
    given = {"entity_id": DESK, "brightness_pct": 90}
    await hass.services.async_call("light", "turn_on", given, True)
    await hass.async_block_till_done()
    (notice,) = notices(hass)
    assert "something unknown changed it" in notice["message"]
    assert "edit" not in notice["message"]


async def test_it_may_only_be_recorded(hass: HomeAssistant, owner: Context) -> None:
    entry: MockConfigEntry = add_entry(hass, guard="record")
    assert await hass.config_entries.async_setup(entry.entry_id)
    await hass.async_block_till_done()
    await dusk(hass)
    told: list[Any] = async_capture_events(hass, "told")
    await wish(hass, owner)
    await at_dusk(hass, 90)
    assert notices(hass) == []
    assert len(told) == 1
    events = (await entry.runtime_data.hub.chronicle.timeline())["events"]
    seen = next(event for event in events if event["type"] == "observation")
    assert "by the automation Dusk" in seen["content"]
