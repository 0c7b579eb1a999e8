"""Choices that apps on phones offer."""

from typing import override

from homeassistant.components.select import SelectEntity
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .appliances import AttributeEntity, async_add_controls
from .coordinator import HearthnetConfigEntry, HearthnetCoordinator
from .core.phone.controls import Select
from .core.phone.recipes import Placed

PARALLEL_UPDATES = 0


async def async_setup_entry(
    hass: HomeAssistant,
    entry: HearthnetConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the appliances' choices based on a config entry."""
    async_add_controls(entry, async_add_entities, Select, ApplianceSelect)


class ApplianceSelect(AttributeEntity[Select], SelectEntity):
    """Chooses something of an appliance in its app."""

    def __init__(
        self, coordinator: HearthnetCoordinator, placed: Placed, control: Select
    ) -> None:
        """Initialize the choice."""
        super().__init__(coordinator, placed, control)
        self._attr_options = list(control.options)

    @property
    @override
    def current_option(self) -> str | None:
        """Return what is chosen; None if the app does not show it."""
        option = self.shown
        return option if isinstance(option, str) and option in self.options else None

    @override
    async def async_select_option(self, option: str) -> None:
        """Propose an option."""
        control = self.control
        await self.async_use(control.operation, **{control.parameter: option})
