"""Phones: the recipes in the configuration folder, and the appliances behind apps."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from homeassistant.core import HomeAssistant
from homeassistant.helpers import device_registry as dr, entity_registry as er

from .const import DOMAIN
from .core.devices import Device, House
from .core.enrolled import DARCY, Enrolled
from .core.node import Node
from .core.outside import Outside
from .core.phone.compile import compile_all
from .core.phone.house import JointHouse, PhoneHouse
from .core.phone.recipes import Recipes
from .house import HassHouse
from .issues import RECIPES, async_show_mistakes
from .places import Place


async def async_load_recipes(
    hass: HomeAssistant, enrolled: Mapping[str, Enrolled]
) -> Recipes:
    """Compile the owner's recipes, and show what is wrong with them."""
    folder = Path(hass.config.path(DOMAIN, "recipes"))
    phones = {name for name, one in enrolled.items() if one.role == DARCY}
    recipes, mistakes = await hass.async_add_executor_job(_load, folder, phones)
    async_show_mistakes(hass, RECIPES, mistakes, str(folder))
    return recipes


def home_of(
    house: HassHouse,
    entry_id: str,
    node: Node,
    outside: Outside | None,
    recipes: Recipes,
) -> House:
    """Return all devices: Home Assistant's, and those that phones control."""
    if outside is None:
        return house

    def same(entity_id: str) -> tuple[str, Device | None]:
        device_id = house.device_id(entity_id)
        return device_id, house.device(device_id)

    def at(appliance: Device) -> Device:
        hass, own = house.hass, {(DOMAIN, f"{entry_id}_{appliance.id}")}
        device = dr.async_get(hass).async_get_device(identifiers=own)
        if device is None:
            return appliance
        entities = er.async_entries_for_device(er.async_get(hass), device.id)
        place = Place.of(hass, next(iter(entities), None))
        if place.area is None:
            return appliance
        return replace(
            appliance, area=place.area, floor=place.floor, labels=place.labels
        )

    appliances = PhoneHouse(
        recipes,
        node.view,
        reachable=outside.reachable,
        seen=outside.seen,
        cameras=lambda: outside.cameras,
        same=same,
        at=at,
        may_control=house.people.may_control,
    )
    return JointHouse(house, appliances)


def _load(folder: Path, phones: set[str]) -> tuple[Recipes, list[str]]:
    """Compile `<phone>/*.yaml`. Blocks."""
    try:
        texts = {name: dict(_texts(folder / name)) for name in phones}
        lost = list(_lost(folder, phones))
    except (OSError, UnicodeDecodeError) as error:
        return Recipes(), [str(error)]
    recipes, mistakes = compile_all(texts)
    return recipes, [*lost, *mistakes]


def _lost(folder: Path, phones: set[str]) -> Iterator[str]:
    """Go through what lies where no phone gets it."""
    known = ", ".join(sorted(phones)) or "none"
    for path in sorted(folder.glob("*.yaml")):
        yield f"{path.name}: put it into the folder of a phone (known: {known})"
    for path in sorted(folder.glob("*/")):
        if path.name not in phones:
            yield f"{path.name}/: there is no phone of this name (known: {known})"


def _texts(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.glob("*.yaml")):
        yield path.name, path.read_text("utf-8")
