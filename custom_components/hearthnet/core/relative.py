"""Relative wishes ("ten brighter", "toggle") made absolute on fresh values."""

from dataclasses import dataclass

from .devices import Values
from .operations import Operation, Parameters, Problem


@dataclass(frozen=True)
class Resolved:
    """Absolute parameters, and whether a limit was met on the way."""

    parameters: Parameters
    clamped: bool = False


def resolve_relative(
    operation: Operation,
    parameter: str,
    delta: float,
    values: Values,
    limits: tuple[float, float] | None = None,
) -> Resolved | Problem:
    """Return the absolute parameter for "by `delta`" on the present values."""
    raise NotImplementedError


def resolve_toggle(domain: str, values: Values) -> str | Problem:
    """Return the name of the operation that a toggle means now."""
    raise NotImplementedError
