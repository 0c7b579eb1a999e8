"""Base entities: the hub, and one device for each agent."""

from collections.abc import Callable, Iterable

from homeassistant.core import callback
from homeassistant.helpers.device_registry import DeviceEntryType, DeviceInfo
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.helpers.update_coordinator import CoordinatorEntity

from .companions import enrolled_of, subentries_of
from .const import DOMAIN
from .coordinator import HearthnetConfigEntry, HearthnetCoordinator
from .core.enrolled import DARCY, DEWEY
from .core.reasons import Outcome
from .core.status import AgentStatus

DECIDED = tuple(outcome.value for outcome in Outcome if outcome != Outcome.PLANNED)
"""Outcomes of decisions; a dry run decides nothing."""


_MODELS = {
    "rupert": "Decides, and grants leases",
    "jeeves": "Moves the devices of Home Assistant",
    DEWEY: "Keeps the record",
    DARCY: "Drives a phone",
}
"""What an agent is for, by its name here or its role elsewhere."""


def agent_device(coordinator: HearthnetCoordinator, agent: str) -> DeviceInfo:
    """Return what the device registry keeps of an agent."""
    companion = enrolled_of(coordinator.config_entry).get(agent)
    return DeviceInfo(
        identifiers={(DOMAIN, f"{coordinator.config_entry.entry_id}_{agent}")},
        entry_type=DeviceEntryType.SERVICE,
        manufacturer="HearthNet",
        model=_MODELS.get(companion.role if companion else agent),
        name=agent.capitalize(),
        via_device_id=coordinator.device_id,
    )


class HearthnetEntity(CoordinatorEntity[HearthnetCoordinator]):
    """An entity of the hub."""

    _attr_has_entity_name = True

    def __init__(self, coordinator: HearthnetCoordinator, key: str) -> None:
        """Initialize an entity of the hub."""
        super().__init__(coordinator)
        entry_id = coordinator.config_entry.entry_id
        self._attr_unique_id = f"{entry_id}_{key}"
        self._attr_device_info = DeviceInfo(identifiers={(DOMAIN, entry_id)})


class HearthnetAgentEntity(CoordinatorEntity[HearthnetCoordinator]):
    """An entity of one agent."""

    _attr_has_entity_name = True

    def __init__(self, coordinator: HearthnetCoordinator, agent: str, key: str) -> None:
        """Initialize an entity of an agent."""
        super().__init__(coordinator)
        entry_id = coordinator.config_entry.entry_id
        self.agent = agent
        self._attr_unique_id = f"{entry_id}_{agent}_{key}"
        self._attr_device_info = agent_device(coordinator, agent)

    @property
    def status(self) -> AgentStatus | None:
        """The agent's status; None while the hub does not know it."""
        agents = self.coordinator.data.agents
        return next((a for a in agents if a.name == self.agent), None)


@callback
def async_add_per_agent(
    entry: HearthnetConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
    create: Callable[[HearthnetCoordinator, str], Iterable[Entity]],
) -> None:
    """Add entities for each agent, now and when another one appears."""
    coordinator = entry.runtime_data
    known: set[str] = set()
    subentries = subentries_of(entry)

    @callback
    def add_new() -> None:
        names = [a.name for a in coordinator.data.agents if a.name not in known]
        known.update(names)
        for name in names:
            # What belongs to a companion goes when its subentry is deleted.
            async_add_entities(
                create(coordinator, name), config_subentry_id=subentries.get(name)
            )

    add_new()
    entry.async_on_unload(coordinator.async_add_listener(add_new))
