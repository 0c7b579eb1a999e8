"""The guard of holds: tells when something past HearthNet changes what is held."""

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.dispatcher import async_dispatcher_connect

from .const import CONF_GUARD, DEFAULT_GUARD
from .coordinator import SIGNAL_NEWS, HearthnetConfigEntry
from .core.news import HoldBroken, News
from .notices import async_tell_broken


@callback
def async_setup_guard(hass: HomeAssistant, entry: HearthnetConfigEntry) -> None:
    """Notify of broken holds if the owner wants that; they are on record anyway."""
    if entry.options.get(CONF_GUARD, DEFAULT_GUARD) != "notify":
        return

    @callback
    def heard(news: News) -> None:
        if isinstance(news, HoldBroken):
            entry.async_create_task(hass, async_tell_broken(hass, news))

    entry.async_on_unload(async_dispatcher_connect(hass, SIGNAL_NEWS, heard))
