"""Bounds taken together: a value must lie in each, so bounds only ever shrink."""

from collections.abc import Callable

from ..leases import Bound
from ..messages import Json

NOTHING = Bound(choices=())
"""Admits no value: what contradicting bounds leave."""


def intersect(a: Bound, b: Bound) -> Bound:
    """Return the bound that admits just what both admit, maybe `NOTHING`."""
    if (listed := _listed(a)) is not None:
        return _only(listed, b)
    if (listed := _listed(b)) is not None:
        return _only(listed, a)
    low = _stricter(max, a.minimum, b.minimum)
    high = _stricter(min, a.maximum, b.maximum)
    if low is not None and high is not None and low > high:
        return NOTHING
    return Bound(minimum=low, maximum=high)


def is_empty(bound: Bound) -> bool:
    """Tell whether no value at all lies inside."""
    return bound.choices == ()


def words(bound: Bound) -> str:
    """Say a bound to a person."""
    if bound.choices is not None:
        if not bound.choices:
            return "no value at all"
        return "one of " + ", ".join(str(choice) for choice in bound.choices)
    match bound.minimum, bound.maximum:
        case None, None:
            return f"exactly {bound.exact}"
        case low, None:
            return f"at least {low:g}"
        case None, high:
            return f"at most {high:g}"
        case low, high:
            return f"from {low:g} to {high:g}"
    raise AssertionError  # the cases are complete


def _listed(bound: Bound) -> tuple[Json, ...] | None:
    """Return the values of an exact bound or a set; None for a range."""
    if bound.choices is not None:
        return bound.choices
    if bound.minimum is None and bound.maximum is None:
        return (bound.exact,)
    return None


def _only(values: tuple[Json, ...], bound: Bound) -> Bound:
    return Bound(choices=tuple(value for value in values if bound.admits(value)))


def _stricter(
    pick: Callable[[float, float], float], a: float | None, b: float | None
) -> float | None:
    if a is None or b is None:
        return b if a is None else a
    return pick(a, b)
