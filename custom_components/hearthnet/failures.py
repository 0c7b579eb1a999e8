"""Plans for later that were not done: said where everybody looks.

Whoever asked heard “I will do that at nine” and is in no conversation at nine.
"""

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.dispatcher import async_dispatcher_connect

from .coordinator import SIGNAL_NEWS, HearthnetConfigEntry
from .core.news import News, PlanFailed
from .notices import async_tell_not_done
from .speech import speech


@callback
def async_setup_failures(hass: HomeAssistant, entry: HearthnetConfigEntry) -> None:
    """Notify of each, until the entry is unloaded."""

    @callback
    def heard(news: News) -> None:
        if not isinstance(news, PlanFailed):
            return
        told = None
        if news.result is not None:
            told = speech(entry.runtime_data, news.result, hass.config.language)
        entry.async_create_task(hass, async_tell_not_done(hass, news.plan, told))

    entry.async_on_unload(async_dispatcher_connect(hass, SIGNAL_NEWS, heard))
