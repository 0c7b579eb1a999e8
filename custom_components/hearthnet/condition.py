"""Conditions: how things stand in HearthNet, for automations."""

from collections.abc import Mapping
from typing import Any, ClassVar, Final, Unpack, cast, override

from homeassistant.const import CONF_ENTITY_ID, CONF_OPTIONS
from homeassistant.core import HomeAssistant
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.condition import (
    Condition,
    ConditionCheckParams,
    ConditionConfig,
)
from homeassistant.helpers.typing import ConfigType
import voluptuous as vol

from .coordinator import HearthnetCoordinator, async_running
from .trigger import CONF_AGENT, ENTITIES, keys_of


class HearthnetCondition(Condition):
    """Asks the hub; false while there is none."""

    fields: ClassVar[Mapping[vol.Marker, Any]] = {}

    @classmethod
    @override
    async def async_validate_config(
        cls, hass: HomeAssistant, config: ConfigType
    ) -> ConfigType:
        """Validate the options."""
        schema = vol.Schema(
            {vol.Required(CONF_OPTIONS, default=dict): dict(cls.fields)}
        )
        return cast(ConfigType, schema(config))

    def __init__(self, hass: HomeAssistant, config: ConditionConfig) -> None:
        """Initialize the condition."""
        super().__init__(hass, config)
        self._options: dict[str, Any] = config.options or {}

    @override
    def _async_check(self, **kwargs: Unpack[ConditionCheckParams]) -> bool:
        """Check the condition."""
        coordinator = async_running(self._hass)
        return coordinator is not None and self._holds(coordinator)

    def _holds(self, coordinator: HearthnetCoordinator) -> bool:
        """Tell whether it is so."""
        raise NotImplementedError

    def _keys(self, coordinator: HearthnetCoordinator) -> set[str] | None:
        """Return the keys of the devices that are meant; None: any."""
        entity_ids = self._options.get(CONF_ENTITY_ID)
        return keys_of(coordinator.house, entity_ids) if entity_ids else None


class HoldActive(HearthnetCondition):
    """Somebody keeps a device as it is."""

    fields = ENTITIES

    @override
    def _holds(self, coordinator: HearthnetCoordinator) -> bool:
        keys, hub = self._keys(coordinator), coordinator.hub
        if keys is None:
            return bool(hub.status.holds)
        return bool(hub.state.holds_on(keys, hub.node.clock.now()))


class LeaseActive(HearthnetCondition):
    """A lease was granted, and is neither used nor over."""

    fields = ENTITIES

    @override
    def _holds(self, coordinator: HearthnetCoordinator) -> bool:
        keys, house = self._keys(coordinator), coordinator.house
        return any(
            keys is None
            or any((d := house.device(t)) and d.key in keys for t in lease.target)
            for lease in coordinator.hub.status.leases
        )


class AgentOnline(HearthnetCondition):
    """An agent answers."""

    fields: ClassVar[Mapping[vol.Marker, Any]] = {vol.Required(CONF_AGENT): cv.string}

    @override
    def _holds(self, coordinator: HearthnetCoordinator) -> bool:
        agents = coordinator.hub.status.agents
        return any(a.online for a in agents if a.name == self._options[CONF_AGENT])


class ActuationEnabled(HearthnetCondition):
    """Nobody has switched actuation off."""

    @override
    def _holds(self, coordinator: HearthnetCoordinator) -> bool:
        return coordinator.hub.status.enabled


CONDITIONS: Final[dict[str, type[Condition]]] = {
    "actuation_enabled": ActuationEnabled,
    "agent_online": AgentOnline,
    "hold_active": HoldActive,
    "lease_active": LeaseActive,
}


async def async_get_conditions(hass: HomeAssistant) -> dict[str, type[Condition]]:
    """Return the conditions."""
    return CONDITIONS
