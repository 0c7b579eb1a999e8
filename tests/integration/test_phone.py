"""A phone in Home Assistant: a real Darcy and broker, a simulated phone behind them."""

import asyncio
import base64
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
import os
from pathlib import Path
import shutil
import sys
from typing import Any

from homeassistant.config_entries import ConfigSubentryData
from homeassistant.const import STATE_UNAVAILABLE
from homeassistant.core import Context, HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers import (
    area_registry as ar,
    device_registry as dr,
    entity_registry as er,
    issue_registry as ir,
)
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry, MockUser

from custom_components.hearthnet import phone_issues
from custom_components.hearthnet.const import DOMAIN
from custom_components.hearthnet.coordinator import OWNER
from custom_components.hearthnet.core.bus.presence import Status
from custom_components.hearthnet.core.intents import Origin
from custom_components.hearthnet.core.keys import SigningKey
from custom_components.hearthnet.core.messages import MessageType
from custom_components.hearthnet.core.phone.report import PhoneReport
from custom_components.hearthnet.core.policy.load import load, preset
from custom_components.hearthnet.core.reasons import Reason
from custom_components.hearthnet.diagnostics import async_get_config_entry_diagnostics
from custom_components.hearthnet.issues import POLICY, STRAYS
from custom_components.hearthnet.policy_names import async_show_strays
from tests.support.messages_api import Reply
from tests.support.mosquitto import Mosquitto
from tests.support.phone.fake_adbd import FakeAdbd

from .model import CLAUDE, DATA, claude
from .setup import ENTRY_ID, OPTIONS

PREFIX = "hearthnet/test"
SEED = bytes([9]) * 32
SHIPPED = Path(__file__).parents[2] / "custom_components/hearthnet/recipes"
PROGRAM = "import sys; from hearthnet.cli import main; sys.exit(main())"
TV = "switch.living_room_tv"


@pytest.fixture(autouse=True)
async def _prepared(hass: HomeAssistant, socket_enabled: None) -> None:
    assert await async_setup_component(hass, "homeassistant", {})


@pytest.fixture
async def adbd() -> AsyncIterator[FakeAdbd]:
    async with FakeAdbd() as daemon:
        yield daemon


@pytest.fixture
def recipes(hass: HomeAssistant) -> Path:
    """The folder of the phone's recipes, with the shipped ones in it."""
    folder = Path(hass.config.path(DOMAIN, "recipes", "phone"))
    folder.mkdir(parents=True)
    for path in SHIPPED.glob("*.yaml"):
        shutil.copy(path, folder)
    return folder


async def set_up(
    hass: HomeAssistant, port: int, data: dict[str, Any] | None = None, **options: Any
) -> MockConfigEntry:
    """Set HearthNet up with a broker and a phone's companion."""
    key = SigningKey(SEED).public.text
    entry = MockConfigEntry(
        domain=DOMAIN,
        entry_id=ENTRY_ID,
        title="Home",
        data={
            "broker": {"host": "127.0.0.1", "port": port, "prefix": PREFIX},
            **(data or {}),
        },
        options={**OPTIONS, **options},
        minor_version=2,
        subentries_data=[
            ConfigSubentryData(
                data={"name": "phone", "role": "darcy", "key": key},
                subentry_type="companion",
                title="phone",
                unique_id="phone",
            )
        ],
    )
    entry.add_to_hass(hass)
    assert await hass.config_entries.async_setup(ENTRY_ID)
    await hass.async_block_till_done()
    return entry


@asynccontextmanager
async def darcy(
    entry: MockConfigEntry, folder: Path, port: int, phone: int, **more: str
) -> AsyncIterator[None]:
    """Run `hearthnet darcy` for the phone."""
    path = folder / "darcy.toml"
    path.write_text(
        'name = "phone"\nrole = "darcy"\n'
        f'key = "{base64.b64encode(SEED).decode()}"\n'
        f'hub = "{entry.runtime_data.hub.node.public_key.text}"\n'
        f'data = "{folder / "data"}"\n'
        f'[broker]\nhost = "127.0.0.1"\nport = {port}\nprefix = "{PREFIX}"\n'
        f"[phone]\nport = {phone}\nquiet_seconds = 0\nevery = 5\n"
    )
    path.chmod(0o600)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PROGRAM, "darcy", "--config", str(path)),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **more},
    )
    try:
        yield
    finally:
        process.terminate()
        assert await process.wait() == 0


async def until(entry: MockConfigEntry, condition: Callable[[], object]) -> None:
    """Wait until something is so after the hub has told of a change."""
    changed = asyncio.Event()
    stop = entry.runtime_data.async_add_listener(changed.set)
    async with asyncio.timeout(30):
        while not condition():
            changed.clear()
            await changed.wait()
    stop()


def state(hass: HomeAssistant, entity_id: str) -> str:
    found = hass.states.get(entity_id)
    assert found is not None, entity_id
    return found.state


def shown(hass: HomeAssistant, issue_id: str) -> bool:
    """Tell whether Repairs shows an issue of a phone."""
    return ir.async_get(hass).async_get_issue(DOMAIN, issue_id) is not None


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


async def test_a_recipe_with_mistakes(
    hass: HomeAssistant, mosquitto: Mosquitto, recipes: Path
) -> None:
    broken = recipes / "living_room_tv.yaml"
    broken.write_text(broken.read_text().replace("tap:", "tab:", 1))
    shutil.copy(SHIPPED / "music_player.yaml", recipes.parent)
    (recipes.parent / "tablet").mkdir()
    await set_up(hass, mosquitto.port)

    issue = ir.async_get(hass).async_get_issue(DOMAIN, "recipes_broken")
    assert issue is not None
    assert issue.translation_placeholders is not None
    lost, unknown, mistake = issue.translation_placeholders["mistakes"].splitlines()
    assert lost == (
        "- music_player.yaml: put it into the folder of a phone (known: phone)"
    )
    assert unknown == "- tablet/: there is no phone of this name (known: phone)"
    assert mistake == (
        "- phone/living_room_tv.yaml, line 55, capabilities.tv.power_off.steps[0].tab: "
        "unknown field; did you mean tap?"
    )
    assert hass.states.get(TV) is None
    # The good one is in force all the same.
    assert state(hass, "sensor.music_on_the_phone_state") == STATE_UNAVAILABLE
    assert await hass.config_entries.async_unload(ENTRY_ID)


async def test_repairs(
    hass: HomeAssistant,
    mosquitto: Mosquitto,
    adbd: FakeAdbd,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(phone_issues, "PATIENCE", 0.0)
    entry = await set_up(hass, mosquitto.port)
    assert shown(hass, "phone_away_phone")
    adbd.faults.tls = True
    async with darcy(entry, tmp_path, mosquitto.port, adbd.port):
        await until(entry, lambda: shown(hass, "phone_tls_port_phone"))
        assert not shown(hass, "phone_away_phone")
        assert state(hass, "sensor.phone_battery") == STATE_UNAVAILABLE
        adbd.faults.tls = False
        await until(entry, lambda: not shown(hass, "phone_tls_port_phone"))
        await until(entry, lambda: state(hass, "sensor.phone_battery") == "81")
    await until(entry, lambda: shown(hass, "phone_away_phone"))
    assert await hass.config_entries.async_unload(ENTRY_ID)
    assert not shown(hass, "phone_away_phone")


async def test_a_key_that_is_not_allowed(
    hass: HomeAssistant, mosquitto: Mosquitto
) -> None:
    entry = await set_up(hass, mosquitto.port)
    outside = entry.runtime_data.outside
    assert outside is not None
    presence = outside.bus.presence
    presence.take(Status(node="phone", boot=1, instance="a", online=True))
    outside.phones["phone"] = PhoneReport(
        problem=Reason.ADB_UNAUTHORIZED, fingerprint="12:34"
    )
    entry.runtime_data.async_update_listeners()
    issue = ir.async_get(hass).async_get_issue(DOMAIN, "phone_unauthorized_phone")
    assert issue is not None
    assert issue.translation_placeholders is not None
    assert issue.translation_placeholders["fingerprint"] == "12:34"
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


async def test_a_model_chooses_what_to_tap(
    hass: HomeAssistant,
    mosquitto: Mosquitto,
    adbd: FakeAdbd,
    recipes: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    hass_owner_user: MockUser,
) -> None:
    """The app was updated; the policy lets the planner's model say what is meant."""
    path = recipes / "living_room_tv.yaml"
    text = path.read_text("utf-8").replace("      - {id: btn_power}\n", "")
    step = "steps: [{screen: main, tap: {id: btn_power}}]"
    vision = "steps: [{screen: main, tap: {id: btn_off}, vision: true}]"
    path.write_text(text.replace(step, vision), "utf-8")
    anna = Context(user_id=hass_owner_user.id)
    async with claude(monkeypatch, Reply(answer={"number": 1})) as api:
        entry = await set_up(hass, mosquitto.port, DATA, **CLAUDE)
        policy = preset("balanced") + "\nvision: [tv.living_room_tv]\n"
        await hass.services.async_call(
            DOMAIN, "set_policy", {"text": policy}, blocking=True, context=anna
        )
        async with darcy(entry, tmp_path, mosquitto.port, adbd.port):
            await until(entry, lambda: hass.states.is_state(TV, "on"))
            await hass.services.async_call(
                "switch", "turn_off", {"entity_id": TV}, blocking=True, context=anna
            )
            assert adbd.world.tv.presses == ["power"]
            await until(entry, lambda: hass.states.is_state(TV, "off"))
        assert len(api.requests) == 1
        assert entry.runtime_data.model.today.calls == 1
        assert await hass.config_entries.async_unload(ENTRY_ID)


async def test_a_policy_names_operations_of_a_recipe(
    hass: HomeAssistant,
    mosquitto: Mosquitto,
    recipes: Path,
    hass_owner_user: MockUser,
) -> None:
    """It is checked against the recipe, counts, and outlives it."""
    entry = await set_up(hass, mosquitto.port)
    anna = Context(user_id=hass_owner_user.id)

    async def put(text: str) -> None:
        await hass.services.async_call(
            DOMAIN, "set_policy", {"text": text}, blocking=True, context=anna
        )

    async def reason() -> Reason | None:
        result = await entry.runtime_data.hub.wishes.propose(
            principal=OWNER,
            origin=Origin.APP,
            targets=("phone.living_room_tv",),
            operation="tv.power_off",
            parameters={},
            reason="a test",
            dry_run=True,
        )
        why: Reason | None = result.steps[0].reason
        return why

    rule = "{id: film, effect: deny, operations: tv.power_off}"
    text = preset("balanced").replace("\nrules:\n", f"\nrules:\n  - {rule}\n", 1)
    with pytest.raises(ServiceValidationError, match=r"did you mean tv\.power_off"):
        await put(text.replace("tv.power_off", "tv.power_of"))
    await put(text)
    assert await reason() is Reason.POLICY_DENIED

    path = recipes / "living_room_tv.yaml"
    kept = path.read_text("utf-8")
    path.unlink()
    assert await hass.config_entries.async_reload(ENTRY_ID)
    issue = ir.async_get(hass).async_get_issue(DOMAIN, POLICY)
    assert issue is not None
    assert issue.translation_placeholders is not None
    assert "'tv.power_off' is unknown" in issue.translation_placeholders["mistakes"]
    assert entry.runtime_data.hub.state.in_force.policy == load(text, None)
    assert await reason() is Reason.UNKNOWN_OPERATION

    path.write_text(kept, "utf-8")
    assert await hass.config_entries.async_reload(ENTRY_ID)
    assert ir.async_get(hass).async_get_issue(DOMAIN, POLICY) is None
    assert await reason() is Reason.POLICY_DENIED
    assert await hass.config_entries.async_unload(ENTRY_ID)


@pytest.mark.usefixtures("recipes")
async def test_a_policy_names_an_appliance(
    hass: HomeAssistant, mosquitto: Mosquitto
) -> None:
    """By the name that the record has of it; nothing else of the policy is strange."""
    entry = await set_up(hass, mosquitto.port)
    hub = entry.runtime_data.hub
    text = """
version: 1
name: own
rules:
  - {id: all, effect: allow, subjects: {role: owner}}
  - {id: film, effect: deny, targets: {entity: [tv.living_room_tv]}}
"""
    await hub.control.set_policy(text, OWNER)
    async_show_strays(hass, entry.runtime_data.home, hub.state.in_force.policy)
    assert ir.async_get(hass).async_get_issue(DOMAIN, STRAYS) is None
    result = await hub.wishes.propose(
        principal=OWNER,
        origin=Origin.APP,
        targets=("phone.living_room_tv",),
        operation="tv.power_off",
        parameters={},
        reason="a test",
        dry_run=True,
    )
    assert result.steps[0].reason is Reason.POLICY_DENIED
    assert await hass.config_entries.async_unload(ENTRY_ID)
