"""The house: which entities are devices, under which names, for whom."""

from typing import Any

from homeassistant.auth.const import GROUP_ID_READ_ONLY, GROUP_ID_USER
from homeassistant.components.light import ColorMode, LightEntity
from homeassistant.core import HomeAssistant
from homeassistant.helpers import (
    area_registry as ar,
    entity_registry as er,
    label_registry as lr,
)
from homeassistant.helpers.group import IntegrationSpecificGroup
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    MockEntityPlatform,
)

from custom_components.hearthnet.core.devices import Device, Principal
from custom_components.hearthnet.core.policy.model import Declared
from custom_components.hearthnet.groups import is_native
from custom_components.hearthnet.house import HassHouse, HouseOptions
from custom_components.hearthnet.people import async_own_user

from .home import device_id, expose, group, lamp, place, set_up


async def started(
    hass: HomeAssistant, options: HouseOptions | None = None
) -> HassHouse:
    house = HassHouse(hass, options)
    await house.async_start()
    return house


def named(house: HassHouse, entity_id: str) -> Device:
    return next(d for d in house.devices() if d.entity_id == entity_id)


def names(house: HassHouse) -> set[str]:
    return {device.entity_id for device in house.devices()}


async def test_only_exposed_devices_are_named(hass: HomeAssistant) -> None:
    await set_up(hass, [lamp("hall"), lamp("desk")])
    house = await started(hass)
    assert names(house) == {"light.hall", "light.desk"}

    expose(hass, "light.hall", exposed=False)
    assert names(house) == {"light.desk"}
    # What is hidden still has a name for the effects of a group.
    assert house.device(device_id(hass, "light.hall")) is not None

    expose(hass, "light.hall")
    assert names(house) == {"light.hall", "light.desk"}


async def test_the_list_of_devices_is_made_once_until_something_changes(
    hass: HomeAssistant,
) -> None:
    await set_up(hass, [lamp("hall"), lamp("desk")])
    house = await started(hass)
    assert house.devices() is house.devices()

    listed, state = house.devices(), hass.states.get("light.hall")
    assert state is not None
    hass.states.async_set(
        "light.hall", "on", {**state.attributes, "friendly_name": "X"}
    )
    assert house.devices() is not listed
    assert named(house, "light.hall").name == "X"

    listed = house.devices()
    er.async_get(hass).async_update_entity_options("light.hall", "lock", {"a": 1})
    await hass.async_block_till_done()
    assert house.devices() is not listed

    house.async_set_same_as([frozenset({"light.hall", "light.desk"})])
    assert len({device.key for device in house.devices()}) == 1


async def test_what_is_built_of_others_follows_their_names(
    hass: HomeAssistant,
) -> None:
    """A script's members and a second name are written as entity ids."""
    await set_up(hass, [lamp("hall"), lamp("desk")])
    sequence = {"sequence": [{"action": "test.nothing"}]}
    assert await async_setup_component(hass, "script", {"script": {"party": sequence}})
    expose(hass, "script.party")
    house = await started(hass)
    house.async_set_declared(
        {"script.party": Declared(members=frozenset({"light.late"}))}
    )
    house.async_set_same_as([frozenset({"light.desk", "light.a_twin"})])
    desk, hall = device_id(hass, "light.desk"), device_id(hass, "light.hall")
    assert named(house, "script.party").moves == ("light.late",)
    assert named(house, "light.desk").physical == "light.a_twin"

    registry = er.async_get(hass)
    registry.async_update_entity("light.hall", new_entity_id="light.late")
    await hass.async_block_till_done()
    assert named(house, "script.party").moves == (hall,)
    twin = registry.async_get_or_create(
        "light", "test", "twin", object_id_base="a_twin"
    )
    assert twin.entity_id == "light.a_twin"
    await hass.async_block_till_done()
    device = house.device(desk)
    assert device is not None
    assert device.physical == twin.id


async def test_what_is_known_of_a_device(hass: HomeAssistant) -> None:
    await set_up(hass, [lamp("hall")])
    house = await started(hass)
    assert named(house, "light.hall").area is None

    area = place(hass, "Hallway", "light.hall", floor="Ground")
    labels = lr.async_get(hass)
    quiet, wood = labels.async_create("Quiet"), labels.async_create("Wood")
    ar.async_get(hass).async_update(area, labels={wood.label_id})
    er.async_get(hass).async_update_entity(
        "light.hall",
        aliases=[er.COMPUTED_NAME, "Corridor lamp"],
        labels={quiet.label_id},
    )
    device = named(house, "light.hall")
    assert device.id == device_id(hass, "light.hall")
    assert (device.name, device.domain) == ("Hall", "light")
    assert (device.area, device.floor) == ("Hallway", "Ground")
    assert device.labels == {"Quiet", "Wood"}
    assert device.aliases == ("Corridor lamp",)
    features = {"light.turn_on", "light.turn_off", "brightness_pct"}
    assert device.features == frozenset(features)
    assert device.members == ()
    assert device.physical is None

    ar.async_get(hass).async_update(area, name="Corridor")
    assert named(house, "light.hall").area == "Corridor"


async def test_values_are_read_live(hass: HomeAssistant) -> None:
    await set_up(hass, [lamp("hall")])
    house = await started(hass)
    hall = named(house, "light.hall").id
    assert house.read(hall).values == {"state": "off"}
    await hass.services.async_call(
        "light", "turn_on", {"entity_id": "light.hall", "brightness_pct": 55}, True
    )
    await hass.async_block_till_done()
    reading = house.read(hall)
    assert reading.available
    assert reading.values == {"state": "on", "brightness_pct": 55}
    hass.states.async_set("input_boolean.hall", "unavailable")
    await hass.async_block_till_done()
    assert not house.read(hall).available
    assert not house.read("no such device").available


async def test_renaming_keeps_the_device(hass: HomeAssistant) -> None:
    """D13: the registry id is the device, its entity id only where it answers."""
    await set_up(hass, [lamp("a"), lamp("c")])
    house = await started(hass)
    planned = named(house, "light.a").id

    registry = er.async_get(hass)
    registry.async_update_entity("light.a", new_entity_id="light.b")
    registry.async_update_entity("light.c", new_entity_id="light.a")
    await hass.async_block_till_done()

    assert house.entity_id(planned) == "light.b"
    device = house.device(planned)
    assert device is not None
    assert (device.entity_id, device.name) == ("light.b", "A")
    assert named(house, "light.a").id != planned
    # Neither is the old name a way to it.
    assert house.device("light.a") is None

    registry.async_remove("light.b")
    assert house.device(planned) is None
    assert not house.read(planned).available


async def test_unregistered_entities_need_the_owners_word(hass: HomeAssistant) -> None:
    await set_up(
        hass,
        switch=[
            {
                "name": "Pump",
                "default_entity_id": "switch.pump",
                "state": "{{ false }}",
                "turn_on": [],
                "turn_off": [],
            }
        ],
    )
    expose(hass, "switch.pump")
    assert er.async_get(hass).async_get("switch.pump") is None
    assert names(await started(hass)) == set()

    said = HouseOptions(unregistered={"switch.pump": "template"})
    house = await started(hass, said)
    assert names(house) == {"switch.pump"}
    assert named(house, "switch.pump").id == "switch.pump"

    # Another integration's entity under that name is a stranger.
    other = await started(hass, HouseOptions(unregistered={"switch.pump": "tasmota"}))
    assert names(other) == set()
    assert other.device("switch.pump") is None

    # And so is one that has an entry by now.
    er.async_get(hass).async_get_or_create(
        "switch", "template", "new", object_id_base="pump"
    )
    er.async_get(hass)
    if er.async_get(hass).async_get("switch.pump") is None:
        registered = er.async_get(hass).async_get_entity_id("switch", "template", "new")
        assert registered is not None
        hass.states.async_remove("switch.pump")
        er.async_get(hass).async_update_entity(registered, new_entity_id="switch.pump")
    assert house.device("switch.pump") is None


async def test_what_is_not_a_device(hass: HomeAssistant) -> None:
    await set_up(hass, [lamp("hall")])
    assert await async_setup_component(
        hass, "script", {"script": {"all_off": {"sequence": []}}}
    )
    assert await async_setup_component(
        hass,
        "automation",
        {"automation": {"id": "1", "alias": "x", "triggers": [], "actions": []}},
    )
    assert await async_setup_component(
        hass, "scene", {"scene": {"name": "Movie", "id": "1", "entities": {}}}
    )
    await hass.async_block_till_done()
    own = er.async_get(hass).async_get_or_create(
        "switch", "hearthnet", "1", object_id_base="actuation"
    )
    hass.states.async_set(own.entity_id, "on")
    others = ("script.all_off", "automation.x", "scene.movie", own.entity_id)
    expose(hass, *others)
    house = await started(hass)
    assert names(house) == {"light.hall"}
    for entity_id in others:
        assert house.device(device_id(hass, entity_id)) is None


async def test_groups_of_the_group_integration(hass: HomeAssistant) -> None:
    await set_up(hass, [lamp("a"), lamp("b"), lamp("c")])
    await group(hass, "light", "Pair", ["light.a", "light.b"])
    await group(hass, "light", "Nest", ["light.pair", "light.c", "light.nest"])
    house = await started(hass)
    ids = [device_id(hass, f"light.{key}") for key in "abc"]
    assert named(house, "light.pair").members == tuple(ids[:2])
    assert named(house, "light.nest").members == tuple(ids)
    assert is_native(hass, "light.pair")

    # A group whose members are all gone hides them; HearthNet remembers.
    for key in "ab":
        hass.states.async_set(f"input_boolean.{key}", "unavailable")
    await hass.async_block_till_done()
    pair = hass.states.get("light.pair")
    assert pair is not None
    assert pair.state == "unavailable"
    assert "entity_id" not in pair.attributes
    assert named(house, "light.pair").members == tuple(ids[:2])


async def test_groups_that_home_assistant_expands(hass: HomeAssistant) -> None:
    await set_up(
        hass,
        [lamp("a"), lamp("b")],
        lock=[
            {
                "name": key,
                "unique_id": f"lock_{key}",
                "default_entity_id": f"lock.{key}",
                "state": "locked",
                "lock": [],
                "unlock": [],
            }
            for key in ("front", "back")
        ],
    )
    assert await async_setup_component(
        hass,
        "group",
        {
            "group": {
                "lamps": {"entities": ["light.a", "light.b"]},
                "mixed": {"entities": ["light.a", "lock.front"]},
            }
        },
    )
    await hass.async_block_till_done()
    await group(hass, "lock", "Doors", ["lock.front", "lock.back"])
    registry = er.async_get(hass)
    assert registry.async_get("group.lamps") is None
    house = await started(
        hass,
        HouseOptions(unregistered={"group.lamps": "group", "group.mixed": "group"}),
    )
    expose(hass, "group.lamps", "group.mixed", "lock.doors")
    lamps = named(house, "group.lamps")
    assert lamps.domain == "light"
    assert lamps.members == (device_id(hass, "light.a"), device_id(hass, "light.b"))
    assert not is_native(hass, "group.lamps")
    # No operation is one of lamps and locks both.
    assert "group.mixed" not in names(house)

    doors = named(house, "lock.doors")
    assert {house.entity_id(m) for m in doors.members} == {"lock.front", "lock.back"}
    assert not is_native(hass, "lock.doors")


class ZigbeeLight(LightEntity):
    """A light that may be a group with one command on the air."""

    _attr_color_mode = ColorMode.ONOFF
    _attr_is_on = False

    def __init__(
        self, unique_id: str, members: list[str] | None = None, **attributes: Any
    ) -> None:
        self._attr_supported_color_modes = {ColorMode.ONOFF}
        self._attr_unique_id = unique_id
        self._attr_name = unique_id
        self._attr_extra_state_attributes = attributes
        if members:
            self.group = IntegrationSpecificGroup(self, members)


async def test_groups_with_one_command(hass: HomeAssistant) -> None:
    assert await async_setup_component(hass, "homeassistant", {})
    platform = MockEntityPlatform(hass, domain="light", platform_name="zha")
    platform.config_entry = MockConfigEntry(domain="zha")
    platform.config_entry.add_to_hass(hass)
    await platform.async_add_entities(
        [ZigbeeLight("one"), ZigbeeLight("two"), ZigbeeLight("all", ["one", "two"])]
    )
    house = await started(hass)
    ids = {d.name: d.id for d in house.devices()}
    assert named(house, "light.all").members == (ids["one"], ids["two"])
    assert is_native(hass, "light.all")


async def test_hue_rooms(hass: HomeAssistant) -> None:
    """No helper knows them as groups; their attribute lists the lamps."""
    assert await async_setup_component(hass, "homeassistant", {})
    platform = MockEntityPlatform(hass, domain="light", platform_name="hue")
    platform.config_entry = MockConfigEntry(domain="hue")
    platform.config_entry.add_to_hass(hass)
    await platform.async_add_entities(
        [
            ZigbeeLight("one"),
            ZigbeeLight("two"),
            ZigbeeLight("room", entity_id={"light.one", "light.two"}),
        ]
    )
    house = await started(hass)
    ids = {d.name: d.id for d in house.devices()}
    assert named(house, "light.room").members == (ids["one"], ids["two"])
    assert is_native(hass, "light.room")


async def test_a_switch_shown_as_a_light_is_one_device(hass: HomeAssistant) -> None:
    await set_up(
        hass,
        switch=[
            {
                "name": "Plug",
                "unique_id": "plug",
                "default_entity_id": "switch.plug",
                "state": "{{ false }}",
                "turn_on": [],
                "turn_off": [],
            }
        ],
    )
    entry = MockConfigEntry(
        domain="switch_as_x",
        title="Plug",
        version=1,
        minor_version=3,
        options={
            "entity_id": device_id(hass, "switch.plug"),
            "target_domain": "light",
            "invert": False,
        },
    )
    entry.add_to_hass(hass)
    assert await hass.config_entries.async_setup(entry.entry_id)
    await hass.async_block_till_done()
    expose(hass, "light.plug", "switch.plug")
    house = await started(hass)
    plug = device_id(hass, "switch.plug")
    assert named(house, "light.plug").physical == plug
    assert named(house, "light.plug").key == named(house, "switch.plug").key == plug


@pytest.mark.parametrize(
    ("group_id", "allowed"), [(GROUP_ID_USER, True), (GROUP_ID_READ_ONLY, False)]
)
async def test_users_have_their_own_rights(
    hass: HomeAssistant, group_id: str, allowed: bool
) -> None:
    await set_up(hass, [lamp("hall")])
    house = await started(hass)
    hall = named(house, "light.hall").id
    owner = await hass.auth.async_create_user("Olga")  # the first one is the owner
    user = await hass.auth.async_create_user("Ana", group_ids=[group_id])
    await hass.async_block_till_done()
    principal = house.people.principal(user.id)
    assert principal == Principal(kind="user", id=user.id, name="Ana")
    assert house.may_control(principal, hall) is allowed
    first = house.people.principal(owner.id)
    assert first is not None
    assert first.role == "owner"
    assert house.may_control(first, hall)

    await hass.auth.async_update_user(user, group_ids=[GROUP_ID_READ_ONLY])
    await hass.async_block_till_done()
    assert not house.may_control(principal, hall)
    assert house.people.may_read(principal, "light.hall")
    await hass.auth.async_update_user(user, group_ids=[])
    await hass.async_block_till_done()
    assert not house.people.may_read(principal, "light.hall")
    await hass.auth.async_remove_user(user)
    await hass.async_block_till_done()
    assert house.people.principal(user.id) is None
    assert not house.may_control(principal, hall)


async def test_roles(hass: HomeAssistant) -> None:
    await set_up(hass, [lamp("hall")])
    user = await hass.auth.async_create_user("Ben", group_ids=[GROUP_ID_USER])
    house = await started(hass, HouseOptions(roles={user.id: "child"}))
    child = house.people.principal(user.id)
    assert child is not None
    assert child.role == "child"
    hall = named(house, "light.hall").id

    def may(kind: str, role: str) -> bool:
        someone = Principal(kind=kind, id="x", name="x", role=role)
        return house.may_control(someone, hall)

    assert may("satellite", "guest")
    assert may("system", "")
    assert not may("satellite", "stranger")
    assert not may("user", "owner")
    assert not house.may_control(
        Principal(kind="satellite", id="x", name="x"), "no such device"
    )


async def test_our_own_user_is_found_again(hass: HomeAssistant) -> None:
    made = await async_own_user(hass, None)
    assert made.system_generated
    assert [group.id for group in made.groups] == [GROUP_ID_USER]
    assert (await async_own_user(hass, made.id)).id == made.id
    assert (await async_own_user(hass, "lost")).id != made.id


async def test_listeners_hear_of_changes(hass: HomeAssistant) -> None:
    await set_up(hass, [lamp("hall")])
    house = await started(hass)
    list(house.devices())
    heard: list[int] = []
    stop = house.async_listen(lambda: heard.append(1))
    await hass.async_block_till_done()
    heard.clear()
    expose(hass, "light.hall", exposed=False)
    assert heard
    stop()
    heard.clear()
    expose(hass, "light.hall")
    assert not heard
