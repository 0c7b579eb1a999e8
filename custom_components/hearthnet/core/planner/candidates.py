"""Which devices a planner is shown: those that the sentence may be about.

Large homes have hundreds of devices, and a prompt with all of them is slow, dear
and worse understood. Code ranks them by what the sentence and the dialogue name;
the order is total, so the same request always gets the same devices.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache, partial
import re

from ..devices import Device
from ..intents import Request
from .mentions import Mentions, mentions_of, names_of
from .words.fold import fold

MOST = 60
"""How many devices a planner is shown at most, unless it can take fewer."""
_NAMED, _AREA, _KIND, _WORD, _HERE = 100, 40, 25, 10, 15
_TURNS = 4
"""How many turns of the dialogue count, each half of the one after it."""
_LONG = re.compile(r"\w{4,}")


@dataclass(frozen=True, kw_only=True)
class Candidates:
    """The devices that a planner is shown."""

    devices: tuple[Device, ...]
    """In the order of their ids, so that the order tells nothing."""
    aliases: Mapping[str, Device]
    """Short name in the prompt to the device."""
    total: int
    """How many there are in the house."""

    @property
    def cut(self) -> bool:
        """True when some devices were left out."""
        return len(self.devices) < self.total


def candidates_for(
    request: Request, devices: Iterable[Device], most: int = MOST
) -> Candidates:
    """Return the devices to show for a request."""
    house = sorted(devices, key=lambda device: device.id)
    short = dict(zip((d.id for d in house), _short_names(house), strict=True))
    chosen = house if len(house) <= most else _best(request, house, most)
    return Candidates(
        devices=tuple(chosen),
        aliases={short[device.id]: device for device in chosen},
        total=len(house),
    )


def _short_names(house: list[Device]) -> list[str]:
    """Return `light1`, `light2`, …: counted over the house, not over what is shown.

    So a device keeps its short name from one sentence to the next.
    """
    count: Counter[str] = Counter()
    names = []
    for device in house:
        count[device.domain] += 1
        names.append(f"{device.domain}{count[device.domain]}")
    return names


def _best(request: Request, house: list[Device], most: int) -> list[Device]:
    score = dict.fromkeys((device.id for device in house), 0.0)
    weight = 1.0
    texts = [request.text, *(text for _, text in request.turns[::-1][:_TURNS])]
    for text in texts:
        said = mentions_of(text, house)
        said_so = cache(partial(_alike_any, tuple(_LONG.findall(fold(text)))))
        for device in house:
            score[device.id] += weight * _fit(device, said, said_so)
        weight /= 2
    turn: Counter[tuple[str | None, str]] = Counter()
    ranked = []
    for device in house:
        if request.area is not None and device.area == request.area:
            score[device.id] += _HERE
        # Where nothing is named, one of each kind in each room comes first.
        place = device.area, device.domain
        ranked.append((-score[device.id], turn[place], device.id, device))
        turn[place] += 1
    chosen = [device for *_, device in sorted(ranked, key=lambda row: row[:3])[:most]]
    return sorted(chosen, key=lambda device: device.id)


def _fit(device: Device, said: Mentions, said_so: Callable[[str], bool]) -> float:
    """Return how well a device fits what a text names.

    Args:
        device: the device.
        said: what the text names.
        said_so: tells whether the text has such a word.
    """
    points = 0.0
    if device.id in said.devices:
        points += _NAMED
    if said.in_area(device):
        points += _AREA
    if any(kind.fits(device) for kind in said.kinds):
        points += _KIND
    return points + _WORD * sum(map(said_so, _words(names_of(device))))


@lru_cache(maxsize=4096)
def _words(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(word for name in names for word in _LONG.findall(name))


def _alike_any(words: tuple[str, ...], word: str) -> bool:
    """Tell whether a word starts or ends one of the others: plurals, compounds."""
    for other in words:
        long, short = (word, other) if len(word) >= len(other) else (other, word)
        if long.startswith(short) or long.endswith(short):
            return True
    return False
