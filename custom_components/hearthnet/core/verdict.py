"""What the gate answers."""

from collections.abc import Mapping
from dataclasses import dataclass

from .devices import Values
from .intents import Evidence
from .leases import Lease
from .node import Record
from .reasons import Outcome, Reason


@dataclass(frozen=True, slots=True)
class Check:
    """Whether a lease covers an actuation at this moment."""

    lease: Lease | None
    """None: no such lease was admitted."""
    evidence: tuple[Evidence, ...] = ()
    """All that fails, in the order of `GATE_ORDER`; empty when nothing does."""

    @property
    def reason(self) -> Reason | None:
        """The first code that fails: the verdict."""
        return self.evidence[0].code if self.evidence else None


class Refused(Exception):  # noqa: N818 - a decision, not an error
    """A permit is over; raised by `Permit.recheck`."""

    def __init__(self, evidence: tuple[Evidence, ...]) -> None:
        """Keep what failed."""
        super().__init__(evidence[0].text)
        self.evidence = evidence


@dataclass(frozen=True, kw_only=True)
class Receipt:
    """An actuation that was let through, and what was read back."""

    record: Record
    """The `receipt` as emitted."""
    execute: str
    """Id of the `execute` event."""
    outcome: Outcome
    members: Mapping[str, Outcome]
    """Outcome of each target."""
    values: Mapping[str, Values]
    """Values seen, by target; a target that could not be read is absent."""
    evidence: tuple[Evidence, ...] = ()
    """What an adapter or a re-check said, when something went wrong."""


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """An actuation that did not happen: no device was touched."""

    record: Record
    """The `refusal` as emitted."""
    reason: Reason
    evidence: tuple[Evidence, ...]
    """The first is the reason's own; the others failed too."""
    over: bool
    """True when the lease can never be used any more."""
