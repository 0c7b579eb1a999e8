"""Undo as an action: attribute-exact, as whoever calls, and never past others."""

import asyncio
from typing import Any, cast

from homeassistant.auth.const import GROUP_ID_USER
from homeassistant.core import Context, HomeAssistant
from homeassistant.exceptions import ServiceValidationError
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry, MockUser

from custom_components.hearthnet.const import DOMAIN
from custom_components.hearthnet.core.paths import device_path

from .home import expose, lamp, place, set_up
from .setup import recorded, set_up_hearthnet
from .test_domains import entity
from .test_domains_daily import numbers, write

DESK, SHELF = "light.desk", "light.shelf"


@pytest.fixture
async def anna(hass: HomeAssistant) -> Context:
    """A resident's context."""
    return await person(hass, "Anna")


@pytest.fixture
async def ben(hass: HomeAssistant) -> Context:
    """Another resident's context."""
    return await person(hass, "Ben")


@pytest.fixture
async def entry(
    hass: HomeAssistant,
    anna: Context,
    ben: Context,
    hass_owner_user: MockUser,
    hass_read_only_user: MockUser,
) -> MockConfigEntry:
    """A study with two lamps that are off."""
    await set_up(hass, [lamp("desk"), lamp("shelf")])
    expose(hass, DESK, SHELF)
    place(hass, "Study", DESK, SHELF)
    return await set_up_hearthnet(hass)


async def person(hass: HomeAssistant, name: str) -> Context:
    """Return the context of somebody who lives here."""
    group = await hass.auth.async_get_group(GROUP_ID_USER)
    return Context(user_id=MockUser(name=name, groups=[group]).add_to_hass(hass).id)


async def call(
    hass: HomeAssistant, name: str, context: Context, /, **data: Any
) -> dict[str, Any]:
    """Call an action and return its response."""
    response = await hass.services.async_call(
        DOMAIN, name, data, blocking=True, return_response=True, context=context
    )
    return cast(dict[str, Any], response)


async def bright(hass: HomeAssistant, context: Context) -> str:
    """Switch both lamps to 80 % as somebody; return the intent."""
    told = await call(
        hass,
        "propose",
        context,
        entity_id=[DESK, SHELF],
        action="light.turn_on",
        data={"brightness_pct": 80},
        reason="I read",
    )
    assert told["outcome"] == "changed"
    return cast(str, told["intent"])


async def test_undo_of_an_intent(
    hass: HomeAssistant, entry: MockConfigEntry, anna: Context, ben: Context
) -> None:
    """What others changed since is left and named; a second undo does nothing."""
    intent = await bright(hass, anna)
    await recorded(entry)
    by_ben = {"entity_id": SHELF, "brightness_pct": 20}
    await hass.services.async_call(
        "light", "turn_on", by_ben, blocking=True, context=ben
    )
    await hass.async_block_till_done()

    shown = await call(hass, "undo", anna, intent=intent, dry_run=True)
    assert {s["name"]: s["outcome"] for s in shown["steps"]} == {
        "Desk": "planned",
        "Shelf": "refused",
    }
    assert hass.states.get(DESK).state == "on"  # type: ignore[union-attr]

    told = await call(hass, "undo", anna, intent=intent, language="en")
    assert {s["name"]: (s["outcome"], s["reason"]) for s in told["steps"]} == {
        "Desk": ("changed", None),
        "Shelf": ("refused", "changed_since"),
    }
    (evidence,) = next(s for s in told["steps"] if s["name"] == "Shelf")["evidence"]
    assert evidence["event"]  # the observation of what Ben did
    assert told["speech"] == (
        "Desk is now off. Shelf was left alone: somebody changed it since."
    )
    assert hass.states.get(DESK).state == "off"  # type: ignore[union-attr]
    shelf = hass.states.get(SHELF)
    assert shelf is not None
    assert shelf.attributes["brightness"] == 51

    again = await call(hass, "undo", anna, intent=told["intent"], dry_run=True)
    assert [s["outcome"] for s in again["steps"]] == ["planned"]  # an undo of the undo
    second = await call(hass, "undo", anna, intent=intent)
    assert [s["name"] for s in second["steps"]] == ["Shelf"]


async def test_undo_of_ones_own_last(
    hass: HomeAssistant, entry: MockConfigEntry, anna: Context, ben: Context
) -> None:
    """Without an id it is the caller's last; a second undo does not redo it."""
    await bright(hass, anna)
    nothing = await call(hass, "undo", ben)
    assert nothing["reason"] == "nothing_to_undo"
    assert (await call(hass, "undo", anna))["outcome"] == "changed"
    again = await call(hass, "undo", anna)
    assert again["reason"] == "nothing_to_undo"
    assert hass.states.get(DESK).state == "off"  # type: ignore[union-attr]


async def test_undo_of_what_others_wanted(
    hass: HomeAssistant,
    entry: MockConfigEntry,
    anna: Context,
    hass_owner_user: MockUser,
    hass_read_only_user: MockUser,
) -> None:
    """Owners may, under their own rights; guests may not, nor learn of it."""
    intent = await bright(hass, anna)
    guest = Context(user_id=hass_read_only_user.id)
    told = await call(hass, "undo", guest, intent=intent)
    assert told["reason"] == "nothing_to_undo"
    assert told["steps"] == []
    owner = Context(user_id=hass_owner_user.id)
    assert (await call(hass, "undo", owner, intent=intent))["outcome"] == "changed"


async def test_undo_mistakes(
    hass: HomeAssistant, entry: MockConfigEntry, anna: Context
) -> None:
    """What is no id is the caller's mistake; an id of nothing is an answer."""
    with pytest.raises(ServiceValidationError, match="intent"):
        await call(hass, "undo", anna, intent="yesterday")
    told = await call(hass, "undo", anna, intent="hub.9.9")
    assert told["reason"] == "nothing_to_undo"


BLIND = "cover.blind"


@pytest.mark.parametrize(("shown", "outcome"), [([60], "running"), ([], "unverified")])
async def test_undo_of_a_blind_that_arrived_since(
    hass: HomeAssistant,
    anna: Context,
    hass_owner_user: MockUser,
    shown: list[int],
    outcome: str,
) -> None:
    """It was on its way when the answer was due; nobody else has moved it since.

    One blind tells where it is meanwhile, the other only where it arrives.
    """
    await numbers(hass, height=100)
    blind = entity(
        "cover",
        "blind",
        position="{{ states('input_number.height') | int }}",
        open_cover=write("height", "100"),
        close_cover=[turn for at in shown for turn in write("height", str(at))],
        set_cover_position=write("height", "{{ position }}"),
    )
    await set_up(hass, cover=[blind])
    expose(hass, BLIND)
    entry = await set_up_hearthnet(hass)
    closed = await call(
        hass,
        "propose",
        anna,
        entity_id=BLIND,
        action="cover.close_cover",
        reason="the sun",
    )
    assert closed["outcome"] == outcome
    view = entry.runtime_data.hub.node.view
    path = device_path(entry.runtime_data.house.device_id(BLIND))
    receipt = view.version(path)
    hass.states.async_set("input_number.height", "0")  # as a device tells it
    arrived = asyncio.Event()
    end = entry.runtime_data.hub.node.subscribe(lambda _record: arrived.set())
    async with asyncio.timeout(20):
        while view.version(path) == receipt:
            await arrived.wait()
            arrived.clear()
    end()
    why = await call(hass, "explain", anna, entity_id=BLIND)
    assert why["intent"] == closed["intent"]
    back = await call(hass, "undo", anna, dry_run=True)
    (step,) = back["steps"]
    assert step["reason"] != "changed_since"
    assert step["operation"] == "cover.set_cover_position"
    assert step["parameters"] == {"position": 100}
