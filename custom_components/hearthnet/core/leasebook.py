"""The leases that one gate knows, and all that can speak against using one.

Checking is pure: it reads the book, the view and a moment, and changes nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from typing import NamedTuple

from .envelope import outside, unfit
from .intents import Evidence
from .keys import VerifyKey
from .leases import MAX_TTL, Lease
from .messages import EventId, MalformedError, Message
from .node import Record
from .operations import Operation, Parameters
from .reasons import Reason
from .verdict import Check
from .view import View

POLICY = "policy.yaml"
KEPT = 1024
"""How many ended proposals and leases are remembered, to name them in refusals."""
ENDING = frozenset(
    {
        *(Reason.NOT_ASKED, Reason.FENCED, Reason.REVOKED, Reason.EXPIRED),
        *(Reason.SUPERSEDED, Reason.STALE_POLICY, Reason.STALE_STATE),
    }
)
"""Codes that stay true: a lease that failed with one can never be used."""


class Moment(NamedTuple):
    """The node's two clocks, read together."""

    boottime: float
    wall: datetime


class Request(NamedTuple):
    """What somebody wants to do under a lease."""

    grantee: str
    target: tuple[str, ...]
    operation: str
    parameters: Parameters


@dataclass(slots=True)
class _Asked:
    """An open proposal."""

    sent: Moment
    revoked: str | None = None
    """The event that revoked whatever may answer it."""


@dataclass(slots=True)
class _Entry:
    """A lease that was admitted."""

    lease: Lease
    data: bytes
    order: EventId
    genuine: bool
    keys: tuple[str, ...]
    reads: Mapping[str, str | None]
    targets: frozenset[str]
    ttl: timedelta
    exact: bool
    """The lease admits one set of parameters only."""
    unfit: str | None
    """Why those are outside the table of operations."""


class _Executed(NamedTuple):
    order: EventId
    lease: str
    execute: str


@dataclass
class LeaseBook:
    """State of the gate, apart from what is running."""

    root: VerifyKey
    """The hub's key; replaced when the hub's old key signs a new one."""
    view: View
    operations: Mapping[str, Operation]
    key_of: Callable[[str], str]
    """From a device's id to `Device.key`."""
    recipe: Callable[[str], str | None]
    fence: int = 0
    """The highest hub boot known."""
    fenced_by: str | None = None
    executed: dict[str, str] = field(default_factory=dict)
    """Lease id to its `execute`: what is consumed."""
    earlier: dict[str, Record] = field(default_factory=dict)
    """Grants of earlier boots, admitted when somebody comes with one."""
    _asked: dict[str, _Asked] = field(default_factory=dict)
    _entries: dict[str, _Entry] = field(default_factory=dict)
    _revoked: dict[str, str] = field(default_factory=dict)
    _newest: dict[str, _Executed] = field(default_factory=dict)
    """`Device.key` to the latest lease that ran on it."""

    # Changing the book

    def note_proposal(self, proposal: str, moment: Moment) -> None:
        """Open a proposal: whatever lease answers it ends `ttl` from now."""
        self._asked[proposal] = _Asked(moment)
        for old, asked in _surplus(self._asked):
            if moment.boottime - asked.sent.boottime > MAX_TTL:
                del self._asked[old]

    def admit(self, grant: Record) -> Lease | None:
        """Verify a grant once, over its exact bytes; return the lease if genuine.

        The bytes are decoded here, so that what was verified is what counts.
        """
        known = self._entry(grant.message.id)
        if known and known.genuine:
            return known.lease if known.data == grant.data else None
        try:
            lease = Lease.from_message(Message.decode(grant.data))
        except MalformedError:
            return None
        if lease.id != grant.message.id:
            return None
        signature = grant.signature or b""
        genuine = self.root.verifies(grant.data, signature)
        reads = {POLICY: lease.policy_version, **lease.reads}
        order = EventId.parse(lease.id)
        row = self.operations.get(lease.operation)
        fixed = {name: bound.exact for name, bound in lease.envelope.items()}
        self._entries[lease.id] = _Entry(
            lease=lease,
            data=grant.data,
            order=order,
            genuine=genuine,
            keys=tuple(dict.fromkeys(map(self.key_of, lease.target))),
            reads=reads,
            targets=frozenset(lease.target),
            ttl=timedelta(seconds=lease.ttl),
            exact=None not in fixed.values(),
            unfit=unfit(row, fixed) if row else None,
        )
        for old, entry in _surplus(self._entries):
            if not entry.genuine or entry.lease.cause not in self._asked:
                del self._entries[old]
                self.executed.pop(old, None)
        if not genuine:
            return None
        if order.boot > self.fence:
            self.fence, self.fenced_by = order.boot, lease.id
        return lease

    def revoke(self, lease_id: str, by: str) -> Lease | None:
        """End a lease; return it if it was there, unused and not yet revoked."""
        if lease_id in self._revoked:
            return None
        self._revoked[lease_id] = by
        for old, _ in _surplus(self._revoked):
            del self._revoked[old]
        entry = self._entries.get(lease_id)
        if entry is None or not entry.genuine or lease_id in self.executed:
            return None
        return entry.lease

    def revoke_all(self, by: str) -> list[Lease]:
        """End whatever answers a proposal noted so far; return the unused."""
        for asked in self._asked.values():
            asked.revoked = asked.revoked or by
        mine = [e.lease for e in self._entries.values() if e.lease.cause in self._asked]
        return [lease for lease in mine if self.revoke(lease.id, by)]

    def raise_fence(self, boot: int, by: str | None) -> None:
        """Learn of a hub boot."""
        if boot > self.fence:
            self.fence, self.fenced_by = boot, by

    def consume(
        self, lease_id: str, execute: str, targets: Sequence[str] | None = None
    ) -> None:
        """Note that a lease ran; `targets` when it is none of this boot's."""
        self.executed[lease_id] = execute
        if targets is None:
            keys: Sequence[str] = self._entries[lease_id].keys
        else:
            keys = [self.key_of(target) for target in targets]
        order = EventId.parse(lease_id)
        for key in keys:
            newest = self._newest.get(key)
            if newest is None or newest.order < order:
                self._newest[key] = _Executed(order, lease_id, execute)

    def lease(self, lease_id: str) -> Lease | None:
        """Return a lease that was admitted."""
        entry = self._entry(lease_id)
        return entry.lease if entry else None

    def over(self, lease_id: str, evidence: Sequence[Evidence]) -> bool:
        """Tell whether a lease that was refused for `evidence` can never be used.

        One that is consumed is over by its receipt.
        """
        entry = self._entries.get(lease_id)
        return (
            entry is not None
            and entry.genuine
            and lease_id not in self.executed
            and any(item.code in ENDING for item in evidence)
        )

    def keys(self, lease_id: str) -> tuple[str, ...]:
        """Return the keys of an admitted lease's targets."""
        return self._entries[lease_id].keys

    # Checking

    def check(self, lease_id: str, request: Request, moment: Moment) -> Check:
        """Tell all that speaks against a request, in the order of `GATE_ORDER`."""
        entry = self._entry(lease_id)
        if entry is None:
            return Check(None, self._absent(lease_id))
        found: list[Evidence] = []
        if not entry.genuine:
            text = "the grant is not signed by the root"
            found.append(_evidence(entry, Reason.BAD_SIGNATURE, text))
        if request.grantee != entry.lease.grantee:
            text = f"granted to {entry.lease.grantee}, not to {request.grantee[:40]}"
            found.append(_evidence(entry, Reason.WRONG_GRANTEE, text))
        self._standing(entry, moment, found)
        if lease_id in self.executed:
            found.append(self._consumed(lease_id, entry.lease.intent))
        self._overtaken(entry, found)
        self._scope(entry, request, found)
        self._fresh(entry, found)
        return Check(entry.lease, tuple(found))

    def recheck(
        self, lease_id: str, moment: Moment, *, fresh: bool
    ) -> tuple[Evidence, ...]:
        """Tell what has come to speak against a lease since it was consumed.

        `fresh` asks for freshness as well: before the first input only, because
        after it the target changes by our own hand.
        """
        if (entry := self._entries.get(lease_id)) is None:
            return self._absent(lease_id)
        found: list[Evidence] = []
        self._standing(entry, moment, found)
        self._overtaken(entry, found)
        if fresh:
            self._fresh(entry, found)
        return tuple(found)

    def _entry(self, lease_id: str) -> _Entry | None:
        if lease_id in self.earlier:
            self.admit(self.earlier.pop(lease_id))
        return self._entries.get(lease_id)

    def _absent(self, lease_id: str) -> tuple[Evidence, ...]:
        """Say that there is no lease; an earlier boot may have used it."""
        text = f"there is no lease {lease_id[:80]!r} here"
        absent = Evidence(text=text, code=Reason.NO_LEASE)
        if lease_id not in self.executed:
            return (absent,)
        return absent, self._consumed(lease_id, None)

    def _consumed(self, lease_id: str, intent: str | None) -> Evidence:
        execute = self.executed[lease_id]
        return Evidence(
            text="the lease was used before; it is good for one execution",
            code=Reason.CONSUMED,
            lease=lease_id,
            event=execute,
            commit=self.view.commit_of(execute),
            intent=intent,
        )

    def _standing(self, entry: _Entry, moment: Moment, found: list[Evidence]) -> None:
        """Add what ends a lease whoever asks: proposal, fence, revocation, time."""
        lease = entry.lease
        asked = self._asked.get(lease.cause)
        if asked is None:
            text = f"it answers {lease.cause}, no open proposal of this boot"
            found.append(_evidence(entry, Reason.NOT_ASKED, text, event=lease.cause))
        if entry.order.boot < self.fence:
            text = f"granted in the hub's boot {entry.order.boot}, now {self.fence}"
            by = self.fenced_by
            found.append(_evidence(entry, Reason.FENCED, text, event=by))
        revoked = self._revoked.get(lease.id) or (asked and asked.revoked)
        if revoked:
            text = "the lease was revoked"
            found.append(_evidence(entry, Reason.REVOKED, text, event=revoked))
        if asked is not None and _ended(asked.sent, moment, entry):
            over = _age(asked.sent, moment) - lease.ttl
            text = f"it ended {over:.1f} s ago, {lease.ttl:g} s after the proposal"
            found.append(_evidence(entry, Reason.EXPIRED, text, event=lease.cause))

    def _overtaken(self, entry: _Entry, found: list[Evidence]) -> None:
        for key in entry.keys:
            newest = self._newest.get(key)
            if newest is not None and newest.order > entry.order:
                text = f"the later lease {newest.lease} ran on {key} already"
                event = newest.execute
                found.append(_evidence(entry, Reason.SUPERSEDED, text, event=event))
                return

    def _scope(self, entry: _Entry, request: Request, found: list[Evidence]) -> None:
        lease, target = entry.lease, request.target
        if len(target) != len(entry.targets) or entry.targets != set(target):
            text = f"granted for {_list(lease.target)}, not for {_list(target)}"
            found.append(_evidence(entry, Reason.WRONG_TARGET, text))
        row = self.operations.get(lease.operation)
        if request.operation != lease.operation:
            text = f"granted for {lease.operation}, not for {request.operation[:80]}"
            found.append(_evidence(entry, Reason.WRONG_OPERATION, text))
        elif row is None:
            text = f"{lease.operation} is no operation here"
            found.append(_evidence(entry, Reason.WRONG_OPERATION, text))
        elif lease.recipe != self.recipe(lease.operation):
            text = f"the recipe of {lease.operation} is not the one granted"
            found.append(_evidence(entry, Reason.WRONG_OPERATION, text))
        problem = outside(lease, request.parameters)
        if problem is None and row is not None:
            # What an exact lease admits was looked up when it was admitted.
            problem = entry.unfit if entry.exact else unfit(row, request.parameters)
        if problem is not None:
            found.append(_evidence(entry, Reason.OUT_OF_ENVELOPE, problem))

    def _fresh(self, entry: _Entry, found: list[Evidence]) -> None:
        if not (stale := self.view.stale(entry.reads)):
            return
        # The policy's code comes first: False sorts before True.
        for path, _, newest in sorted(stale, key=lambda s: s.path != POLICY):
            code = Reason.STALE_POLICY if path == POLICY else Reason.STALE_STATE
            commit = self.view.commit_of(newest) if newest else None
            text = f"{path} changed after the lease was decided on"
            found.append(
                _evidence(entry, code, text, event=newest, commit=commit, path=path)
            )


def _surplus[T](kept: Mapping[str, T]) -> list[tuple[str, T]]:
    """Return the oldest items beyond what is kept."""
    return list(islice(kept.items(), max(0, len(kept) - KEPT)))


def _ended(sent: Moment, now: Moment, entry: _Entry) -> bool:
    """Tell whether either clock says that the lease's time is over."""
    return (
        now.boottime - sent.boottime >= entry.lease.ttl
        or now.wall - sent.wall >= entry.ttl
    )


def _age(sent: Moment, now: Moment) -> float:
    """Return the seconds since a proposal, by the clock that saw more of them."""
    return max(now.boottime - sent.boottime, (now.wall - sent.wall).total_seconds())


def _evidence(
    entry: _Entry,
    code: Reason,
    text: str,
    *,
    event: str | None = None,
    commit: str | None = None,
    path: str | None = None,
) -> Evidence:
    return Evidence(
        text=text,
        code=code,
        lease=entry.lease.id,
        event=event,
        commit=commit,
        path=path,
        intent=entry.lease.intent,
    )


def _list(target: Sequence[str]) -> str:
    return ", ".join(target[:8])[:200] or "nothing"
