"""What a sentence names of the house, as far as code can tell without guessing."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
import re

from ..devices import Device
from .words.fold import fold, phrases, says
from .words.kinds import ALL, KINDS, Kind
from .words.rooms import rooms_missing

_LOCK_WORDS = phrases("lock, smart lock, schloss, serrure, verrou, cerradura, 锁, 门锁")
"""What a lock's name may have in it without anybody saying it."""
_DOOR_WORDS = phrases("door, tur, porte, puerta, 门, 門")
"""What no lock is told from another by."""


@dataclass(frozen=True, kw_only=True)
class Mentions:
    """What a sentence names."""

    devices: frozenset[str]
    """Ids of devices named by their whole name or an alias."""
    areas: frozenset[str]
    """Areas and floors, as the devices carry them."""
    kinds: tuple[Kind, ...]
    everything: bool
    """Each of them was asked for: “all”, “alle”."""
    missing_rooms: tuple[str, ...]
    """Words for rooms that this house does not have."""

    def in_area(self, device: Device) -> bool:
        """Tell whether the device's area or floor is named."""
        return device.area in self.areas or device.floor in self.areas


def mentions_of(text: str, devices: Iterable[Device]) -> Mentions:
    """Return what a sentence names of these devices and their areas."""
    sentence = fold(text)
    known = tuple(devices)
    places = {place for d in known for place in (d.area, d.floor) if place}
    names = {name for d in known for name in (d.name, *d.aliases, *d.labels)}
    return Mentions(
        devices=_named(sentence, known),
        areas=frozenset(place for place in places if says(sentence, fold(place))),
        kinds=tuple(kind for kind in KINDS if kind.words.search(sentence)),
        everything=ALL.search(sentence) is not None,
        missing_rooms=rooms_missing(sentence, places | names),
    )


def names_of(device: Device) -> tuple[str, ...]:
    """Return the names that people may call a device by, folded."""
    return _names(device.domain, device.name, device.aliases)


@lru_cache(maxsize=4096)
def _names(domain: str, name: str, aliases: tuple[str, ...]) -> tuple[str, ...]:
    names = [fold(called) for called in (name, *aliases)]
    if domain == "lock":
        shorter = [fold(_LOCK_WORDS.sub(" ", called)) for called in names]
        names += [n for n in shorter if not _DOOR_WORDS.sub(" ", n).isspace()]
    return tuple(called for called in dict.fromkeys(names) if not called.isspace())


def _named(sentence: str, devices: Iterable[Device]) -> frozenset[str]:
    """Return the devices named; a name inside a longer one that is said is not.

    “The front door” names the front door, even where another lock is called “door”.
    """
    said = [
        (name, device.id)
        for device in devices
        for name in names_of(device)
        if says(sentence, name)
    ]
    longest = {
        name
        for name, _ in said
        if not any(name != other and _within(name, other) for other, _ in said)
    }
    return frozenset(device for name, device in said if name in longest)


def _within(name: str, other: str) -> bool:
    return re.sub(r"\s+", "", name) in re.sub(r"\s+", "", other)
