"""A scene and a declared script, from the sentence to the devices and the record."""

# ruff: noqa: ASYNC240

from pathlib import Path

from homeassistant.const import EVENT_CALL_SERVICE
from homeassistant.core import Context, HomeAssistant
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    MockUser,
    async_capture_events,
)

from .home import expose, lamp, set_up, turn
from .setup import set_up_hearthnet
from .test_conversation import events, say, spoken

POLICY = """
version: 1
scripts:
  - {entity: script.dinner, members: [light.a, input_boolean.a], risk: normal}
rules:
  - {id: all, effect: allow, subjects: {role: owner}}
"""


@pytest.fixture
async def owner(hass_owner_user: MockUser) -> Context:
    hass_owner_user.name = "Anna"
    return Context(user_id=hass_owner_user.id)


@pytest.fixture
async def entry(hass: HomeAssistant, owner: Context) -> MockConfigEntry:
    await set_up(hass, [lamp("a"), lamp("b")])
    dinner = {
        "alias": "Dinner",
        "sequence": [turn("light.a", "turn_on"), turn("light.b", "turn_on")],
    }
    secret = {"alias": "Secret", "sequence": [turn("light.a", "turn_on")]}
    scripts = {"dinner": dinner, "secret": secret}
    assert await async_setup_component(hass, "script", {"script": scripts})
    scene = {"name": "Calm", "entities": {"light.a": "off", "light.b": "on"}}
    assert await async_setup_component(hass, "scene", {"scene": scene})
    await hass.async_block_till_done()
    expose(hass, "light.a", "light.b", "script.dinner", "script.secret", "scene.calm")
    policy = Path(hass.config.path("hearthnet", "policy.yaml"))
    policy.parent.mkdir(parents=True, exist_ok=True)
    policy.write_text(POLICY)
    return await set_up_hearthnet(hass, policy="file")


async def test_a_scene_is_leased_thing_by_thing(
    hass: HomeAssistant, entry: MockConfigEntry, owner: Context
) -> None:
    called = async_capture_events(hass, EVENT_CALL_SERVICE)
    said = spoken(await say(hass, "activate calm", owner))
    assert hass.states.is_state("light.b", "on")
    assert "B is now on" in said
    assert "scene" not in {event.data["domain"] for event in called}
    assert len(await events(entry, type="grant")) == 2


async def test_a_declared_script_is_run_watched_and_not_claimed(
    hass: HomeAssistant, entry: MockConfigEntry, owner: Context
) -> None:
    said = spoken(await say(hass, "run dinner", owner))
    assert said == "The command was sent to Dinner, which does not report back."
    assert hass.states.is_state("light.a", "on")
    (alert,) = await events(entry, type="alert")
    assert alert["content"] == (
        "Dinner also moved input_boolean.b, light.b, which the policy does not declare."
    )


async def test_an_undeclared_script_does_not_exist(
    hass: HomeAssistant, entry: MockConfigEntry, owner: Context
) -> None:
    await say(hass, "run secret", owner)
    assert hass.states.is_state("light.a", "off")
    assert await events(entry, type="task") == []
