"""Names said otherwise than they are written: apart, without accents, in a translation.

“Flur Licht” is the “Flurlicht”, “lampara de pie” the “Lámpara de pie”; and where the
only kitchen is called “Küche”, a guest's “kitchen” is it. Only what is sure: the
letters are the same, or the word is one for that room and no other is meant.
"""

from collections.abc import Iterable, Iterator
import re

from ..core.devices import Device
from ..core.planner.words.fold import fold, phrases
from ..core.planner.words.kinds import KINDS
from ..core.planner.words.rooms import ROOMS

_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_SCREEN = phrases(
    "tv, television, telly, *fernseher, 电视, tele, televiseur, televisor"
)
_SPEAKER = phrases("speaker, radio, *lautsprecher, 音箱, enceinte*, altavoz")
_OF_ALL = frozenset({"lock", "alarm_control_panel", "climate", "vacuum", "lawn_mower"})
_MOST = 5
"""Words that a name may fall apart into."""
_SHORTEST = 4
"""Letters below which a likeness may be chance."""


def as_named(text: str, names: Iterable[str], rooms: Iterable[str] = ()) -> str:
    """Return a sentence with the names in it as they are written here.

    Args:
        text: what was said.
        names: of devices and areas; two that fold to the same letters stay apart.
        rooms: names of areas, which may be said in another language.
    """
    known: dict[str, set[str]] = {}
    for name in names:
        known.setdefault(_letters(name), set()).add(name)
    spans = [match.span() for match in _WORD.finditer(text)]
    done: list[str] = []
    place = at = 0
    while place < len(spans):
        start = spans[place][0]
        for count in range(min(_MOST, len(spans) - place), 0, -1):
            end = spans[place + count - 1][1]
            letters = _letters(text[start:end])
            found = known.get(letters, set())
            if len(letters) >= _SHORTEST and len(found) == 1:
                done += [text[at:start], *found]
                at, place = end, place + count
                break
        else:
            place += 1
    said = "".join([*done, text[at:]])
    return _translated(said, tuple(rooms))


def as_kinds(text: str, devices: Iterable[Device], area: str | None) -> Iterator[str]:
    """Yield a sentence with a name for the word of its kind, where there is one only.

    “The speaker” is the one of the room, and in no room the one of the home; of two
    neither is. What a home has one of, such as its door, is it from every room.
    """
    sentence = fold(text)
    known = tuple(device for device in devices if not device.members)
    for kind in KINDS:
        if (match := kind.words.search(sentence)) is None:
            continue
        word = match[0].strip()
        fitting = [one for one in known if kind.fits(one) and _is_such(word, one)]
        meant = [one for one in fitting if one.area == area]
        if not meant:
            meant = [one for one in fitting if area is None or _is_of_all(one)]
        if len(meant) == 1:
            yield _replaced(text, word, meant[0].name)


def _is_of_all(device: Device) -> bool:
    return device.domain in _OF_ALL or device.device_class in ("garage", "gate")


def _is_such(word: str, device: Device) -> bool:
    """Tell a screen from a speaker: people do, and both play."""
    if device.domain != "media_player":
        return True
    if _SCREEN.fullmatch(word):
        return device.device_class == "tv"
    return not _SPEAKER.fullmatch(word) or device.device_class != "tv"


def _translated(text: str, rooms: tuple[str, ...]) -> str:
    """Put the name of a room for a word that means it in some language."""
    sentence = fold(text)
    if any(fold(room).strip() in sentence for room in rooms):
        return text
    for said, called in ROOMS:
        if (match := said.search(sentence)) is None:
            continue
        meant = [room for room in rooms if called.search(fold(room))]
        if len(meant) == 1:
            return _replaced(text, match[0].strip(), meant[0])
    return text


def _replaced(text: str, folded: str, name: str) -> str:
    """Replace what folds to some words; their place is found word by word."""
    if folded in text:
        return text.replace(folded, name, 1)
    count = len(folded.split())
    spans = [match.span() for match in _WORD.finditer(text)]
    for place in range(len(spans) - count + 1):
        start, end = spans[place][0], spans[place + count - 1][1]
        if fold(text[start:end]).strip() == folded:
            return f"{text[:start]}{name}{text[end:]}"
    return text


def _letters(text: str) -> str:
    return re.sub(r"\W", "", fold(text))
