"""What moves a device, as the gate sees it.

An adapter is a thin deterministic endpoint and no agent. It gets a `Permit`
with every actuation; only the gate makes permits (a test reads the source for
it: Python itself hides nothing).
"""

from collections.abc import Callable, Mapping
from dataclasses import InitVar, dataclass
from typing import Protocol

from .devices import Principal, Reading
from .intents import Evidence
from .operations import Parameters
from .reasons import Outcome

_SEAL = object()
"""For `gate.py` only."""


class AdapterError(Exception):
    """The device or its integration failed."""

    def __init__(
        self, outcome: Outcome, text: str, evidence: tuple[Evidence, ...] = ()
    ) -> None:
        """Tell what became of the action and, in words for a person, why.

        `evidence` says it with codes where there are any.
        """
        super().__init__(text)
        self.outcome = outcome
        self.text = text
        self.evidence = evidence


@dataclass(frozen=True, kw_only=True)
class Permit:
    """The right to one actuation, from a lease that has just been consumed."""

    target: tuple[str, ...]
    """Device ids: one device, or the members of a group at once."""
    operation: str
    parameters: Parameters
    lease: str
    execute: str
    """Id of the `execute` event, which is in the journal on the disk."""
    principal: Principal
    recipe: str | None
    """Digest of the recipe that the lease allows; phones only."""
    vision: bool
    """Whether the lease lets a model be asked what is meant; phones only."""
    recheck: Callable[[], None]
    """For long actuations: call it before each input to the device.

    Raises `verdict.Refused` when the lease has expired, was revoked or fenced
    meanwhile; the adapter lets it pass through and sends no further input.
    """
    seal: InitVar[object]

    def __post_init__(self, seal: object) -> None:
        """Refuse to be made outside the gate."""
        if seal is not _SEAL:
            raise TypeError("only the gate makes permits")


class Adapter(Protocol):
    """Moves and reads the devices of one node."""

    async def act(self, permit: Permit) -> Mapping[str, Reading] | None:
        """Tell the devices what the permit allows; called at most once a permit.

        Its first step runs in the same loop step as the gate's last check.

        Returns:
            What the devices read right before, where only acting shows it (an
            app on a phone has to be opened first); None where `read` did.

        Raises:
            AdapterError: the device or its integration failed.
            Refused: `permit.recheck` said that the permit is over.
        """

    async def settle(
        self,
        permit: Permit,
        satisfied: Callable[[Mapping[str, Reading]], bool],
        deadline: float,
    ) -> Mapping[str, Reading]:
        """Wait until the readings satisfy, at most `deadline` seconds; return them.

        Waits on the devices' own reports, without polling where there are any.

        Raises:
            AdapterError: the device cannot be read.
        """

    def read(self, device_id: str) -> Reading:
        """Return the live values of a device; never raises for a known id."""
