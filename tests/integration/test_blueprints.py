"""The shipped blueprints, loaded and run by Home Assistant's automations."""

from datetime import timedelta
from pathlib import Path
import shutil
from typing import Any

from freezegun.api import FrozenDateTimeFactory
from homeassistant.core import Context, HomeAssistant, State
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

from .home import expose, lamp, place, set_up
from .setup import set_up_hearthnet

BLUEPRINTS = Path(__file__).parents[2] / "blueprints"
ROUTINE = "hearthnet/scheduled_routine.yaml"


@pytest.fixture
async def entry(hass: HomeAssistant, hass_owner_user: MockUser) -> MockConfigEntry:
    hass_owner_user.name = "Anna"
    await set_up(hass, [lamp("desk"), lamp("bed")])
    expose(hass, "light.desk", "light.bed")
    place(hass, "Study", "light.desk")
    place(hass, "Bedroom", "light.bed")
    return await set_up_hearthnet(hass)


def light(hass: HomeAssistant, key: str) -> State:
    state = hass.states.get(f"light.{key}")
    assert state is not None
    return state


async def test_scheduled_routine(
    hass: HomeAssistant,
    entry: MockConfigEntry,
    hass_owner_user: MockUser,
    freezer: FrozenDateTimeFactory,
) -> None:
    """It bounces off what a person wants in one room and passes in the other."""
    target = Path(hass.config.path("blueprints/automation", ROUTINE))
    await hass.async_add_executor_job(_copy, target)
    events = async_capture_events(hass, "told")
    at = dt_util.now() + timedelta(hours=1)
    inputs = {
        "at": f"{at:%H:%M:%S}",
        "where": {"area_id": ["study", "bedroom"]},
        "brightness": 20,
        "color_temperature": 0,
        "reason": "Time to wind down",
        "done": [{"event": "told", "event_data": {"denied": False}}],
        "denied": [
            {
                "event": "told",
                "event_data": {"denied": True, "speech": "{{ decision.speech }}"},
            }
        ],
    }
    blueprint = {"path": ROUTINE, "input": inputs}
    assert await async_setup_component(
        hass,
        "automation",
        {"automation": {"alias": "Wind-down", "use_blueprint": blueprint}},
    )
    await hass.async_block_till_done()
    assert light(hass, "desk").state == "off"

    freezer.move_to(at - timedelta(minutes=10))
    response: Any = await hass.services.async_call(
        DOMAIN,
        "propose",
        {
            "entity_id": "light.desk",
            "action": "light.turn_on",
            "data": {"brightness_pct": 60},
            "reason": "reading",
        },
        blocking=True,
        return_response=True,
        context=Context(user_id=hass_owner_user.id),
    )
    assert response["complete"]

    freezer.move_to(at + timedelta(seconds=1))
    async_fire_time_changed(hass, dt_util.utcnow())
    await hass.async_block_till_done()
    assert light(hass, "desk").attributes["brightness"] == 153
    assert light(hass, "bed").attributes["brightness"] == 51
    (told,) = events
    assert told.data["denied"] is True
    assert told.data["speech"].startswith("Bed is now on, 20 % bright. Desk was left")
    assert "a request by Anna of" in told.data["speech"]

    turned_off = {"entity_id": "light.desk"}
    await hass.services.async_call("light", "turn_off", turned_off, True)
    await hass.services.async_call("automation", "turn_off", {"entity_id": "all"}, True)


def _copy(target: Path) -> None:
    target.parent.mkdir(parents=True)
    shutil.copy(BLUEPRINTS / "automation" / ROUTINE, target)
