"""Diagnostics: the state of the hub without names, words or whereabouts."""

from collections import Counter
from dataclasses import asdict
from typing import Any

from homeassistant.components.diagnostics import REDACTED, async_redact_data
from homeassistant.const import CONF_API_KEY, CONF_PASSWORD, CONF_USERNAME
from homeassistant.core import HomeAssistant

from .const import CONF_PLANNER
from .coordinator import HearthnetConfigEntry

TO_REDACT = {
    CONF_API_KEY,
    CONF_PASSWORD,
    CONF_USERNAME,
    "content",
    "entity",
    "evidence",
    "host",
    "key",
    "name",
    "principal",
    "problem",
    "repository",
    "telegram",
    "text",
    "title",
    "unique_id",
    "user",
}
"""Keys whose values can tell who lives here and what they said."""


async def async_get_config_entry_diagnostics(
    hass: HomeAssistant, entry: HearthnetConfigEntry
) -> dict[str, Any]:
    """Return diagnostics for a config entry."""
    coordinator = entry.runtime_data
    status = coordinator.data
    devices = list(coordinator.home.devices())
    last, outside = coordinator.model.last, coordinator.outside
    return {
        "entry": async_redact_data(entry.as_dict(), TO_REDACT),
        "status": {
            "boot": status.boot,
            "open": status.open,
            "enabled": status.enabled,
            "agents": [asdict(agent) for agent in status.agents],
            "leases": len(status.leases),
            "holds": Counter(f"{h.source} {h.attribute}" for h in status.holds),
            "journal": status.journal,
            "librarian": {
                "connected": status.librarian.connected,
                "commit": status.librarian.commit,
                "behind": status.librarian.behind,
                "problem": REDACTED if status.librarian.problem else None,
            },
        },
        "model": {
            "planner": entry.options.get(CONF_PLANNER),
            "budget": coordinator.model.budget.as_dict(),
            "last": last.as_dict() if last else None,
        },
        # Without values: the app in front tells what somebody does.
        "phones": {
            name: {
                "problem": report.problem,
                "apps": dict(report.apps),
                "senses": sorted(report.values),
                "camera": report.camera,
            }
            for name, report in (outside.phones if outside else {}).items()
        },
        "devices": Counter(device.domain for device in devices),
        "last": async_redact_data(status.last.step.as_dict(), TO_REDACT)
        if status.last
        else None,
    }
