"""Logs once who went away, and once who is there again."""

from homeassistant.core import callback

from .const import LOGGER
from .core.status import HubStatus


@callback
def async_log_agents(before: HubStatus, status: HubStatus) -> None:
    """Log which companions went or came between two looks at the hub."""
    known = {agent.name: agent.online for agent in before.agents}
    for agent in status.agents:
        was = known.get(agent.name)
        if agent.role is None or was is None or was is agent.online:
            continue
        if agent.online:
            LOGGER.info("%s is connected", agent.name)
        else:
            LOGGER.info("%s is not connected any more", agent.name)
