"""Where entities are, in names that people know."""

from dataclasses import dataclass

from homeassistant.core import HomeAssistant
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
