"""Jeeves' adapter: one permit, the right calls, the truth read back."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any
from unittest.mock import patch

from aiohttp import ClientError
from homeassistant.components.light import ColorMode, LightEntity
from homeassistant.const import EVENT_CALL_SERVICE
from homeassistant.core import Context, Event, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import entity_registry as er
import pytest

from custom_components.hearthnet.core.adapter import _SEAL, AdapterError, Permit
from custom_components.hearthnet.core.devices import Principal, Reading
from custom_components.hearthnet.core.messages import Json
from custom_components.hearthnet.core.reasons import Outcome
from custom_components.hearthnet.house import HassHouse
from custom_components.hearthnet.jeeves import REQUESTER, JeevesAdapter
from custom_components.hearthnet.people import async_own_user

from .home import device_id, expose, group, lamp, set_up, setup_lights


def permit(
    targets: str | list[str],
    operation: str,
    parameters: Mapping[str, Json] | None = None,
) -> Permit:
    return Permit(
        target=(targets,) if isinstance(targets, str) else tuple(targets),
        operation=operation,
        parameters=parameters or {},
        lease="hub.1.1",
        execute="hub.1.2",
        principal=Principal(kind="user", id="x", name="x"),
        recipe=None,
        vision=False,
        recheck=lambda: None,
        seal=_SEAL,
    )


def all_are(wanted: Mapping[str, Json]) -> Callable[[Mapping[str, Reading]], bool]:
    return lambda seen: all(
        reading.available and wanted.items() <= reading.values.items()
        for reading in seen.values()
    )


@pytest.fixture
def calls(hass: HomeAssistant) -> list[Event]:
    """Every action called, with its context."""
    found: list[Event] = []

    @callback
    def record(event: Event) -> None:
        found.append(event)

    hass.bus.async_listen(EVENT_CALL_SERVICE, record)
    return found


def of(calls: list[Event], domain: str) -> list[dict[str, Any]]:
    return [c.data["service_data"] for c in calls if c.data["domain"] == domain]


async def jeeves(hass: HomeAssistant) -> tuple[HassHouse, JeevesAdapter]:
    house = HassHouse(hass)
    await house.async_start()
    user = await async_own_user(hass, None)
    return house, JeevesAdapter(hass, house, user.id)


async def test_act_and_read_back(hass: HomeAssistant, calls: list[Event]) -> None:
    await set_up(hass, [lamp("hall")])
    _, adapter = await jeeves(hass)
    hall = device_id(hass, "light.hall")
    asked = permit(hall, "light.turn_on", {"brightness_pct": 55})
    await adapter.act(asked)
    seen = await adapter.settle(asked, all_are({"brightness_pct": 55}), 2)
    assert seen[hall].values == {"state": "on", "brightness_pct": 55}
    assert of(calls, "light") == [{"brightness_pct": 55, "entity_id": "light.hall"}]


async def test_settling_waits_for_the_device_and_no_longer(hass: HomeAssistant) -> None:
    await set_up(hass, [lamp("hall")])
    _, adapter = await jeeves(hass)
    hall = device_id(hass, "light.hall")
    asked = permit(hall, "light.turn_on")
    hass.loop.call_later(0.05, hass.states.async_set, "input_boolean.hall", "on")
    started = hass.loop.time()
    seen = await adapter.settle(asked, all_are({"state": "on"}), 10)
    assert seen[hall].values["state"] == "on"
    assert hass.loop.time() - started < 1

    # At the deadline it tells what there is.
    seen = await adapter.settle(asked, all_are({"state": "off"}), 0.05)
    assert seen[hall].values["state"] == "on"


async def test_the_context_is_ours_and_leads_back(
    hass: HomeAssistant, calls: list[Event]
) -> None:
    await set_up(hass, [lamp("hall")])
    _, adapter = await jeeves(hass)
    asker = Context(user_id="somebody")
    token = REQUESTER.set(asker)
    await adapter.act(permit(device_id(hass, "light.hall"), "light.turn_on"))
    REQUESTER.reset(token)
    user = await hass.auth.async_get_user(calls[0].context.user_id or "")
    assert user is not None
    assert user.name == "HearthNet"
    assert calls[0].context.parent_id == asker.id


async def test_renamed_between_plan_and_act(
    hass: HomeAssistant, calls: list[Event]
) -> None:
    """D13: it moves the lamp that was meant, never the newcomer under its name."""
    await set_up(hass, [lamp("a"), lamp("c")])
    _, adapter = await jeeves(hass)
    planned = permit(device_id(hass, "light.a"), "light.turn_on")
    registry = er.async_get(hass)
    registry.async_update_entity("light.a", new_entity_id="light.b")
    registry.async_update_entity("light.c", new_entity_id="light.a")
    await hass.async_block_till_done()

    await adapter.act(planned)
    await hass.async_block_till_done()
    assert of(calls, "light") == [{"entity_id": "light.b"}]
    assert hass.states.is_state("input_boolean.a", "on")
    assert hass.states.is_state("input_boolean.c", "off")

    registry.async_remove("light.b")
    with pytest.raises(AdapterError, match="no longer there"):
        await adapter.act(planned)


async def test_an_unavailable_device_is_not_called(
    hass: HomeAssistant, calls: list[Event]
) -> None:
    await set_up(hass, [lamp("hall")])
    _, adapter = await jeeves(hass)
    hass.states.async_set("input_boolean.hall", "unavailable")
    await hass.async_block_till_done()
    with pytest.raises(AdapterError) as caught:
        await adapter.act(permit(device_id(hass, "light.hall"), "light.turn_on"))
    assert caught.value.outcome is Outcome.UNREACHABLE
    assert caught.value.text == "Hall: unavailable"
    assert not of(calls, "light")


class Lamp(LightEntity):
    """A lamp whose integration breaks in any way."""

    _attr_color_mode = ColorMode.ONOFF
    _attr_should_poll = False

    def __init__(self, name: str, error: Exception | float | None = None) -> None:
        self._attr_supported_color_modes = {ColorMode.ONOFF}
        self._attr_name = self._attr_unique_id = name
        self._attr_is_on = False
        self.error = error

    async def async_turn_on(self, **kwargs: Any) -> None:
        if isinstance(self.error, Exception):
            raise self.error
        if self.error:
            await asyncio.sleep(self.error)
        self._attr_is_on = True
        self.async_write_ha_state()


def caused() -> HomeAssistantError:
    error = HomeAssistantError("Error talking to\n the bridge")
    error.__cause__ = ClientError()
    return error


@pytest.mark.parametrize(
    ("error", "outcome", "text"),
    [
        (ValueError("no such\ncolor"), Outcome.FAILED, "Hall: no such color"),
        (KeyError(), Outcome.FAILED, "Hall: KeyError"),
        (HomeAssistantError("jammed"), Outcome.FAILED, "Hall: jammed"),
        (TimeoutError(), Outcome.UNREACHABLE, "Hall: TimeoutError"),
        (caused(), Outcome.UNREACHABLE, "Hall: Error talking to the bridge"),
        (RuntimeError("x" * 500), Outcome.FAILED, "Hall: " + "x" * 200),
    ],
)
async def test_what_integrations_raise(
    hass: HomeAssistant, error: Exception, outcome: Outcome, text: str
) -> None:
    await setup_lights(hass, [Lamp("Hall", error)])
    _, adapter = await jeeves(hass)
    with pytest.raises(AdapterError) as caught:
        await adapter.act(permit(device_id(hass, "light.hall"), "light.turn_on"))
    assert (caught.value.outcome, caught.value.text) == (outcome, text)


async def test_what_a_device_does_not_take_is_told(hass: HomeAssistant) -> None:
    await setup_lights(hass, [Lamp("Hall")])
    _, adapter = await jeeves(hass)
    with pytest.raises(AdapterError, match="turn_on_twice") as caught:
        await adapter.act(permit(device_id(hass, "light.hall"), "light.turn_on_twice"))
    assert caught.value.outcome is Outcome.FAILED


async def test_one_of_two_fails(hass: HomeAssistant) -> None:
    await setup_lights(hass, [Lamp("One"), Lamp("Two", ValueError("broken"))])
    _, adapter = await jeeves(hass)
    one, two = device_id(hass, "light.one"), device_id(hass, "light.two")
    with pytest.raises(AdapterError) as caught:
        await adapter.act(permit([one, two], "light.turn_on"))
    assert caught.value.outcome is Outcome.PARTIAL
    assert caught.value.text == "Two: broken"
    assert adapter.read(one).values == {"state": "on"}
    assert adapter.read(two).values == {"state": "off"}


async def test_a_slow_action_is_left_to_the_read_back(hass: HomeAssistant) -> None:
    await setup_lights(hass, [Lamp("Hall", 0.1)])
    _, adapter = await jeeves(hass)
    hall = device_id(hass, "light.hall")
    asked = permit(hall, "light.turn_on")
    with patch("custom_components.hearthnet.jeeves.CALL_TIMEOUT", 0.01):
        await adapter.act(asked)
    assert adapter.read(hall).values == {"state": "off"}
    seen = await adapter.settle(asked, all_are({"state": "on"}), 2)
    assert seen[hall].values == {"state": "on"}


async def test_a_group_is_told_once(hass: HomeAssistant, calls: list[Event]) -> None:
    await set_up(hass, [lamp("a"), lamp("b"), lamp("c")])
    await group(hass, "light", "Pair", ["light.a", "light.b"])
    _, adapter = await jeeves(hass)
    a, b, c = (device_id(hass, f"light.{key}") for key in "abc")
    asked = permit([b, a], "light.turn_on", {"brightness_pct": 20})
    await adapter.act(asked)
    seen = await adapter.settle(asked, all_are({"brightness_pct": 20}), 2)
    assert seen.keys() == {a, b}
    assert of(calls, "light")[0]["entity_id"] == "light.pair"

    # Other sets are told one by one.
    calls.clear()
    await adapter.act(permit([a, b, c], "light.turn_off"))
    told = [call["entity_id"] for call in of(calls, "light")]
    assert told == ["light.a", "light.b", "light.c"]


async def test_a_lock_group_is_not_told(
    hass: HomeAssistant, calls: list[Event]
) -> None:
    """Home Assistant would take it apart itself, and hide which lock failed."""
    locks: list[dict[str, Any]] = [
        {
            "name": key,
            "unique_id": key,
            "default_entity_id": f"lock.{key}",
            "state": "{{ 'locked' }}",
            "lock": [],
            "unlock": [],
        }
        for key in ("front", "back")
    ]
    await set_up(hass, lock=locks)
    await group(hass, "lock", "Doors", ["lock.front", "lock.back"])
    expose(hass, "lock.front", "lock.back", "lock.doors")
    _, adapter = await jeeves(hass)
    ids = [device_id(hass, f"lock.{key}") for key in ("front", "back")]
    await adapter.act(permit(ids, "lock.lock"))
    told = [call["entity_id"] for call in of(calls, "lock")]
    assert told == ["lock.front", "lock.back"]
