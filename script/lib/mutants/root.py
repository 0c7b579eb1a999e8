"""The root: what must speak for a proposal before a lease exists."""

from .kinds import instead, never, without

_VERIFY = "verify.py"
_RULES = "agents/verifier.py"
_ISSUER = "agents/issuer.py"
_EVALUATE = "policy/evaluate.py"
_MATCH = "policy/match.py"
_HUB = "core/test_hub.py"
_STAGE = "core/test_verify.py"
_TAKEN_BACK = "core/test_withdrawn.py"
_OF_ISSUER = "core/test_issuer.py"
_OVERTAKEN = "core/test_overtaken.py"
_POLICY = ("core/test_policy_evaluate.py", "core/test_policy_presets.py")

MUTATIONS = (
    *(
        without(what, _VERIFY, f"        {line},\n", _STAGE)
        for what, line in (
            ("readiness", "case.readiness.problem(operation.risk, case.policy)"),
            ("deadline", "_deadline(case)"),
            ("scope", "_scope(case)"),
            ("permission", "_permission(case)"),
            (
                "only reads where the last outcome is unknown, at the root",
                "*_unknown(case, commit_of)",
            ),
            ("freshness at the root", "*_stale(case, commit_of)"),
            ("policy", "_denied(case, verdict, commit_of)"),
            ("holds", "*_conflicts(arbitration, commit_of)"),
            ("confirmation", "_confirm(case, verdict, commit_of)"),
        )
    ),
    *(
        instead(
            f"readiness, {what}",
            _VERIFY,
            f"case Readiness({case}:",
            f"case Readiness({case.partition(')')[0]}) if False:",
            _STAGE,
        )
        for what, case in (
            ("stopping", "stopping=True)"),
            ("fenced", "alone=False)"),
            ("starting", "open=False)"),
            ("actuation disabled", "enabled=False)"),
            ("journal unwritable", "journal=False)"),
            ("unrecorded", "recorded=False) if not policy.grants_unrecorded(risk)"),
            ("clock behind", "clock=False) if risk is not Risk.FREE"),
        )
    ),
    instead(
        "versions looked at by the root",
        _RULES,
        "stale=self._node.view.stale(assignment.reads),",
        "stale=(),",
        "core/test_freshness.py",
    ),
    without(
        "policy",
        _VERIFY,
        "        _denied(case, verdict, commit_of),\n",
        "companion/test_traces.py",
        "core/test_policy_presets.py",
    ),
    without("holds", _VERIFY, "        *_conflicts(arbitration, commit_of),\n", _HUB),
    without(
        "confirmation",
        _VERIFY,
        "        _confirm(case, verdict, commit_of),\n",
        _HUB,
    ),
    instead(
        "an agent is no strong evidence of who asks",
        _VERIFY,
        "case Origin.AGENT:\n            return Certainty.LOW",
        "case Origin.AGENT:\n            return Certainty.STRONG",
        _STAGE,
    ),
    instead(
        "exposed devices only",
        _RULES,
        "if device is None or all(d.id != device_id for d in self._house.devices()):",
        "if device is None:",
        _OF_ISSUER,
    ),
    never(
        "proposals for open tasks, of their manager",
        _ISSUER,
        "task is None or proposal.sender != task.assignment.task.manager",
        _OF_ISSUER,
    ),
    never(
        "the later wish comes first",
        _ISSUER,
        "(later := self._turns.later(keys, task.assignment)) is not None",
        _OVERTAKEN,
    ),
    instead(
        "reservations",
        _ISSUER,
        "if not (held := self._reservations.holding(keys)):",
        "if not (held := ()):",
        _HUB,
    ),
    never(
        "answers from whom they were asked of",
        _ISSUER,
        "not self._was_asked(answer)",
        _OF_ISSUER,
    ),
    instead(
        "leases withdrawn for a hold made since",
        _ISSUER,
        "self.revoke(lease, obstacle.why)",
        "pass",
        _OF_ISSUER,
    ),
    instead(
        "reservations outlast the fastest clock",
        "reservations.py",
        "lease.ttl * (1 + DRIFT)",
        "lease.ttl",
        "core/test_reservations.py",
    ),
    never(
        "reservations of an earlier boot's leases",
        "reservations.py",
        "lease.grantee not in local",
        "core/test_reservations.py",
    ),
    never(
        "default deny",
        _EVALUATE,
        "not any(one.opens for one in here)",
        "core/test_policy_properties.py",
    ),
    instead(
        "the strictest rule",
        _EVALUATE,
        "strictest = max((",
        "strictest = min((",
        *_POLICY,
    ),
    instead(
        "bounds",
        _EVALUATE,
        "elif (failed := _failed(request, bounds)) is not None:",
        "elif (failed := None) is not None:",
        *_POLICY,
    ),
    instead(
        "bounds of all rules together",
        _EVALUATE,
        "bounds[name] = intersect(bounds[name], bound) if name in bounds else bound",
        "bounds[name] = bound",
        *_POLICY,
    ),
    instead(
        "a bound where the device would pick itself",
        _EVALUATE,
        "elif any(\n            picks_itself(",
        "elif False and any(\n            picks_itself(",
        *_POLICY,
    ),
    never(
        "no risk for who is not known",
        _EVALUATE,
        "request.evidence is Evidence.LOW",
        *_POLICY,
    ),
    instead(
        "no risk without a trusted clock",
        _EVALUATE,
        "if now_local is None:\n            yield",
        "if False:\n            yield",
        *_POLICY,
    ),
    instead(
        "plugs of no known kind",
        _EVALUATE,
        'and any(face.domain == "switch"',
        'and False and any(face.domain == "switch"',
        *_POLICY,
    ),
    instead(
        "what is not known of time is taken strictly",
        _MATCH,
        "if now_local is None:\n        return None",
        "if now_local is None:\n        return True",
        *_POLICY,
    ),
    instead(
        "what is not known of presence is taken strictly",
        _MATCH,
        "if home is None:\n        return None",
        "if home is None:\n        return True",
        "core/test_policy_properties.py",
    ),
    instead(
        "caps on how often",
        _MATCH,
        "if sum(age < rate.seconds for age in ages) < rate.times:",
        "if True:",
        *_POLICY,
    ),
    instead(
        "caps on how many",
        _MATCH,
        "if usage.devices + len(now) <= most:",
        "if True:",
        *_POLICY,
    ),
    instead(
        "exceptions",
        _MATCH,
        "exclusions = [e for e in rule.exceptions if _exclusion_applies(e, request)]",
        "exclusions = []",
        *_POLICY,
    ),
    instead(
        "a device under all its names",
        _MATCH,
        "return (target.device, *group, *target.aliases)",
        "return (target.device,)",
        *_POLICY,
    ),
    instead(
        "a stronger source's hold",
        "arbitrate.py",
        "    if source < hold.source:\n        return Answer.REFUSED",
        "    if source < hold.source:\n        return Answer.YIELDS",
        "core/test_arbitrate.py",
    ),
    never(
        "quiet after a switch",
        "arbitrate.py",
        "source <= SourceClass.SCHEDULE",
        "core/test_arbitrate.py",
    ),
    instead(
        "a group's hold on its members",
        "holds.py",
        "if effect.device != self.device and effect.device not in self.members:",
        "if effect.device != self.device:",
        "core/test_arbitrate.py",
    ),
    instead(
        "holds while the clock is not trusted",
        "holds.py",
        "return now is None or now < self.ends_at",
        "return now is not None and now < self.ends_at",
        "core/test_arbitrate.py",
    ),
    instead(
        "off contradicts what is held",
        "effects.py",
        "    if new.turns_off:\n        return not (",
        "    if False:\n        return not (",
        "core/test_effects.py",
        "core/test_arbitrate.py",
    ),
    instead(
        "holds of what was seen",
        "holding.py",
        "effect.attribute, seen[effect.device][effect.attribute])",
        "effect.attribute, effect.value)",
        "core/test_holding.py",
    ),
    never(
        "people who may agree",
        "agents/questions.py",
        "principal.role not in APPROVERS",
        _HUB,
    ),
    instead(
        "a yes is good once",
        "confirmations.py",
        "return self._pending.pop(question)",
        "return pending",
        _HUB,
    ),
    instead(
        "a question's time",
        "confirmations.py",
        "if pending is None or pending.until <= now:",
        "if pending is None:",
        _TAKEN_BACK,
    ),
    instead(
        "a yes is for what was shown",
        _RULES,
        "return assignment.approved == self.binding(assignment, compiled)",
        "return assignment.approved is not None",
        _HUB,
    ),
    without(
        "an approval is for these values",
        "approvals.py",
        "            and dict(self.parameters) == dict(parameters)\n",
        "core/test_approvals.py",
    ),
    instead(
        "an approval's end",
        "approvals.py",
        "return now is not None and self.since <= now < self.until",
        "return True",
        "core/test_approvals.py",
    ),
    never(
        "an undo leaves alone what others changed since",
        "undo.py",
        "not ours",
        _HUB,
    ),
    never(
        "an undo of one's own wishes",
        "planner/undo.py",
        "not principal.decides",
        _TAKEN_BACK,
    ),
    instead(
        "an undo of what was done only",
        "undo.py",
        "if Outcome(outcome) in UNDOABLE and device_id",
        "if device_id",
        _TAKEN_BACK,
    ),
)
