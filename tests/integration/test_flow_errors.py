"""Every refusal of the forms that other tests do not meet, and the way on from each."""

import asyncio
from typing import Any
from unittest.mock import PropertyMock, patch

from homeassistant.config_entries import SOURCE_USER
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
import pytest
from pytest_homeassistant_custom_component.common import MockUser

from custom_components.hearthnet.companions import Pairing
from custom_components.hearthnet.core.bus.broker import Broker
from custom_components.hearthnet.flows import companion as companion_flow
from custom_components.hearthnet.flows.broker import async_check_broker
from tests.support.mosquitto import Mosquitto

from .setup import ENTRY_ID, set_up_hearthnet
from .test_companions import PHONE, _answer, _prepared, set_up, told

pytestmark = [pytest.mark.usefixtures("socket_enabled")]
prepared = _prepared
KIND = (ENTRY_ID, "companion")
DARCY = {"role": "darcy", "name": "second", "host": "127.0.0.1"}


@pytest.fixture
def broker(mosquitto: Mosquitto) -> Broker:
    return Broker(host="127.0.0.1", port=mosquitto.port, prefix="hearthnet/errors")


async def pairing(hass: HomeAssistant, **given: str) -> Any:
    """Begin to pair a companion; return the form that comes."""
    flows = hass.config_entries.subentries
    form = await flows.async_init(KIND, context={"source": SOURCE_USER})
    return await flows.async_configure(form["flow_id"], {**DARCY, **given})


# Companions


async def test_names_of_companions(hass: HomeAssistant, broker: Broker) -> None:
    dewey = {"name": "attic", "role": "dewey", "key": PHONE["key"]}
    await set_up(hass, broker, PHONE, dewey)
    configure = hass.config_entries.subentries.async_configure
    form = await pairing(hass, name=PHONE["name"])
    assert form["errors"] == {"name": "name_taken"}
    form = await configure(form["flow_id"], DARCY | {"name": "No Name"})
    assert form["errors"] == {"name": "not_a_name"}
    form = await configure(form["flow_id"], DARCY | {"role": "dewey"})
    assert form["errors"] == {"role": "one_librarian"}
    form = await configure(
        form["flow_id"], DARCY | {"username": "phone", "password": "secret"}
    )
    assert form["step_id"] == "code"
    hass.config_entries.subentries.async_abort(form["flow_id"])
    assert await hass.config_entries.async_unload(ENTRY_ID)


async def test_hearthnet_must_run_to_pair(hass: HomeAssistant, broker: Broker) -> None:
    await set_up(hass, broker)
    assert await hass.config_entries.async_unload(ENTRY_ID)
    form = await hass.config_entries.subentries.async_init(
        KIND, context={"source": SOURCE_USER}
    )
    assert form["reason"] == "entry_not_loaded"


@pytest.mark.parametrize("problem", ["expired", "tries", "used"])
async def test_a_code_that_is_no_good(
    hass: HomeAssistant,
    broker: Broker,
    monkeypatch: pytest.MonkeyPatch,
    problem: str,
) -> None:
    await set_up(hass, broker)
    monkeypatch.setattr(companion_flow, "PAIR_WAIT", 0.0)
    form = await pairing(hass)
    with patch.object(Pairing, "problem", PropertyMock(return_value=problem)):
        done = await hass.config_entries.subentries.async_configure(form["flow_id"], {})
    assert done["reason"] == f"code_{problem}"
    assert await hass.config_entries.async_unload(ENTRY_ID)


async def test_a_code_that_ends_while_fingerprints_are_compared(
    hass: HomeAssistant, broker: Broker
) -> None:
    """So does a broker that is away for a moment, but that can be tried again."""
    entry = await set_up(hass, broker)
    configure = hass.config_entries.subentries.async_configure
    form = await pairing(hass)
    answering = asyncio.ensure_future(_answer(told(form, "command").split()[2]))
    form = await configure(form["flow_id"], {})
    assert form["step_id"] == "confirm"
    with patch.object(Pairing, "async_conclude", return_value=False):
        form = await configure(form["flow_id"], {"same": True})
    assert form["errors"] == {"base": "not_told"}
    with patch.object(Pairing, "problem", PropertyMock(return_value="expired")):
        done = await configure(form["flow_id"], {"same": True})
    assert done["reason"] == "code_expired"
    assert not entry.subentries
    answering.cancel()
    assert await hass.config_entries.async_unload(ENTRY_ID)


async def test_a_certificate_that_is_none(hass: HomeAssistant) -> None:
    given = {"host": "127.0.0.1", "port": 1883, "tls": True, "ca": "no certificate"}
    trouble = await async_check_broker(given, None)
    assert not isinstance(trouble, Broker)
    assert trouble.key == "broker_unreachable"
    assert trouble.placeholders["address"] == "127.0.0.1:1883"


# Telegram


async def test_who_writes_in_telegram(
    hass: HomeAssistant, hass_owner_user: MockUser
) -> None:
    entry = await set_up_hearthnet(hass)
    options = hass.config_entries.options
    menu = await options.async_init(ENTRY_ID)
    form = await options.async_configure(menu["flow_id"], {"next_step_id": "telegram"})
    anna = {"telegram": " 11 ", "user": hass_owner_user.id}

    async def fill(*users: dict[str, str]) -> Any:
        given = {"chats": [], "users": list(users), "topics": ["conflicts"]}
        return await options.async_configure(form["flow_id"], given)

    wrong = await fill({"telegram": "@anna", "user": hass_owner_user.id})
    assert wrong["errors"] == {"users": "not_a_number"}
    twice = await fill(anna, {"telegram": "11", "user": hass_owner_user.id})
    assert twice["errors"] == {"users": "named_twice"}
    # What was filled in stands in the form still.
    (suggested,) = (
        key.description["suggested_value"]
        for key in twice["data_schema"].schema
        if str(key) == "users"
    )
    assert len(suggested) == 2
    done = await fill(anna)
    assert done["type"] is FlowResultType.CREATE_ENTRY
    await hass.async_block_till_done()
    assert entry.options["telegram"]["users"] == [
        {"telegram": "11", "user": hass_owner_user.id}
    ]
