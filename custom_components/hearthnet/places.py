"""Where entities are and what they are called, as people know it."""

from dataclasses import dataclass

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import (
    area_registry as ar,
    device_registry as dr,
    entity_registry as er,
    floor_registry as fr,
    label_registry as lr,
)


@dataclass(frozen=True)
class Place:
    """Where an entity is, in names that people know."""

    area: str | None = None
    floor: str | None = None
    labels: frozenset[str] = frozenset()

    @classmethod
    def of(cls, hass: HomeAssistant, entry: er.RegistryEntry | None) -> Place:
        """Read the registries; an entity has the labels of its device and area too."""
        if entry is None:
            return cls()
        area_id = er.async_get_effective_area_id(hass, entry)
        area = ar.async_get(hass).async_get_area(area_id) if area_id else None
        floor = (
            fr.async_get(hass).async_get_floor(area.floor_id)
            if area is not None and area.floor_id
            else None
        )
        label_ids = set(entry.labels) | (area.labels if area else set())
        device = dr.async_get(hass).async_get(entry.device_id or "")
        label_ids |= device.labels if device else set()
        labels = lr.async_get(hass)
        return cls(
            area=area.name if area else None,
            floor=floor.name if floor else None,
            labels=frozenset(
                label.name
                for label_id in label_ids
                if (label := labels.async_get_label(label_id)) is not None
            ),
        )


@callback
def registered_name(
    hass: HomeAssistant, entry: er.RegistryEntry | None, entity_id: str
) -> str:
    """Return the name of an entity that has no state to tell it."""
    return er.async_get_full_entity_name(hass, entry) if entry else entity_id


@callback
def other_names(
    hass: HomeAssistant, entry: er.RegistryEntry | None, name: str
) -> tuple[str, ...]:
    """Return the other names that a person gave an entity."""
    if entry is None:
        return ()
    names = er.async_get_entity_aliases(hass, entry)
    return tuple(
        dict.fromkeys(n for n in names if n and n.casefold() != name.casefold())
    )
