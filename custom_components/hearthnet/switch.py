"""The switch that stops all actuation."""

from typing import Any, override

from homeassistant.components.switch import SwitchEntity
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
    """Set up the HearthNet switch based on a config entry."""
    async_add_entities([ActuationSwitch(entry.runtime_data)])


class ActuationSwitch(HearthnetEntity, SwitchEntity):
    """While it is off nothing is granted, and what was granted is revoked."""

    _attr_entity_category = EntityCategory.CONFIG
    _attr_translation_key = "actuation"

    def __init__(self, coordinator: HearthnetCoordinator) -> None:
        """Initialize the switch."""
        super().__init__(coordinator, "actuation")

    @property
    @override
    def is_on(self) -> bool:
        """Return whether leases are granted."""
        return self.coordinator.data.enabled

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        """Let leases be granted."""
        await self._async_set(enabled=True)

    @override
    async def async_turn_off(self, **kwargs: Any) -> None:
        """Grant nothing and revoke what was granted."""
        await self._async_set(enabled=False)

    async def _async_set(self, *, enabled: bool) -> None:
        caller = await async_caller(self.coordinator, self._context)
        with requested_by(self._context):
            await self.coordinator.hub.control.set_enabled(enabled, caller.principal)
