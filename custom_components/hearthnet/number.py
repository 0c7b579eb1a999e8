"""Numbers that apps on phones let one set."""

from typing import override

from homeassistant.components.number import NumberEntity
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .appliances import AttributeEntity, async_add_controls, unscaled
from .coordinator import HearthnetConfigEntry, HearthnetCoordinator
from .core.phone.controls import Number
from .core.phone.recipes import Placed

PARALLEL_UPDATES = 0


async def async_setup_entry(
    hass: HomeAssistant,
    entry: HearthnetConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the appliances' numbers based on a config entry."""
    async_add_controls(entry, async_add_entities, Number, ApplianceNumber)


class ApplianceNumber(AttributeEntity[Number], NumberEntity):
    """Sets a number of an appliance in its app."""

    _attr_native_step = 1

    def __init__(
        self, coordinator: HearthnetCoordinator, placed: Placed, control: Number
    ) -> None:
        """Initialize the number."""
        super().__init__(coordinator, placed, control)
        self._attr_native_min_value = control.minimum
        self._attr_native_max_value = control.maximum
        self._attr_native_unit_of_measurement = (control.unit or "").strip() or None

    @property
    @override
    def native_value(self) -> float | None:
        """Return the number, as the app shows it."""
        return unscaled(self.shown, self.control.scale)

    @override
    async def async_set_native_value(self, value: float) -> None:
        """Propose a value; apps know whole numbers only."""
        control = self.control
        await self.async_use(control.operation, **{control.parameter: round(value)})
