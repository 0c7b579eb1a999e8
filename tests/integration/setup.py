"""HearthNet set up in a test's Home Assistant, with a real hub and librarian."""

import asyncio
from typing import Any

from homeassistant.core import HomeAssistant
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.hearthnet.const import DOMAIN

ENTRY_ID = "01hearthnet"
OPTIONS = {
    "policy": "balanced",
    "voice_role": "resident",
    "free_plugs": [],
    "planner": "none",
}


def add_entry(
    hass: HomeAssistant, data: dict[str, Any] | None = None, **options: Any
) -> MockConfigEntry:
    """Add the entry without setting it up."""
    entry = MockConfigEntry(
        domain=DOMAIN,
        entry_id=ENTRY_ID,
        title="Home",
        data=data or {},
        options=OPTIONS | options,
        minor_version=2,
    )
    entry.add_to_hass(hass)
    return entry


async def set_up_hearthnet(
    hass: HomeAssistant, data: dict[str, Any] | None = None, **options: Any
) -> MockConfigEntry:
    """Set the entry up and return once the hub grants."""
    entry = add_entry(hass, data, **options)
    assert await hass.config_entries.async_setup(ENTRY_ID)
    await hass.async_block_till_done()
    assert entry.runtime_data.data.open
    return entry


async def recorded(entry: MockConfigEntry) -> None:
    """Wait until everything that happened so far is durable in Git."""
    coordinator = entry.runtime_data
    await coordinator.hub.node.sync()
    changed = asyncio.Event()
    stop = coordinator.async_add_listener(changed.set)
    async with asyncio.timeout(20):
        while (
            coordinator.data.librarian.behind or not coordinator.data.librarian.commit
        ):
            await changed.wait()
            changed.clear()
    stop()
