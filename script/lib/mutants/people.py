"""People and words: who may answer, end or use what, and what a model may reach."""

from .kinds import instead, never, without

_APPROVALS = "approvals.py"
_STANDING = "core/test_approvals.py"
_AS_WANTED = "core/test_as_wanted.py"
_QUESTIONS = "agents/questions.py"
_REACH = "planner/scope.py"
_SCOPE = "core/planner/test_scope.py"
_TAKEN_BACK = "core/test_withdrawn.py"
_VERIFIER = "agents/verifier.py"
_WITHDRAWN = "agents/withdrawn.py"

MUTATIONS = (
    never(
        "an answer from a signed-in person only",
        _QUESTIONS,
        "origin is not Origin.APP and origin is not Origin.CHAT",
        "core/test_hub.py",
    ),
    instead(
        "a newer wish ends the question",
        "confirmations.py",
        "replaced = self.touching(pending.binding.target)",
        "replaced = []",
        _TAKEN_BACK,
    ),
    instead(
        "a grant ends the question",
        _QUESTIONS,
        "replaced = self._open.touching(target)",
        "replaced = []",
        _TAKEN_BACK,
    ),
    instead(
        "an approval is for whom it was given",
        _APPROVALS,
        "(self.principal.kind, self.principal.id) == (principal.kind, principal.id)",
        "True",
        _STANDING,
    ),
    without(
        "an approval is for the role of then",
        _APPROVALS,
        "            and self.principal.role == principal.role\n",
        _STANDING,
    ),
    without(
        "an approval is for these devices",
        _APPROVALS,
        "            and self.target == target\n",
        _STANDING,
    ),
    without(
        "an approval is for this operation",
        _APPROVALS,
        "            and self.operation == operation\n",
        _STANDING,
    ),
    never(
        "an approval ends within a day",
        _APPROVALS,
        "not since < until <= since + LONGEST",
        _STANDING,
    ),
    instead(
        "an approval that is revoked makes its lease stale",
        _VERIFIER,
        "paths.add(approval.path)",
        "pass",
        _STANDING,
    ),
    instead(
        "nobody is asked about what is so only where it was read",
        _VERIFIER,
        "one.available and one.seen is None for one",
        "one.available for one",
        _AS_WANTED,
    ),
    never(
        "nobody is asked about what is so only where it is",
        _VERIFIER,
        "not needless(compiled.operation, goals)",
        _AS_WANTED,
    ),
    instead(
        "a lease for later is asked about",
        "agents/issuer.py",
        "if as_wanted is not None and task.assignment.ttl is None:",
        "if as_wanted is not None:",
        _AS_WANTED,
    ),
    never(
        "an exposure that was withdrawn",
        _WITHDRAWN,
        "target not in exposed",
        _TAKEN_BACK,
    ),
    never(
        "a right that was withdrawn",
        _WITHDRAWN,
        "not house.may_control(lease.principal, target)",
        _TAKEN_BACK,
    ),
    never(
        "a lease of one's own",
        "wishes.py",
        "not lease.principal.is_same_as(principal)",
        _TAKEN_BACK,
    ),
    never(
        "a plan of one's own",
        "control.py",
        "not plan.concerns(principal)",
        "core/test_deferrals.py",
    ),
    never(
        "whose wish it was, for those who live here",
        "agents/answers.py",
        "not (reader.decides or principal.is_same_as(reader))",
        "core/test_why.py",
    ),
    never(
        "what the request says not to do",
        _REACH,
        "not_to and not_to & directions(operation.name, parameters)",
        _SCOPE,
        "core/planner/test_forbidden.py",
    ),
    never(
        "only devices that were shown", _REACH, "device.id not in self.devices", _SCOPE
    ),
    never(
        "a risk that the sentence names",
        _REACH,
        "operation.name not in self.spoken",
        _SCOPE,
    ),
    never(
        "a risk on the device that is named",
        _REACH,
        "device.id not in self.named",
        _SCOPE,
    ),
)
