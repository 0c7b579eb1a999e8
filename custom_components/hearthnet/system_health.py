"""What the system page shows."""

from typing import Any

from homeassistant.components.system_health import SystemHealthRegistration
from homeassistant.core import HomeAssistant, callback

from .const import DOMAIN
from .coordinator import HearthnetConfigEntry


@callback
def async_register(hass: HomeAssistant, register: SystemHealthRegistration) -> None:
    """Register the page's information."""
    register.async_register_info(
        _async_info, f"/config/integrations/integration/{DOMAIN}"
    )


async def _async_info(hass: HomeAssistant) -> dict[str, Any]:
    entries: list[HearthnetConfigEntry] = hass.config_entries.async_loaded_entries(
        DOMAIN
    )
    if not entries:
        return {}
    status = entries[0].runtime_data.data
    online = sum(agent.online for agent in status.agents)
    return {
        "boot": status.boot,
        "agents": f"{online} / {len(status.agents)}",
        "journal": "ok" if status.journal else "unwritable",
        "librarian": status.librarian.problem
        or ("ok" if status.librarian.connected else "away"),
        "commit": status.librarian.commit,
        "unrecorded": status.librarian.behind,
    }
