"""Whether a request is allowed: a pure function of policy, request and time.

All rules that match count. Only `allow` opens; of the rest the strictest wins
and all bounds must be kept, so no further rule makes more of what is allowed.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from ..leases import Bound
from ..operations import Risk
from ..reasons import Reason
from .bounds import FAMILIES, intersect, is_empty, picks_itself, words
from .match import counts
from .model import (
    Decision,
    Evidence,
    Matched,
    Policy,
    Request,
    Rule,
    RuleEffect,
    Target,
    Usage,
    Verdict,
)

BUILT_IN = "hearthnet:"
_DECISIONS = {
    RuleEffect.ALLOW: Decision.ALLOW,
    RuleEffect.LIMIT: Decision.ALLOW,
    RuleEffect.CONFIRM: Decision.CONFIRM,
    RuleEffect.DENY: Decision.DENY,
}
_EFFECTS = {
    Decision.CONFIRM: RuleEffect.CONFIRM,
    Decision.DENY: RuleEffect.DENY,
}


@dataclass(frozen=True)
class _Counted:
    """A rule that counts for one target."""

    rule: Rule
    known: bool
    """False when it counts only because something is not known."""

    @property
    def opens(self) -> bool:
        return self.rule.effect is RuleEffect.ALLOW and self.known

    def matched(self) -> Matched:
        rule = self.rule
        place = "" if rule.line is None else f" (line {rule.line})"
        doubt = "" if self.known else "; not known whether it applies, so it counts"
        reason = f": {rule.why}" if rule.why else ""
        evidence = f"{rule.effect.name.lower()} by {rule.id}{place}{doubt}{reason}"
        return Matched(rule=rule.id, effect=rule.effect, evidence=evidence)


def evaluate(
    policy: Policy, request: Request, now_local: datetime | None, usage: Usage
) -> Verdict:
    """Return what the policy says of a request.

    Args:
        policy: the policy in force.
        request: who wants what of which devices.
        now_local: the home's time, aware; None when the clock is not trusted.
        usage: what was granted before.
    """
    if not request.targets:
        return Verdict(
            decision=Decision.DENY,
            reason=Reason.UNKNOWN_TARGET,
            text="no device is named",
            field="target",
        )
    counted: list[_Counted] = []
    closed: list[Target] = []
    for target in request.targets:
        here = [
            _Counted(rule, known=truth is True)
            for rule in (*_built_in(policy, request, target, now_local), *policy.rules)
            if (truth := counts(rule, request, target, now_local, usage)) is not False
        ]
        counted += here
        if not any(one.opens for one in here):
            closed.append(target)
    bounds = _bounds(request, counted)
    return _verdict(request, counted, closed, bounds)


def _built_in(
    policy: Policy, request: Request, target: Target, now_local: datetime | None
) -> Iterator[Rule]:
    """Yield the rules that no policy can remove."""
    if request.operation.risk is not Risk.FREE:
        if request.evidence is Evidence.LOW:
            yield _deny("evidence", "it is not known who asks")
        if now_local is None:
            yield _deny("clock", "the clock is not trusted")
    faces = (target.device, *target.aliases)
    if (
        (effect := _EFFECTS.get(policy.unclassified_switches)) is not None
        and any(face.domain == "switch" and not face.device_class for face in faces)
        and policy.answered_switches.isdisjoint(face.entity_id for face in faces)
    ):
        why = "what this plug feeds has not been said"
        yield Rule(id=BUILT_IN + "switches", effect=effect, why=why)


def _deny(name: str, why: str) -> Rule:
    return Rule(id=BUILT_IN + name, effect=RuleEffect.DENY, why=why)


def _bounds(request: Request, counted: Iterable[_Counted]) -> Mapping[str, Bound]:
    """Return the bounds of the operation's parameters, all rules together."""
    bounds: dict[str, Bound] = {}
    for one in counted:
        for name, bound in _bounds_of(request, one.rule):
            bounds[name] = intersect(bounds[name], bound) if name in bounds else bound
    return bounds


def _bounds_of(request: Request, rule: Rule) -> Iterator[tuple[str, Bound]]:
    for listed, bound in rule.bounds.items():
        for name in FAMILIES.get(listed, (listed,)):
            if name in request.operation.parameters:
                yield name, bound


def _verdict(
    request: Request,
    counted: list[_Counted],
    closed: list[Target],
    bounds: Mapping[str, Bound],
) -> Verdict:
    strictest = max((one.rule for one in counted), key=_effect, default=None)
    decision = Decision.DENY if strictest is None else _DECISIONS[strictest.effect]
    reason: Reason | None = None
    text, field = "", None
    if strictest is not None and decision is Decision.DENY:
        reason, text, field = _denial(strictest)
    elif closed:
        decision, reason = Decision.DENY, Reason.POLICY_DENIED
        text = (
            f"no rule allows {request.operation.name} on {closed[0].device.name}"
            f" for the role {request.principal.role}"
        )
    elif (failed := _failed(request, bounds)) is not None:
        decision, reason, field = Decision.DENY, Reason.POLICY_DENIED, failed
        text = f"{failed} may be {words(bounds[failed])}"
    elif strictest is not None and decision is Decision.CONFIRM:
        reason, text = Reason.CONFIRMATION_REQUIRED, _because(strictest, "asks first")
    return Verdict(
        decision=decision,
        bounds=bounds,
        rules=_evidence(request, counted, field),
        reason=reason,
        text=text,
        field=field,
    )


def _evidence(
    request: Request, counted: list[_Counted], field: str | None
) -> tuple[Matched, ...]:
    """Return the rules that counted, those that decide first."""

    def weight(one: _Counted) -> tuple[bool, RuleEffect]:
        bound = dict(_bounds_of(request, one.rule)).get(field or "")
        value = request.parameters.get(field or "")
        return (bound is not None and not bound.admits(value), one.rule.effect)

    ordered = sorted(counted, key=weight, reverse=True)
    return tuple(dict.fromkeys(one.matched() for one in ordered))


def _effect(rule: Rule) -> RuleEffect:
    return rule.effect


def _denial(rule: Rule) -> tuple[Reason, str, str | None]:
    """Return reason, sentence and failing field of a rule that denies."""
    wanted = rule.conditions
    if wanted.more_often_than is not None or wanted.more_devices_than is not None:
        return Reason.RATE_LIMITED, _because(rule, "caps it"), None
    field = next(iter(wanted.values), None)
    return Reason.POLICY_DENIED, _because(rule, "denies it"), field


def _because(rule: Rule, verb: str) -> str:
    return f"{rule.id} {verb}" + (f": {rule.why}" if rule.why else "")


def _failed(request: Request, bounds: Mapping[str, Bound]) -> str | None:
    """Return the first parameter that breaks its bound, or None.

    A bounded parameter that is not named breaks it where the device would pick
    the value itself: a lamp switched on under a cap could come on brighter.
    """
    for name, bound in bounds.items():
        if is_empty(bound):
            return name
        if name in request.parameters:
            if not bound.admits(request.parameters[name]):
                return name
        elif any(
            picks_itself(request.operation, name, target.device)
            for target in request.targets
        ):
            return name
    return None
