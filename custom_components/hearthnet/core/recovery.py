"""What the gate has to know of earlier boots, read out of the node's journal."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from .node import Record


@dataclass
class Past:
    """What earlier boots of this node granted, executed and left open."""

    executes: dict[str, Record] = field(default_factory=dict)
    """Lease id to its `execute`."""
    open: dict[str, Record] = field(default_factory=dict)
    """Execute id to the `execute`s that have no receipt or refusal."""
    grants: dict[str, Record] = field(default_factory=dict)
    """Lease id to grants, the newest thousands; evidence for refusals."""
    revoked: dict[str, str] = field(default_factory=dict)
    """Lease id to the revocation."""


def read_past(records: Iterable[Record]) -> Past:
    """Fold the journal. Pure but long: run it where blocking is allowed."""
    raise NotImplementedError
