"""Playbooks as they are written: what they say, and every mistake in one."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import time
import re

from ..domains import OPERATIONS
from ..messages import Json
from ..operations import Operation, check_parameters
from ..policy.load import read
from ..policy.spots import Mistake, PolicyError, Reader, Spot, join, nearest
from .phrases import Phrase, PhraseError

HERE = "here"
"""The area that the request came from, or that it names."""
_FIELDS = ("name", "sentences", "standing", "until", "steps")
_STEP = ("do", "with", "keep", "devices")
_DEVICES = ("area", "floor", "label", "device_class", "entity", "state")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z]{2,4})?")
_TIME = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")

type Range = tuple[float | None, float | None]


@dataclass(frozen=True, kw_only=True)
class Selector:
    """Which devices a step is for; each field that is not empty must fit."""

    area: frozenset[str] = frozenset()
    floor: frozenset[str] = frozenset()
    label: frozenset[str] = frozenset()
    device_class: frozenset[str] = frozenset()
    entity: frozenset[str] = frozenset()
    """Entity ids or names."""
    state: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Step:
    """One operation on the devices that a selector finds."""

    devices: Selector
    operation: str
    parameters: Mapping[str, Json] = field(default_factory=dict)
    keep: Mapping[str, Range] = field(default_factory=dict)
    """Parameter to the range it shall stay in; without a value of its own it
    stays where it is, or comes to the nearest end of the range."""


@dataclass(frozen=True, kw_only=True)
class Playbook:
    """A routine with a name."""

    id: str
    name: Mapping[str, str]
    """Language to name."""
    sentences: Mapping[str, tuple[Phrase, ...]]
    """Language to phrases."""
    steps: tuple[Step, ...]
    standing: bool = False
    until: time | None = None
    """The time of day at which a standing one ends; None: midnight."""


class PlaybookError(ValueError):
    """A playbook that does not load, with every mistake found in it."""

    def __init__(self, mistakes: Iterable[Mistake]) -> None:
        """Take the mistakes, at least one."""
        self.mistakes = tuple(sorted(mistakes))
        super().__init__("\n".join(map(str, self.mistakes)))


def load(
    id_: str, text: str, operations: Mapping[str, Operation] = OPERATIONS
) -> Playbook:
    """Read a playbook, whole or not at all; `operations` are those that exist.

    Raises:
        PlaybookError: naming line, field and remedy of each mistake.
    """
    try:
        spot = read(text)
    except PolicyError as error:
        raise PlaybookError(error.mistakes) from None
    reader = Reader()
    fields = reader.fields(spot, "", _FIELDS)
    for name in ("name", "sentences", "steps"):
        if name not in fields:
            reader.note(spot, name, "missing")
    playbook = Playbook(
        id=id_,
        name=_names(reader, fields.get("name"), id_),
        sentences=_sentences(reader, fields.get("sentences")),
        steps=_steps(reader, fields.get("steps"), operations),
        standing=_flag(reader, fields.get("standing")),
        until=_until(reader, fields.get("until")),
    )
    if reader.mistakes:
        raise PlaybookError(reader.mistakes)
    return playbook


def _names(reader: Reader, spot: Spot | None, id_: str) -> dict[str, str]:
    if spot is None:
        return {}
    if isinstance(spot.value, str):
        return {"en": reader.text(spot, "name")}
    return {
        language: reader.text(inner, join("name", language))
        for language, inner in _by_language(reader, spot, "name").items()
    } or {"en": id_}


def _sentences(reader: Reader, spot: Spot | None) -> dict[str, tuple[Phrase, ...]]:
    found: dict[str, tuple[Phrase, ...]] = {}
    if spot is None:
        return found
    for language, inner in _by_language(reader, spot, "sentences").items():
        where = join("sentences", language)
        phrases = []
        for item in reader.items(inner, where):
            if not (text := reader.text(item, where)):
                continue
            try:
                phrases.append(Phrase.read(text))
            except PhraseError as error:
                reader.note(item, where, str(error))
        found[language] = tuple(phrases)
    return found


def _by_language(reader: Reader, spot: Spot, field: str) -> Mapping[str, Spot]:
    languages = reader.mapping(spot, field)
    for language, inner in languages.items():
        if not _LANGUAGE.fullmatch(language):
            text = "no language; write en, de, zh or the like"
            reader.note(inner, join(field, language), text)
    if isinstance(spot.value, dict) and not languages:
        reader.note(spot, field, "empty; write it for one language at least")
    return languages


def _flag(reader: Reader, spot: Spot | None) -> bool:
    if spot is None:
        return False
    if not isinstance(spot.value, bool):
        reader.note(spot, "standing", "expected true or false")
    return spot.value is True


def _until(reader: Reader, spot: Spot | None) -> time | None:
    if spot is None or spot.value == "midnight":
        return None
    if isinstance(spot.value, str) and (match := _TIME.fullmatch(spot.value)):
        return time(int(match[1]), int(match[2]))
    reader.note(spot, "until", "expected a time such as 18:00, or midnight")
    return None


def _steps(
    reader: Reader, spot: Spot | None, operations: Mapping[str, Operation]
) -> tuple[Step, ...]:
    if spot is None:
        return ()
    items = reader.items(spot, "steps")
    if isinstance(spot.value, list) and not items:
        reader.note(spot, "steps", "empty; write one step at least")
    found = [
        _step(reader, item, f"steps.{n}", operations) for n, item in enumerate(items, 1)
    ]
    return tuple(step for step in found if step is not None)


def _step(
    reader: Reader, spot: Spot, where: str, operations: Mapping[str, Operation]
) -> Step | None:
    fields = reader.fields(spot, where, _STEP)
    if "do" not in fields:
        if isinstance(spot.value, dict):
            reader.note(spot, join(where, "do"), "missing; write an operation")
        return None
    name = reader.choice(fields["do"], join(where, "do"), operations)
    if name is None:
        return None
    operation = operations[name]
    keep = _keep(reader, fields.get("keep"), join(where, "keep"), operation)
    parameters = _parameters(reader, fields.get("with"), join(where, "with"))
    # What is kept in a range has a value too, once the device has been read.
    given = {**{name: _some(range_) for name, range_ in keep.items()}, **parameters}
    if (problem := check_parameters(operation, given)) is not None:
        field = "keep" if problem.field in keep else "with"
        reader.note(fields.get(field, spot), join(where, field), problem.text)
    return Step(
        devices=_selector(reader, fields.get("devices"), join(where, "devices")),
        operation=name,
        parameters=parameters,
        keep=keep,
    )


def _parameters(reader: Reader, spot: Spot | None, where: str) -> dict[str, Json]:
    if spot is None:
        return {}
    return {n: _plain(inner) for n, inner in reader.mapping(spot, where).items()}


def _plain(spot: Spot) -> Json:
    value = spot.value
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    return value


def _keep(
    reader: Reader, spot: Spot | None, where: str, operation: Operation
) -> dict[str, Range]:
    if spot is None:
        return {}
    found: dict[str, Range] = {}
    for name, inner in reader.mapping(spot, where).items():
        path = join(where, name)
        spec = operation.parameters.get(name)
        if spec is None or spec.maximum is None or spec.length is not None:
            numbers = [n for n, p in operation.parameters.items() if p.maximum]
            text = f"no number of {operation.name}; {nearest(name, numbers)}"
            reader.note(inner, path, text)
            continue
        low, high = spec.minimum or 0, spec.maximum
        ends = {
            end: reader.number(value, join(path, end), low, high)
            for end, value in reader.fields(inner, path, ("min", "max")).items()
        }
        minimum, maximum = ends.get("min"), ends.get("max")
        if minimum is not None and maximum is not None and minimum > maximum:
            reader.note(inner, path, "min is above max")
        elif not ends:
            reader.note(inner, path, "expected {min: …}, {max: …} or both")
        else:
            found[name] = minimum, maximum
    return found


def _some(range_: Range) -> float:
    low, high = range_
    return high if high is not None else low or 0


def _selector(reader: Reader, spot: Spot | None, where: str) -> Selector:
    if spot is None:
        return Selector()
    return Selector(
        **{
            name: frozenset(reader.texts(inner, join(where, name)))
            for name, inner in reader.fields(spot, where, _DEVICES).items()
        }
    )
