"""The lamp with a switch on the wall."""

from typing import Any, override

from homeassistant.components.light import ColorMode, LightEntity
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.dispatcher import async_dispatcher_connect
from homeassistant.helpers.entity_platform import AddEntitiesCallback
from homeassistant.helpers.typing import ConfigType, DiscoveryInfoType

from . import PRESSED


async def async_setup_platform(
    _hass: HomeAssistant,
    _config: ConfigType,
    async_add_entities: AddEntitiesCallback,
    _discovery_info: DiscoveryInfoType | None = None,
) -> None:
    """Set up the lamp."""
    async_add_entities([WiredLight()])


class WiredLight(LightEntity):
    """A lamp that can be switched on the wall, too."""

    _attr_name = "Hall light"
    _attr_unique_id = "hall_light"
    _attr_should_poll = False
    _attr_color_mode = ColorMode.ONOFF
    _attr_supported_color_modes = frozenset({ColorMode.ONOFF})  # type: ignore[assignment]
    _attr_is_on = False

    @override
    async def async_added_to_hass(self) -> None:
        self.async_on_remove(
            async_dispatcher_connect(self.hass, PRESSED, self._pressed)
        )

    @callback
    def _pressed(self) -> None:
        self._context = None  # a hand at the wall has none
        self._show(on=not self.is_on)

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        self._show(on=True)

    @override
    async def async_turn_off(self, **kwargs: Any) -> None:
        self._show(on=False)

    @callback
    def _show(self, *, on: bool) -> None:
        self._attr_is_on = on
        self.async_write_ha_state()
