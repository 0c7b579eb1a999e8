"""Relative wishes ("ten brighter", "toggle") made absolute on fresh values.

What leaves here can be repeated without harm, and a hold can be compared with
it. A share of a hundred changes by percentage points: 40 % and "ten more" is 50 %.
"""

from collections.abc import Mapping
from dataclasses import dataclass
import math

from .devices import Values
from .domains.cover import POSITION, TILT
from .effects import OFF_VALUES, STATE
from .operations import Operation, Parameter, Parameters, Problem
from .reasons import Reason

type Limits = Mapping[str, tuple[float, float]]
"""By parameter, what the device itself can do."""

_ATTRIBUTES = {"position": POSITION, "tilt_position": TILT, "value": STATE}
"""Attributes that are not called like the parameter that sets them."""
_POINTS = {"volume_level": 0.01}
"""How much one point is, where it is not one."""
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
        parameters: the absolute parameters; they pass unchanged.
        relative: by parameter, the difference: percentage points for a share of
            a hundred and for `volume_level`, else the parameter's own unit.
        values: the device's values, read just now.
        limits: what the device itself can do, where it says so.
    """
    absolute, clamped = dict(parameters), set()
    for name, delta in relative.items():
        new = _add(operation, name, delta, values, (limits or {}).get(name))
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
    limits: tuple[float, float] | None,
) -> tuple[float, bool] | Problem:
    """Return the new value and whether it met a limit."""
    spec = operation.parameters.get(name)
    if spec is None or not _is_number(spec) or not math.isfinite(delta):
        text = f"{operation.name} has no {name[:40]!r} to change by {delta:g}"
        return Problem(Reason.BAD_PARAMETER, text, name)
    if values.get(STATE) in OFF_VALUES:
        text = f"it is off: say the {name} it shall have"
        return Problem(Reason.AMBIGUOUS, text, name)
    present = values.get(_ATTRIBUTES.get(name, name))
    if isinstance(present, bool) or not isinstance(present, int | float):
        text = f"its {name} is not known: say the one it shall have"
        return Problem(Reason.AMBIGUOUS, text, name)
    wanted = round(present + delta * _POINTS.get(name, 1.0), 4)
    new = _clamp(_clamp(wanted, limits), (spec.minimum, spec.maximum))
    if isinstance(present, int) and new == int(new):
        new = int(new)
    return new, new != wanted


def _is_number(spec: Parameter) -> bool:
    return not (spec.text or spec.boolean or spec.choices or spec.length)


def _clamp(value: float, limits: tuple[float | None, float | None] | None) -> float:
    low, high = limits or (None, None)
    if low is not None:
        value = max(value, low)
    return value if high is None else min(value, high)
