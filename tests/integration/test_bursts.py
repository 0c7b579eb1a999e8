"""C18: an automation in a loop is cut off, told so, and named in Repairs."""

from homeassistant.core import HomeAssistant
from homeassistant.helpers import issue_registry as ir
from homeassistant.setup import async_setup_component
from pytest_homeassistant_custom_component.common import async_capture_events

from custom_components.hearthnet.const import DOMAIN

from .home import expose, lamp, set_up
from .setup import set_up_hearthnet

DESK = "light.desk"


async def test_an_automation_in_a_loop(hass: HomeAssistant) -> None:
    """The response says it, the record has one alert, Repairs the name."""
    await set_up(hass, [lamp("desk")])
    expose(hass, DESK)
    entry = await set_up_hearthnet(hass)
    propose = {
        "action": "hearthnet.propose",
        "target": {"entity_id": DESK},
        "data": {"action": "light.turn_on", "reason": "loop", "language": "en"},
        "response_variable": "decision",
    }
    loop = {"repeat": {"count": 65, "sequence": [propose]}}
    told = {"event": "told", "event_data": {"speech": "{{ decision.speech }}"}}
    again = {"repeat": {"count": 1, "sequence": [propose, told]}}
    automation = {
        "id": "loop",
        "alias": "Loop",
        "triggers": {"trigger": "event", "event_type": "go"},
        "actions": [loop, again],
    }
    assert await async_setup_component(hass, "automation", {"automation": automation})
    await hass.async_block_till_done()
    events = async_capture_events(hass, "told")
    hass.bus.async_fire("go")
    await hass.async_block_till_done()
    assert events[0].data["speech"] == (
        "Desk was left alone: there were too many requests in a short time."
    )
    found = await entry.runtime_data.hub.chronicle.timeline(type="alert")
    (alert,) = found["events"]
    assert alert["content"].startswith("Loop asks too often")
    found = await entry.runtime_data.hub.chronicle.timeline(type="intent", limit=200)
    assert len(found["events"]) == 60
    issue = ir.async_get(hass).async_get_issue(DOMAIN, "too_many_requests")
    assert issue is not None
    assert (
        "Loop (automation.loop)" in (issue.translation_placeholders or {})["requesters"]
    )
