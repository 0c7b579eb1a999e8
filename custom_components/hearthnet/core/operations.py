"""The closed table of operations: nothing outside it exists.

An operation is a Home Assistant action of one entity domain, with the
parameters that a lease can bound, the effects it has, how long a read-back may
take and whether repeating it is harmless. One module a domain group registers
its rows in `OPERATIONS` (see `domains/`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from .devices import Device, Values
from .messages import Json
from .reasons import Reason


class Risk(StrEnum):
    """What can go wrong when an operation runs unasked; policy presets use it."""

    FREE = "free"
    """Close, lock, lower, switch off: the safe direction."""
    NORMAL = "normal"
    CONFIRM = "confirm"
    """Unlock, open, disarm: a person is asked."""


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One parameter of an operation. Exactly one shape applies."""

    minimum: float | None = None
    maximum: float | None = None
    unit: str | None = None
    choices: tuple[str, ...] | None = None
    text: bool = False
    """Free text (a source's or preset's name), at most 100 characters."""
    boolean: bool = False
    length: int | None = None
    """A list of this many numbers within minimum and maximum (a color)."""

    def problem(self, value: Json) -> str | None:
        """Return why a value is unacceptable, in words for a person, or None."""
        if self.boolean:
            return None if isinstance(value, bool) else "expected true or false"
        if self.choices is not None:
            if value in self.choices:
                return None
            return f"expected one of {', '.join(self.choices)}"
        if self.text:
            fine = isinstance(value, str) and 0 < len(value) <= 100
            return None if fine else "expected a text of 1 to 100 characters"
        if self.length is not None:
            if not isinstance(value, list) or len(value) != self.length:
                return f"expected {self.length} numbers"
            return next((p for v in value if (p := self._number(v))), None)
        return self._number(value)

    def _number(self, value: Json) -> str | None:
        low, high = self.minimum, self.maximum
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or (low is not None and not value >= low)
            or (high is not None and not value <= high)
        ):
            return f"expected a number from {low} to {high}{self.unit or ''}"
        return None


type Parameters = Mapping[str, Json]
type EffectsOf = Callable[[Parameters, Values], tuple[tuple[str, Json], ...]]
"""From parameters and the present values to (attribute, value) pairs."""


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One row of the table."""

    name: str
    """`domain.action`, as Home Assistant calls it."""
    effects: EffectsOf
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    exclusive: tuple[frozenset[str], ...] = ()
    """Of each set at most one parameter may be given (a lamp has one color)."""
    alternatives: tuple[frozenset[str], ...] = ()
    """If any, exactly one set must be given whole, and nothing of the others."""
    risk: Risk = Risk.NORMAL
    deadline: float = 2.0
    """Seconds until the read-back must show the effect."""
    moves: bool = False
    """True when the device takes its time (a blind): `running` is an outcome."""
    reads_state: bool = True
    """False for stop, off, close, lock: they do not depend on the device's state."""
    absolute: bool = True
    """True when doing it twice leaves the same state as once."""
    exact: bool = False
    """True when numbers read back are those that were set: an app's, not a device's."""

    @property
    def domain(self) -> str:
        """The entity domain."""
        return self.name.partition(".")[0]


@dataclass(frozen=True)
class Problem:
    """A reason with the field it concerns and a sentence for a person."""

    reason: Reason
    text: str
    field: str | None = None


def supported(parameters: Parameters, device: Device) -> Parameters:
    """Return what a device understands: a white lamp of a group gets no color."""
    return {n: value for n, value in parameters.items() if device.supports(n)}


def check_parameters(operation: Operation, parameters: Parameters) -> Problem | None:
    """Return the first problem of an operation's parameters, or None."""
    for name in sorted(operation.required - parameters.keys()):
        return Problem(Reason.BAD_PARAMETER, f"{operation.name} needs {name}", name)
    for name, value in parameters.items():
        if (spec := operation.parameters.get(name)) is None:
            known = ", ".join(operation.parameters) or "none"
            text = f"{operation.name} has no {str(name)[:40]!r}; it knows {known}"
            return Problem(Reason.BAD_PARAMETER, text, str(name))
        if (problem := spec.problem(value)) is not None:
            return Problem(Reason.BAD_PARAMETER, f"{name}: {problem}", name)
    return _combination(operation, parameters)


def _combination(operation: Operation, parameters: Parameters) -> Problem | None:
    """Return what is wrong with the parameters taken together, or None."""
    for rivals in operation.exclusive:
        if len(given := sorted(rivals & parameters.keys())) > 1:
            text = f"{operation.name}: {' and '.join(given)} exclude each other"
            return Problem(Reason.BAD_PARAMETER, text, given[1])
    if not operation.alternatives:
        return None
    named = frozenset().union(*operation.alternatives) & parameters.keys()
    if named not in operation.alternatives:
        ways = " or ".join(" and ".join(sorted(way)) for way in operation.alternatives)
        field = min(named) if named else min(operation.alternatives[0])
        text = f"{operation.name} needs {ways}, nothing else of these"
        return Problem(Reason.BAD_PARAMETER, text, field)
    return None
