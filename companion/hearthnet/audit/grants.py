"""Whether a grant was the root's to give: asked for, in scope, allowed. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from hearthnet.core.agents.tally import Tally
from hearthnet.core.approvals import Approval
from hearthnet.core.confirmations import APPROVERS
from hearthnet.core.devices import Principal
from hearthnet.core.facts import Facts
from hearthnet.core.intents import Origin
from hearthnet.core.leases import Lease
from hearthnet.core.messages import Json, MalformedError, Message, MessageType
from hearthnet.core.policy.evaluate import evaluate
from hearthnet.core.policy.model import Decision, Request
from hearthnet.core.policy.spots import PolicyError
from hearthnet.core.reasons import Reason
from hearthnet.core.state import State
from hearthnet.core.tasks import Scope
from hearthnet.core.verify import certainty
from hearthnet.core.view import View

from .findings import Rule
from .nodes import Problem

_APART = 2.0
"""Seconds between what a grant says of its moment and its message's, at most."""
_BOUND = ("principal", "target", "operation", "parameters")
"""What a standing approval has of the question that it answers."""


@dataclass
class _Task:
    """What an open task asks for."""

    principal: Principal
    origin: Origin
    manager: str
    scope: Scope
    intent: str | None


@dataclass
class Grants:
    """What the hub has been asked, and what it may grant."""

    view: View
    unchecked: int = 0
    """Grants of a HearthNet that did not record what its policy looked at."""
    _tasks: dict[str, _Task] = field(default_factory=dict)
    _came_of: dict[str, str] = field(default_factory=dict)
    """Intent to the question that it goes on from."""
    _questions: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    _approved: set[str] = field(default_factory=set)
    _standing: dict[str, Approval] = field(default_factory=dict)
    """What a person agreed to until a stated time, by its path; it outlives a boot."""
    _tally: Tally = field(default_factory=Tally)

    def __post_init__(self) -> None:
        """Read policy and switch from the view."""
        self._state = State(self.view)

    def note(self, message: Message) -> None:
        """Take an event of the hub that grants may rest on."""
        body = message.body
        match message.type:
            case MessageType.HELLO:
                # Tasks, questions and counts end with the hub's boot.
                self._tasks.clear()
                self._questions.clear()
                self._came_of.clear()
                self._approved.clear()
                self._tally = Tally()
            case MessageType.INTENT if message.cause is not None:
                self._came_of[message.id] = message.cause
            case MessageType.TASK:
                self._note_task(message)
            case MessageType.CONFIRMATION_REQUEST:
                self._questions[message.id] = body.get("binding") or {}
            case MessageType.CONFIRMATION if body.get("answer") == "approved":
                role = (body.get("principal") or {}).get("role")
                if message.cause and role in APPROVERS:
                    self._approved.add(message.cause)
                    self._note_standing(message, message.cause)
            case MessageType.RESOLUTION if message.task is not None:
                self._tasks.pop(message.task, None)
            case MessageType.RESOLUTION if message.cause == message.intent:
                self._tally.forget(message.intent or "")
                self._came_of.pop(message.intent or "", None)

    def stands(self, approval: Approval) -> None:
        """Take what was agreed to before the events that are looked at."""
        self._standing[approval.path] = approval

    def _note_standing(self, message: Message, question: str) -> None:
        """Take an approval that stands for a while, if it is about what was asked."""
        asked = self._questions.get(question, {})
        for path, written in message.writes.items():
            if isinstance(written, dict) and all(
                written.get(name) == asked.get(name, "") for name in _BOUND
            ):
                self._standing[path] = Approval.from_dict(written)

    def _note_task(self, message: Message) -> None:
        body = message.body
        try:
            self._tasks[message.id] = _Task(
                principal=Principal.from_dict(body["principal"]),
                origin=Origin(body["origin"]),
                manager=message.to,
                scope=Scope.from_dict(body["task"]["scope"]),
                intent=message.intent,
            )
        except (KeyError, TypeError, ValueError):
            return  # whatever is granted for it will be found without a task

    def loads(self) -> str | None:
        """Return why the policy that came is none, or None."""
        try:
            _ = self._state.in_force
        except PolicyError as error:
            return str(error)
        return None

    def check(self, message: Message, lease: Lease) -> Iterator[Problem]:
        """Yield what speaks against a grant at its place in the record."""
        task = self._tasks.get(lease.task or "")
        if task is None:
            yield Rule.GRANT, f"{lease.task} is no open task"
            return
        if (lease.grantee, lease.intent) != (task.manager, task.intent):
            yield Rule.GRANT, "its task was given to somebody else"
        if lease.principal != task.principal:
            yield Rule.GRANT, "its task was asked for by somebody else"
        life = (lease.expires_at - message.at).total_seconds()
        if abs(life - lease.ttl) > _APART:
            yield Rule.GRANT, f"it ends after {life:.1f} s, granted for {lease.ttl:g}"
        if problem := task.scope.admits(lease.operation, lease.target):
            yield problem.reason, problem.text
        if not self._state.enabled:
            yield Reason.ACTUATION_DISABLED, "actuation was switched off"
        in_force = self._state.in_force
        if lease.policy_version != in_force.version:
            text = f"it names the policy {lease.policy_version}, not {in_force.version}"
            yield Reason.STALE_POLICY, text
        yield from self._allowed(message, lease, task)

    def _allowed(
        self, message: Message, lease: Lease, task: _Task
    ) -> Iterator[Problem]:
        """Ask the policy of that moment again."""
        if "facts" not in message.body:
            self.unchecked += 1
            return
        try:
            facts = Facts.from_dict(
                lease.operation, lease.envelope, message.body["facts"]
            )
        except MalformedError as error:
            yield Rule.GRANT, str(error)
            return
        if {target.device.id for target in facts.targets} != set(lease.target):
            yield Rule.GRANT, "its facts are about other devices"
        if facts.now and abs((facts.now - message.at).total_seconds()) > _APART:
            yield Rule.GRANT, f"its facts are of another moment: {facts.now}"
        keys = {target.device.key for target in facts.targets}
        moment, intent = message.at.timestamp(), lease.intent or ""
        parameters: dict[str, Json] = {
            name: bound.exact for name, bound in lease.envelope.items()
        }
        verdict = evaluate(
            self._state.in_force.policy,
            Request(
                principal=task.principal,
                manager=lease.grantee,
                origin=task.origin.value,
                evidence=certainty(task.origin, task.principal),
                operation=facts.operation,
                parameters=parameters,
                targets=facts.targets,
                home=facts.home,
            ),
            facts.now,
            self._tally.usage(moment, task.principal.id, intent, keys),
        )
        self._tally.count(moment, task.principal.id, intent, keys)
        if verdict.decision is Decision.DENY:
            yield verdict.reason or Reason.POLICY_DENIED, verdict.text
        elif verdict.decision is Decision.CONFIRM and not (
            self._agreed(lease, parameters)
            or self._stands(lease, parameters, message.at)
        ):
            yield Reason.CONFIRMATION_REQUIRED, f"no person agreed: {verdict.text}"

    def _stands(
        self, lease: Lease, parameters: Mapping[str, Json], moment: datetime
    ) -> bool:
        """Tell whether a person agreed to this beforehand, and it stood still."""
        return any(
            approval.stands(moment)
            and self.view.get(path) == approval.as_dict()
            and approval.covers(
                lease.principal, lease.target, lease.operation, parameters
            )
            for path, approval in self._standing.items()
        )

    def _agreed(self, lease: Lease, parameters: Mapping[str, Json]) -> bool:
        """Tell whether a person agreed to exactly this."""
        question = self._came_of.get(lease.intent or "")
        if question not in self._approved:
            return False
        shown = self._questions.get(question or "", {})
        return (
            shown.get("principal") == lease.principal.as_dict()
            and shown.get("target") == list(lease.target)
            and shown.get("operation") == lease.operation
            and shown.get("parameters") == dict(parameters)
        )
