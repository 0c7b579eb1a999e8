"""What Repairs shows of phones, their apps and recipes."""

from pathlib import Path
import shutil

from homeassistant.const import STATE_UNAVAILABLE
from homeassistant.core import Context, HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import issue_registry as ir
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockUser

from custom_components.hearthnet import phone_issues
from custom_components.hearthnet.const import DOMAIN
from custom_components.hearthnet.core.bus.presence import Status
from custom_components.hearthnet.core.phone.report import PhoneReport
from custom_components.hearthnet.core.reasons import Reason
from tests.support.mosquitto import Mosquitto
from tests.support.phone.fake_adbd import FakeAdbd

from .phone import (
    SHIPPED,
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
    adbd.faults.garble = True
    async with darcy(entry, tmp_path, mosquitto.port, adbd.port):
        await until(entry, lambda: shown(hass, "phone_offline_phone"))
        assert not shown(hass, "phone_away_phone")
        assert state(hass, "sensor.phone_battery") == STATE_UNAVAILABLE
        adbd.faults.garble = False
        await until(entry, lambda: not shown(hass, "phone_offline_phone"))
        await until(entry, lambda: state(hass, "sensor.phone_battery") == "81")
    await until(entry, lambda: shown(hass, "phone_away_phone"))
    assert await hass.config_entries.async_unload(ENTRY_ID)
    assert not shown(hass, "phone_away_phone")


async def test_what_a_phone_reports(hass: HomeAssistant, mosquitto: Mosquitto) -> None:
    entry = await set_up(hass, mosquitto.port)
    outside = entry.runtime_data.outside
    assert outside is not None
    presence = outside.bus.presence
    presence.take(Status(node="phone", boot=1, instance="a", online=True))
    for problem, key in (
        (Reason.ADB_TLS_PORT, "phone_tls_port_phone"),
        (Reason.ADB_UNAUTHORIZED, "phone_unauthorized_phone"),
    ):
        outside.phones["phone"] = PhoneReport(problem=problem, fingerprint="12:34")
        entry.runtime_data.async_update_listeners()
        issue = ir.async_get(hass).async_get_issue(DOMAIN, key)
        assert issue is not None
        assert issue.translation_placeholders is not None
        assert issue.translation_placeholders["fingerprint"] == "12:34"
    assert not shown(hass, "phone_tls_port_phone")
    outside.phones["phone"] = PhoneReport(ahead=-3600)
    entry.runtime_data.async_update_listeners()
    assert not shown(hass, "phone_unauthorized_phone")
    issue = ir.async_get(hass).async_get_issue(DOMAIN, "phone_clock_phone")
    assert issue is not None
    assert issue.translation_placeholders == {"name": "phone", "minutes": "60"}
    assert await hass.config_entries.async_unload(ENTRY_ID)


async def test_what_a_run_meets(
    hass: HomeAssistant,
    mosquitto: Mosquitto,
    adbd: FakeAdbd,
    recipes: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    hass_owner_user: MockUser,
) -> None:
    """Whoever uses the entity is told why, Repairs shows it, and it goes by itself."""
    monkeypatch.setattr(phone_issues, "PATIENCE", 0.0)
    anna, world = Context(user_id=hass_owner_user.id), adbd.world
    entry = await set_up(hass, mosquitto.port)

    async def use() -> None:
        action = "turn_off" if hass.states.is_state(TV, "on") else "turn_on"
        await hass.services.async_call(
            "switch", action, {"entity_id": TV}, blocking=True, context=anna
        )

    async def met(issue_id: str, why: str) -> None:
        with pytest.raises(HomeAssistantError, match=why):
            await use()
        await until(entry, lambda: shown(hass, issue_id))

    async def over(issue_id: str) -> None:
        await use()
        await until(entry, lambda: not shown(hass, issue_id))

    async with darcy(entry, tmp_path, mosquitto.port, adbd.port):
        await until(entry, lambda: hass.states.is_state(TV, "on"))

        app = world.apps.pop(world.tv.package)
        await met("app_missing_phone.living_room_tv", "the app is not installed")
        world.apps[world.tv.package] = app
        await over("app_missing_phone.living_room_tv")

        world.tv.version = 1300
        await met("app_updated_phone.living_room_tv", "the app has been updated")
        world.tv.version = 1203
        await over("app_updated_phone.living_room_tv")

        world.locked = world.secure = True
        await met("phone_locked_phone", "is locked")
        world.locked = world.secure = False
        await over("phone_locked_phone")

        world.inputs_allowed = False
        await met("input_rejected_phone", "left alone")
        world.inputs_allowed = True
        await over("input_rejected_phone")

        await adbd.__aexit__()
        await met("phone_offline_phone", "cannot be reached|left alone")
        await until(entry, lambda: hass.states.is_state(TV, STATE_UNAVAILABLE))
        await adbd.__aenter__()
        await until(entry, lambda: not shown(hass, "phone_offline_phone"))
        await until(entry, lambda: not hass.states.is_state(TV, STATE_UNAVAILABLE))
    assert await hass.config_entries.async_unload(ENTRY_ID)
