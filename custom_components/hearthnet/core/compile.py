"""Actions compiled: which devices one moves, and what it makes true of them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from .devices import Device, Values
from .effects import Effect
from .operations import (
    Operation,
    Parameters,
    Problem,
    check_parameters,
)
from .policy.model import Target
from .reasons import Reason

type Lookup = Callable[[str], Device | None]
type ValuesOf = Callable[[str], Values]


@dataclass(frozen=True, kw_only=True)
class Compiled:
    """An action, ready to be judged."""

    operation: Operation
    parameters: Parameters
    named: Device
    """The device or group that was named, and that will be told."""
    targets: tuple[Target, ...]
    """The devices it moves, each once: the lease's target."""
    effects: tuple[Effect, ...]
    touched: frozenset[str]
    """Keys of the targets, of the group and of every group one of them is in."""


def compile_action(
    operation: Operation,
    parameters: Parameters,
    named: Device,
    lookup: Lookup,
    values_of: ValuesOf,
    everything: Iterable[Device] = (),
) -> Compiled | Problem:
    """Compile one action, or say what is wrong with it."""
    raise NotImplementedError
