"""Stage 3: whether a proposal becomes a lease. Pure; the root acts on it.

Every check runs, and the first that fails is the reason; the others are listed
beside it, each with what it rests on.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from .arbitrate import Answer, Arbitration, Conflict, arbitrate
from .assignment import Assignment
from .compile import Compiled
from .devices import Principal
from .holds import Hold
from .intents import Evidence, Origin
from .leases import Bound
from .operations import Risk
from .policy.evaluate import evaluate
from .policy.model import (
    Decision,
    Evidence as Certainty,
    Policy,
    Request,
    Usage,
    Verdict,
)
from .reasons import Reason
from .view import Stale

type CommitOf = Callable[[str], str | None]


@dataclass(frozen=True, kw_only=True)
class Readiness:
    """Whether the hub may grant anything at all."""

    open: bool = True
    """Home Assistant has started."""
    stopping: bool = False
    alone: bool = True
    """No later start of this hub is known to run elsewhere."""
    enabled: bool = True
    journal: bool = True
    """The journal takes events."""
    recorded: bool = True
    """The librarian has not been away for long."""
    clock: bool = True
    """The wall clock is not behind the last recorded event."""

    def problem(self, risk: Risk, policy: Policy) -> Evidence | None:
        """Return what forbids any grant of an operation of this risk, or None."""
        match self:
            case Readiness(stopping=True):
                return _fails(Reason.STOPPING, "HearthNet is stopping")
            case Readiness(alone=False):
                text = "another HearthNet runs under this one's name"
                return _fails(Reason.FENCED, text)
            case Readiness(open=False):
                return _fails(Reason.STARTING, "Home Assistant is still starting")
            case Readiness(enabled=False):
                return _fails(Reason.ACTUATION_DISABLED, "actuation is switched off")
            case Readiness(journal=False):
                text = "the journal cannot be written, so nothing may move"
                return _fails(Reason.JOURNAL_UNWRITABLE, text)
            case Readiness(recorded=False) if not policy.grants_unrecorded(risk):
                text = "the librarian is away; only harmless actions are granted"
                return _fails(Reason.UNRECORDED, text)
            case Readiness(clock=False) if risk is not Risk.FREE:
                text = (
                    "the clock is behind the record; only harmless actions are granted"
                )
                return _fails(Reason.CLOCK_BEHIND, text)
        return None


@dataclass(frozen=True, kw_only=True)
class Case:
    """A proposal with all that the root knows about it."""

    assignment: Assignment
    compiled: Compiled
    manager: str
    late: bool
    """The intent's deadline has passed."""
    forbidden: Collection[str]
    """Targets that the principal itself has no right to control, by name."""
    stale: Sequence[Stale]
    """What changed since the plan was grounded."""
    unknown: Mapping[str, str]
    """Targets whose last execute has no receipt: device name to execute id."""
    policy: Policy
    policy_version: str | None
    usage: Usage
    home: frozenset[str] | None
    holds: Sequence[Hold]
    now: datetime
    """The home's local time, aware."""
    readiness: Readiness
    approved: bool = False
    """A person agreed to exactly this, in this state."""


@dataclass(frozen=True, kw_only=True)
class Ruling:
    """What the root says: granted when there is no reason."""

    evidence: tuple[Evidence, ...] = ()
    """All that fails, the decisive first."""
    bounds: Mapping[str, Bound] = field(default_factory=dict)
    conflicts: tuple[Conflict, ...] = ()
    """Every hold the action met, those that yield included."""

    @property
    def reason(self) -> Reason | None:
        """The first reason, None when granted."""
        return self.evidence[0].code if self.evidence else None


def verify(case: Case, commit_of: CommitOf) -> Ruling:
    """Return the ruling on a proposal.

    Args:
        case: the proposal and everything it depends on.
        commit_of: event id to its commit, as far as known; evidence only.
    """
    operation = case.compiled.operation
    verdict = _policy(case)
    arbitration = arbitrate(
        case.compiled.effects,
        case.assignment.source,
        case.assignment.principal,
        case.holds,
        now=case.now if case.readiness.clock else None,
        policy=case.policy,
    )
    found = [
        case.readiness.problem(operation.risk, case.policy),
        _deadline(case),
        _scope(case),
        _permission(case),
        *_unknown(case, commit_of),
        *_stale(case, commit_of),
        _denied(case, verdict, commit_of),
        *_conflicts(arbitration, commit_of),
        _confirm(case, verdict, commit_of),
    ]
    return Ruling(
        evidence=tuple(item for item in found if item is not None),
        bounds=verdict.bounds,
        conflicts=arbitration.conflicts,
    )


def certainty(origin: Origin, principal: Principal) -> Certainty:
    """Return how sure it is who asks, from the transport alone."""
    match origin:
        case Origin.APP:
            return Certainty.STRONG
        case Origin.AGENT:
            return Certainty.LOW
        case Origin.VOICE if principal.role == "unknown":
            return Certainty.LOW
    return Certainty.MAPPED


def _policy(case: Case) -> Verdict:
    assignment = case.assignment
    request = Request(
        principal=assignment.principal,
        manager=case.manager,
        origin=assignment.origin.value,
        evidence=certainty(assignment.origin, assignment.principal),
        operation=case.compiled.operation,
        parameters=case.compiled.parameters,
        targets=case.compiled.targets,
        home=case.home,
    )
    now = case.now if case.readiness.clock else None
    return evaluate(case.policy, request, now, case.usage)


def _fails(code: Reason, text: str) -> Evidence:
    return Evidence(code=code, text=text)


def _deadline(case: Case) -> Evidence | None:
    if not case.late:
        return None
    return _fails(Reason.DEADLINE, "the time that the intent had is over")


def _scope(case: Case) -> Evidence | None:
    targets = [target.device.id for target in case.compiled.targets]
    problem = case.assignment.task.scope.admits(case.compiled.operation.name, targets)
    return _fails(problem.reason, problem.text) if problem else None


def _permission(case: Case) -> Evidence | None:
    if not case.forbidden:
        return None
    names = ", ".join(sorted(case.forbidden))
    who = case.assignment.principal.name
    return _fails(
        Reason.NOT_PERMITTED, f"Home Assistant does not let {who} control {names}"
    )


def _unknown(case: Case, commit_of: CommitOf) -> list[Evidence]:
    return [
        Evidence(
            code=Reason.UNVERIFIABLE_STATE,
            text=f"what the last command did to {name} is not known yet",
            event=execute,
            commit=commit_of(execute),
        )
        for name, execute in sorted(case.unknown.items())
    ]


def _stale(case: Case, commit_of: CommitOf) -> list[Evidence]:
    return [
        Evidence(
            code=(
                Reason.STALE_POLICY
                if stale.path == "policy.yaml"
                else Reason.STALE_STATE
            ),
            text=f"{stale.path} changed after the plan was made",
            path=stale.path,
            event=stale.newest,
            commit=commit_of(stale.newest) if stale.newest else None,
        )
        for stale in case.stale
    ]


def _denied(case: Case, verdict: Verdict, commit_of: CommitOf) -> Evidence | None:
    if verdict.decision is not Decision.DENY:
        return None
    return _of_policy(case, verdict, commit_of, Reason.POLICY_DENIED)


def _confirm(case: Case, verdict: Verdict, commit_of: CommitOf) -> Evidence | None:
    if verdict.decision is not Decision.CONFIRM or case.approved:
        return None
    return _of_policy(case, verdict, commit_of, Reason.CONFIRMATION_REQUIRED)


def _of_policy(
    case: Case, verdict: Verdict, commit_of: CommitOf, reason: Reason
) -> Evidence:
    version = case.policy_version
    return Evidence(
        code=verdict.reason or reason,
        text=verdict.text,
        rule=verdict.rules[0].rule if verdict.rules else None,
        event=version,
        commit=commit_of(version) if version else None,
    )


def _conflicts(arbitration: Arbitration, commit_of: CommitOf) -> list[Evidence]:
    return [
        Evidence(
            code=Reason.CONFLICT,
            text=f"{hold_sentence(conflict.hold)}: {conflict.why}",
            path=conflict.hold.path,
            event=conflict.hold.event,
            commit=commit_of(conflict.hold.event),
            intent=conflict.hold.intent,
        )
        for conflict in arbitration.conflicts
        if conflict.answer in (Answer.ASK, Answer.REFUSED)
    ]


def hold_sentence(hold: Hold) -> str:
    """Say in English what a hold keeps, for whom, since when and until when."""
    value = hold.value
    if hold.within is not None:
        low, high = hold.within
        value = f"{low} to {high}" if low is not None else f"at most {high}"
    return (
        f"{hold.principal.name} holds {hold.attribute} at {value} "
        f"since {hold.since:%H:%M} until {hold.ends_at:%H:%M} UTC"
    )
