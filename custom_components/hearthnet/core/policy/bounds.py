"""Bounds taken together: a value must lie in each, so bounds only ever shrink."""

from collections.abc import Callable, Mapping

from ..devices import Device
from ..leases import Bound
from ..messages import Json
from ..operations import Operation, Parameters

NOTHING = Bound(choices=())
"""Admits no value: what contradicting bounds leave."""

FAMILIES: Mapping[str, tuple[str, ...]] = {
    "temperature": ("temperature", "target_temp_low", "target_temp_high"),
}
"""Parameters that a bound of the first name covers too: a thermostat that takes
a range must not slip past a cap on the temperature."""

PICKED: Mapping[str, str] = {
    "light.turn_on": "brightness_pct",
    "fan.turn_on": "percentage",
}
"""What a device picks itself when the operation does not name it."""


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


def picks_itself(operation: Operation, parameter: str, device: Device) -> bool:
    """Tell whether a device picks a parameter that was not named."""
    return PICKED.get(operation.name) == parameter and device.supports(parameter)


def completed(
    operation: Operation, parameters: Parameters, bounds: Mapping[str, Bound]
) -> Parameters:
    """Return the parameters with what the device would pick, if that is bounded.

    "Lamp on" under a cap of 40 % becomes 40 %: the highest value allowed.
    """
    name = PICKED.get(operation.name)
    if name is None or name in parameters or name not in bounds:
        return parameters
    highest = _highest(bounds[name])
    if highest is None or operation.parameters[name].problem(highest):
        return parameters
    return {**parameters, name: highest}


def _highest(bound: Bound) -> float | None:
    if (listed := _listed(bound)) is None:
        return bound.maximum
    numbers = [
        value
        for value in listed
        if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    return max(numbers, default=None)


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
