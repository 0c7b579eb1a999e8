"""Devices as the core sees them, and the protocol of whoever reaches them.

A *device* of HearthNet is one controllable thing: in Home Assistant an entity
(named by its registry id, so that renaming does not change the target), on a
phone one thing that a recipe drives.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from .messages import Json

if TYPE_CHECKING:
    from .operations import Operation

type Values = Mapping[str, Json]
"""Control attributes by Home Assistant's attribute names; `state` is the state."""

DECIDING_ROLES = frozenset({"owner", "resident", "automation"})


@dataclass(frozen=True, slots=True)
class Limit:
    """What a device itself can be set to by one number, in the parameter's unit."""

    low: float | None = None
    high: float | None = None
    step: float | None = None
    """The number is a multiple of it, counted from `base`."""
    base: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Device:
    """What is known of a device apart from its values."""

    id: str
    entity_id: str
    name: str
    domain: str
    device_class: str | None = None
    area: str | None = None
    """Area's name, as shown to people; `floor` and `labels` likewise."""
    floor: str | None = None
    labels: frozenset[str] = frozenset()
    aliases: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    """Ids of a group's members; empty when it is no group."""
    moves: tuple[str, ...] = ()
    """Ids of what a script or an opaque scene moves, as the owner declared."""
    risk: str | None = None
    """What the owner said can go wrong with it, in place of the operation's risk."""
    manager: str = "jeeves"
    """The agent that reaches it."""
    physical: str | None = None
    """Id of the device that stands for the same physical thing, if another does."""
    assumed_state: bool = False
    """The device reports nothing back: outcomes are `unverified`."""
    partial: bool = False
    """It is read in parts, as an app shows them: what a read lacks is as it was."""
    features: frozenset[str] | None = None
    """Operations and parameters it supports; None: all of its domain."""
    limits: Mapping[str, Limit] = field(default_factory=dict, hash=False)
    """By parameter, what the device itself can do, where it says so."""

    def supports(self, name: str) -> bool:
        """Tell whether the device takes an operation or a parameter."""
        return self.features is None or name in self.features

    @property
    def key(self) -> str:
        """The id under which holds, versions and reservations are kept."""
        return self.physical or self.id


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Values read from a device at one moment."""

    available: bool
    values: Values = field(default_factory=dict)
    since: datetime | None = None
    """When the values last changed."""
    seen: Mapping[str, datetime] | None = None
    """By attribute, when it was read; None: just now. One that is not in it was read
    nobody knows when."""


@dataclass(frozen=True, kw_only=True)
class Principal:
    """Who wants something; made from the transport, never from text."""

    kind: str
    """`user`, `satellite`, `telegram`, `automation`, `agent` or `system`."""
    id: str
    name: str
    role: str = "resident"
    """`owner`, `resident`, `guest`, `child`, `automation` or `agent`."""

    @property
    def decides(self) -> bool:
        """True for those who may end what others were granted or asked for."""
        return self.role in DECIDING_ROLES

    def is_same_as(self, other: "Principal") -> bool:
        """Tell whether two are one, whatever the name and role are by now."""
        return (self.kind, self.id) == (other.kind, other.id)

    def as_dict(self) -> dict[str, Json]:
        """Return the JSON form that messages carry."""
        return {"kind": self.kind, "id": self.id, "name": self.name, "role": self.role}

    @classmethod
    def from_dict(cls, data: Mapping[str, Json]) -> "Principal":
        """Read the JSON form; KeyError when a field is missing."""
        return cls(
            kind=str(data["kind"]),
            id=str(data["id"]),
            name=str(data["name"]),
            role=str(data["role"]),
        )


class House(Protocol):
    """The devices that an agent may name and read. Nothing here moves one."""

    @property
    def operations(self) -> "Mapping[str, Operation]":
        """The closed table of what can be done in this home."""

    def device(self, device_id: str) -> Device | None:
        """Return a device by id, exposed or not, or None when it is gone."""

    def devices(self) -> Iterable[Device]:
        """Return the devices that are exposed to HearthNet."""

    def read(self, device_id: str) -> Reading:
        """Return the live values of a device."""

    def may_control(self, principal: Principal, device_id: str) -> bool:
        """Tell whether the principal itself has the right to control the device."""


def moved_with(house: House, device_id: str) -> frozenset[str]:
    """Return what must not be moved by two at once: a device, and what it moves."""
    seen = {device_id}
    waiting = [device_id]
    while waiting:
        device = house.device(waiting.pop())
        if device is not None:
            inner = {*device.members, *device.moves}
            waiting.extend(inner - seen)
            seen |= {device.key, *inner}
    return frozenset(seen)


def aliases(house: House, devices: Collection[str]) -> set[str]:
    """Return all ids of the physical things that some devices are."""
    found = [device for name in devices if (device := house.device(name))]
    keys = {device.key for device in found}
    same = {device.id for device in house.devices() if device.key in keys}
    return {*devices, *keys, *same}
