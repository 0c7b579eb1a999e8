"""What the oracle's facts are made of. Nothing of HearthNet is imported."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

type Place = tuple[int, int]
"""(boot, number): where an event stands in its node's sequence."""
type Message = Mapping[str, Any]

HUB = "hub"
LOCAL = "jeeves"
"""The agent that lives on the hub's own node."""
NOON, DAY = 43_200.0, 86_400.0
"""Seconds; the clock starts at noon."""
SWITCH = {"kind": "system", "id": "switch", "role": "resident"}
SOURCES = {"automation": "automation", "schedule": "schedule", "agent": "agent"}
"""By origin; whoever comes another way is a person."""
DONE = ("changed", "already_so", "running")
EFFECTS: Mapping[str, tuple[str | None, str | None]] = {
    "light.turn_on": ("on", "brightness_pct"),
    "light.turn_off": ("off", None),
    "switch.turn_on": ("on", None),
    "switch.turn_off": ("off", None),
    "lock.lock": ("locked", None),
    "lock.unlock": ("unlocked", None),
    "climate.set_temperature": (None, "temperature"),
    "media_player.volume_set": (None, "volume_level"),
}
"""Operation to the state it makes, and the parameter that it sets as it is."""


def place(event: str) -> Place:
    """Return where an event stands in its node's sequence."""
    _, boot, number = event.split(".")
    return int(boot), int(number)


def effects(operation: str, parameters: Message) -> dict[str, Any]:
    """Return what an operation makes true of each of its targets."""
    state, name = EFFECTS[operation]
    found = {} if state is None else {"state": state}
    if name is not None and name in parameters:
        found[name] = parameters[name]
    return found


@dataclass(frozen=True, kw_only=True)
class Thing:
    """A device or group, as the generator made it."""

    id: str
    agent: str
    key: str
    """The device that stands for the same physical thing, else itself."""
    members: tuple[str, ...] = ()


@dataclass(kw_only=True)
class Change:
    """A device became something else, by whatever hand."""

    place: Place
    values: Message | None
    """None: nobody knows what it is now."""
    learned: int | None
    """When the hub heard of it, in the total order."""


@dataclass(kw_only=True)
class Task:
    """A task, and the intent it belongs to."""

    message: Message
    intent: Message
    started: float
    """When the intent was taken."""
    since: int
    """The plan's place in the total order: what came later it could not know."""
    open: bool = True
    receipt: Message | None = None


@dataclass(kw_only=True)
class Grant:
    """A lease, and what its decision could rest on."""

    place: Place
    message: Message
    now: float
    knew: Place
    """How much of the devices' own node the hub had heard."""
    held: frozenset[tuple[str, int, str]]
    """The holds on its targets: (key, when made, attribute)."""
    total: int
    """How many events there were of all nodes, and of its own intent."""
    own: int
    freed: bool = False
