"""Numbers of the hub and of its agents."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, override

from homeassistant.components.sensor import (
    DOMAIN as SENSOR_DOMAIN,
    SensorDeviceClass,
    SensorEntity,
    SensorEntityDescription,
    SensorStateClass,
)
from homeassistant.const import ATTR_ENTITY_ID, EntityCategory, UnitOfTime
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .const import DOMAIN
from .coordinator import HearthnetConfigEntry, HearthnetCoordinator
from .core.enrolled import DEWEY
from .core.status import HubStatus
from .entity import (
    DECIDED,
    HearthnetAgentEntity,
    HearthnetEntity,
    async_add_per_agent,
)
from .model_use import ModelUse
from .phone_sensors import async_add_phone_sensors

PARALLEL_UPDATES = 0

ATTR_CAP = "cap"


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
        key="approvals",
        translation_key="approvals",
        state_class=SensorStateClass.MEASUREMENT,
        value_fn=lambda status: len(status.approvals),
    ),
    HearthnetSensorEntityDescription(
        key="head",
        translation_key="head",
        entity_category=EntityCategory.DIAGNOSTIC,
        # It changes at each event and would fill the logbook.
        entity_registry_enabled_default=False,
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


@dataclass(frozen=True, kw_only=True)
class HearthnetModelSensorEntityDescription(SensorEntityDescription):
    """Describes a sensor of what models cost."""

    used_fn: Callable[[ModelUse], float | None]
    cap_fn: Callable[[ModelUse], float]
    """Past it no model is asked."""


MODEL_SENSORS: tuple[HearthnetModelSensorEntityDescription, ...] = (
    HearthnetModelSensorEntityDescription(
        key="model_calls",
        translation_key="model_calls",
        state_class=SensorStateClass.TOTAL_INCREASING,
        used_fn=lambda use: use.today.calls,
        cap_fn=lambda use: use.budget.per_day.calls,
    ),
    HearthnetModelSensorEntityDescription(
        key="model_tokens",
        translation_key="model_tokens",
        state_class=SensorStateClass.TOTAL_INCREASING,
        used_fn=lambda use: use.today.tokens,
        cap_fn=lambda use: use.budget.per_day.tokens,
    ),
    HearthnetModelSensorEntityDescription(
        key="model_seconds",
        translation_key="model_seconds",
        device_class=SensorDeviceClass.DURATION,
        native_unit_of_measurement=UnitOfTime.SECONDS,
        suggested_display_precision=1,
        state_class=SensorStateClass.TOTAL_INCREASING,
        used_fn=lambda use: use.today.seconds,
        cap_fn=lambda use: use.budget.per_day.seconds,
    ),
    HearthnetModelSensorEntityDescription(
        key="last_calls",
        translation_key="last_calls",
        entity_category=EntityCategory.DIAGNOSTIC,
        state_class=SensorStateClass.MEASUREMENT,
        used_fn=lambda use: use.last.calls if use.last else None,
        cap_fn=lambda use: use.budget.per_intent.calls,
    ),
    HearthnetModelSensorEntityDescription(
        key="last_tokens",
        translation_key="last_tokens",
        entity_category=EntityCategory.DIAGNOSTIC,
        state_class=SensorStateClass.MEASUREMENT,
        used_fn=lambda use: use.last.tokens if use.last else None,
        cap_fn=lambda use: use.budget.per_intent.tokens,
    ),
    HearthnetModelSensorEntityDescription(
        key="last_seconds",
        translation_key="last_seconds",
        device_class=SensorDeviceClass.DURATION,
        entity_category=EntityCategory.DIAGNOSTIC,
        native_unit_of_measurement=UnitOfTime.SECONDS,
        suggested_display_precision=1,
        state_class=SensorStateClass.MEASUREMENT,
        used_fn=lambda use: use.last.seconds if use.last else None,
        cap_fn=lambda use: use.budget.per_intent.seconds,
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
    async_add_entities([NextPlan(entry.runtime_data)])
    if entry.runtime_data.model.planner is not None:
        async_add_entities(
            ModelSensor(entry.runtime_data, description)
            for description in MODEL_SENSORS
        )
    else:
        _async_forget_model_sensors(hass, entry)
    async_add_per_agent(entry, async_add_entities, _of_agent)
    async_add_phone_sensors(entry, async_add_entities)


def _of_agent(coordinator: HearthnetCoordinator, agent: str) -> Iterator[SensorEntity]:
    """Return what an agent has: a librarian gets no tasks."""
    tasks = OpenTasks(coordinator, agent)
    if tasks.status is not None and tasks.status.role == DEWEY:
        yield AgentHead(coordinator, agent)
    else:
        yield tasks


@callback
def _async_forget_model_sensors(
    hass: HomeAssistant, entry: HearthnetConfigEntry
) -> None:
    """Remove what an earlier choice of a model has left."""
    registry = er.async_get(hass)
    for description in MODEL_SENSORS:
        unique_id = f"{entry.entry_id}_{description.key}"
        if entity_id := registry.async_get_entity_id(SENSOR_DOMAIN, DOMAIN, unique_id):
            registry.async_remove(entity_id)


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


class NextPlan(HearthnetEntity, SensorEntity):
    """When the next plan for later is due, and what it is about.

    Not in which words it was made: they may be for nobody else.
    """

    _attr_device_class = SensorDeviceClass.TIMESTAMP
    _attr_translation_key = "next_plan"

    def __init__(self, coordinator: HearthnetCoordinator) -> None:
        """Initialize the sensor."""
        super().__init__(coordinator, "next_plan")

    @property
    @override
    def native_value(self) -> datetime | None:
        """Return the time; unknown when nothing is planned."""
        plans = self.coordinator.data.deferred
        return plans[0].due if plans else None

    @property
    @override
    def extra_state_attributes(self) -> dict[str, Any]:
        """Return how many plans there are, and of the next one whose and of what."""
        plans, house = self.coordinator.data.deferred, self.coordinator.house
        if not plans:
            return {"plans": 0}
        return {
            "plans": len(plans),
            "intent": plans[0].id,
            "principal": plans[0].principal,
            ATTR_ENTITY_ID: list(filter(None, map(house.entity_id, plans[0].devices))),
        }


class ModelSensor(HearthnetEntity, SensorEntity):
    """What models cost, today or for the last sentence."""

    entity_description: HearthnetModelSensorEntityDescription

    def __init__(
        self,
        coordinator: HearthnetCoordinator,
        description: HearthnetModelSensorEntityDescription,
    ) -> None:
        """Initialize the sensor."""
        super().__init__(coordinator, description.key)
        self.entity_description = description

    @property
    @override
    def native_value(self) -> float | None:
        """Return the value; unknown until a model was asked."""
        return self.entity_description.used_fn(self.coordinator.model)

    @property
    @override
    def extra_state_attributes(self) -> dict[str, float]:
        """Return the cap."""
        return {ATTR_CAP: self.entity_description.cap_fn(self.coordinator.model)}


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


class AgentHead(HearthnetAgentEntity, SensorEntity):
    """The newest commit of a librarian elsewhere."""

    _attr_entity_category = EntityCategory.DIAGNOSTIC
    _attr_entity_registry_enabled_default = False
    _attr_translation_key = "head"

    def __init__(self, coordinator: HearthnetCoordinator, agent: str) -> None:
        """Initialize the sensor."""
        super().__init__(coordinator, agent, "head")

    @property
    @override
    def native_value(self) -> str | None:
        """Return the commit; unknown until the librarian has shown one."""
        return self.status.commit if self.status else None
