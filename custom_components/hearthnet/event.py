"""Decisions as events, for automations and the logbook."""

from typing import override

from homeassistant.components.event import EventEntity
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.dispatcher import async_dispatcher_connect
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .coordinator import SIGNAL_DECISION, HearthnetConfigEntry, HearthnetCoordinator
from .core.status import Decision
from .entity import DECIDED, HearthnetEntity

PARALLEL_UPDATES = 0


async def async_setup_entry(
    hass: HomeAssistant,
    entry: HearthnetConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the HearthNet event entity based on a config entry."""
    async_add_entities([DecisionEvent(entry.runtime_data)])


class DecisionEvent(HearthnetEntity, EventEntity):
    """Fires at each decision; its type is the outcome."""

    _attr_event_types = list(DECIDED)  # noqa: RUF012
    _attr_translation_key = "decision"

    def __init__(self, coordinator: HearthnetCoordinator) -> None:
        """Initialize the entity."""
        super().__init__(coordinator, "decision")

    @override
    async def async_added_to_hass(self) -> None:
        """Listen to decisions."""
        await super().async_added_to_hass()
        self.async_on_remove(
            async_dispatcher_connect(self.hass, SIGNAL_DECISION, self._decided)
        )

    @callback
    @override
    def _handle_coordinator_update(self) -> None:
        """Leave the state alone: it is the time of the last event."""

    @callback
    def _decided(self, decision: Decision) -> None:
        step = decision.step
        self._trigger_event(
            step.outcome,
            {"entity": step.entity_id, **decision.as_dict()},
        )
        self.async_write_ha_state()
