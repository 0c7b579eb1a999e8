"""Whether each execute had a lease of its own that covered it. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from hearthnet.core.envelope import outside
from hearthnet.core.leases import Lease
from hearthnet.core.messages import EventId, Message, MessageType
from hearthnet.core.reasons import Reason
from hearthnet.core.state import POLICY_PATH
from hearthnet.core.view import View

from .findings import Rule
from .nodes import Problem

_ROUNDED = timedelta(milliseconds=1)
"""Messages carry whole milliseconds."""


@dataclass(frozen=True, slots=True)
class _Proposal:
    at: datetime
    sender: str
    task: str | None
    operation: str


@dataclass
class Leases:
    """The leases of a record and what became of them."""

    view: View
    executes: int = 0
    _open: dict[str, Lease] = field(default_factory=dict)
    """Granted and not used, by id."""
    _proposals: dict[str, dict[str, _Proposal]] = field(default_factory=dict)
    """By node, then by id: those of its present boot."""
    _used: dict[str, str] = field(default_factory=dict)
    """Lease to its execute."""
    _revoked: dict[str, str] = field(default_factory=dict)
    _running: dict[str, Message] = field(default_factory=dict)
    """Executes without an answer."""
    _newest: dict[tuple[str, str], EventId] = field(default_factory=dict)
    """Node and device to the latest lease that ran there."""

    @property
    def unanswered(self) -> tuple[str, ...]:
        """The executes that have no receipt: nobody knows what they did."""
        return tuple(self._running)

    def granted(self, lease: Lease) -> None:
        """Take a grant that counts."""
        self._open[lease.id] = lease

    def note(self, message: Message) -> Iterator[Problem]:
        """Take any other event; yield what is wrong with a receipt."""
        event = message.event
        match message.type:
            case MessageType.HELLO:
                self._proposals[event.node] = {}
            case MessageType.PROPOSAL:
                self._proposals.setdefault(event.node, {})[message.id] = _Proposal(
                    message.at,
                    message.sender,
                    message.task,
                    str(message.body.get("operation")),
                )
            case MessageType.REVOCATION if message.lease is not None:
                self._revoked[message.lease] = message.id
            case MessageType.RECEIPT:
                yield from self._answered(message.cause, message)
            case MessageType.REFUSAL if message.body.get("execute") is not None:
                yield from self._answered(message.body["execute"], message)

    def _answered(self, execute: str | None, message: Message) -> Iterator[Problem]:
        running = self._running.pop(execute or "", None)
        if running is None:
            yield Rule.RECEIPT, f"{execute} is no execute that waits for an answer"
            return
        if message.lease != running.lease:
            text = f"{execute} was under {running.lease}, not {message.lease}"
            yield Rule.RECEIPT, text
        if (message.intent, message.task) != (running.intent, running.task):
            yield Rule.RECEIPT, f"{execute} was for {running.intent}, {running.task}"
        if message.body.get("operation") != running.body.get("operation"):
            yield Rule.RECEIPT, f"{execute} was another operation"
        named = {*message.body.get("target", ()), *message.body.get("members", ())}
        if not named <= set(running.body.get("target") or ()):
            yield Rule.RECEIPT, f"{execute} was on other devices"

    def knows(self, execute: Message) -> bool:
        """Tell whether an execute can be judged: its grant has come, or never will."""
        lease = execute.lease
        if lease is None or lease in self._open or lease in self._used:
            return True
        return EventId.parse(lease).node == execute.event.node

    def check(self, message: Message) -> Iterator[Problem]:
        """Take an execute; yield what speaks against it at its place in the record."""
        self.executes += 1
        body, event = message.body, message.event
        target = tuple(map(str, body.get("target") or ()))
        self._running[message.id] = message
        if message.lease is None:
            yield Reason.NO_LEASE, "it names no lease"
            return
        if (before := self._used.get(message.lease)) is not None:
            yield Reason.CONSUMED, f"{before} used the lease {message.lease} before"
            return
        self._used[message.lease] = message.id
        if (lease := self._open.pop(message.lease, None)) is None:
            yield Reason.NO_LEASE, f"{message.lease} is no grant of this record"
            return
        yield from self._standing(message, lease)
        if message.sender != lease.grantee:
            yield Reason.WRONG_GRANTEE, f"granted to {lease.grantee}"
        if sorted(target) != sorted(lease.target):
            yield Reason.WRONG_TARGET, "granted for other devices"
        if body.get("operation") != lease.operation:
            yield Reason.WRONG_OPERATION, f"granted for {lease.operation}"
        if problem := outside(lease, body.get("parameters") or {}):
            yield Reason.OUT_OF_ENVELOPE, problem
        yield from _named(message, lease)
        order = EventId.parse(lease.id)
        for device in target:
            newest = self._newest.get((event.node, device))
            if newest is not None and newest > order:
                yield Reason.SUPERSEDED, f"the later lease {newest} ran there already"
            self._newest[event.node, device] = max(newest or order, order)

    def _standing(self, message: Message, lease: Lease) -> Iterator[Problem]:
        """Yield what ended the lease before it was used."""
        event, hub = message.event, EventId.parse(lease.id)
        proposal = self._proposals.get(event.node, {}).pop(lease.cause, None)
        if proposal is None or proposal.sender != lease.grantee:
            text = f"{lease.cause} is no proposal of this start of {lease.grantee}"
            yield Reason.NOT_ASKED, text
        elif (proposal.task, proposal.operation) != (lease.task, lease.operation):
            yield Reason.NOT_ASKED, f"{lease.cause} proposed something else"
        elif message.at - proposal.at > timedelta(seconds=lease.ttl) + _ROUNDED:
            age = (message.at - proposal.at).total_seconds()
            yield Reason.EXPIRED, f"used {age:.1f} s after the proposal"
        if event.node == hub.node and lease.id in self._revoked:
            yield Reason.REVOKED, f"{self._revoked[lease.id]} had revoked it"
        reads = {POLICY_PATH: lease.policy_version, **lease.reads}
        for path, _, newest in self.view.stale(reads):
            # What another node wrote may have been on its way to this gate.
            if newest is not None and EventId.parse(newest).node == event.node:
                policy = path == POLICY_PATH
                code = Reason.STALE_POLICY if policy else Reason.STALE_STATE
                yield code, f"{newest} had changed {path}"


def _named(execute: Message, lease: Lease) -> Iterator[Problem]:
    """Yield where an execute says other than its lease for whom and what it is."""
    if (execute.intent, execute.task) != (lease.intent, lease.task):
        yield Rule.EXECUTE, f"granted for {lease.intent}, {lease.task}"
    if execute.body.get("principal") != lease.principal.as_dict():
        yield Rule.EXECUTE, f"granted for {lease.principal.name}"
