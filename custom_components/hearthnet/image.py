"""The last picture that a phone's camera took under a lease."""

from datetime import datetime
from typing import override

from homeassistant.components.image import ImageEntity
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.util import dt as dt_util

from .appliances import PhoneEntity, async_add_cameras
from .coordinator import HearthnetConfigEntry, HearthnetCoordinator
from .core.phone.camera import Picture

PARALLEL_UPDATES = 0


async def async_setup_entry(
    hass: HomeAssistant,
    entry: HearthnetConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the phones' pictures based on a config entry."""
    async_add_cameras(entry, async_add_entities, PhonePicture)


class PhonePicture(PhoneEntity, ImageEntity):
    """A picture; it is kept in memory only, until the next one or a restart."""

    _attr_content_type = "image/jpeg"
    _attr_translation_key = "camera"

    def __init__(self, coordinator: HearthnetCoordinator, phone: str) -> None:
        """Initialize the image."""
        PhoneEntity.__init__(self, coordinator, phone, "camera")
        ImageEntity.__init__(self, coordinator.hass)
        self._shown: Picture | None = None
        self._taken: datetime | None = None

    @property
    @override
    def image_last_updated(self) -> datetime | None:
        """Return when the picture came; None without one."""
        return self._taken

    @override
    async def async_image(self) -> bytes | None:
        """Return the picture."""
        return self._shown.data if self._shown else None

    @callback
    @override
    def _handle_coordinator_update(self) -> None:
        """Take a picture that has come."""
        outside = self.coordinator.outside
        picture = outside.pictures.get(self.agent) if outside else None
        if picture is not self._shown:
            self._shown, self._taken = picture, dt_util.utcnow()
        super()._handle_coordinator_update()
