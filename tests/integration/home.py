"""A small home of real entities: helpers with templates on them, groups, areas."""

from collections.abc import Iterable
from typing import Any

from homeassistant.components.homeassistant.exposed_entities import (
    async_expose_entity,
    async_should_expose,
)
from homeassistant.components.light import LightEntity
from homeassistant.core import HomeAssistant
from homeassistant.helpers import (
    area_registry as ar,
    entity_registry as er,
    floor_registry as fr,
)
from homeassistant.setup import async_setup_component
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    setup_test_component_platform,
)


def turn(entity_id: str, action: str, **data: Any) -> dict[str, Any]:
    """Return an action on a helper for a template's script."""
    domain = entity_id.partition(".")[0]
    return {
        "action": f"{domain}.{action}",
        "target": {"entity_id": entity_id},
        "data": data,
    }


def lamp(key: str, *, before: Iterable[dict[str, Any]] = ()) -> dict[str, Any]:
    """Return a template light `key` on `input_boolean.<key>` and `input_number.<key>`.

    `before` runs before each of its actions: a delay, or a failure.
    """
    on, level = f"input_boolean.{key}", f"input_number.{key}"
    before = list(before)
    return {
        "name": key.replace("_", " ").capitalize(),
        "unique_id": f"lamp_{key}",
        "default_entity_id": f"light.{key}",
        "state": f"{{{{ states('{on}') }}}}",
        "level": f"{{{{ states('{level}') | int }}}}",
        "availability": f"{{{{ not is_state('{on}', 'unavailable') }}}}",
        "turn_on": [*before, turn(on, "turn_on")],
        "turn_off": [*before, turn(on, "turn_off")],
        "set_level": [
            *before,
            turn(on, "turn_on"),
            turn(level, "set_value", value="{{ brightness }}"),
        ],
    }


async def set_up(
    hass: HomeAssistant, lights: Iterable[dict[str, Any]] = (), **template: Any
) -> None:
    """Set up the helpers that lights need, the lights, and other templates."""
    lights = list(lights)
    keys = [light["unique_id"].removeprefix("lamp_") for light in lights]
    assert await async_setup_component(hass, "homeassistant", {})
    assert await async_setup_component(
        hass, "input_boolean", {"input_boolean": {key: {} for key in keys}}
    )
    numbers = {key: {"min": 0, "max": 255, "initial": 128} for key in keys}
    assert await async_setup_component(hass, "input_number", {"input_number": numbers})
    blocks = [{"light": lights}] if lights else []
    blocks += [{domain: entities} for domain, entities in template.items()]
    if blocks:
        assert await async_setup_component(hass, "template", {"template": blocks})
    await hass.async_block_till_done()
    # As the conversation integration does at start. Asked later, an entity's first
    # answer goes into its registry entry, and the entity writes its state anew.
    for entity_id in hass.states.async_entity_ids():
        async_should_expose(hass, "conversation", entity_id)
    await hass.async_block_till_done()


def expose(hass: HomeAssistant, *entity_ids: str, exposed: bool = True) -> None:
    """Expose entities to voice assistants, hence to HearthNet."""
    for entity_id in entity_ids:
        async_expose_entity(hass, "conversation", entity_id, exposed)


def place(hass: HomeAssistant, area: str, *entity_ids: str, floor: str = "") -> str:
    """Put entities into an area; return its id."""
    areas = ar.async_get(hass)
    entry = areas.async_get_area_by_name(area) or areas.async_create(area)
    if floor:
        floors = fr.async_get(hass)
        level = floors.async_get_floor_by_name(floor) or floors.async_create(floor)
        areas.async_update(entry.id, floor_id=level.floor_id)
    for entity_id in entity_ids:
        er.async_get(hass).async_update_entity(entity_id, area_id=entry.id)
    return entry.id


def device_id(hass: HomeAssistant, entity_id: str) -> str:
    """Return the id under which HearthNet knows an entity."""
    entry = er.async_get(hass).async_get(entity_id)
    assert entry is not None
    return entry.id


async def group(
    hass: HomeAssistant, domain: str, name: str, members: list[str], **options: Any
) -> MockConfigEntry:
    """Add a group of the group integration."""
    entry = MockConfigEntry(
        domain="group",
        title=name,
        version=1,
        minor_version=1,
        options={
            "group_type": domain,
            "name": name,
            "entities": members,
            "hide_members": False,
            **options,
        },
    )
    entry.add_to_hass(hass)
    assert await hass.config_entries.async_setup(entry.entry_id)
    await hass.async_block_till_done()
    return entry


async def setup_lights(hass: HomeAssistant, lights: list[LightEntity]) -> None:
    """Set up light entities of a test's own making."""
    assert await async_setup_component(hass, "homeassistant", {})
    setup_test_component_platform(hass, "light", lights)
    assert await async_setup_component(hass, "light", {"light": {"platform": "test"}})
    await hass.async_block_till_done()
