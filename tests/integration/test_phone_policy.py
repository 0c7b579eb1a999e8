"""What a policy says of what phones control."""

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any

from homeassistant.core import Context, HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import issue_registry as ir
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockUser

from custom_components.hearthnet.const import DOMAIN
from custom_components.hearthnet.coordinator import OWNER
from custom_components.hearthnet.core.intents import Origin
from custom_components.hearthnet.core.policy.load import load, preset
from custom_components.hearthnet.core.reasons import Reason
from custom_components.hearthnet.issues import POLICY, STRAYS
from custom_components.hearthnet.policy_names import async_show_strays
from tests.support.messages_api import Reply
from tests.support.mosquitto import Mosquitto
from tests.support.phone.fake_adbd import FakeAdbd

from .model import CLAUDE, DATA, claude
from .phone import (
    TV,
    darcy,
    set_up,
    until,
)
from .setup import ENTRY_ID


@pytest.fixture(autouse=True)
async def _prepared(hass: HomeAssistant, socket_enabled: None) -> None:
    assert await async_setup_component(hass, "homeassistant", {})


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
            told: Any = None
            async with asyncio.timeout(20):
                while told is None:  # until the phone's events are in Git too
                    with suppress(ServiceValidationError):
                        told = await hass.services.async_call(
                            DOMAIN,
                            "explain",
                            {"entity_id": TV},
                            blocking=True,
                            return_response=True,
                            context=anna,
                        )
            said = [event["content"] for event in told["events"]]
            assert "claude-test on what tv.power_off taps: number 1." in said
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

    # The form checks it against the same recipes.
    options = hass.config_entries.options
    menu = await options.async_init(ENTRY_ID)
    form = await options.async_configure(menu["flow_id"], {"next_step_id": "behavior"})
    chosen = {"policy": "file", "voice_role": "unknown"}
    done = await options.async_configure(form["flow_id"], chosen)
    assert done["type"] is FlowResultType.CREATE_ENTRY, done
    await hass.async_block_till_done()

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
