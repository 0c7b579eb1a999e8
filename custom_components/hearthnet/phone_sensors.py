"""Sensors of phones: what they sense, and what their apps show."""

import math
from typing import Any, override

from homeassistant.components.sensor import (
    SensorDeviceClass,
    SensorEntity,
    SensorEntityDescription,
    SensorStateClass,
)
from homeassistant.const import (
    LIGHT_LUX,
    PERCENTAGE,
    EntityCategory,
    UnitOfTemperature,
)
from homeassistant.core import callback
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .appliances import (
    AttributeEntity,
    PhoneEntity,
    async_add_controls,
    async_add_phones,
    unscaled,
)
from .coordinator import HearthnetConfigEntry, HearthnetCoordinator
from .core.messages import Json
from .core.phone.controls import Value
from .core.phone.recipes import Placed

PHONE_SENSORS: tuple[SensorEntityDescription, ...] = (
    SensorEntityDescription(
        key="battery",
        device_class=SensorDeviceClass.BATTERY,
        entity_category=EntityCategory.DIAGNOSTIC,
        native_unit_of_measurement=PERCENTAGE,
        state_class=SensorStateClass.MEASUREMENT,
    ),
    SensorEntityDescription(
        key="temperature",
        translation_key="battery_temperature",
        device_class=SensorDeviceClass.TEMPERATURE,
        entity_category=EntityCategory.DIAGNOSTIC,
        entity_registry_enabled_default=False,
        native_unit_of_measurement=UnitOfTemperature.CELSIUS,
        state_class=SensorStateClass.MEASUREMENT,
    ),
    SensorEntityDescription(
        key="light",
        device_class=SensorDeviceClass.ILLUMINANCE,
        native_unit_of_measurement=LIGHT_LUX,
        state_class=SensorStateClass.MEASUREMENT,
    ),
    SensorEntityDescription(
        key="gyroscope",
        translation_key="gyroscope",
        entity_registry_enabled_default=False,
        native_unit_of_measurement="rad/s",
        state_class=SensorStateClass.MEASUREMENT,
        suggested_display_precision=2,
    ),
    SensorEntityDescription(
        key="accelerometer",
        translation_key="accelerometer",
        entity_registry_enabled_default=False,
        native_unit_of_measurement="m/s²",
        state_class=SensorStateClass.MEASUREMENT,
        suggested_display_precision=2,
    ),
    SensorEntityDescription(
        key="app",
        translation_key="app",
        entity_category=EntityCategory.DIAGNOSTIC,
    ),
)
"""The key is the name that phones use."""


@callback
def async_add_phone_sensors(
    entry: HearthnetConfigEntry, async_add_entities: AddConfigEntryEntitiesCallback
) -> None:
    """Add the sensors of every phone, and of what its apps control."""
    async_add_phones(
        entry,
        async_add_entities,
        lambda coordinator, phone: [
            PhoneSensor(coordinator, phone, description)
            for description in PHONE_SENSORS
        ],
    )
    async_add_controls(entry, async_add_entities, Value, _of_value)


class PhoneSensor(PhoneEntity, SensorEntity):
    """What a phone senses. Of a vector the state is its length."""

    def __init__(
        self,
        coordinator: HearthnetCoordinator,
        phone: str,
        description: SensorEntityDescription,
    ) -> None:
        """Initialize the sensor."""
        super().__init__(coordinator, phone, description.key)
        self.entity_description = description

    @property
    @override
    def native_value(self) -> str | float | None:
        """Return the value; unknown where the phone does not tell it."""
        value = self._value
        if isinstance(value, list):
            return math.hypot(*self._vector)
        return value if isinstance(value, str | int | float) else None

    @property
    @override
    def extra_state_attributes(self) -> dict[str, Any] | None:
        """Return the parts of a vector."""
        if not isinstance(self._value, list):
            return None
        return dict(zip("xyz", self._vector, strict=True))

    @property
    def _value(self) -> Json:
        return self.report.values.get(self.entity_description.key)

    @property
    def _vector(self) -> list[float]:
        parts = self._value
        assert isinstance(parts, list)
        return [float(part) for part in parts if isinstance(part, int | float)]


def _of_value(
    coordinator: HearthnetCoordinator, placed: Placed, control: Value
) -> ApplianceSensor | None:
    """Return a sensor for what is no flag."""
    if control.shown.kind == "flag":
        return None
    return ApplianceSensor(coordinator, placed, control)


class ApplianceSensor(AttributeEntity[Value], SensorEntity):
    """A number or a word that an app shows and does not let one set."""

    def __init__(
        self, coordinator: HearthnetCoordinator, placed: Placed, control: Value
    ) -> None:
        """Initialize the sensor."""
        super().__init__(coordinator, placed, control)
        if control.shown.kind == "map":
            self._attr_device_class = SensorDeviceClass.ENUM
            self._attr_options = list(control.shown.texts)
        else:
            self._attr_state_class = SensorStateClass.MEASUREMENT
            if "%" in control.shown.after:
                self._attr_native_unit_of_measurement = PERCENTAGE

    @property
    @override
    def native_value(self) -> str | float | None:
        """Return the word or the number, as the app shows it."""
        if isinstance(self.shown, str):
            return self.shown
        return unscaled(self.shown, self.control.shown.scale)
