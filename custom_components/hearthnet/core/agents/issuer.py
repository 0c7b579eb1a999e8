"""The only issuer of leases: verifies proposals, grants, and keeps what follows.

Code decides here, on the view, the policy and the holds; no output of a model
and no manager's claim enlarges what is granted (invariant 2).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from ..assignment import Assignment
from ..clock import Clock, Zone
from ..compile import Compiled
from ..confirmations import LIFE, Binding
from ..devices import Values
from ..holding import HoldChange
from ..intents import Evidence
from ..leases import DEFAULT_TTL, MAX_TTL, Bound, Lease
from ..messages import EventId, Json, Message, MessageType
from ..node import Node, Record
from ..operations import Problem
from ..reasons import Outcome, Reason
from ..reservations import Reservations
from ..verify import Ruling
from .keeping import kept_by
from .manager import ROOT
from .turns import Turns
from .verifier import Verifier

_UNASKED = Evidence(code=Reason.OUT_OF_SCOPE, text="no open task asks for this")


@dataclass
class Open:
    """A task between its proposal and its answer."""

    assignment: Assignment
    deadline: float
    """Boot time at which the intent is over."""
    compiled: Compiled | None = None
    """What was granted, or what a person is asked about."""
    binding: Binding | None = None
    """What a person is asked to agree to."""


class Issuer:
    """Decides on proposals for open tasks and answers each with one message."""

    def __init__(
        self,
        *,
        node: Node,
        verifier: Verifier,
        reservations: Reservations,
        clock: Clock,
        zone: Zone,
        send: Callable[[Record], object],
        recipe: Callable[[str], str | None] = lambda _operation: None,
        vision: Callable[[str, Iterable[str]], bool] = lambda _operation, _ids: False,
    ) -> None:
        """Take who rules on proposals, and how messages are sent.

        `recipe` gives the digest of the recipe that an operation runs on a phone,
        `vision` tells whether a model may then be asked, for which devices.
        """
        self._node = node
        self._verifier = verifier
        self._reservations = reservations
        self._clock = clock
        self._zone = zone
        self._send = send
        self._recipe = recipe
        self._vision = vision
        self._turns = Turns()
        self.tasks: dict[str, Open] = {}
        """Open tasks by id."""
        self.leases: dict[str, Lease] = {}
        """Live leases by id."""
        self.overtaken: dict[str, Evidence] = {}
        """Leases that were revoked for a later request, until their ends are told."""

    # Proposals

    async def decide(self, proposal: Message) -> Record:
        """Answer a proposal with a grant or a denial."""
        task = self.tasks.get(proposal.task or "")
        if task is None or proposal.sender != task.assignment.task.manager:
            return self._deny(proposal, (_UNASKED,))
        body = proposal.body
        compiled = self._verifier.compile(
            str(body.get("device")), str(body.get("operation")), body.get("parameters")
        )
        if isinstance(compiled, Problem):
            found = Evidence(code=compiled.reason, text=compiled.text)
            return self._deny(proposal, (found,))
        while self.tasks.get(task.assignment.task.id) is task:
            if (answer := await self._try(proposal, task, compiled)) is not None:
                return answer
        return self._deny(proposal, (_UNASKED,))

    async def _try(
        self, proposal: Message, task: Open, compiled: Compiled
    ) -> Record | None:
        """Answer a proposal as things stand; None when they may have changed since."""
        keys = {target.device.key for target in compiled.targets}
        if (later := self._turns.later(keys, task.assignment)) is not None:
            return self._deny(proposal, (later,), compiled)
        ruling = self._verifier.rule(task.assignment, compiled, late=self._late(task))
        if ruling.reason is Reason.CONFIRMATION_REQUIRED:
            # Nobody needs to agree to what is so; a lease may be for later.
            as_wanted = self._verifier.as_wanted(compiled)
            if as_wanted is not None and task.assignment.ttl is None:
                return self._leave(proposal, compiled, as_wanted)
            return self._ask_person(proposal, task, compiled, ruling)
        if ruling.reason is not None:
            return self._deny(proposal, ruling.evidence, compiled, ruling)
        if not (held := self._reservations.holding(keys)):
            return self._grant(proposal, task, compiled, ruling)
        for lease in held:
            holder = self.tasks.get(lease.task or "")
            # A stronger wish keeps its lease; this one waits until it is used.
            if holder is None or holder.assignment.source <= task.assignment.source:
                later = _later(task.assignment)
                self.overtaken[lease.id] = later
                self.revoke(lease, later.text, later)
        if await self._reservations.wait_free(keys, task.deadline):
            return None
        evidence = Evidence(
            code=Reason.RESERVED,
            text=f"the lease {held[0].id} is still live on the device",
            lease=held[0].id,
            intent=held[0].intent,
        )
        return self._deny(proposal, (evidence,), compiled)

    def _late(self, task: Open) -> bool:
        return self._clock.boottime() >= task.deadline

    # Answers

    def _grant(
        self, proposal: Message, task: Open, compiled: Compiled, ruling: Ruling
    ) -> Record:
        assignment, view = task.assignment, self._node.view
        recipe, usual = self._recipe(compiled.operation.name), DEFAULT_TTL
        if recipe is not None:
            # An app takes its time, and each input of a run needs the lease to stand.
            usual = min(MAX_TTL, compiled.operation.deadline)
        ttl = assignment.ttl or usual
        now = self._clock.now()
        target = tuple(sorted(t.device.id for t in compiled.targets))
        names = ", ".join(sorted(t.device.name for t in compiled.targets))
        version = self._verifier.in_force.version
        lease = Lease(
            id=str(
                EventId(self._node.name, self._node.boot, self._node.position[1] + 1)
            ),
            cause=proposal.id,
            intent=proposal.intent,
            task=proposal.task,
            grantee=proposal.sender,
            principal=assignment.principal,
            target=target,
            operation=compiled.operation.name,
            envelope={
                name: Bound(exact=value) for name, value in compiled.parameters.items()
            },
            reads=self._verifier.reads(assignment, compiled),
            policy_version=version,
            policy_commit=view.commit_of(version) if version else None,
            base_commit=view.commit,
            ttl=ttl,
            expires_at=now + timedelta(seconds=ttl),
            justification=f"{assignment.principal.name}: {assignment.task.goal}",
            recipe=recipe,
            vision=self._vision(compiled.operation.name, target),
        )
        # First on record: what cannot be recorded shall not be kept for anybody.
        grant = self._answer(
            proposal,
            MessageType.GRANT,
            f"{proposal.sender} may {lease.operation} {names} within {ttl:g} s.",
            {**lease.body(), "facts": self._verifier.facts(compiled)},
            expires_at=lease.expires_at,
        )
        keys = {target.device.key for target in compiled.targets}
        self._reservations.reserve(keys, lease)
        self._turns.granted(keys, lease, assignment)
        task.compiled = compiled
        self.leases[lease.id] = lease
        self._verifier.tally.count(
            self._clock.boottime(),
            assignment.principal.id,
            assignment.task.intent,
            keys,
        )
        return grant

    def _ask_person(
        self, proposal: Message, task: Open, compiled: Compiled, ruling: Ruling
    ) -> Record:
        """Put a question to people in place of an answer."""
        binding = self._verifier.binding(task.assignment, compiled)
        names = ", ".join(sorted(t.device.name for t in compiled.targets))
        who = task.assignment.principal.name
        question = self._answer(
            proposal,
            MessageType.CONFIRMATION_REQUEST,
            f"{who} wants {compiled.operation.name} on {names}. Do you agree?",
            {
                "reason": Reason.CONFIRMATION_REQUIRED,
                "evidence": [item.as_dict() for item in ruling.evidence],
                "binding": binding.as_dict(),
                "facts": self._verifier.facts(compiled),
            },
            expires_at=self._clock.now() + timedelta(seconds=LIFE),
        )
        task.compiled, task.binding = compiled, binding
        return question

    def _leave(
        self, proposal: Message, compiled: Compiled, values: Mapping[str, Values]
    ) -> Record:
        """Give no lease for what is so already, and say so."""
        names = ", ".join(sorted(t.device.name for t in compiled.targets))
        body: dict[str, Json] = {
            "outcome": Outcome.ALREADY_SO,
            **{k: proposal.body.get(k) for k in ("device", "operation", "parameters")},
            "values": {device: dict(shown) for device, shown in values.items()},
            "facts": self._verifier.facts(compiled),
        }
        text = f"No lease: {names} is as wanted already."
        return self._answer(proposal, MessageType.DENIAL, text, body)

    def _deny(
        self,
        proposal: Message,
        evidence: tuple[Evidence, ...],
        compiled: Compiled | None = None,
        ruling: Ruling | None = None,
    ) -> Record:
        body: dict[str, Json] = {
            "reason": evidence[0].code,
            "evidence": [item.as_dict() for item in evidence],
            **{k: proposal.body.get(k) for k in ("device", "operation", "parameters")},
        }
        if compiled is not None:
            body["facts"] = self._verifier.facts(compiled)
        if ruling is not None and evidence[0].code is Reason.CONFLICT:
            self._record_conflict(proposal, ruling)
        return self._answer(
            proposal, MessageType.DENIAL, f"Denied: {evidence[0].text}", body
        )

    def _record_conflict(self, proposal: Message, ruling: Ruling) -> None:
        """Put the holds that were met on record, before the answer."""
        self._answer(
            proposal,
            MessageType.CONFLICT,
            f"{proposal.sender}'s proposal meets {len(ruling.conflicts)} holds.",
            {
                "conflicts": [
                    {
                        "hold": conflict.hold.as_dict(),
                        "device": conflict.effect.device,
                        "attribute": conflict.effect.attribute,
                        "wanted": conflict.effect.value,
                        "answer": conflict.answer,
                        "why": conflict.why,
                    }
                    for conflict in ruling.conflicts
                ]
            },
        )

    def _answer(
        self,
        proposal: Message,
        type_: MessageType,
        content: str,
        body: Mapping[str, Json],
        expires_at: datetime | None = None,
    ) -> Record:
        return self._node.emit(
            sender=ROOT,
            to=proposal.sender,
            type=type_,
            content=content,
            cause=proposal.id,
            intent=proposal.intent,
            task=proposal.task,
            base_commit=self._node.view.commit,
            expires_at=expires_at,
            body=body,
        )

    # What follows

    def close(self, answer: Message) -> tuple[list[Open], HoldChange]:
        """Take a receipt or refusal: free its targets, tell what holds become.

        Returns the tasks it ends: the one that the lease was granted for, and
        one that only asked to use it.
        """
        if not self._was_asked(answer):
            return [], HoldChange()
        self._reservations.note(answer)
        using = [
            task.assignment.task.id
            for task in self.tasks.values()
            if answer.lease is not None and task.assignment.use == answer.lease
        ]
        over = answer.type is MessageType.RECEIPT or answer.body.get("over", True)
        task = self.tasks.get(answer.task or "")
        # Only a lease that was wanted as such may be tried again by somebody.
        kept = not over and task is not None and task.assignment.ttl is not None
        asked = [task.assignment.task.id] if task and not kept else []
        lease = self.leases.get(answer.lease or "")
        if lease is not None and over:
            del self.leases[lease.id]
        elif lease is not None and asked:
            self.revoke(lease, "its only use was refused")
        ended = [self.tasks.pop(name) for name in dict.fromkeys((*asked, *using))]
        change = HoldChange()
        if answer.type is MessageType.RECEIPT and ended and ended[0].compiled:
            assignment, compiled = ended[0].assignment, ended[0].compiled
            now = self._clock.now()
            change = kept_by(
                answer,
                assignment,
                compiled,
                now=now,
                now_local=now.astimezone(self._zone()),
                holds=self._verifier.holds_on(compiled),
                policy=self._verifier.in_force.policy,
            )
        return ended, change

    def revoke(self, lease: Lease, why: str, *evidence: Evidence) -> None:
        """Tell a lease's grantee that it is over; the gate says what it met.

        `evidence` is for the record, which tells people more than “revoked” by it.
        """
        self._send(
            self._node.emit(
                sender=ROOT,
                to=lease.grantee,
                type=MessageType.REVOCATION,
                content=f"The lease {lease.id} is revoked: {why}.",
                cause=lease.id,
                intent=lease.intent,
                task=lease.task,
                lease=lease.id,
                base_commit=self._node.view.commit,
                body={"evidence": [item.as_dict() for item in evidence]},
            )
        )

    def withdraw(self) -> None:
        """Take back the unused leases that a hold made since forbids.

        A lease to switch off does not rest on what the device is at, so it would
        not notice that somebody stronger has switched it on.
        """
        for lease in tuple(self.leases.values()):
            task = self.tasks.get(lease.task or "")
            if task is None or task.compiled is None:
                continue
            obstacle = self._verifier.obstacle(task.assignment, task.compiled)
            if obstacle is not None:
                self.revoke(lease, obstacle.why)

    def rests(self, grantee: str) -> set[str]:
        """Return the paths that the live leases of an agent rest on."""
        mine = (lease for lease in self.leases.values() if lease.grantee == grantee)
        return {path for lease in mine for path in lease.reads}

    def life(self, task_id: str) -> float:
        """Return the life in seconds of the lease that a task got, 0 without one."""
        granted = (x.ttl for x in self.leases.values() if x.task == task_id)
        return max(granted, default=0.0)

    def _was_asked(self, answer: Message) -> bool:
        """Tell whether what came of something is said by whom it was asked of."""
        task = self.tasks.get(answer.task or "")
        lease = self.leases.get(answer.lease or "")
        asked = {task.assignment.task.manager} if task else set[str]()
        asked |= {lease.grantee} if lease else set()
        return asked <= {answer.sender}

    def abandon(self, task_id: str) -> Open | None:
        """Forget a task whose manager is silent, and its lease."""
        task = self.tasks.pop(task_id, None)
        for lease in [x for x in self.leases.values() if x.task == task_id]:
            del self.leases[lease.id]
            self.overtaken.pop(lease.id, None)
        return task

    def forget(self, intent: str) -> None:
        """Drop the counts of an intent that is over."""
        self._verifier.tally.forget(intent)


def _later(wish: Assignment) -> Evidence:
    """Return the evidence that a later request came before another was done."""
    return Evidence(
        code=Reason.SUPERSEDED,
        text=f"the later request of {wish.principal.name} came first: {wish.task.goal}",
        event=wish.task.intent,
        intent=wish.task.intent,
    )
