"""What stands open at people's places, kept so that the next boot can end it.

A message with buttons, or one that says that something is being done, outlives
HearthNet; after a power cut too it shall not look live.
"""

from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.helpers.storage import Store

from ..const import DOMAIN

VERSION = 1
NOTIFY = "notify"
TELEGRAM = "telegram"
"""Channels that leave something open."""

type Place = dict[str, Any]
"""Where something stands, in a channel's own terms."""


def kept_store(
    hass: HomeAssistant, entry_id: str, channel: str
) -> Store[dict[str, Place]]:
    """Return where a channel keeps what stands open."""
    return Store(hass, VERSION, f"{DOMAIN}.{entry_id}.{channel}")


class Kept:
    """What a channel has left open, by a name of its own."""

    def __init__(self, hass: HomeAssistant, entry_id: str, channel: str) -> None:
        """Take the store; nothing is read yet."""
        self._store = kept_store(hass, entry_id, channel)
        self._places: dict[str, Place] = {}

    async def async_left(self) -> dict[str, Place]:
        """Return what an earlier boot has left open."""
        self._places = await self._store.async_load() or {}
        return dict(self._places)

    async def async_keep(self, name: str, place: Place) -> None:
        """Note something that stands open; returns when it is on the disk."""
        if self._places.get(name) != place:
            self._places[name] = place
            await self._store.async_save(self._places)

    async def async_forget(self, name: str) -> None:
        """Note that something stands open no more."""
        if self._places.pop(name, None) is not None:
            await self._store.async_save(self._places)
