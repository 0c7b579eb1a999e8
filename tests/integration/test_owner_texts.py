"""Saving a plan that worked as a playbook, and setting the policy."""

# ruff: noqa: ASYNC240

from pathlib import Path
from typing import Any

from freezegun.api import FrozenDateTimeFactory
from homeassistant.core import Context, HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.exceptions import ServiceValidationError, Unauthorized
from homeassistant.helpers import (
    area_registry as ar,
    entity_registry as er,
    issue_registry as ir,
)
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import (
    MockUser,
    async_fire_time_changed,
)

from custom_components.hearthnet.const import DOMAIN
from custom_components.hearthnet.core.policy.load import preset
from custom_components.hearthnet.policy_file import policy_path
from custom_components.hearthnet.policy_names import QUIET
from custom_components.hearthnet.repairs import async_create_fix_flow
from tests.support.messages_api import act, plan

from .home import expose, lamp, set_up
from .model import CLAUDE, DATA, claude, say
from .setup import set_up_hearthnet

pytestmark = pytest.mark.usefixtures("socket_enabled")


@pytest.fixture(autouse=True)
async def _lamps(hass: HomeAssistant) -> None:
    await set_up(hass, [lamp("hall"), lamp("bed")])
    expose(hass, "light.hall", "light.bed")


async def call(hass: HomeAssistant, action: str, user: str, **data: Any) -> Any:
    return await hass.services.async_call(
        "hearthnet",
        action,
        data,
        blocking=True,
        return_response=True,
        context=Context(user_id=user),
    )


async def test_playbook(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch, hass_owner_user: MockUser
) -> None:
    """What a model planned once needs no model the second time."""
    anna = hass_owner_user.id
    dim = {"args": [{"name": "brightness_pct", "value": "20"}]}
    cozy = plan(
        act("light1", "light.turn_on") | dim, act("light2", "light.turn_on") | dim
    )
    text = "Make it (really) cozy, please!"
    async with claude(monkeypatch, cozy) as api:
        await set_up_hearthnet(hass, DATA, **CLAUDE)
        told = await say(hass, text, anna)
        assert told["complete"]
        saving = {"intent": told["intent"], "name": "Cozy evening"}
        shown = await call(hass, "save_playbook", anna, **saving, dry_run=True)
        path = Path(shown["path"])
        assert not path.exists()
        assert not shown["saved"]
        saved = await call(hass, "save_playbook", anna, **saving)
        assert saved["text"] == shown["text"] == path.read_text()
        assert path.name == "cozy_evening.yaml"
        assert "light.bed" in saved["text"]
        with pytest.raises(ServiceValidationError, match="already"):
            await call(hass, "save_playbook", anna, **saving)
        other = {"sentence": "snug time", "overwrite": True}
        await call(hass, "save_playbook", anna, **saving, **other)

        for lamp_ in ("light.hall", "light.bed"):
            await hass.services.async_call(
                "light", "turn_off", {"entity_id": lamp_}, blocking=True
            )
        again = await say(hass, "snug time", anna)
        assert again["complete"]
        assert len(again["steps"]) == 2
        assert len(api.requests) == 1


async def test_what_cannot_be_saved(
    hass: HomeAssistant, hass_owner_user: MockUser
) -> None:
    anna = hass_owner_user.id
    await set_up_hearthnet(hass)
    asked = await say(hass, "is the hall on?", anna)
    saving = {"name": "x", "intent": asked["intent"]}
    with pytest.raises(ServiceValidationError, match="nothing to save"):
        await call(hass, "save_playbook", anna, **saving)
    with pytest.raises(ServiceValidationError, match="on record"):
        await call(hass, "save_playbook", anna, **saving | {"intent": "hub.9.9"})
    done = await say(hass, "turn on the hall", anna)
    saving["intent"] = done["intent"]
    with pytest.raises(ServiceValidationError, match="sentence"):
        await call(hass, "save_playbook", anna, **saving, sentence="()")
    gil = await hass.auth.async_create_user("Gil", group_ids=["system-read-only"])
    with pytest.raises(Unauthorized):
        await call(hass, "save_playbook", gil.id, **saving)


async def test_policy(hass: HomeAssistant, hass_owner_user: MockUser) -> None:
    anna = hass_owner_user.id
    entry = await set_up_hearthnet(hass)
    boot = entry.runtime_data.data.boot
    good = preset("cautious").replace("name: cautious", "name: ours")
    broken = good.replace("effect: allow", "effect: alow", 1)
    line = broken[: broken.index("alow")].count("\n") + 1
    with pytest.raises(ServiceValidationError, match=f"line {line}"):
        await call(hass, "set_policy", anna, text=broken)
    checked = await call(hass, "set_policy", anna, text=good, dry_run=True)
    assert (checked["in_force"], checked["name"]) == (False, "ours")
    in_force = entry.runtime_data.hub.state.in_force
    assert in_force.policy.name == "balanced"

    told = await call(hass, "set_policy", anna, text=good)
    assert told["in_force"]
    assert entry.runtime_data.hub.state.in_force.policy.name == "ours"
    assert entry.options["policy"] == "file"
    assert entry.runtime_data.data.boot == boot
    path = Path(hass.config.path("hearthnet", "policy.yaml"))
    assert path.read_text() == good

    ben = await hass.auth.async_create_user("Ben", group_ids=["system-users"])
    with pytest.raises(Unauthorized):
        await call(hass, "set_policy", ben.id, text=good)


async def test_a_policy_in_force_counts_for_devices_at_once(
    hass: HomeAssistant, hass_owner_user: MockUser
) -> None:
    """What it declares of scripts, and which entities are one device."""
    sequence = {"sequence": [{"action": "test.nothing"}]}
    assert await async_setup_component(hass, "script", {"script": {"party": sequence}})
    expose(hass, "script.party")
    entry = await set_up_hearthnet(hass)
    house = entry.runtime_data.house
    assert "script.party" not in {device.entity_id for device in house.devices()}

    text = preset("balanced") + (
        "\nsame_as: [[light.hall, light.bed]]\n"
        "scripts: [{entity: script.party, members: [light.hall]}]\n"
    )
    await call(hass, "set_policy", hass_owner_user.id, text=text)
    devices = {device.entity_id: device for device in house.devices()}
    assert devices["script.party"].moves == (devices["light.hall"].id,)
    assert devices["light.bed"].key == devices["light.hall"].key


async def test_a_policy_that_names_what_is_not_here(
    hass: HomeAssistant,
    hass_owner_user: MockUser,
    freezer: FrozenDateTimeFactory,
) -> None:
    """C13: a rule is left behind by a new name, and Repairs says so."""
    await set_up_hearthnet(hass)
    issues, issue = ir.async_get(hass), (DOMAIN, "policy_strays")
    rule = "\n  - {id: mine, effect: deny, targets: {entity: light.hall}}\n"
    text = preset("balanced").replace("\nrules:\n", f"\nrules:{rule}", 1)
    await call(hass, "set_policy", hass_owner_user.id, text=text)
    assert issues.async_get_issue(*issue) is None

    async def rename(old: str, new: str) -> None:
        er.async_get(hass).async_update_entity(old, new_entity_id=new)
        await hass.async_block_till_done()
        freezer.tick(QUIET + 1)
        async_fire_time_changed(hass)
        await hass.async_block_till_done()

    await rename("light.hall", "light.corridor")
    found = issues.async_get_issue(*issue)
    assert found is not None
    assert found.translation_placeholders is not None
    assert "mine, entity: light.hall" in found.translation_placeholders["mistakes"]
    await rename("light.corridor", "light.hall")
    assert issues.async_get_issue(*issue) is None

    strange = text.replace("light.hall", "light.nowhere")
    await call(hass, "set_policy", hass_owner_user.id, text=strange)
    assert issues.async_get_issue(*issue) is not None


async def test_a_renamed_area_is_renamed_in_the_policy(
    hass: HomeAssistant, hass_owner_user: MockUser, freezer: FrozenDateTimeFactory
) -> None:
    """Repairs asks what it is called now; the owner's comments stay."""
    await set_up_hearthnet(hass)
    assert await async_setup_component(hass, "repairs", {})
    areas, issues = ar.async_get(hass), ir.async_get(hass)
    attic = areas.async_create("Attic")
    rules = (
        "\n  - {id: mine, effect: deny, targets: {area: Attic}}  # not Attic's own"
        "\n  - {id: gone, effect: deny, targets: {entity: light.gone}}\n"
    )
    text = preset("balanced").replace("\nrules:\n", f"\nrules:{rules}", 1)
    await call(hass, "set_policy", hass_owner_user.id, text=text)
    areas.async_update(attic.id, name="Attic room")
    areas.async_create("Zoo")
    await hass.async_block_till_done()
    freezer.tick(QUIET + 1)
    async_fire_time_changed(hass)
    await hass.async_block_till_done()
    issue = issues.async_get_issue(DOMAIN, "policy_strays")
    assert issue is not None
    assert issue.is_fixable

    async def begin() -> Any:
        flow: Any = await async_create_fix_flow(hass, "policy_strays", None)
        flow.hass = hass
        return flow, await flow.async_step_init()

    # Who names nothing new leaves all as it is.
    flow, form = await begin()
    while form["type"] is FlowResultType.FORM:
        form = await flow.async_step_rename({})
    assert form["reason"] == "nothing_renamed"

    flow, form = await begin()
    assert form["description_placeholders"]["name"] == "Attic"
    (selector,) = form["data_schema"].schema.values()
    offered = [option["value"] for option in selector.config["options"]]
    assert offered[0] == "Attic room"
    assert "Zoo" in offered
    form = await flow.async_step_rename({"new_name": "Attic room"})
    assert form["description_placeholders"]["name"] == "light.gone"
    done = await flow.async_step_rename({})
    assert done["type"] is FlowResultType.CREATE_ENTRY
    path = policy_path(hass)
    written = await hass.async_add_executor_job(path.read_text, "utf-8")
    assert written == text.replace("{area: Attic}", '{area: "Attic room"}')
    issue = issues.async_get_issue(DOMAIN, "policy_strays")
    assert issue is not None
    assert issue.translation_placeholders is not None
    assert "Attic" not in issue.translation_placeholders["mistakes"]

    # A file that was broken meanwhile is not written over.
    await hass.async_add_executor_job(path.write_text, "version: [", "utf-8")
    flow, _ = await begin()
    done = await flow.async_step_rename({"new_name": "light.hall"})
    assert done["reason"] == "policy_broken"
    assert await hass.async_add_executor_job(path.read_text, "utf-8") == "version: ["


async def test_without_hearthnet_no_name_can_be_put_right(hass: HomeAssistant) -> None:
    flow: Any = await async_create_fix_flow(hass, "policy_strays", None)
    flow.hass = hass
    for step in (flow.async_step_init, flow.async_step_rename):
        assert (await step())["reason"] == "not_loaded"
