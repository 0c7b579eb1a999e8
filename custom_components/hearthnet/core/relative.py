"""Relative wishes ("ten brighter", "toggle") made absolute on fresh values.

What leaves here can be repeated without harm, and a hold can be compared with
it. A share of a hundred changes by percentage points: 40 % and "ten more" is 50 %.
"""

from collections.abc import Mapping
from dataclasses import dataclass
import math

from .devices import Limit, Values
from .domains.cover import POSITION, TILT
from .effects import OFF_VALUES, STATE
from .messages import Json
from .operations import Operation, Parameter, Parameters, Problem
from .reasons import Reason

type Limits = Mapping[str, Limit]
"""By parameter, what the device itself can do."""

_ATTRIBUTES = {"position": POSITION, "tilt_position": TILT, "value": STATE}
"""Attributes that are not called like the parameter that sets them."""
_POINTS = {"volume_level": 0.01}
"""How much one point is, where it is not one."""
_AS_NEAR_AS_IT_GETS = frozenset({"color_temp_kelvin"})
"""What a lamp of its own accord takes as well as it can; the rest it refuses."""
_WHOLE = frozenset({" %"})
"""Units of which devices take whole numbers only."""
_TOGGLES: Mapping[str, Mapping[str, str]] = {
    **{
        domain: {"on": f"{domain}.turn_off", "off": f"{domain}.turn_on"}
        for domain in (
            *("light", "switch", "input_boolean", "fan"),
            *("humidifier", "siren", "remote"),
        )
    },
    "cover": {
        "open": "cover.close_cover",
        "opening": "cover.close_cover",
        "closed": "cover.open_cover",
        "closing": "cover.open_cover",
    },
    "valve": {
        "open": "valve.close_valve",
        "opening": "valve.close_valve",
        "closed": "valve.open_valve",
        "closing": "valve.open_valve",
    },
    "lock": {"locked": "lock.unlock", "unlocked": "lock.lock", "open": "lock.lock"},
    "media_player": {
        "playing": "media_player.media_pause",
        "paused": "media_player.media_play",
        "idle": "media_player.media_play",
        "off": "media_player.turn_on",
        "standby": "media_player.turn_on",
    },
}
"""By domain and state, what a toggle means. A toggle itself is never sent."""


@dataclass(frozen=True)
class Resolved:
    """Absolute parameters."""

    parameters: Parameters
    clamped: frozenset[str] = frozenset()
    """Parameters that met a limit, for the reply."""


def resolve(
    operation: Operation,
    parameters: Parameters,
    relative: Mapping[str, float],
    values: Values,
    limits: Limits | None = None,
) -> Resolved | Problem:
    """Return the parameters with every relative one made absolute.

    Args:
        operation: a row of the table.
        parameters: the absolute parameters; they pass as they are, but for numbers
            between the device's steps, and a white that a lamp does not reach.
        relative: by parameter, the difference: percentage points for a share of
            a hundred and for `volume_level`, else the parameter's own unit.
        values: the device's values, read just now.
        limits: what the device itself can do, where it says so.
    """
    absolute, clamped = dict(parameters), set()
    limits = limits or {}
    for name in parameters.keys() & limits.keys():
        fitted = _fit(operation, name, parameters[name], limits[name])
        if isinstance(fitted, Problem):
            return fitted
        absolute[name] = fitted
        if not _inside(parameters[name], limits[name]):
            clamped.add(name)
    for name, delta in relative.items():
        new = _add(operation, name, delta, values, limits.get(name, Limit()))
        if isinstance(new, Problem):
            return new
        if name in parameters:
            text = f"{name} is given twice: as a value and as a difference"
            return Problem(Reason.BAD_PARAMETER, text, name)
        absolute[name], met = new
        if met:
            clamped.add(name)
    return Resolved(absolute, frozenset(clamped))


def resolve_toggle(domain: str, values: Values) -> str | Problem:
    """Return the name of the operation that a toggle means now."""
    state = values.get(STATE)
    meant = _TOGGLES.get(domain, {}).get(state) if isinstance(state, str) else None
    if meant is None:
        text = f"cannot tell what to switch to from {state}"
        return Problem(Reason.AMBIGUOUS, text, STATE)
    return meant


def _add(
    operation: Operation,
    name: str,
    delta: float,
    values: Values,
    limit: Limit,
) -> tuple[float, bool] | Problem:
    """Return the new value and whether it met a limit."""
    spec = operation.parameters.get(name)
    if spec is None or not _is_number(spec) or not math.isfinite(delta):
        text = f"{operation.name} has no {name[:40]!r} to change by {delta:g}"
        return Problem(Reason.BAD_PARAMETER, text, name)
    if values.get(STATE) in OFF_VALUES:
        text = f"it is off: say the {name} it shall have"
        return Problem(Reason.NO_VALUE, text, name)
    present = values.get(_ATTRIBUTES.get(name, name))
    if isinstance(present, bool) or not isinstance(present, int | float):
        text = f"its {name} is not known: say the one it shall have"
        return Problem(Reason.NO_VALUE, text, name)
    wanted = round(present + delta * _POINTS.get(name, 1.0), 4)
    new = _clamp(_clamp(wanted, limit.low, limit.high), spec.minimum, spec.maximum)
    met = new != wanted
    if limit.step and not met:
        # Less than a step is a step: “a bit faster” is not nothing.
        least = math.copysign(limit.step, delta)
        new = present + max(new - present, least, key=abs)
    new = _on_step(new, limit, spec)
    if isinstance(present, int) and new == int(new):
        new = int(new)
    return new, met


def _fit(operation: Operation, name: str, value: Json, limit: Limit) -> Json | Problem:
    """Return an absolute value as the device takes it, or why it does not."""
    spec = operation.parameters.get(name)
    if spec is None or isinstance(value, bool) or not isinstance(value, int | float):
        return value  # whatever it is, the table has its word on it
    if not _inside(value, limit) and name not in _AS_NEAR_AS_IT_GETS:
        text = f"{name}: the device takes {_plain(limit.low)} to {_plain(limit.high)}"
        return Problem(Reason.BAD_PARAMETER, text, name)
    new = _on_step(_clamp(value, limit.low, limit.high), limit, spec)
    return int(new) if isinstance(value, int) and new == int(new) else new


def _inside(value: Json, limit: Limit) -> bool:
    """Tell whether a number lies in a device's limits; what is none does."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return True
    return _clamp(value, limit.low, limit.high) == value


def _on_step(value: float, limit: Limit, spec: Parameter) -> float:
    """Return the nearest of the device's steps within its and the table's limits."""
    if not limit.step:
        return value
    new = limit.base + round((value - limit.base) / limit.step) * limit.step
    if spec.minimum is not None and new < spec.minimum:
        new += limit.step  # the lowest speed; none at all is another operation
    if limit.high is not None and new > limit.high:
        new -= limit.step
    return float(int(new + 1e-6)) if spec.unit in _WHOLE else round(new, 4)


def _plain(limit: float | None) -> str:
    return "any" if limit is None else f"{limit:g}"


def _is_number(spec: Parameter) -> bool:
    return not (spec.text or spec.boolean or spec.choices or spec.length)


def _clamp(value: float, low: float | None, high: float | None) -> float:
    if low is not None:
        value = max(value, low)
    return value if high is None else min(value, high)
