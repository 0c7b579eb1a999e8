"""Entities of phones, and of the appliances that their apps control."""

from collections.abc import Callable, Iterable, Mapping
from typing import override

from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.device_registry import DeviceInfo
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.helpers.update_coordinator import CoordinatorEntity

from .companions import subentries_of
from .const import DOMAIN
from .coordinator import HearthnetConfigEntry, HearthnetCoordinator
from .core.enrolled import DARCY
from .core.messages import Json
from .core.phone.controls import Control, Number, Select, Switch, Value, controls_of
from .core.phone.recipes import Placed
from .core.phone.report import PhoneReport
from .core.reasons import DONE, Outcome
from .entity import HearthnetAgentEntity
from .principal import async_caller, requested_by
from .speech import speech

SENT = DONE | {Outcome.RUNNING, Outcome.UNVERIFIED}
"""Outcomes with which whoever used an entity has got what there is to get."""


class PhoneEntity(HearthnetAgentEntity):
    """Something that a phone itself tells."""

    @property
    def report(self) -> PhoneReport:
        """What its node has told last; nothing before it came."""
        outside = self.coordinator.outside
        phones = outside.phones if outside else {}
        return phones.get(self.agent, PhoneReport())

    @property
    @override
    def available(self) -> bool:
        """Return whether the phone answers, through its node."""
        outside = self.coordinator.outside
        return outside is not None and outside.reachable(self.agent)


class ApplianceEntity(CoordinatorEntity[HearthnetCoordinator]):
    """A part of an appliance behind an app. Using it is its user's proposal."""

    _attr_has_entity_name = True

    def __init__(
        self,
        coordinator: HearthnetCoordinator,
        placed: Placed,
        key: str,
        name: str,
    ) -> None:
        """Initialize an entity; `key` is an attribute or an operation."""
        super().__init__(coordinator)
        entry_id = coordinator.config_entry.entry_id
        self._device_id = placed.id
        self._attr_unique_id = f"{entry_id}_{placed.id}_{key}"
        self._attr_name = name
        self._attr_device_info = DeviceInfo(
            identifiers={(DOMAIN, f"{entry_id}_{placed.id}")},
            name=placed.recipe.name,
            model=placed.recipe.app.package,
            via_device_id=coordinator.companions[placed.node],
        )

    @property
    @override
    def available(self) -> bool:
        """Return whether the app can be reached."""
        return self.coordinator.home.read(self._device_id).available

    async def async_use(self, operation: str, **parameters: Json) -> None:
        """Propose an operation for whoever uses the entity; see `async_propose`."""
        await async_propose(self, self._device_id, operation, parameters)


class AttributeEntity[C: Switch | Number | Select | Value](ApplianceEntity):
    """An attribute of an appliance, as its app shows it."""

    def __init__(
        self, coordinator: HearthnetCoordinator, placed: Placed, control: C
    ) -> None:
        """Initialize an entity; it is called as its attribute is."""
        name = control.attribute.removeprefix("is_").replace("_", " ").capitalize()
        super().__init__(coordinator, placed, control.attribute, name)
        self.control = control

    @property
    def shown(self) -> Json:
        """What the app has shown last; None if it has shown nothing."""
        reading = self.coordinator.home.read(self._device_id)
        return reading.values.get(self.control.attribute)


async def async_propose(
    entity: PhoneEntity | ApplianceEntity,
    device_id: str,
    operation: str,
    parameters: Mapping[str, Json],
) -> None:
    """Propose an operation for whoever uses an entity.

    Raises:
        HomeAssistantError: it was not done, with the reason in words.
    """
    coordinator, context = entity.coordinator, entity._context  # noqa: SLF001
    caller = await async_caller(coordinator, context)
    with requested_by(context):
        result = await coordinator.hub.wishes.propose(
            principal=caller.principal,
            origin=caller.origin,
            targets=(device_id,),
            operation=operation,
            parameters=parameters,
            reason=f"{entity.entity_id}: {operation}",
        )
    if not all(step.outcome in SENT for step in result.steps):
        language = coordinator.hass.config.language
        raise HomeAssistantError(
            translation_domain=DOMAIN,
            translation_key="not_done",
            translation_placeholders={"text": speech(coordinator, result, language)},
        )


def titled(texts: Mapping[str, str], hass: HomeAssistant) -> str:
    """Return a text in Home Assistant's language, in English or in any."""
    language = hass.config.language
    wanted = (language, language.partition("-")[0], "en", *texts)
    return next(texts[name] for name in wanted if name in texts)


def unscaled(value: Json, scale: float) -> float | None:
    """Return a control attribute's number as the app shows it."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return round(value / scale, 4)


@callback
def async_add_phones(
    entry: HearthnetConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
    create: Callable[[HearthnetCoordinator, str], Iterable[Entity]],
) -> None:
    """Add entities for each phone, under its subentry."""
    coordinator = entry.runtime_data
    for name, subentry_id in subentries_of(entry, DARCY).items():
        async_add_entities(create(coordinator, name), config_subentry_id=subentry_id)


@callback
def async_add_cameras(
    entry: HearthnetConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
    create: Callable[[HearthnetCoordinator, str], Entity],
) -> None:
    """Add an entity for each phone that has a camera, once it has said so."""
    coordinator, known = entry.runtime_data, set[str]()
    subentries = subentries_of(entry, DARCY)

    @callback
    def add_new() -> None:
        cameras = coordinator.outside.cameras if coordinator.outside else ()
        for name in subentries.keys() & set(cameras) - known:
            known.add(name)
            async_add_entities(
                [create(coordinator, name)], config_subentry_id=subentries[name]
            )

    add_new()
    entry.async_on_unload(coordinator.async_add_listener(add_new))


@callback
def async_add_controls[C: Control](
    entry: HearthnetConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
    kind: type[C],
    create: Callable[[HearthnetCoordinator, Placed, C], Entity | None],
) -> None:
    """Add an entity for each control of a kind, under the phone's subentry."""
    coordinator = entry.runtime_data
    subentries = subentries_of(entry, DARCY)
    for placed in coordinator.recipes:
        found = (
            create(coordinator, placed, control)
            for control in controls_of(placed.recipe)
            if isinstance(control, kind)
        )
        async_add_entities(
            (entity for entity in found if entity is not None),
            config_subentry_id=subentries.get(placed.node),
        )
