"""Whether agents are reachable, and whether the record is in trouble."""

from collections.abc import Iterator
from typing import override

from homeassistant.components.binary_sensor import (
    BinarySensorDeviceClass,
    BinarySensorEntity,
)
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .coordinator import HearthnetConfigEntry, HearthnetCoordinator
from .core.enrolled import DEWEY
from .entity import HearthnetAgentEntity, HearthnetEntity, async_add_per_agent

PARALLEL_UPDATES = 0


async def async_setup_entry(
    hass: HomeAssistant,
    entry: HearthnetConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up HearthNet binary sensors based on a config entry."""
    async_add_entities([LibrarianProblem(entry.runtime_data)])
    async_add_per_agent(entry, async_add_entities, _of_agent)


def _of_agent(
    coordinator: HearthnetCoordinator, agent: str
) -> Iterator[BinarySensorEntity]:
    """Return what an agent has."""
    found = AgentConnectivity(coordinator, agent)
    yield found
    if found.status is not None and found.status.role == DEWEY:
        yield RecordProblem(coordinator, agent)


class AgentConnectivity(HearthnetAgentEntity, BinarySensorEntity):
    """Tells whether an agent answers."""

    _attr_device_class = BinarySensorDeviceClass.CONNECTIVITY
    _attr_entity_category = EntityCategory.DIAGNOSTIC

    def __init__(self, coordinator: HearthnetCoordinator, agent: str) -> None:
        """Initialize the sensor."""
        super().__init__(coordinator, agent, "online")

    @property
    @override
    def is_on(self) -> bool:
        """Return whether the agent is online."""
        return self.status is not None and self.status.online


class RecordProblem(HearthnetAgentEntity, BinarySensorEntity):
    """Tells whether something is wrong with a librarian elsewhere or its record."""

    _attr_device_class = BinarySensorDeviceClass.PROBLEM
    _attr_entity_category = EntityCategory.DIAGNOSTIC

    def __init__(self, coordinator: HearthnetCoordinator, agent: str) -> None:
        """Initialize the sensor."""
        super().__init__(coordinator, agent, "problem")

    @property
    @override
    def is_on(self) -> bool | None:
        """Return whether there is a problem; unknown while it is away."""
        if self.status is None or not self.status.online:
            return None
        return self.status.problem is not None


class LibrarianProblem(HearthnetEntity, BinarySensorEntity):
    """Tells whether decisions fail to reach the Git repository."""

    _attr_device_class = BinarySensorDeviceClass.PROBLEM
    _attr_entity_category = EntityCategory.DIAGNOSTIC
    _attr_translation_key = "librarian"

    def __init__(self, coordinator: HearthnetCoordinator) -> None:
        """Initialize the sensor."""
        super().__init__(coordinator, "librarian")

    @property
    @override
    def is_on(self) -> bool:
        """Return whether the librarian is away or reports a problem."""
        librarian = self.coordinator.data.librarian
        return not librarian.connected or librarian.problem is not None
