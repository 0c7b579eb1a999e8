"""Groups of four kinds: which entities move when one of them is told to.

- `group.*` and lock groups: Home Assistant itself expands them, the entity's own
  method is never called.
- light, cover, fan, switch and player groups of the group integration: they forward
  the action to their members.
- ZHA, MQTT and WLED groups: one command on the air.
- Hue's rooms and zones: ordinary lights that only list their lamps.
"""

from collections.abc import Iterator
from typing import Any

from homeassistant.const import ATTR_ENTITY_ID
from homeassistant.core import HomeAssistant, State, callback
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.group import GenericGroup, get_entity_ids, get_group_entities

PLATFORM = "group"
GROUP_ENTITIES = "group_entities"


@callback
def leaves(hass: HomeAssistant, entity_id: str) -> tuple[str, ...]:
    """Return the entities at the ends of a group, through groups of groups.

    Empty when the entity is no group.
    """
    seen = {entity_id}

    def ends(parent: str) -> Iterator[str]:
        for member in _members(hass, parent):
            if member in seen:
                continue
            seen.add(member)
            inner = list(ends(member))
            # A group whose members are all known already has no ends of its own.
            if inner or not _members(hass, member):
                yield from inner or (member,)

    return tuple(ends(entity_id))


@callback
def is_native(hass: HomeAssistant, entity_id: str) -> bool:
    """Tell whether the group's own method runs when the group is told something.

    If so, one call moves all members together: no lamp after the other, and one
    frame on a Zigbee network instead of a flood.
    """
    if entity_id.startswith("group."):
        return False
    entity = get_group_entities(hass).get(entity_id)
    return entity is None or not isinstance(entity.group, GenericGroup)


@callback
def _members(hass: HomeAssistant, entity_id: str) -> list[str]:
    if entity_id.startswith("group."):
        return get_entity_ids(hass, entity_id)
    if (entity := get_group_entities(hass).get(entity_id)) is not None and entity.group:
        return entity.group.member_entity_ids
    if (state := hass.states.get(entity_id)) is not None:
        for attribute in (ATTR_ENTITY_ID, GROUP_ENTITIES):
            if listed := _entity_ids(state, attribute):
                return listed
    return _configured(hass, entity_id)


def _entity_ids(state: State, attribute: str) -> list[str]:
    value: Any = state.attributes.get(attribute)
    if isinstance(value, set | frozenset):
        value = sorted(value, key=str)
    if not isinstance(value, list | tuple):
        return []
    return [item for item in value if isinstance(item, str) and "." in item]


@callback
def _configured(hass: HomeAssistant, entity_id: str) -> list[str]:
    """Return what a helper was given; unavailable, it shows no members."""
    entry = er.async_get(hass).async_get(entity_id)
    if entry is None or entry.platform != PLATFORM or entry.config_entry_id is None:
        return []
    config = hass.config_entries.async_get_entry(entry.config_entry_id)
    if config is None:
        return []
    registry = er.async_get(hass)
    named = config.options.get("entities", ())
    return [
        member
        for item in named
        if (member := er.async_resolve_entity_id(registry, item)) is not None
    ]
