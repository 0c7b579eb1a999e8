"""Entries that an older version wrote."""

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import ConfigEntryError

from .const import CONF_PLANNER, DEFAULT_PLANNER, DOMAIN

VERSION = 1


async def async_migrate(hass: HomeAssistant, entry: ConfigEntry) -> None:
    """Bring an entry to the present form.

    Raises:
        ConfigEntryError: it was written by a newer version.
    """
    if entry.version > VERSION:
        raise ConfigEntryError(
            translation_domain=DOMAIN, translation_key="entry_from_the_future"
        )
    if entry.minor_version < 2:
        # Before there was a choice of planners there was none with a model.
        options = {CONF_PLANNER: DEFAULT_PLANNER, **entry.options}
        hass.config_entries.async_update_entry(entry, options=options, minor_version=2)
