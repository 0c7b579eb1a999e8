"""Plugs that say nothing about themselves: a lamp, or the freezer."""

from homeassistant.components.homeassistant.exposed_entities import async_should_expose
from homeassistant.components.switch import DOMAIN as SWITCH_DOMAIN
from homeassistant.const import ATTR_DEVICE_CLASS
from homeassistant.core import HomeAssistant, callback

from .house import ASSISTANT


@callback
def async_unclear_plugs(hass: HomeAssistant) -> list[str]:
    """Return the exposed switches without a device class, by entity id."""
    return sorted(
        state.entity_id
        for state in hass.states.async_all(SWITCH_DOMAIN)
        if ATTR_DEVICE_CLASS not in state.attributes
        and async_should_expose(hass, ASSISTANT, state.entity_id)
    )
