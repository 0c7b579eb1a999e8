"""From the values of a text to the conditions of a rule."""

from collections.abc import Mapping, Sequence
from datetime import time
import re

from ..operations import Operation
from .model import Conditions, Evidence, Rate, Window
from .parse_bounds import bounds
from .spots import Reader, Spot, join

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
REMEMBERED = 3600.0
"""Seconds for which the root counts grants: a rate over a longer while would be
counted too low, and let through what it should cap."""
CAPS = ("more_devices_than", "more_often_than")
_FIELDS = (
    *("time", "weekday", "presence", "evidence_from", "evidence_below", "values"),
    *CAPS,
)
_CLOCK = r"((?:[01][0-9]|2[0-3]):[0-5][0-9])"
_TIME = re.compile(f"{_CLOCK}-(?:{_CLOCK}|24:00)")


def conditions(
    reader: Reader, spot: Spot | None, field: str, rows: Sequence[Operation] | None
) -> Conditions:
    """Return the conditions of a rule about some operations; `rows` see `bounds`."""
    if spot is None:
        return Conditions()
    field = join(field, "conditions")
    parts = reader.fields(spot, field, _FIELDS)
    somebody, persons = _presence(reader, parts, field)
    return Conditions(
        window=_window(reader, parts, field),
        weekdays=_weekdays(reader, parts, field),
        somebody_home=somebody,
        persons_home=persons,
        evidence_from=_evidence(reader, parts, field, "evidence_from"),
        evidence_below=_evidence(reader, parts, field, "evidence_below"),
        values=bounds(reader, parts.get("values"), join(field, "values"), rows),
        more_devices_than=_devices(reader, parts, field),
        more_often_than=_rate(reader, parts, field),
    )


def _window(reader: Reader, parts: Mapping[str, Spot], field: str) -> Window | None:
    if (spot := parts.get("time")) is None:
        return None
    inner = join(field, "time")
    match = _TIME.fullmatch(spot.value) if isinstance(spot.value, str) else None
    if match is None:
        reader.note(spot, inner, 'expected a time of day such as "22:00-07:00"')
        return None
    if match[1] == match[2]:
        reader.note(spot, inner, 'no time at all; the whole day is "00:00-24:00"')
        return None
    end = None if match[2] is None else time.fromisoformat(match[2])
    return Window(start=time.fromisoformat(match[1]), end=end)


def _weekdays(reader: Reader, parts: Mapping[str, Spot], field: str) -> frozenset[int]:
    if (spot := parts.get("weekday")) is None:
        return frozenset()
    found = reader.texts(spot, join(field, "weekday"), WEEKDAYS)
    return frozenset(map(WEEKDAYS.index, found))


def _presence(
    reader: Reader, parts: Mapping[str, Spot], field: str
) -> tuple[bool | None, frozenset[str]]:
    """Return whether somebody must be at home, and who."""
    if (spot := parts.get("presence")) is None:
        return None, frozenset()
    inner = join(field, "presence")
    if isinstance(spot.value, list):
        return None, frozenset(reader.texts(spot, inner))
    name = reader.choice(spot, inner, ("somebody", "nobody"))
    return (None if name is None else name == "somebody"), frozenset()


def _evidence(
    reader: Reader, parts: Mapping[str, Spot], field: str, name: str
) -> Evidence | None:
    if (spot := parts.get(name)) is None:
        return None
    known = [evidence.name.lower() for evidence in Evidence]
    found = reader.choice(spot, join(field, name), known)
    return None if found is None else Evidence[found.upper()]


def _devices(reader: Reader, parts: Mapping[str, Spot], field: str) -> int | None:
    if (spot := parts.get("more_devices_than")) is None:
        return None
    return reader.whole(spot, join(field, "more_devices_than"), 0, 10_000)


def _rate(reader: Reader, parts: Mapping[str, Spot], field: str) -> Rate | None:
    if (spot := parts.get("more_often_than")) is None:
        return None
    inner = join(field, "more_often_than")
    known = ("times", "seconds")
    fields = reader.fields(spot, inner, known)
    for name in known:
        if name not in fields:
            reader.note(spot, join(inner, name), "missing")
    if len(fields) < len(known):
        return None
    times = reader.whole(fields["times"], join(inner, "times"), 0, 1000)
    seconds = reader.number(fields["seconds"], join(inner, "seconds"), 1, REMEMBERED)
    if times is None or seconds is None:
        return None
    return Rate(times=times, seconds=seconds)
