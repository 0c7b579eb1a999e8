"""What the hub shows of itself: entities, pages and health read these."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Self

from .approvals import Approval
from .confirmations import Pending
from .deferred import Deferred
from .devices import Values
from .holds import Hold
from .intents import Step
from .leases import Lease
from .leftovers import Dropped
from .messages import Json
from .review import Review


class Cause(StrEnum):
    """Who changed a device outside HearthNet; `unknown` is never guessed away."""

    PERSON = "person"
    VOICE = "voice"
    AUTOMATION = "automation"
    DEVICE = "device"
    """The device itself or its own switch: no call in Home Assistant caused it."""
    RECONNECT = "reconnect"
    """From or to unavailable or unknown, or first seen after a start."""
    OWN = "own"
    """HearthNet itself: an effect of its action that shows after the receipt."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True)
class AgentStatus:
    """One agent as its peers see it."""

    name: str
    online: bool
    open_tasks: int = 0
    role: str | None = None
    """Of a companion: `dewey` or `darcy`."""
    version: str | None = None
    """Of the companion's program, as it said last."""
    commit: str | None = None
    """The newest of a librarian's record."""
    problem: str | None = None
    """What is wrong with a librarian or its record, in words."""


@dataclass(frozen=True, kw_only=True)
class LeaseStatus:
    """A lease that is live: granted, and neither used nor over."""

    id: str
    grantee: str
    target: tuple[str, ...]
    operation: str
    expires_at: datetime
    intent: str | None

    @classmethod
    def of(cls, lease: Lease) -> Self:
        """Show a lease."""
        return cls(
            id=lease.id,
            grantee=lease.grantee,
            target=lease.target,
            operation=lease.operation,
            expires_at=lease.expires_at,
            intent=lease.intent,
        )


@dataclass(frozen=True, kw_only=True)
class HoldStatus:
    """A hold that stands."""

    id: str
    device: str
    attribute: str
    value: object
    source: str
    """Name of the source class."""
    principal: str
    intent: str | None
    since: datetime
    ends_at: datetime | None

    @classmethod
    def of(cls, hold: Hold) -> Self:
        """Show a hold."""
        return cls(
            id=hold.id,
            device=hold.device,
            attribute=hold.attribute,
            value=hold.value,
            source=hold.source.name.lower(),
            principal=hold.principal.name,
            intent=hold.intent,
            since=hold.since,
            ends_at=hold.ends_at,
        )


@dataclass(frozen=True, kw_only=True)
class QuestionStatus:
    """A question to people that stands: see `confirmations`."""

    id: str
    sentence: str
    principal: str
    target: tuple[str, ...]
    operation: str
    parameters: Mapping[str, Json]
    shown: Mapping[str, Values]
    """By device id, the values that the asked person is shown and agrees to."""
    expires_at: datetime
    intent: str | None
    again: bool
    """An automation asks, which will ask for the same again."""
    put_as_one: tuple[Self, ...] = ()
    """The questions that this stands for, if for several: see `account.together`."""

    @property
    def parts(self) -> tuple[Self, ...]:
        """The questions that this stands for."""
        return self.put_as_one or (self,)

    @property
    def ids(self) -> tuple[str, ...]:
        """Their ids."""
        return tuple(one.id for one in self.parts)

    @classmethod
    def of(cls, pending: Pending) -> Self:
        """Show a question."""
        binding = pending.binding
        return cls(
            id=pending.id,
            sentence=pending.sentence,
            principal=binding.principal.name,
            target=binding.target,
            operation=binding.operation,
            parameters=binding.parameters,
            shown=binding.shown,
            expires_at=pending.expires_at,
            intent=pending.intent,
            again=binding.principal.kind == "automation",
        )


@dataclass(frozen=True, kw_only=True)
class ApprovalStatus:
    """A standing approval: see `approvals`."""

    id: str
    by: str
    principal: str
    target: tuple[str, ...]
    operation: str
    parameters: Mapping[str, Json]
    ends_at: datetime

    @classmethod
    def of(cls, approval: Approval) -> Self:
        """Show an approval."""
        return cls(
            id=approval.id,
            by=approval.by.name,
            principal=approval.principal.name,
            target=approval.target,
            operation=approval.operation,
            parameters=approval.parameters,
            ends_at=approval.until,
        )


@dataclass(frozen=True, kw_only=True)
class DeferredStatus:
    """A plan that waits for its time."""

    id: str
    text: str
    due: datetime
    principal: str
    devices: tuple[str, ...]

    @classmethod
    def of(cls, deferred: Deferred) -> Self:
        """Show a deferred plan."""
        request = deferred.request
        return cls(
            id=deferred.id,
            text=request.text,
            due=deferred.due,
            principal=request.principal.name,
            devices=deferred.devices,
        )


@dataclass(frozen=True, kw_only=True)
class BurstStatus:
    """Somebody who asks so often that the rest is not taken in."""

    principal: str
    id: str
    since: datetime
    refused: int


@dataclass(frozen=True, kw_only=True)
class Decision:
    """One decision, as the event entity and the timeline show it."""

    event: str
    intent: str | None
    at: datetime
    step: Step
    principal: str

    def as_dict(self) -> dict[str, str | None]:
        """Return what automations are told, the device and its outcome aside."""
        step = self.step
        return {
            "operation": step.operation,
            "reason": step.reason.value if step.reason else None,
            "principal": self.principal,
            "intent": self.intent,
            "lease": step.lease,
            "event": self.event,
        }


@dataclass(frozen=True, kw_only=True)
class LibrarianStatus:
    """How the record is doing."""

    connected: bool
    commit: str | None = None
    repository: str | None = None
    behind: int = 0
    """Events in the journal that are not durable in Git yet."""
    problem: str | None = None
    """In words, while something is wrong."""
    bad_commit: str | None = None
    """The first commit that failed an audit: what came after may be altered."""
    bad_since: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class HubStatus:
    """Everything at one moment."""

    boot: int
    open: bool
    """True once Home Assistant has started: grants are made."""
    enabled: bool
    """The switch “actuation enabled”."""
    agents: tuple[AgentStatus, ...] = ()
    leases: tuple[LeaseStatus, ...] = ()
    holds: tuple[HoldStatus, ...] = ()
    questions: tuple[QuestionStatus, ...] = ()
    approvals: tuple[ApprovalStatus, ...] = ()
    reviews: tuple[Review, ...] = ()
    deferred: tuple[DeferredStatus, ...] = ()
    bursts: tuple[BurstStatus, ...] = ()
    """Who has asked too often in the last minutes."""
    dropped: tuple[Dropped, ...] = ()
    """What the start has dropped, until somebody has decided about it."""
    librarian: LibrarianStatus = field(
        default_factory=lambda: LibrarianStatus(connected=False)
    )
    journal: bool = True
    """The journal takes events; without it nothing is granted."""
    ahead: datetime | None = None
    """When the newest event was, if the clock is behind it: then it is not trusted."""
    last: Decision | None = None
