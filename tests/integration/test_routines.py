"""Declared scripts and opaque scenes: run whole, watched, and never claimed."""

import asyncio
from typing import Any

from homeassistant.const import EVENT_CALL_SERVICE
from homeassistant.core import Event, HomeAssistant, callback
from homeassistant.helpers import entity_registry as er
from homeassistant.setup import async_setup_component
import pytest

from custom_components.hearthnet.core.adapter import Permit
from custom_components.hearthnet.core.operations import Risk
from custom_components.hearthnet.core.policy.model import Declared
from custom_components.hearthnet.core.reasons import Outcome
from custom_components.hearthnet.jeeves import JeevesAdapter
from custom_components.hearthnet.people import async_own_user

from .domains import Hands
from .home import expose, setup_lights, turn
from .test_jeeves import Lamp

SCRIPTS: dict[str, Any] = {
    "good_night": {
        "alias": "Good night",
        "sequence": [
            turn("light.a", "turn_on"),
            {"delay": {"milliseconds": 100}},
            turn("light.b", "turn_on"),
        ],
    },
    "nested": {"alias": "Nested", "sequence": [{"action": "script.good_night"}]},
    "broken": {"alias": "Broken", "sequence": [{"action": "test.jammed"}]},
    "secret": {"alias": "Secret", "sequence": []},
}
BOTH = frozenset({"light.a", "light.b"})


class Routines(Hands):
    """Hands that note what was not declared."""

    told: list[tuple[str, tuple[str, ...]]]
    heard: asyncio.Event


@pytest.fixture
async def hands(hass: HomeAssistant) -> Routines:
    await setup_lights(hass, [Lamp("a"), Lamp("b")])
    assert await async_setup_component(hass, "script", {"script": SCRIPTS})
    await hass.async_block_till_done()
    found = await Routines.of(hass, *(f"script.{name}" for name in SCRIPTS))
    assert isinstance(found, Routines)
    found.told, found.heard = [], asyncio.Event()

    def tell(_permit: Permit, name: str, entities: tuple[str, ...]) -> None:
        found.told.append((name, entities))
        found.heard.set()

    user = await async_own_user(hass, None)
    found.adapter = JeevesAdapter(hass, found.house, user.id, tell)
    return found


def declare(hands: Hands, **scripts: frozenset[str]) -> None:
    hands.house.async_set_declared(
        {
            f"script.{name}": Declared(members=members, risk=Risk.NORMAL)
            for name, members in scripts.items()
        }
    )


async def test_only_what_is_declared_exists(hands: Routines) -> None:
    house = hands.house
    assert not {d.entity_id for d in house.devices()} & {f"script.{s}" for s in SCRIPTS}
    assert house.device(house.device_id("script.secret")) is None
    declare(hands, good_night=BOTH)
    assert {d.entity_id for d in house.devices() if d.domain == "script"} == {
        "script.good_night"
    }
    device = hands.device("script.good_night")
    assert (device.risk, len(device.moves)) == ("normal", 2)


async def test_a_script_runs_to_its_end_and_nothing_is_claimed(
    hass: HomeAssistant, hands: Routines
) -> None:
    called: list[str] = []

    @callback
    def note(event: Event) -> None:
        called.append(f"{event.data['domain']}.{event.data['service']}")

    hass.bus.async_listen(EVENT_CALL_SERVICE, note)
    declare(hands, good_night=BOTH)
    done = await hands.do_all("script.good_night", "script.turn_on")
    assert done == dict.fromkeys(
        ("light.a", "light.b", "script.good_night"), Outcome.UNVERIFIED
    )
    # It was waited for: `script.turn_on` would have returned before the delay.
    assert hass.states.is_state("light.b", "on")
    assert called[0] == "script.good_night"
    assert "script.turn_on" not in called
    assert hands.told == []


async def test_what_is_not_declared_is_told(hands: Routines) -> None:
    declare(hands, good_night=frozenset({"light.a"}))
    await hands.do_all("script.good_night", "script.turn_on")
    assert hands.told == [("Good night", ("light.b",))]


async def test_what_a_member_acts_through_counts_too(
    hass: HomeAssistant, hands: Routines
) -> None:
    """Its call has the same context, so that nothing tells it from the script's own."""
    assert await async_setup_component(
        hass, "input_boolean", {"input_boolean": {"lamp": {}}}
    )
    light = hass.data["light"].get_entity("light.a")

    async def through(**_kwargs: Any) -> None:
        await hass.services.async_call(
            "input_boolean",
            "turn_on",
            {"entity_id": "input_boolean.lamp"},
            blocking=True,
            context=light._context,
        )

    light.async_turn_on = through
    declare(hands, good_night=BOTH)
    await hands.do_all("script.good_night", "script.turn_on")
    assert hands.told == [("Good night", ("input_boolean.lamp",))]
    declare(hands, good_night=BOTH | {"input_boolean.lamp"})
    hands.told.clear()
    await hands.do_all("script.good_night", "script.turn_on")
    assert hands.told == []


async def test_a_script_within_a_script_is_followed(hands: Routines) -> None:
    declare(hands, nested=BOTH)
    await hands.do_all("script.nested", "script.turn_on")
    assert hands.told == [("Nested", ("script.good_night",))]


async def test_a_script_that_breaks(hands: Routines) -> None:
    declare(hands, broken=frozenset({"light.a"}))
    done = await hands.do_all("script.broken", "script.turn_on")
    assert set(done.values()) == {Outcome.FAILED}


async def test_a_script_that_goes_on_is_watched_to_its_end(
    hass: HomeAssistant, hands: Routines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("custom_components.hearthnet.jeeves.CALL_TIMEOUT", 0.02)
    declare(hands, good_night=frozenset({"light.a"}))
    done = await hands.do_all("script.good_night", "script.turn_on")
    assert set(done.values()) == {Outcome.UNVERIFIED}
    assert hands.told == []
    async with asyncio.timeout(10):
        await hands.heard.wait()
    assert hands.told == [("Good night", ("light.b",))]


async def test_an_opaque_scene(hass: HomeAssistant, hands: Routines) -> None:
    entry = er.async_get(hass).async_get_or_create(
        "scene", "hue", "1", object_id_base="sunset", original_name="Sunset"
    )
    hass.states.async_set(entry.entity_id, "unknown", {"friendly_name": "Sunset"})
    expose(hass, entry.entity_id)
    house = hands.house
    assert house.device(entry.id) is None
    house.async_set_declared({entry.entity_id: Declared(members=BOTH)})
    device = hands.device(entry.entity_id)
    assert (device.risk, device.members, len(device.moves)) == ("confirm", (), 2)
