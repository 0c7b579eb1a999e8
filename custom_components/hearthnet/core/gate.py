"""The gate: the only door to a device. One a node, beside the devices' writer."""

from collections.abc import Callable, Mapping, Sequence

from .adapter import Adapter
from .devices import Device, Reading, Values
from .keys import VerifyKey
from .messages import Json
from .node import Node, Record
from .operations import Operation, Parameters
from .recovery import Past
from .verdict import Check, Receipt, Refusal


class Gate:
    """Admits leases, checks and consumes them, and lets adapters act."""

    def __init__(
        self,
        *,
        node: Node,
        adapter: Adapter,
        root: VerifyKey,
        agent: str,
        operations: Mapping[str, Operation],
        device: Callable[[str], Device | None],
        recipe: Callable[[str], str | None] = lambda operation: None,
    ) -> None:
        """Stand beside `node`; speak in the name of `agent` (jeeves, darcy).

        `root` is the hub's key, `recipe` gives the digest of the recipe that an
        operation would run.
        """
        raise NotImplementedError

    def note_proposal(self, record: Record) -> None:
        """Note that a proposal is being sent: its lease's time starts now."""
        raise NotImplementedError

    def admit(self, grant: Record) -> bool:
        """Take in a grant; True if it is the root's and well-formed."""
        raise NotImplementedError

    def revoke(self, lease_id: str, *, by: str) -> Record | None:
        """End a lease, known or still to come; `by` is the revoking event.

        Returns the refusal that tells the root that an unused lease is over.
        """
        raise NotImplementedError

    def revoke_all(self, *, by: str) -> list[Record]:
        """End every lease that answers a proposal noted so far."""
        raise NotImplementedError

    def raise_fence(self, boot: int, *, by: str | None = None) -> None:
        """Learn of a hub boot; leases of earlier ones are fenced off."""
        raise NotImplementedError

    def check(
        self,
        lease_id: str,
        *,
        grantee: str,
        target: Sequence[str],
        operation: str,
        parameters: Parameters,
    ) -> Check:
        """Tell all that speaks against an actuation now; changes nothing."""
        raise NotImplementedError

    async def execute(
        self,
        lease_id: str,
        *,
        grantee: str,
        target: Sequence[str],
        operation: str,
        parameters: Parameters,
    ) -> Receipt | Refusal:
        """Check, consume, record, act, read back, record.

        An identical request gets the answer of the first one. Canceling it while
        it acts leaves a receipt `unknown`.

        Raises:
            JournalError: not even the answer could be recorded.
        """
        raise NotImplementedError

    def expects(self, device_id: str, values: Values, now: float) -> str | None:
        """Return the execute that a reported change belongs to, None if foreign.

        `now` is the boot-time clock's.
        """
        raise NotImplementedError

    def busy(self, device_id: str) -> str | None:
        """Return the execute that has no receipt yet, if one is on the device."""
        raise NotImplementedError

    async def wait_idle(self, device_id: str) -> None:
        """Return once no execute on the device lacks its receipt."""
        raise NotImplementedError

    def recover(self, past: Past) -> list[Record]:
        """Take over what earlier boots did; executes without receipt are unknown.

        Returns the receipts emitted for them.
        """
        raise NotImplementedError

    def unknown(self, device_id: str) -> str | None:
        """Return the execute whose outcome on the device nobody knows yet."""
        raise NotImplementedError

    def resolve_unknown(self, device_id: str, reading: Reading) -> Record | None:
        """Record a read that succeeded; the device takes actuations again."""
        raise NotImplementedError

    async def drain(self, *, by: str, timeout: float) -> None:
        """Revoke what is unused and wait for what runs; used before a stop."""
        raise NotImplementedError


def device_value(
    device: Device | None, values: Values, unknown: str | None = None
) -> Json:
    """Return what the record keeps of a device."""
    raise NotImplementedError
