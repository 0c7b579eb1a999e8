"""Steps of a playbook, expanded to the devices that there are now."""

from collections.abc import Iterator
from dataclasses import dataclass

from ..devices import Device, House, Values
from ..effects import STATE, same_value
from ..intents import Action
from ..messages import Json
from ..operations import Operation
from .phrases import normalize
from .playbook_file import HERE, Range, Selector, Step
from .targets import without_doubles


@dataclass(frozen=True)
class Here:
    """What `here` means for one request."""

    area: str | None
    """None: everywhere, because nothing the playbook is about has an area."""


def actions_of(step: Step, here: Here, house: House, playbook: str) -> Iterator[Action]:
    """Yield one action for all devices that get the same values."""
    groups: dict[str, tuple[dict[str, Json], dict[str, Range], list[str]]] = {}
    if (row := house.operations.get(step.operation)) is None:
        return
    for device in without_doubles(selected(step, here, house), house):
        values = house.read(device.id).values
        if (parameters := _parameters(step, row, device, values)) is None:
            continue
        ranges = _ranges(step, row, device)
        _, _, targets = groups.setdefault(
            repr((parameters, ranges)), (parameters, ranges, [])
        )
        targets.append(device.id)
    for parameters, ranges, targets in groups.values():
        yield Action(
            targets=tuple(targets),
            operation=step.operation,
            parameters=parameters,
            ranges=ranges,
            why=f"playbook {playbook}",
        )


def selected(step: Step, here: Here, house: House) -> list[Device]:
    """Return the devices that a step is for, groups and members alike."""
    domain = step.operation.partition(".")[0]
    return [
        device
        for device in house.devices()
        if device.domain == domain
        and _supports(step, device)
        and _fits(step.devices, device, here, house)
    ]


def _supports(step: Step, device: Device) -> bool:
    """Tell whether a device takes the operation and at least one of the values."""
    if not device.supports(step.operation):
        return False
    named = step.parameters.keys() | step.keep.keys()
    return not named or any(map(device.supports, named))


def _fits(selector: Selector, device: Device, here: Here, house: House) -> bool:
    if selector.area and not _in_area(selector.area, device, here):
        return False
    names = {normalize(name) for name in (device.name, *device.aliases)}
    named = {normalize(name) for name in selector.entity if "." not in name}
    return (
        _one(selector.floor, device.floor)
        and (not selector.label or _any(selector.label, device.labels))
        and _one(selector.device_class, device.device_class)
        and (
            not selector.entity
            or device.entity_id in selector.entity
            or not named.isdisjoint(names)
        )
        and (not selector.state or _in_state(selector.state, device, house))
    )


def _in_area(areas: frozenset[str], device: Device, here: Here) -> bool:
    if HERE in areas and (here.area is None or _one({here.area}, device.area)):
        return True
    return _one(areas - {HERE}, device.area) if areas - {HERE} else False


def _one(wanted: frozenset[str] | set[str], found: str | None) -> bool:
    return not wanted or (found is not None and _any(wanted, {found}))


def _any(wanted: frozenset[str] | set[str], found: frozenset[str] | set[str]) -> bool:
    return not {normalize(w) for w in wanted}.isdisjoint(normalize(f) for f in found)


def _in_state(wanted: frozenset[str], device: Device, house: House) -> bool:
    seen = house.read(device.id).values.get(STATE)
    return any(same_value(STATE, state, seen) for state in wanted)


def _parameters(
    step: Step, row: Operation, device: Device, values: Values
) -> dict[str, Json] | None:
    """Return the values for one device; None when there is nothing to set."""
    parameters = {
        name: value for name, value in step.parameters.items() if device.supports(name)
    }
    for name, (low, high) in step.keep.items():
        if name in parameters or not device.supports(name):
            continue
        present = values.get(_attribute(row, name))
        if isinstance(present, bool) or not isinstance(present, int | float):
            if (STATE, "on") not in row.effects({}, {}):
                # It is off, and stays so: there is nothing to keep in a range.
                return None
            present = high if high is not None else low or 0
        present = present if high is None else min(present, high)
        parameters[name] = present if low is None else max(present, low)
    return parameters


def _ranges(step: Step, row: Operation, device: Device) -> dict[str, Range]:
    return {
        _attribute(row, name): range_
        for name, range_ in step.keep.items()
        if device.supports(name)
    }


def _attribute(row: Operation, parameter: str) -> str:
    """Return the attribute that shows a parameter's value."""
    effects = row.effects({parameter: 0}, {})
    return next((name for name, value in effects if value == 0), parameter)
