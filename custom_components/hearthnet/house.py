"""The house: Home Assistant's entities as devices of HearthNet.

A device is named by its registry entry, not by its entity id: renaming it leaves
the target what it was, and another entity that gets the old name is not it.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from homeassistant.components.homeassistant.exposed_entities import (
    async_listen_entity_updates,
    async_should_expose,
)
from homeassistant.const import EVENT_STATE_CHANGED
from homeassistant.core import (
    CALLBACK_TYPE,
    Event,
    EventStateChangedData,
    HassJob,
    HomeAssistant,
    callback,
)
from homeassistant.helpers import (
    area_registry as ar,
    device_registry as dr,
    entity_registry as er,
    floor_registry as fr,
    label_registry as lr,
)
from homeassistant.helpers.entity import entity_sources
from homeassistant.helpers.event import async_call_later
from homeassistant.util.read_only_dict import ReadOnlyDict

from .building import DOMAINS, GROUP, OWN, Builder, device_id_of
from .core.devices import Device, Principal, Reading
from .core.domains import OPERATIONS
from .core.operations import Operation
from .core.policy.model import Declared
from .people import People
from .values import reading_of

ASSISTANT = "conversation"
"""Exposure to voice assistants is exposure to HearthNet: one list for the owner."""
CHUNK = 50
"""Devices looked at in one step of the loop."""
WARM_AFTER = 0.1
"""Seconds of quiet in the registries after which the devices are looked at anew."""

type _Version = tuple[er.RegistryEntry | None, ReadOnlyDict[str, Any] | None]


@dataclass(frozen=True, kw_only=True)
class HouseOptions:
    """What the owner said about devices and people."""

    unregistered: Mapping[str, str] = field(default_factory=dict)
    """Entities without registry entry that may be controlled: entity id to the
    platform it had then. Nothing else would tell it from a newcomer of its name."""
    roles: Mapping[str, str] = field(default_factory=dict)
    """Home Assistant user's id to the role."""


class HassHouse:
    """Implements `core.devices.House` on the registries and the state machine."""

    def __init__(
        self, hass: HomeAssistant, options: HouseOptions | None = None
    ) -> None:
        """Take what the owner said; nothing is read before it is asked for."""
        self.hass = hass
        self._options = options or HouseOptions()
        self.people = People(hass, self._options.roles)
        self._builder = Builder(hass)
        self._listeners: list[Callable[[], None]] = []
        self._exposed: tuple[str, ...] | None = None
        self._built: dict[str, tuple[_Version, Device]] = {}
        self._following = False
        self._listed: tuple[Device, ...] | None = None
        """The exposed devices, until anything of Home Assistant's may have changed.

        A decision asks several times, and a thousand devices take a millisecond.
        """
        self._end_warming: CALLBACK_TYPE | None = None

    async def async_start(self) -> CALLBACK_TYPE:
        """Follow the registries and the exposure; return what ends that."""
        ends = [await self.people.async_start()]
        listen = self.hass.bus.async_listen
        ends += [
            listen(er.EVENT_ENTITY_REGISTRY_UPDATED, self._entity_changed),
            listen(dr.EVENT_DEVICE_REGISTRY_UPDATED, self._device_changed),
            listen(ar.EVENT_AREA_REGISTRY_UPDATED, self._places_changed),
            listen(fr.EVENT_FLOOR_REGISTRY_UPDATED, self._places_changed),
            listen(lr.EVENT_LABEL_REGISTRY_UPDATED, self._places_changed),
            listen(EVENT_STATE_CHANGED, self._state_changed),
            async_listen_entity_updates(self.hass, ASSISTANT, self._set_changed),
        ]
        self._following = True
        await self._async_warm()

        @callback
        def stop() -> None:
            self._following = False
            self._listed = None
            for end in ends:
                end()
            if self._end_warming is not None:
                self._end_warming()

        return stop

    @callback
    def async_set_same_as(self, sets: Iterable[frozenset[str]]) -> None:
        """Take which entity ids the policy calls one physical device."""
        same = {entity_id: min(entities) for entities in sets for entity_id in entities}
        if same != self._builder.same_as:
            self._builder.same_as = same
            self._built.clear()
            self._listed = None

    @callback
    def async_set_declared(self, declared: Mapping[str, Declared]) -> None:
        """Take which scripts and opaque scenes the policy declares."""
        if declared != self._builder.declared:
            self._builder.declared = declared
            self._built.clear()
            self._set_changed()

    @callback
    def async_listen(self, listener: Callable[[], None]) -> CALLBACK_TYPE:
        """Call `listener` when the set of devices may have changed."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    # core.devices.House

    @property
    def operations(self) -> Mapping[str, Operation]:
        """The table of operations: Home Assistant's own actions."""
        return OPERATIONS

    @callback
    def device(self, device_id: str) -> Device | None:
        """Return a device, exposed or not; None when it is gone."""
        if (entity_id := self.entity_id(device_id)) is None:
            return None
        entry = er.async_get(self.hass).async_get(entity_id)
        state = self.hass.states.get(entity_id)
        version: _Version = (entry, state.attributes if state else None)
        built = self._built.get(device_id)
        # Both are replaced when they change, so being the same object is enough.
        if built and built[0][0] is version[0] and built[0][1] is version[1]:
            return built[1]
        device = self._builder.build(device_id, entity_id, entry, state)
        if device is None:
            self._built.pop(device_id, None)
            return None
        self._built[device_id] = version, device
        return device

    @callback
    def devices(self) -> Iterable[Device]:
        """Return the devices that are exposed, in a fixed order."""
        if self._listed is not None:
            return self._listed
        if self._exposed is None:
            self._exposed = self._find_exposed()
        found = (self.device(device_id) for device_id in self._exposed)
        listed = tuple(device for device in found if device is not None)
        if self._following:
            self._listed = listed
        return listed

    @callback
    def read(self, device_id: str) -> Reading:
        """Return the live values of a device."""
        entity_id = self.entity_id(device_id)
        return reading_of(self.hass.states.get(entity_id) if entity_id else None)

    @callback
    def may_control(self, principal: Principal, device_id: str) -> bool:
        """Tell whether Home Assistant itself lets the principal control it."""
        entity_id = self.entity_id(device_id)
        return entity_id is not None and self.people.may_control(principal, entity_id)

    # Names

    @callback
    def entity_id(self, device_id: str) -> str | None:
        """Return the present entity id of a device, None when it is gone."""
        registry = er.async_get(self.hass)
        if (entry := registry.entities.get_entry(device_id)) is not None:
            return entry.entity_id
        if "." not in device_id or registry.async_get(device_id) is not None:
            return None
        platform = self._options.unregistered.get(device_id)
        if platform is None:
            # Not for naming; but what a group moves has to have a name.
            return device_id if self.hass.states.get(device_id) else None
        return device_id if platform == platform_of(self.hass, device_id) else None

    @callback
    def device_id(self, entity_id: str) -> str:
        """Return the device id of an entity."""
        return device_id_of(self.hass, entity_id)

    @callback
    def _find_exposed(self) -> tuple[str, ...]:
        found = {
            entry.id: entry.entity_id
            for entry in er.async_get(self.hass).entities.values()
            if entry.disabled_by is None
            and entry.platform != OWN
            and (entry.domain in DOMAINS or entry.domain == GROUP)
            and self._builder.knows(entry.entity_id)
        }
        found |= {entity_id: entity_id for entity_id in self._options.unregistered}
        return tuple(
            device_id
            for device_id, entity_id in sorted(found.items(), key=lambda item: item[1])
            if async_should_expose(self.hass, ASSISTANT, entity_id)
        )

    # Changes

    @callback
    def _state_changed(self, _event: Event[EventStateChangedData]) -> None:
        self._listed = None

    @callback
    def _entity_changed(self, event: Event[er.EventEntityRegistryUpdatedData]) -> None:
        self._listed = None
        data = event.data
        if data["action"] == "update" and not data["changes"].keys() - {"options"}:
            # Asking whether a new entity is exposed stores the answer in its
            # options; a change by a person comes through the exposure's listener.
            return
        if data["action"] != "update" or "entity_id" in data["changes"]:
            # Groups, scripts and second names are built of others' entity ids.
            self._built.clear()
        self._set_changed()

    @callback
    def _device_changed(self, event: Event[dr.EventDeviceRegistryUpdatedData]) -> None:
        data = event.data
        if data["action"] == "update" and "area_id" in data["changes"]:
            # Others may be in that area through it.
            self._places_changed()
            return
        for entry in er.async_entries_for_device(
            er.async_get(self.hass), data["device_id"], include_disabled_entities=True
        ):
            self._built.pop(entry.id, None)
        self._set_changed()

    @callback
    def _places_changed(self, _event: Event[Any] | None = None) -> None:
        self._built.clear()
        self._set_changed()

    @callback
    def _set_changed(self) -> None:
        self._exposed = self._listed = None
        if self._end_warming is not None:
            self._end_warming()
        job = HassJob(self._async_warm, cancel_on_shutdown=True)
        self._end_warming = async_call_later(self.hass, WARM_AFTER, job)
        for listener in tuple(self._listeners):
            listener()

    async def _async_warm(self, _now: object = None) -> None:
        """Look at all devices in small steps, before somebody needs them at once."""
        self._end_warming = None
        if self._exposed is None:
            self._exposed = self._find_exposed()
        for number, device_id in enumerate(self._exposed):
            self.device(device_id)
            if number % CHUNK == CHUNK - 1:
                await asyncio.sleep(0)


@callback
def platform_of(hass: HomeAssistant, entity_id: str) -> str | None:
    """Return the integration that an entity without registry entry comes from."""
    source = entity_sources(hass).get(entity_id)
    return source["domain"] if source else None


@callback
def async_unregistered(hass: HomeAssistant) -> dict[str, str]:
    """Return the entities without registry entry that could be let in.

    Each with the platform that it comes from now.
    """
    registry = er.async_get(hass)
    return {
        entity_id: platform
        for entity_id in hass.states.async_entity_ids(DOMAINS)
        if registry.async_get(entity_id) is None
        and (platform := platform_of(hass, entity_id)) is not None
    }
