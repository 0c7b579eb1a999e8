"""Which targets are taken: on the hub, one live lease a target."""

import asyncio
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from .clock import Clock
from .leases import DRIFT, Lease
from .messages import MalformedError, Message, MessageType
from .node import Record


class Waiter(Protocol):
    """Waits on a clock, so that tests with a manual clock do not sleep."""

    async def wait(self, wake: asyncio.Event, until: float) -> None:
        """Return when `wake` is set or the clock's boot time reaches `until`."""


class LoopWaiter:
    """Waits in the event loop's time; whoever asked looks at the clock again."""

    def __init__(self, clock: Clock) -> None:
        """Wait for moments of `clock`."""
        self._clock = clock

    async def wait(self, wake: asyncio.Event, until: float) -> None:
        """Return when `wake` is set or the clock's boot time reaches `until`."""
        with suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, until - self._clock.boottime())):
                await wake.wait()


@dataclass(frozen=True, slots=True)
class _Held:
    lease: Lease
    keys: frozenset[str]
    until: float


class Reservations:
    """Who holds which target until when, on the hub's boot-time clock.

    A target is held until the receipt, until a refusal that ends the lease, or
    until the lease is dead on any clock: `ttl` after the grant, plus drift. (The
    grantee counts from its proposal, which was before the grant.)
    """

    def __init__(self, clock: Clock, waiter: Waiter) -> None:
        """Start with every target free."""
        self._clock = clock
        self._waiter = waiter
        self._held: dict[str, _Held] = {}
        self._on: dict[str, set[str]] = {}
        """Target to the leases that hold it; several only after a new boot."""
        self._freed = asyncio.Event()

    def reserve(self, keys: Collection[str], lease: Lease) -> None:
        """Keep the targets (`Device.key`) for a lease that is granted now.

        Raises:
            ValueError: another lease holds one of them.
        """
        if others := self.holding(keys):
            raise ValueError(f"{others[0].id} holds {', '.join(sorted(keys))}")
        self._hold(keys, lease)

    def holding(self, keys: Collection[str]) -> tuple[Lease, ...]:
        """Return the leases that hold any of the targets now, oldest first."""
        ids = {lease for key in keys for lease in self._on.get(key, ())}
        return tuple(
            held.lease
            for lease, held in self._held.items()
            if lease in ids and not self._dead(held)
        )

    def live(self) -> tuple[Lease, ...]:
        """Return all leases that hold something now."""
        return tuple(h.lease for h in self._held.values() if not self._dead(h))

    def note(self, message: Message) -> None:
        """Free what a receipt, or a refusal that ends its lease, lets go."""
        if message.lease is None:
            return
        refused = message.type is MessageType.REFUSAL
        if message.type is MessageType.RECEIPT or (
            refused and message.body.get("over") is True
        ):
            self.release(message.lease)

    def release(self, lease_id: str) -> None:
        """Free the targets of a lease that can no longer be executed."""
        if (held := self._held.pop(lease_id, None)) is None:
            return
        for key in held.keys:
            self._on[key].discard(lease_id)
            if not self._on[key]:
                del self._on[key]
        self._freed.set()
        self._freed = asyncio.Event()

    def release_grantees(self, agents: Collection[str]) -> None:
        """Free what agents held that say hello from a new boot."""
        for lease_id, held in list(self._held.items()):
            if held.lease.grantee in agents:
                self.release(lease_id)

    async def wait_free(self, keys: Collection[str], deadline: float) -> bool:
        """Wait until the targets are free; False if not by `deadline` (boot time).

        Whoever it returns to may reserve them if it does so without awaiting.
        """
        while holding := self.holding(keys):
            if self._clock.boottime() >= deadline:
                return False
            ends = [self._held[lease.id].until for lease in holding]
            await self._waiter.wait(self._freed, min(deadline, *ends))
        return True

    def rebuild(
        self,
        records: Iterable[Record],
        *,
        local: Collection[str],
        key_of: Callable[[str], str],
    ) -> None:
        """Keep the targets of leases that earlier boots of the hub granted.

        Leases of the agents in `local` died with the process. How long ago the
        others were granted no clock can tell across a boot, so they are waited
        for as if it had been just now.
        """
        open_: dict[str, Lease] = {}
        for record in records:
            message = record.message
            if message.type is MessageType.GRANT:
                with suppress(MalformedError):
                    open_[message.id] = Lease.from_message(message)
            elif message.type in (MessageType.RECEIPT, MessageType.RESOLUTION) or (
                message.type is MessageType.REFUSAL and message.body.get("over")
            ):
                # What a manager elsewhere answered is not in this node's journal,
                # but the resolution of its task names the lease that it ended.
                open_.pop(message.lease or "", None)
        for lease in open_.values():
            if lease.grantee not in local:
                self._hold({key_of(target) for target in lease.target}, lease)

    def _hold(self, keys: Collection[str], lease: Lease) -> None:
        self._purge()
        until = self._clock.boottime() + lease.ttl * (1 + DRIFT)
        self._held[lease.id] = _Held(lease, frozenset(keys), until)
        for key in keys:
            self._on.setdefault(key, set()).add(lease.id)

    def _purge(self) -> None:
        """Forget the dead from the oldest on; they free nothing by that."""
        for lease_id, held in list(self._held.items()):
            if not self._dead(held):
                break
            self.release(lease_id)

    def _dead(self, held: _Held) -> bool:
        return self._clock.boottime() >= held.until
