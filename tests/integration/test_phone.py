"""A phone in Home Assistant: a real Darcy and broker, a simulated phone behind them."""

import asyncio
from contextlib import suppress
import os
from pathlib import Path
from typing import Any

from homeassistant.const import STATE_UNAVAILABLE
from homeassistant.core import Context, HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers import (
    area_registry as ar,
    device_registry as dr,
    entity_registry as er,
)
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockUser

from custom_components.hearthnet.const import DOMAIN
from custom_components.hearthnet.core.messages import MessageType
from custom_components.hearthnet.diagnostics import async_get_config_entry_diagnostics
from tests.support.mosquitto import Mosquitto
from tests.support.phone.fake_adbd import FakeAdbd

from .phone import (
    TV,
    darcy,
    set_up,
    shown,
    state,
    until,
)
from .setup import ENTRY_ID


@pytest.fixture(autouse=True)
async def _prepared(hass: HomeAssistant, socket_enabled: None) -> None:
    assert await async_setup_component(hass, "homeassistant", {})


@pytest.mark.usefixtures("recipes")
async def test_entities(
    hass: HomeAssistant,
    hass_admin_user: MockUser,
    mosquitto: Mosquitto,
    adbd: FakeAdbd,
    tmp_path: Path,
) -> None:
    entry = await set_up(hass, mosquitto.port)
    context = Context(user_id=hass_admin_user.id)
    hub = entry.runtime_data.hub

    async def use(domain: str, action: str, entity_id: str, **data: object) -> None:
        await hass.services.async_call(
            domain,
            action,
            {"entity_id": entity_id, **data},
            blocking=True,
            context=context,
        )

    async def call(name: str, /, **data: object) -> Any:
        return await hass.services.async_call(
            DOMAIN, name, data, blocking=True, context=context, return_response=True
        )

    assert state(hass, TV) == STATE_UNAVAILABLE
    assert state(hass, "sensor.phone_battery") == STATE_UNAVAILABLE
    async with darcy(entry, tmp_path, mosquitto.port, adbd.port):
        await until(entry, lambda: state(hass, "sensor.phone_battery") == "81")
        assert state(hass, "sensor.phone_illuminance") == "124.0"
        assert state(hass, "binary_sensor.phone_charging") == "on"
        assert state(hass, "binary_sensor.phone_screen") == "on"
        assert state(hass, "binary_sensor.phone_screen_lock") == "off"

        # The app was opened and read, for nobody was at the phone.
        muted = "switch.living_room_tv_volume_muted"
        await until(entry, lambda: state(hass, muted) == "off")
        assert state(hass, TV) == "on"
        assert state(hass, "number.living_room_tv_volume_level") == "12.0"

        await use("switch", "turn_off", TV)
        assert adbd.world.tv.presses == ["power"]
        assert state(hass, TV) == "off"
        await use("number", "set_value", "number.living_room_tv_volume_level", value=15)
        assert adbd.world.tv.volume == 15
        assert state(hass, "number.living_room_tv_volume_level") == "15.0"
        await use(
            "select", "select_option", "select.living_room_tv_source", option="tv"
        )
        assert adbd.world.tv.source == "tv"
        await use("button", "press", "button.living_room_tv_night_mode_on")
        assert adbd.world.tv.night
        assert state(hass, muted) == "off"

        await hub.node.sync()
        intents = [
            record.message
            for record in hub.node.history()
            if record.message.type is MessageType.INTENT
        ]
        assert len(intents) == 4
        assert {m.body["principal"]["id"] for m in intents} == {hass_admin_user.id}
        assert intents[0].body["text"] == f"{TV}: tv.power_off"

        # Actions and sentences take the same way.
        on = {"action": "tv.power_on", "entity_id": TV, "reason": "A film."}
        assert (await call("propose", **on))["outcome"] == "changed"
        off = await call("ask", text="Switch the television off")
        assert off["speech"] == "Living room TV is now off."
        assert not adbd.world.tv.power
        asked = await call("ask", text="Is the television on?")
        assert "was off" in asked["speech"]
        assert "when its app was last read" in asked["speech"]
        assert "state" in asked["answers"][0]["seen"]
        louder = {"action": "tv.set_volume", "data": {"level": 17}, "entity_id": TV}
        volume = await call("propose", reason="The news.", **louder)
        assert volume["speech"] == "Living room TV is now at volume 17 %."
        explained = None
        async with asyncio.timeout(20):
            while explained is None:  # until the phone's events are in Git too
                with suppress(ServiceValidationError):
                    explained = await call("explain", entity_id=TV)
        assert explained["events"]

        adbd.world.tv.version = 1300
        with pytest.raises(HomeAssistantError, match="Not done"):
            await use("switch", "turn_on", TV)
        await until(entry, lambda: shown(hass, "app_updated_phone.living_room_tv"))
        told = (await async_get_config_entry_diagnostics(hass, entry))["phones"][
            "phone"
        ]
        assert (told["problem"], told["camera"]) == (None, False)
        assert told["apps"] == {"living_room_tv": "app_version_unverified"}
        assert "battery" in told["senses"]
        assert "com.example" not in str(told)
    await until(entry, lambda: state(hass, TV) == STATE_UNAVAILABLE)

    registry = er.async_get(hass)
    (subentry_id,) = entry.subentries
    switch = registry.async_get(TV)
    assert switch is not None
    assert switch.config_subentry_id == subentry_id
    devices = dr.async_get(hass)
    assert switch.device_id
    tv = devices.async_get(switch.device_id)
    battery = registry.async_get("sensor.phone_battery")
    assert isinstance(tv, dr.DeviceEntry)
    assert battery is not None
    assert (tv.name, tv.via_device_id) == ("Living room TV", battery.device_id)
    area = ar.async_get(hass).async_create("Lounge")
    devices.async_update_device(tv.id, area_id=area.id)
    appliance = entry.runtime_data.home.device("phone.living_room_tv")
    assert appliance is not None
    assert (appliance.area, appliance.manager) == ("Lounge", "phone")
    assert await hass.config_entries.async_unload(ENTRY_ID)


async def test_a_picture_is_asked_for_and_shown(
    hass: HomeAssistant,
    hass_admin_user: MockUser,
    mosquitto: Mosquitto,
    adbd: FakeAdbd,
    tmp_path: Path,
) -> None:
    """What Termux would do is done by a script; the picture passes no record."""
    jpeg = b"\xff\xd8" + bytes(3000)
    (tmp_path / "picture").write_bytes(jpeg)
    command = tmp_path / "termux-camera-photo"
    command.write_text(f'#!/bin/sh\ncp {tmp_path}/picture "$3"\n')
    command.chmod(0o755)
    entry = await set_up(hass, mosquitto.port)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    async with darcy(entry, tmp_path, mosquitto.port, adbd.port, PATH=path):
        await until(entry, lambda: hass.states.get("image.phone_camera"))
        with pytest.raises(HomeAssistantError, match="Not done"):
            await hass.services.async_call(
                "button",
                "press",
                {"entity_id": "button.phone_take_a_picture"},
                blocking=True,
                context=Context(user_id=hass_admin_user.id),
            )
        (question,) = entry.runtime_data.hub.status.questions
        assert state(hass, "image.phone_camera") == "unknown"
        answer = await hass.services.async_call(
            DOMAIN,
            "approve",
            {"question": question.id},
            blocking=True,
            context=Context(user_id=hass_admin_user.id),
            return_response=True,
        )
        assert answer is not None
        assert answer["outcome"] == "changed", answer
        await until(entry, lambda: state(hass, "image.phone_camera") != "unknown")
        image = hass.data["image"].get_entity("image.phone_camera")
        assert await image.async_image() == jpeg
    assert await hass.config_entries.async_unload(ENTRY_ID)
