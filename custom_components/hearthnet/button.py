"""Buttons: revoke every lease, renew the hub's key, and those of apps on phones."""

from typing import override

from homeassistant.components.button import ButtonEntity
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .appliances import (
    ApplianceEntity,
    PhoneEntity,
    async_add_cameras,
    async_add_controls,
    async_propose,
    titled,
)
from .coordinator import HearthnetConfigEntry, HearthnetCoordinator
from .core.phone.camera import CAMERAS, TAKE_PICTURE, camera_id
from .core.phone.controls import Button
from .core.phone.recipes import Placed
from .entity import HearthnetEntity
from .principal import async_caller, requested_by

PARALLEL_UPDATES = 0


async def async_setup_entry(
    hass: HomeAssistant,
    entry: HearthnetConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the HearthNet button based on a config entry."""
    coordinator = entry.runtime_data
    async_add_entities([RevokeAllButton(coordinator), RenewKeyButton(coordinator)])
    async_add_controls(entry, async_add_entities, Button, ApplianceButton)
    async_add_cameras(entry, async_add_entities, TakePictureButton)


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


class RenewKeyButton(HearthnetEntity, ButtonEntity):
    """Gives the hub a new key; companions follow by themselves."""

    _attr_entity_category = EntityCategory.CONFIG
    _attr_entity_registry_enabled_default = False
    _attr_translation_key = "renew_key"

    def __init__(self, coordinator: HearthnetCoordinator) -> None:
        """Initialize the button."""
        super().__init__(coordinator, "renew_key")

    @override
    async def async_press(self) -> None:
        """Renew the key; the hub starts anew."""
        caller = await async_caller(self.coordinator, self._context)
        await self.coordinator.async_renew_key(caller.principal)


class ApplianceButton(ApplianceEntity, ButtonEntity):
    """Does one thing in an appliance's app."""

    def __init__(
        self, coordinator: HearthnetCoordinator, placed: Placed, control: Button
    ) -> None:
        """Initialize the button."""
        name = titled(control.title, coordinator.hass)
        super().__init__(coordinator, placed, control.operation, name)
        self._control = control

    @override
    async def async_press(self) -> None:
        """Propose it."""
        await self.async_use(self._control.operation)


class TakePictureButton(PhoneEntity, ButtonEntity):
    """Takes a picture with the phone's main camera."""

    _attr_translation_key = "take_picture"

    def __init__(self, coordinator: HearthnetCoordinator, phone: str) -> None:
        """Initialize the button."""
        super().__init__(coordinator, phone, "take_picture")

    @override
    async def async_press(self) -> None:
        """Propose it; a person may have to agree first."""
        camera = {"camera": CAMERAS[0]}
        await async_propose(self, camera_id(self.agent), TAKE_PICTURE, camera)
