"""Choices that apps on phones offer."""

from typing import override

from homeassistant.components.select import SelectEntity
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .appliances import ApplianceEntity, async_add_controls, worded
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


class ApplianceSelect(ApplianceEntity, SelectEntity):
    """Chooses something of an appliance in its app."""

    def __init__(
        self, coordinator: HearthnetCoordinator, placed: Placed, control: Select
    ) -> None:
        """Initialize the choice."""
        name = worded(control.attribute)
        super().__init__(coordinator, placed, control.attribute, name)
        self._control = control
        self._attr_options = list(control.options)

    @property
    @override
    def current_option(self) -> str | None:
        """Return what the app has shown last; None if it does not show it."""
        value = self.values.get(self._control.attribute)
        return value if isinstance(value, str) and value in self.options else None

    @override
    async def async_select_option(self, option: str) -> None:
        """Propose an option."""
        control = self._control
        await self.async_use(control.operation, **{control.parameter: option})
