"""From the values of a text to bounds of parameters."""

from collections.abc import Sequence
import math

from ..leases import Bound
from ..messages import Json
from ..operations import Operation
from .spots import Reader, Spot, join, nearest

_EDGES = ("min", "above", "max", "below")


def bounds(
    reader: Reader, spot: Spot | None, field: str, rows: Sequence[Operation] | None
) -> dict[str, Bound]:
    """Return bounds by parameter: a value, a list of values or a range.

    Args:
        reader: takes the mistakes.
        spot: what the text has, if anything.
        field: its name.
        rows: the operations meant; a bound must be of a parameter of theirs and
            lie within what it can be. None: not checked.
    """
    if spot is None:
        return {}
    found: dict[str, Bound] = {}
    for name, item in reader.mapping(spot, field).items():
        inner = join(field, name)
        bound = _bound(reader, item, inner)
        if rows is not None and (problem := _misfit(name, bound, rows)) is not None:
            reader.note(item, inner, problem)
        elif bound is not None:
            found[name] = bound
    return found


def _misfit(name: str, bound: Bound | None, rows: Sequence[Operation]) -> str | None:
    """Return why no operation can have a bound, None if one can."""
    specs = [(n, spec) for row in rows for n, spec in row.parameters.items()]
    names = {n for n, _ in specs}
    if name not in names:
        return f"no operation of this rule has it; {nearest(name, names)}"
    for value in _values(bound) if bound else ():
        problems = [spec.problem(value) for n, spec in specs if n == name]
        if None not in problems:
            return f"{value} cannot be: {problems[0]}"
    return None


def _bound(reader: Reader, spot: Spot, field: str) -> Bound | None:
    if isinstance(spot.value, dict):
        return _range(reader, spot, field)
    if isinstance(spot.value, list):
        if not spot.value:
            reader.note(spot, field, "empty; name the values")
        return Bound(choices=tuple(_plain(item) for item in spot.value))
    return Bound(exact=_plain(spot))


def _range(reader: Reader, spot: Spot, field: str) -> Bound | None:
    edges: dict[str, float] = {}
    for name, item in reader.fields(spot, field, _EDGES).items():
        number = reader.number(item, join(field, name), -1e9, 1e9)
        if number is None:
            return None
        edges[name] = number
    # "Above 24" begins with the next number there is after 24.
    if "above" in edges:
        edges["above"] = math.nextafter(edges["above"], math.inf)
    if "below" in edges:
        edges["below"] = math.nextafter(edges["below"], -math.inf)
    low = max((edges[n] for n in ("min", "above") if n in edges), default=None)
    high = min((edges[n] for n in ("max", "below") if n in edges), default=None)
    if low is None and high is None:
        reader.note(spot, field, "expected min, max, above or below")
        return None
    if low is not None and high is not None and low > high:
        reader.note(spot, field, "no value lies in it; swap the two numbers")
        return None
    return Bound(minimum=low, maximum=high)


def _plain(spot: Spot) -> Json:
    """Return a spot's value as plain JSON."""
    value = spot.value
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return value


def _values(bound: Bound) -> tuple[Json, ...]:
    """Return the values that a bound names."""
    if bound.choices is not None:
        return bound.choices
    edges = tuple(e for e in (bound.minimum, bound.maximum) if e is not None)
    return edges or (bound.exact,)
