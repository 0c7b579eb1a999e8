"""State at a time or commit, and back to it, from the real record."""

from datetime import timedelta
from typing import Any, cast

from homeassistant.auth.const import GROUP_ID_USER
from homeassistant.core import Context, HomeAssistant
from homeassistant.exceptions import ServiceValidationError
from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry, MockUser
import voluptuous as vol

from custom_components.hearthnet.const import DOMAIN

from .home import expose, lamp, place, set_up
from .setup import recorded, set_up_hearthnet

DESK, SHELF = "light.desk", "light.shelf"


@pytest.fixture
async def anna(hass: HomeAssistant) -> Context:
    """A resident's context."""
    group = await hass.auth.async_get_group(GROUP_ID_USER)
    user = MockUser(name="Anna", groups=[group]).add_to_hass(hass)
    return Context(user_id=user.id)


@pytest.fixture
async def study(hass: HomeAssistant, anna: Context) -> str:
    """Return the area of two lamps."""
    await set_up(hass, [lamp("desk"), lamp("shelf")])
    expose(hass, DESK, SHELF)
    return place(hass, "Study", DESK, SHELF)


@pytest.fixture
async def entry(
    hass: HomeAssistant, study: str, hass_read_only_user: MockUser
) -> MockConfigEntry:
    """HearthNet over the study."""
    return await set_up_hearthnet(hass)


async def call(
    hass: HomeAssistant, name: str, context: Context, /, **data: Any
) -> dict[str, Any]:
    """Call an action and return its response."""
    response = await hass.services.async_call(
        DOMAIN, name, data, blocking=True, return_response=True, context=context
    )
    return cast(dict[str, Any], response)


async def light(
    hass: HomeAssistant, entry: MockConfigEntry, context: Context, level: int, *ids: str
) -> str:
    """Set lamps to a brightness, and return the commit that has it."""
    told = await call(
        hass,
        "propose",
        context,
        entity_id=list(ids),
        action="light.turn_on",
        data={"brightness_pct": level},
        reason="I read",
    )
    assert told["complete"]
    await recorded(entry)
    commit: str | None = entry.runtime_data.data.librarian.commit
    assert commit is not None
    return commit


async def test_state_at_and_restore(
    hass: HomeAssistant,
    entry: MockConfigEntry,
    study: str,
    anna: Context,
    hass_read_only_user: MockUser,
) -> None:
    """Both by commit and by time; a room goes back, attribute by attribute."""
    commit = await light(hass, entry, anna, 20, DESK)
    then = dt_util.utcnow()
    await light(hass, entry, anna, 90, DESK, SHELF)

    was = {
        DESK: {"state": "on", "brightness_pct": 20},
        SHELF: {"state": "off"},
    }
    for moment in ({"commit": commit[:9]}, {"at": then.isoformat()}):
        told = await call(hass, "state_at", anna, area_id=study, **moment)
        assert told["states"] == was
        assert told["complete"] is True
        assert told["commit"]

    shown = await call(
        hass, "restore", anna, area_id=study, commit=commit, dry_run=True
    )
    assert {s["outcome"] for s in shown["steps"]} == {"planned"}
    guest = Context(user_id=hass_read_only_user.id)
    refused = await call(hass, "restore", guest, area_id=study, commit=commit)
    assert {s["reason"] for s in refused["steps"]} == {"not_permitted"}
    assert hass.states.is_state(SHELF, "on")

    done = await call(
        hass, "restore", anna, entity_id=[DESK, SHELF], at=then.isoformat()
    )
    assert {s["entity_id"]: s["outcome"] for s in done["steps"]} == {
        DESK: "changed",
        SHELF: "changed",
    }
    desk = hass.states.get(DESK)
    assert desk is not None
    assert desk.attributes["brightness"] == 51
    assert hass.states.is_state(SHELF, "off")
    again = await call(hass, "restore", anna, area_id=study, commit=commit)
    assert again["steps"] == []
    undone = await call(hass, "undo", anna, intent=done["intent"])
    assert undone["outcome"] == "changed"
    assert hass.states.is_state(SHELF, "on")


async def test_mistakes(
    hass: HomeAssistant, entry: MockConfigEntry, study: str, anna: Context
) -> None:
    """Each names its field; what is older than the record is not guessed."""
    await light(hass, entry, anna, 20, DESK)
    old = (dt_util.utcnow() - timedelta(days=1)).isoformat()
    for action in ("state_at", "restore"):
        for data, field in (({"at": old}, "at"), ({"commit": "a" * 40}, "commit")):
            with pytest.raises(ServiceValidationError) as error:
                await call(hass, action, anna, area_id=study, **data)
            assert error.value.translation_key == "not_on_record"
            assert (error.value.translation_placeholders or {})["field"] == field
        for wrong in ({}, {"at": old, "commit": "a" * 40}):
            with pytest.raises(ServiceValidationError) as error:
                await call(hass, action, anna, area_id=study, **wrong)
            assert error.value.translation_key == "one_moment"
        with pytest.raises(vol.Invalid):
            await call(hass, action, anna, area_id=study, commit="HEAD")
        with pytest.raises(ServiceValidationError) as error:
            await call(hass, action, anna, area_id=place(hass, "Attic"), at=old)
        assert error.value.translation_key == "nothing_there"
