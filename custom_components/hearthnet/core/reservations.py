"""Which targets are taken: on the hub, one live lease a target."""

import asyncio
from collections.abc import Collection, Iterable
from typing import Protocol

from .clock import Clock
from .leases import Lease
from .messages import Message
from .node import Record


class Waiter(Protocol):
    """Waits on a clock, so that tests with a manual clock do not sleep."""

    async def wait(self, wake: asyncio.Event, until: float) -> None:
        """Return when `wake` is set or the clock's boot time reaches `until`."""


class Reservations:
    """Who holds which target until when, on the hub's boot-time clock."""

    def __init__(self, clock: Clock, waiter: Waiter) -> None:
        """Start with every target free."""
        raise NotImplementedError

    def reserve(self, keys: Collection[str], lease: Lease) -> None:
        """Keep the targets for a lease that is granted now.

        Raises:
            ValueError: another lease holds one of them.
        """
        raise NotImplementedError

    def holding(self, keys: Collection[str]) -> tuple[Lease, ...]:
        """Return the leases that hold any of the targets now."""
        raise NotImplementedError

    def note(self, message: Message) -> None:
        """Free what a receipt, or a refusal that ends its lease, lets go."""
        raise NotImplementedError

    def release(self, lease_id: str) -> None:
        """Free the targets of a lease that can no longer be executed."""
        raise NotImplementedError

    def release_grantee(self, agent: str) -> None:
        """Free what an agent held that says hello from a new boot."""
        raise NotImplementedError

    async def wait_free(self, keys: Collection[str], deadline: float) -> bool:
        """Wait until the targets are free; False if not by `deadline` (boot time)."""
        raise NotImplementedError

    def rebuild(self, records: Iterable[Record], *, local: Collection[str]) -> None:
        """Keep the targets of leases that an earlier boot of the hub granted.

        Leases of the agents in `local` died with this process.
        """
        raise NotImplementedError
