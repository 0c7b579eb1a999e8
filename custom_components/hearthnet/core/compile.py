"""Actions compiled: which devices one moves, and what it makes true of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from .devices import Device, House
from .effects import ANYTHING, Effect
from .operations import (
    Operation,
    Parameters,
    Problem,
    Risk,
    check_parameters,
    supported,
)
from .policy.model import Target
from .reasons import Reason

MAX_TARGETS = 100
"""Most devices that one action moves: what it leads to has to fit into a message."""


@dataclass(frozen=True, kw_only=True)
class Compiled:
    """An action, ready to be judged."""

    operation: Operation
    parameters: Parameters
    named: Device
    """The device or group that was named, and that will be told."""
    targets: tuple[Target, ...]
    """The devices it moves, each once: together they are the lease's target."""
    effects: tuple[Effect, ...]
    """Of every target, then of the group that was named."""

    @property
    def members(self) -> Mapping[str, tuple[str, ...]]:
        """Keys of a named group's members under the group's key; else empty."""
        if not self.named.members:
            return {}
        keys = tuple(target.device.key for target in self.targets)
        return {self.named.key: keys}


def compile_action(
    operation: Operation, parameters: Parameters, named: Device, house: House
) -> Compiled | Problem:
    """Compile one action, or say what is wrong with it.

    Args:
        operation: a row of the table.
        parameters: absolute values (see `relative`).
        named: the device or group that the action names.
        house: where members, other names of a device and present values are.
    """
    if (problem := _unsupported(operation, parameters, named)) is not None:
        return problem
    if (problem := check_parameters(operation, parameters)) is not None:
        return problem
    if named.risk is not None:
        operation = replace(operation, risk=Risk(named.risk))
    moved: dict[str, Device] = {}
    for device in leaves(named, house):
        if _supports(operation, device):
            moved.setdefault(device.key, device)
    declared = [d for d in _declared(named, house) if d.key not in moved]
    moved |= {device.key: device for device in declared}
    if not moved:
        text = f"{named.name} has no member that can do {operation.name}"
        return Problem(Reason.UNKNOWN_TARGET, text, "target")
    if len(moved) > MAX_TARGETS:
        text = f"{named.name} has {len(moved)} devices; at most {MAX_TARGETS} at once"
        return Problem(Reason.OUT_OF_SCOPE, text, "target")
    group = named if named.members else None
    same: dict[str, list[Device]] = {}
    for device in house.devices():
        if device.key in moved:
            same.setdefault(device.key, []).append(device)
    targets = tuple(
        Target(device=device, group=group, aliases=_aliases(device, same, house))
        for device in moved.values()
    )
    told = [one for one in moved.values() if one not in declared]
    told += [] if group is None else [group]
    return Compiled(
        operation=operation,
        parameters=parameters,
        named=named,
        targets=targets,
        effects=tuple(
            Effect(device.key, attribute, value)
            for device in told
            for attribute, value in operation.effects(
                supported(parameters, device), house.read(device.id).values
            )
        )
        + tuple(Effect(device.key, ANYTHING, None) for device in declared),
    )


def _supports(operation: Operation, device: Device) -> bool:
    return operation.domain == device.domain and device.supports(operation.name)


def _unsupported(
    operation: Operation, parameters: Parameters, device: Device
) -> Problem | None:
    """Return what the named device cannot do, or None."""
    if not _supports(operation, device):
        text = f"{device.name} cannot do {operation.name}"
        return Problem(Reason.UNSUPPORTED, text, "operation")
    known = supported(parameters, device).keys()
    for name in operation.parameters:
        if name in parameters and name not in known:
            text = f"{device.name} does not support {name}"
            return Problem(Reason.UNSUPPORTED, text, name)
    return None


def leaves(device: Device, house: House) -> Iterator[Device]:
    """Yield the devices that a group moves in the end, or the device itself.

    A member that is gone from the home is left out: nothing can move it.
    """
    waiting, met = [device], {device.id}
    while waiting:
        current = waiting.pop(0)
        if not current.members:
            yield current
        for member in current.members:
            if member not in met and (found := house.device(member)) is not None:
                met.add(member)
                waiting.append(found)


def _declared(device: Device, house: House) -> list[Device]:
    """Return what a script or a scene is declared to move."""
    found = (house.device(member) for member in device.moves)
    return [leaf for one in found if one is not None for leaf in leaves(one, house)]


def _aliases(
    device: Device, by_key: Mapping[str, list[Device]], house: House
) -> tuple[Device, ...]:
    """Return the other devices that are the same physical thing."""
    same = [one for one in by_key.get(device.key, ()) if one.id != device.id]
    if device.key not in {device.id, *(one.id for one in same)}:
        # What stands for the physical thing counts even if it is not exposed.
        main = house.device(device.key)
        same += [] if main is None else [main]
    return tuple(same)
