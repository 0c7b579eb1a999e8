"""One entity as a device: what it is called, where it is, what it can do."""

from collections.abc import Iterable, Mapping
from typing import Any

from homeassistant.core import HomeAssistant, State, callback, split_entity_id
from homeassistant.helpers import entity_registry as er

from .core.devices import Device
from .core.domains import OPERATIONS, routines
from .core.policy.model import Declared
from .features import CODED, features_of
from .groups import leaves
from .limits import limits_of
from .places import Place, other_names, registered_name

GROUP = "group"
OWN = "hearthnet"
DOMAINS = frozenset(operation.domain for operation in OPERATIONS.values())
ALIASES = {("switch_as_x", "light"), ("switch_as_x", "fan")}
"""Platform and domain whose entities are another one seen with the same values."""


@callback
def device_id_of(hass: HomeAssistant, entity_id: str) -> str:
    """Return the device id of an entity."""
    entry = er.async_get(hass).async_get(entity_id)
    return entry.id if entry is not None else entity_id


class Builder:
    """Makes devices of entities, as the policy describes them."""

    def __init__(self, hass: HomeAssistant) -> None:
        """Start with nothing said by the policy."""
        self._hass = hass
        self.same_as: Mapping[str, str] = {}
        """By entity id, the first of those that are one physical device."""
        self.declared: Mapping[str, Declared] = {}
        """By entity id, what a script or an opaque scene moves."""

    @callback
    def build(
        self,
        device_id: str,
        entity_id: str,
        entry: er.RegistryEntry | None,
        state: State | None,
    ) -> Device | None:
        """Return an entity as a device, None if HearthNet does not control such."""
        if not self.knows(entity_id):
            return None
        declared = self.declared.get(entity_id)
        # What a scene lists as its entities is what it is thought to move, no group.
        members = () if declared else leaves(self._hass, entity_id)
        domain = _domain(entity_id, members)
        if domain is None or (entry is not None and entry.platform == OWN):
            return None
        attributes: dict[str, Any] = dict(state.attributes) if state else {}
        if entry is not None:
            attributes = {**(entry.capabilities or {}), **attributes}
            attributes[CODED] = _has_code(entry)
            supported = attributes.get("supported_features", entry.supported_features)
        else:
            supported = attributes.get("supported_features", 0)
        name = state.name if state else registered_name(self._hass, entry, entity_id)
        place = Place.of(self._hass, entry)
        own = entity_id.startswith(f"{domain}.")
        return Device(
            id=device_id,
            entity_id=entity_id,
            name=name,
            domain=domain,
            device_class=attributes.get("device_class")
            or (entry and (entry.device_class or entry.original_device_class))
            or None,
            area=place.area,
            floor=place.floor,
            labels=place.labels,
            aliases=other_names(self._hass, entry, name),
            members=self._ids(members),
            moves=self._ids(sorted(declared.members)) if declared else (),
            risk=declared.risk if declared else None,
            physical=self._physical(entity_id, entry),
            assumed_state=bool(attributes.get("assumed_state")),
            features=features_of(domain, int(supported or 0), attributes)
            if own
            else None,
            limits=limits_of(domain, attributes) if own else {},
        )

    @callback
    def knows(self, entity_id: str) -> bool:
        """Tell whether it is known what an entity moves."""
        domain = split_entity_id(entity_id)[0]
        return domain not in routines.DOMAINS or entity_id in self.declared

    @callback
    def _ids(self, entity_ids: Iterable[str]) -> tuple[str, ...]:
        return tuple(device_id_of(self._hass, one) for one in entity_ids)

    @callback
    def _physical(self, entity_id: str, entry: er.RegistryEntry | None) -> str | None:
        """Return the device that an entity is only another face of, if it is one."""
        if (first := self.same_as.get(entity_id, entity_id)) != entity_id:
            return device_id_of(self._hass, first)
        if entry is None or (entry.platform, entry.domain) not in ALIASES:
            return None
        config = self._hass.config_entries.async_get_entry(entry.config_entry_id or "")
        if config is None:
            return None
        registry = er.async_get(self._hass)
        wrapped = er.async_resolve_entity_id(registry, config.options["entity_id"])
        return device_id_of(self._hass, wrapped) if wrapped else None


@callback
def _domain(entity_id: str, members: tuple[str, ...]) -> str | None:
    """Return the domain whose operations a device takes, None if there is none.

    A `group.*` takes those of its members, if they all are of one domain.
    """
    domain = split_entity_id(entity_id)[0]
    if domain == GROUP:
        inner = {split_entity_id(member)[0] for member in members}
        domain = inner.pop() if len(inner) == 1 else GROUP
    return domain if domain in DOMAINS else None


@callback
def _has_code(entry: er.RegistryEntry) -> bool:
    """Tell whether the owner gave Home Assistant a code to use for a lock or alarm."""
    options = entry.options.get(entry.domain)
    return bool(options and options.get("default_code"))
