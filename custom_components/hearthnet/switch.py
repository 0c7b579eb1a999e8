"""The switch that stops all actuation, and those that apps on phones have."""

from typing import Any, override

from homeassistant.components.switch import SwitchEntity
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .appliances import AttributeEntity, async_add_controls
from .coordinator import HearthnetConfigEntry, HearthnetCoordinator
from .core.effects import STATE
from .core.phone.controls import ON, Switch
from .core.phone.recipes import Placed
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
    async_add_controls(entry, async_add_entities, Switch, ApplianceSwitch)


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


class ApplianceSwitch(AttributeEntity[Switch], SwitchEntity):
    """Switches an attribute of an appliance in its app."""

    def __init__(
        self, coordinator: HearthnetCoordinator, placed: Placed, control: Switch
    ) -> None:
        """Initialize the switch; the one of the state is called as the appliance."""
        super().__init__(coordinator, placed, control)
        if control.attribute == STATE:
            self._attr_name = None
        shown = (value.means for value in placed.recipe.values.values())
        self._attr_assumed_state = control.attribute not in shown

    @property
    @override
    def is_on(self) -> bool | None:
        """Return whether it is on."""
        return None if self.shown is None else self.shown in ON

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        """Propose to switch it on."""
        await self.async_use(self.control.on)

    @override
    async def async_turn_off(self, **kwargs: Any) -> None:
        """Propose to switch it off."""
        await self.async_use(self.control.off)
