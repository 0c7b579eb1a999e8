"""The button that revokes every lease."""

from typing import override

from homeassistant.components.button import ButtonEntity
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .coordinator import HearthnetConfigEntry, HearthnetCoordinator
from .entity import HearthnetEntity
from .principal import async_caller, requested_by

PARALLEL_UPDATES = 0


async def async_setup_entry(
    hass: HomeAssistant,
    entry: HearthnetConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the HearthNet button based on a config entry."""
    async_add_entities([RevokeAllButton(entry.runtime_data)])


class RevokeAllButton(HearthnetEntity, ButtonEntity):
    """Ends every lease that has not been used."""

    _attr_entity_category = EntityCategory.CONFIG
    _attr_translation_key = "revoke_all"

    def __init__(self, coordinator: HearthnetCoordinator) -> None:
        """Initialize the button."""
        super().__init__(coordinator, "revoke_all")

    @override
    async def async_press(self) -> None:
        """Revoke the leases."""
        caller = await async_caller(self.coordinator, self._context)
        with requested_by(self._context):
            await self.coordinator.hub.control.revoke_all(caller.principal)
