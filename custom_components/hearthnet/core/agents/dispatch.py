"""Tasks on their way: given to managers, decided on, and closed by receipts."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
import logging

from ..assignment import Assignment
from ..clock import Clock
from ..devices import House, Principal, aliases, moved_with
from ..intents import Evidence, Plan, Step
from ..journal import JournalError
from ..leases import DRIFT
from ..messages import EventId, Json, Message, MessageType
from ..node import Node, Record
from ..operations import Problem
from ..paths import device_path
from ..reasons import DONE, Outcome, Reason
from ..state import POLICY_PATH
from .base import Spawn
from .failures import LOOK, Patience, Peers, Standing, lost, standing, unmet
from .issuer import Issuer, Open
from .jobs import Intent, Job
from .manager import ROOT
from .questions import Questions
from .reviews import Reviews
from .steps import named, refused, steps_of
from .tasking import assignment_of, reads_of
from .verifier import Verifier

_LOGGER = logging.getLogger(__name__)

REGROUNDED = 8
"""How often a step that lost a race is proposed anew: as often as a slider that is
dragged may have wished before. An older wish does not come back, see `Turns`."""
GRACE = 15.0
"""Seconds past an intent's deadline in which a running actuation may still report."""


@dataclass(eq=False)
class _Waiting:
    intent: Intent
    job: Job
    future: asyncio.Future[tuple[Step, ...]]


class Dispatch:
    """Runs the actions of plans side by side; those on one device in order."""

    def __init__(
        self,
        node: Node,
        spawn: Spawn,
        send: Callable[[Record], bool],
        *,
        house: House,
        verifier: Verifier,
        issuer: Issuer,
        clock: Clock,
        questions: Questions,
        decided: Callable[[Message, tuple[Step, ...], Principal], None],
        peers: Peers,
        reviews: Reviews,
    ) -> None:
        """Take how messages are sent, who decides, and who is told of decisions."""
        self._node = node
        self._spawn = spawn
        self._send = send
        self._house = house
        self._verifier = verifier
        self._issuer = issuer
        self._clock = clock
        self._questions = questions
        self._decided = decided
        self._peers = peers
        self._reviews = reviews
        self._waiting: dict[str, _Waiting] = {}

    # Jobs

    async def run(self, intent: Intent, plan: Plan) -> tuple[Step, ...]:
        """Carry out a plan; return the steps in the plan's order."""
        jobs = [
            Job(index, action, device)
            for index, action in enumerate(plan.actions)
            for device in action.targets
        ]
        touched = {job: moved_with(self._house, job.device) for job in jobs}
        for number, job in enumerate(jobs):
            before = [
                other
                for other in jobs[:number]
                if other.index == job.action.after or touched[other] & touched[job]
            ]
            self._spawn(self._job(intent, job, before))
        for job in jobs:
            await job.done.wait()
        return tuple(named(s, self._node.view) for job in jobs for s in job.steps)

    async def _job(self, intent: Intent, job: Job, before: list[Job]) -> None:
        try:
            for other in before:
                await other.done.wait()
            needed = [other for other in before if other.index == job.action.after]
            failed = [s for o in needed for s in o.steps if s.outcome not in DONE]
            if failed:
                text = f"the step before it, {failed[0].name}, was not done"
                evidence = Evidence(code=Reason.CANCELED, text=text)
                job.steps = (self.refused(job, evidence),)
                return
            job.steps = await self._attempt(intent, job, intent.grounded)
            await self._persist(intent, job)
        except JournalError as error:
            job.steps = (self._broken(job, Reason.JOURNAL_UNWRITABLE, str(error)),)
        except Exception as error:
            # One step's fault must not hide the others, nor itself.
            _LOGGER.exception("A step of %s failed", intent.id)
            text = f"{type(error).__name__}: {error}"
            job.steps = (self._broken(job, Reason.FAULT, text),)
        except asyncio.CancelledError:
            step = self._broken(job, Reason.CANCELED, "HearthNet stopped")
            job.steps = (replace(step, outcome=Outcome.UNKNOWN),)
            raise
        finally:
            job.done.set()

    def _broken(self, job: Job, reason: Reason, text: str) -> Step:
        """Return the step of a job that has no answer."""
        return self.refused(job, Evidence(code=reason, text=text))

    async def _persist(self, intent: Intent, job: Job) -> None:
        """Try again while the manager is away, as long as that is safe."""
        patience = Patience(self._clock, intent.deadline)
        absolute = self._absolute(job)
        unsure: tuple[Step, ...] = ()
        while (now := standing(job.steps, absolute=absolute)) is Standing.BLOCKED or (
            now is Standing.IN_FLIGHT and self._unmet(job)
        ):
            if now is Standing.IN_FLIGHT:
                unsure = job.steps
            if not self._peers.expected(job.manager) or not await patience.pause():
                break
            if self._peers.alive(job.manager):
                # A new task, a new proposal, a new lease: nothing is sent twice.
                moment = self._node.view.order
                job.steps = await self._attempt(intent, job, moment)
        if unsure and not all(step.outcome in DONE for step in job.steps):
            # That it cannot be done now does not tell what came of it before.
            job.steps, now = unsure, Standing.IN_FLIGHT
        doubtful = now in (Standing.IN_FLIGHT, Standing.REVIEW)
        if doubtful and self._unmet(job) is not False:
            self._reviews.open(intent.id, intent.request, job)

    def _absolute(self, job: Job) -> bool:
        row = self._house.operations.get(job.action.operation)
        return row is not None and row.absolute and not job.action.relative

    def _unmet(self, job: Job) -> bool | None:
        compiled = self._verifier.compile(
            job.device, job.action.operation, dict(job.action.parameters)
        )
        return None if isinstance(compiled, Problem) else unmet(compiled, self._house)

    async def _attempt(
        self, intent: Intent, job: Job, grounded: int
    ) -> tuple[Step, ...]:
        """Make a task of a job and wait for its end; after a lost race once more."""
        for _ in range(REGROUNDED):
            steps = await self._try(intent, job, grounded)
            if all(step.reason is not Reason.STALE_STATE for step in steps):
                return steps
            grounded = self._node.view.order
        return await self._try(intent, job, grounded)

    async def _try(self, intent: Intent, job: Job, grounded: int) -> tuple[Step, ...]:
        if (assignment := self._assign(intent, job)) is None:
            return (self._gone(job),)
        paths = [POLICY_PATH]
        row = self._house.operations.get(assignment.operation)
        if row is None or row.reads_state:
            names = aliases(self._house, assignment.task.scope.devices)
            paths += map(device_path, sorted(names))
        reads = reads_of(self._node.view, paths, grounded, intent.receipts)
        assignment = replace(assignment, reads=reads, approved=intent.approved)
        steps = await self._give(intent, job, assignment)
        intent.receipts.update(step.event for step in steps if step.event)
        return steps

    def _assign(self, intent: Intent, job: Job) -> Assignment | None:
        """Return what a job's task asks for; None when its device is gone."""
        if (device := self._house.device(job.device)) is None:
            return None
        boot, seq = self._node.position
        return assignment_of(
            str(EventId(self._node.name, boot, seq + 1)),
            intent.id,
            job.action,
            device,
            self._house,
            intent.request,
            source=intent.source,
            standing=intent.standing,
            until=intent.until,
            lease=intent.lease,
        )

    def _gone(self, job: Job) -> Step:
        text = f"there is no device {job.device[:60]!r}"
        return self.refused(job, Evidence(code=Reason.UNKNOWN_TARGET, text=text))

    # Tasks

    async def use(self, intent: Intent, job: Job, lease: str) -> tuple[Step, ...]:
        """Have an existing lease taken to the gate."""
        if (assignment := self._assign(intent, job)) is None:
            return (self._gone(job),)
        return await self._give(intent, job, replace(assignment, use=lease))

    async def _give(
        self, intent: Intent, job: Job, assignment: Assignment
    ) -> tuple[Step, ...]:
        task = assignment.task
        future = asyncio.get_running_loop().create_future()
        record = self._node.emit(
            sender=ROOT,
            to=task.manager,
            type=MessageType.TASK,
            content=task.goal,
            cause=intent.id,
            intent=intent.id,
            lease=assignment.use,
            base_commit=self._node.view.commit,
            body=assignment.body(),
            writes={task.path: task.as_dict()},
        )
        self._issuer.tasks[task.id] = Open(assignment, intent.deadline)
        self._waiting[task.id] = _Waiting(intent, job, future)
        try:
            job.manager, job.task = task.manager, task.id
            if not self._send(record):
                text = f"{task.manager} is not online"
                return (self._drop(job, task.id, Reason.MANAGER_OFFLINE, text),)
            return await self._answer(task.id, job, intent, future)
        except TimeoutError:
            text = "no answer within the intent's time"
            return (self._drop(job, task.id, Reason.DEADLINE, text),)
        finally:
            del self._waiting[task.id]

    async def _answer(
        self,
        task_id: str,
        job: Job,
        intent: Intent,
        future: asyncio.Future[tuple[Step, ...]],
    ) -> tuple[Step, ...]:
        """Wait for the answer, and notice when nobody is there to give it."""
        until = intent.deadline + GRACE
        life = self._peers.life(job.manager)
        while (left := until - self._clock.boottime()) > 0:
            done, _ = await asyncio.wait([future], timeout=min(left, LOOK))
            if done:
                died = self._peers.life(job.manager) != life
                return lost(future.result()) if died else future.result()
            alive = self._peers.alive(job.manager)
            if alive and self._peers.life(job.manager) == life:
                continue
            task = self._issuer.tasks.get(task_id)
            if task is not None and task.compiled is not None:
                # It may still act until its lease is dead, and say so later.
                left = self._issuer.life(task_id) * (1 + DRIFT)
                done, _ = await asyncio.wait([future], timeout=left)
                if done:
                    return future.result()
            text = f"{job.manager} went away"
            return (self._drop(job, task_id, Reason.MANAGER_OFFLINE, text),)
        raise TimeoutError

    def _drop(self, job: Job, task_id: str, reason: Reason, text: str) -> Step:
        """Give a task up, and say so in the record."""
        task = self._issuer.abandon(task_id)
        evidence = Evidence(code=reason, text=text)
        if task is None:
            return self.refused(job, evidence)
        body: dict[str, Json] = {"reason": reason, "evidence": [evidence.as_dict()]}
        record = self._end(task, f"Given up: {text}.", {}, body)
        step = self.refused(job, evidence, event=record.message.id)
        # A lease is out and its holder is silent: only a read can tell.
        return replace(step, outcome=Outcome.UNKNOWN) if task.compiled else step

    def refused(self, job: Job, evidence: Evidence, event: str | None = None) -> Step:
        """Return the step of a job that did not happen."""
        return refused(
            self._house.device(job.device),
            job.device,
            job.action.operation,
            job.action.parameters,
            (evidence,),
            event=event,
            house=self._house,
        )

    def _end(
        self,
        task: Open,
        content: str,
        writes: Mapping[str, Json],
        body: Mapping[str, Json] | None = None,
        lease: str | None = None,
    ) -> Record:
        """Close a task in the record, with what becomes of holds, and of a lease."""
        about = task.assignment.task
        return self._node.emit(
            sender=ROOT,
            to=ROOT,
            type=MessageType.RESOLUTION,
            content=content,
            cause=about.id,
            intent=about.intent,
            task=about.id,
            lease=lease,
            body=body,
            writes={about.path: None, **self._verifier.over(), **writes},
        )

    # What managers say

    async def decide(self, proposal: Message) -> None:
        """Answer a proposal; a denial ends its task."""
        answer = await self._issuer.decide(proposal)
        task = self._issuer.tasks.get(proposal.task or "")
        self._send(answer)
        if task is None:
            return
        message = answer.message
        if message.type is not MessageType.GRANT:
            del self._issuer.tasks[task.assignment.task.id]
            self._end(task, message.content, {})
            waiting = self._waiting.get(task.assignment.task.id)
            if message.type is MessageType.CONFIRMATION_REQUEST and waiting:
                self._questions.ask(message, task, waiting.intent.request)
            self._settle(message, task)
            return
        self._questions.supersede(tuple(message.body["target"]))
        if task.assignment.ttl is not None:
            self._settle(message, task)
            self._spawn(self._expire(task, task.assignment.ttl))

    async def _expire(self, task: Open, ttl: float) -> None:
        """End a task whose lease was wanted but not used."""
        await asyncio.sleep(ttl * (1 + DRIFT))
        if self._issuer.abandon(task.assignment.task.id) is not None:
            self._end(task, "The lease was not used.", {})

    def close(self, answer: Message) -> None:
        """Take the end of a task: holds follow from it, and whoever waits is told."""
        self._reviews.learn(answer)
        ended, change = self._issuer.close(answer)
        count = len(change.made)
        held = f" Attributes held: {count}." if count else ""
        ends = answer.type is MessageType.RECEIPT or answer.body.get("over") is True
        # The next boot has no other way to know: the answer is in another journal.
        over = answer.lease if ends else None
        for number, task in enumerate(ended):
            writes = change.writes() if number == 0 else {}
            self._end(task, f"The task ended.{held}", writes, lease=over)
            self._settle(answer, task)

    def fail(self, task_id: str, reason: Reason, text: str) -> None:
        """End a task whose manager or decision broke down; nothing is recorded."""
        task = self._issuer.abandon(task_id)
        waiting = self._waiting.get(task_id)
        if waiting is None or waiting.future.done():
            return
        step = self.refused(waiting.job, Evidence(code=reason, text=text))
        if task and task.compiled:  # a lease is out: only a read can tell
            step = replace(step, outcome=Outcome.UNKNOWN)
        waiting.future.set_result((step,))

    def _settle(self, answer: Message, task: Open) -> None:
        """Tell what became of a task to whoever waits, and to the listeners."""
        assignment, parameters = task.assignment, task.assignment.parameters
        if task.compiled is not None:
            parameters = task.compiled.parameters
        steps = steps_of(
            answer,
            self._house,
            device=assignment.device,
            operation=assignment.operation,
            parameters=parameters,
        )
        later = self._issuer.overtaken.pop(answer.lease or "", None)
        if later is not None and answer.type is MessageType.REFUSAL:
            steps = tuple(
                replace(step, reason=later.code, evidence=(later, *step.evidence))
                for step in steps
            )
        self._decided(answer, steps, assignment.principal)
        waiting = self._waiting.get(assignment.task.id)
        if waiting is not None and not waiting.future.done():
            waiting.future.set_result(steps)
