"""Whether agents are reachable and the record is in trouble; yes and no of phones."""

from collections.abc import Iterator
from typing import override

from homeassistant.components.binary_sensor import (
    BinarySensorDeviceClass,
    BinarySensorEntity,
    BinarySensorEntityDescription,
)
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .appliances import (
    AttributeEntity,
    PhoneEntity,
    async_add_controls,
    async_add_phones,
)
from .coordinator import HearthnetConfigEntry, HearthnetCoordinator
from .core.enrolled import DEWEY
from .core.phone.controls import Value
from .core.phone.recipes import Placed
from .entity import HearthnetAgentEntity, HearthnetEntity, async_add_per_agent

PARALLEL_UPDATES = 0


PHONE_SENSORS: tuple[BinarySensorEntityDescription, ...] = (
    BinarySensorEntityDescription(
        key="charging",
        device_class=BinarySensorDeviceClass.BATTERY_CHARGING,
        entity_category=EntityCategory.DIAGNOSTIC,
    ),
    BinarySensorEntityDescription(key="screen", translation_key="screen"),
    BinarySensorEntityDescription(
        key="locked",
        translation_key="screen_lock",
        entity_category=EntityCategory.DIAGNOSTIC,
    ),
)
"""The key is the name that phones use."""


async def async_setup_entry(
    hass: HomeAssistant,
    entry: HearthnetConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up HearthNet binary sensors based on a config entry."""
    async_add_entities([LibrarianProblem(entry.runtime_data)])
    async_add_per_agent(entry, async_add_entities, _of_agent)
    async_add_phones(
        entry,
        async_add_entities,
        lambda coordinator, phone: [
            PhoneBinarySensor(coordinator, phone, description)
            for description in PHONE_SENSORS
        ],
    )
    async_add_controls(entry, async_add_entities, Value, _of_flag)


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


class PhoneBinarySensor(PhoneEntity, BinarySensorEntity):
    """A yes or no that a phone tells."""

    def __init__(
        self,
        coordinator: HearthnetCoordinator,
        phone: str,
        description: BinarySensorEntityDescription,
    ) -> None:
        """Initialize the sensor."""
        super().__init__(coordinator, phone, description.key)
        self.entity_description = description

    @property
    @override
    def is_on(self) -> bool | None:
        """Return the value; None where the phone does not tell it."""
        value = self.report.values.get(self.entity_description.key)
        return value if isinstance(value, bool) else None


def _of_flag(
    coordinator: HearthnetCoordinator, placed: Placed, control: Value
) -> ApplianceBinarySensor | None:
    """Return a sensor for a flag."""
    if control.shown.kind != "flag":
        return None
    return ApplianceBinarySensor(coordinator, placed, control)


class ApplianceBinarySensor(AttributeEntity[Value], BinarySensorEntity):
    """A yes or no that an app shows and does not let one set."""

    @property
    @override
    def is_on(self) -> bool | None:
        """Return what the app shows."""
        return self.shown if isinstance(self.shown, bool) else None
