"""Numbers of the hub and of its agents."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import override

from homeassistant.components.sensor import (
    SensorDeviceClass,
    SensorEntity,
    SensorEntityDescription,
    SensorStateClass,
)
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .coordinator import HearthnetConfigEntry, HearthnetCoordinator
from .core.status import HubStatus
from .entity import (
    DECIDED,
    HearthnetAgentEntity,
    HearthnetEntity,
    async_add_per_agent,
)

PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class HearthnetSensorEntityDescription(SensorEntityDescription):
    """Describes a sensor of the hub."""

    value_fn: Callable[[HubStatus], str | int | None]


SENSORS: tuple[HearthnetSensorEntityDescription, ...] = (
    HearthnetSensorEntityDescription(
        key="active_leases",
        translation_key="active_leases",
        state_class=SensorStateClass.MEASUREMENT,
        value_fn=lambda status: len(status.leases),
    ),
    HearthnetSensorEntityDescription(
        key="holds",
        translation_key="holds",
        state_class=SensorStateClass.MEASUREMENT,
        value_fn=lambda status: len(status.holds),
    ),
    HearthnetSensorEntityDescription(
        key="questions",
        translation_key="questions",
        state_class=SensorStateClass.MEASUREMENT,
        value_fn=lambda status: len(status.questions),
    ),
    HearthnetSensorEntityDescription(
        key="head",
        translation_key="head",
        entity_category=EntityCategory.DIAGNOSTIC,
        value_fn=lambda status: status.librarian.commit,
    ),
    HearthnetSensorEntityDescription(
        key="unrecorded",
        translation_key="unrecorded",
        entity_category=EntityCategory.DIAGNOSTIC,
        entity_registry_enabled_default=False,
        state_class=SensorStateClass.MEASUREMENT,
        value_fn=lambda status: status.librarian.behind,
    ),
    HearthnetSensorEntityDescription(
        key="last_decision",
        translation_key="last_decision",
        device_class=SensorDeviceClass.ENUM,
        options=list(DECIDED),
        value_fn=lambda status: status.last.step.outcome if status.last else None,
    ),
)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: HearthnetConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up HearthNet sensors based on a config entry."""
    async_add_entities(
        HearthnetSensor(entry.runtime_data, description) for description in SENSORS
    )
    async_add_per_agent(entry, async_add_entities, lambda *args: [OpenTasks(*args)])


class HearthnetSensor(HearthnetEntity, SensorEntity):
    """A sensor of the hub."""

    entity_description: HearthnetSensorEntityDescription

    def __init__(
        self,
        coordinator: HearthnetCoordinator,
        description: HearthnetSensorEntityDescription,
    ) -> None:
        """Initialize the sensor."""
        super().__init__(coordinator, description.key)
        self.entity_description = description

    @property
    @override
    def native_value(self) -> str | int | None:
        """Return the value."""
        return self.entity_description.value_fn(self.coordinator.data)


class OpenTasks(HearthnetAgentEntity, SensorEntity):
    """How many tasks an agent has not finished."""

    _attr_state_class = SensorStateClass.MEASUREMENT
    _attr_translation_key = "open_tasks"

    def __init__(self, coordinator: HearthnetCoordinator, agent: str) -> None:
        """Initialize the sensor."""
        super().__init__(coordinator, agent, "open_tasks")

    @property
    @override
    def native_value(self) -> int | None:
        """Return the count; unknown while the hub does not know the agent."""
        return self.status.open_tasks if self.status else None
