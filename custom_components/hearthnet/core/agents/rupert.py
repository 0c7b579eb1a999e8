"""Rupert: takes intents, makes tasks, and tells what became of them.

The four stages of an intent: ground and plan, propose, verify and grant (by
`Issuer`), execute and record. Nothing is kept here that the record does not
have, except who is waiting for an answer.
"""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
import logging

from ..bus import Bus
from ..clock import Clock, Zone
from ..confirmations import Pending
from ..control import Control
from ..deferred import Deferred
from ..devices import House, Principal
from ..intents import (
    Action,
    Evidence,
    Plan,
    PlanKind,
    Request,
    Result,
    Step,
    Waiting,
)
from ..journal import JournalError
from ..leases import Lease
from ..messages import Message, MessageType
from ..node import Node, Record
from ..planner import Planner, Situation
from ..planner.undo import words_for
from ..reasons import Reason
from ..undo import UNDOABLE
from .answers import Answers
from .base import Agent, Spawn
from .bursts import Bursts
from .dispatch import Dispatch
from .echo import Echo
from .ending import ending_of, nothing
from .failures import Peers
from .issuer import Issuer
from .jobs import Intent, Job
from .manager import ROOT
from .preview import preview
from .questions import Questions
from .reviews import Reviews
from .tasking import source_of
from .verifier import Verifier
from .withdrawn import withdrawn

type Planned = Callable[[Plan], None]

_LOGGER = logging.getLogger(__name__)

MAX_TEXT = 1000
"""Longest text that is taken for a request, in characters. The record keeps every
request for ever, and nobody says that much in one breath."""


class Rupert(Agent):
    """The root."""

    def __init__(
        self,
        node: Node,
        bus: Bus,
        spawn: Spawn,
        *,
        house: House,
        planner: Planner,
        verifier: Verifier,
        issuer: Issuer,
        control: Control,
        clock: Clock,
        zone: Zone,
        questions: Questions,
        decided: Callable[[Message, tuple[Step, ...], Principal], None],
        finished: Callable[[Request, Result], None],
        observed: Callable[[Message], None],
        answers: Answers,
        peers: Peers,
        reviews: Reviews,
    ) -> None:
        """Attach to the bus as `rupert`.

        `decided` is told of every decision, `finished` of every intent's end,
        `observed` of what companions see of their devices.
        """
        super().__init__(ROOT, node, bus, spawn)
        self._house = house
        self._planner = planner
        self._verifier = verifier
        self._issuer = issuer
        self._control = control
        self._clock = clock
        self._zone = zone
        self._finished = finished
        self._observed = observed
        self._answers = answers
        self._dispatch = Dispatch(
            node,
            spawn,
            bus.send,
            house=house,
            verifier=verifier,
            issuer=issuer,
            clock=clock,
            questions=questions,
            decided=decided,
            peers=peers,
            reviews=reviews,
        )
        self._echo = Echo(clock)
        self.bursts = Bursts()

    # Intents

    async def ask(self, request: Request, planned: Planned | None = None) -> Result:
        """Take an intent in words; return when all its receipts are in.

        `planned` is told of the plan before it is carried out. The same words from
        two satellites within two seconds are one intent.
        """
        return await self._echo.once(request, partial(self._ask, planned=planned))

    async def _ask(self, request: Request, planned: Planned | None) -> Result:
        if (evidence := self._too_many(request)) is not None:
            return nothing(request, evidence.code)
        try:
            intent = None if request.dry_run else self._open(request)
            return await self._plan_and_run(request, intent, planned)
        except JournalError:
            return nothing(request, Reason.JOURNAL_UNWRITABLE)

    async def _plan_and_run(
        self, request: Request, intent: Intent | None, planned: Planned | None = None
    ) -> Result:
        # The event's own time, so that the record gives a model's prompt back.
        now = self._clock.now() if intent is None else intent.at
        situation = Situation(
            house=self._house,
            now=now.astimezone(self._zone()),
            policy=self._verifier.in_force.policy,
        )
        try:
            plan: Plan | None = None
            if len(request.text) <= MAX_TEXT:
                async with asyncio.timeout(request.deadline):
                    plan = await self._planner.plan(request, situation)
        except TimeoutError:
            plan = Plan(kind=PlanKind.UNCLEAR, reason=Reason.DEADLINE)
        except Exception:
            # A planner is foreign code in part; its fault ends the intent only.
            _LOGGER.exception("The planner failed")
            plan = None
        if plan is None:
            plan = Plan(kind=PlanKind.UNCLEAR, reason=Reason.NOT_UNDERSTOOD)
        if planned is not None:
            planned(plan)
        return await self.carry_out(request, plan, intent)

    def _open(
        self,
        request: Request,
        *,
        lease: float | None = None,
        deferred: Deferred | None = None,
        cause: str | None = None,
    ) -> Intent:
        """Put an intent on record; `cause` is the question that it goes on from."""
        source = source_of(request, self._verifier.in_force.policy)
        record = self.node.emit(
            sender=self.name,
            to=self.name,
            type=MessageType.INTENT,
            content=f"{request.principal.name}: {request.text}"[:500] or "-",
            cause=deferred.id if deferred else cause,
            base_commit=self.node.view.commit,
            writes={deferred.path: None} if deferred else {},
            body={
                "text": request.text[:MAX_TEXT],
                "principal": request.principal.as_dict(),
                "origin": request.origin,
                "source": source.name.lower(),
                "language": request.language,
                "area": request.area,
                "turns": [[who, said[:MAX_TEXT]] for who, said in request.turns],
                "deadline": request.deadline,
                "reference": request.reference,
                "sentence": request.sentence,
            },
        )
        return Intent(
            id=record.message.id,
            at=record.message.at,
            request=request,
            source=source,
            deadline=self._clock.boottime() + request.deadline,
            grounded=self.node.view.order,
            lease=lease,
        )

    async def propose(
        self, request: Request, actions: Iterable[Action], *, lease: float | None = None
    ) -> Result:
        """Take an intent that is a plan already; with `lease` only get the leases.

        `lease` is the life in seconds of the leases wanted.
        """
        plan = Plan(kind=PlanKind.COMMAND, actions=tuple(actions), source="proposal")
        return await self.take(request, plan, lease=lease)

    async def take(
        self, request: Request, plan: Plan, *, lease: float | None = None
    ) -> Result:
        """Take an intent that code has planned already, as `propose` does."""
        if (evidence := self._too_many(request)) is not None:
            jobs = (
                Job(0, action, d) for action in plan.actions for d in action.targets
            )
            steps = tuple(self._dispatch.refused(job, evidence) for job in jobs)
            return replace(nothing(request, None), steps=steps)
        try:
            intent = None if request.dry_run else self._open(request, lease=lease)
            return await self.carry_out(request, plan, intent)
        except JournalError:
            return nothing(request, Reason.JOURNAL_UNWRITABLE)

    async def approved(self, pending: Pending) -> Result:
        """Take what a person agreed to as a new intent, verified like any other."""
        plan = Plan(
            kind=PlanKind.COMMAND, actions=(pending.action,), source="confirmation"
        )
        try:
            intent = self._open(pending.request, cause=pending.id)
            intent.approved = pending.binding
            return await self.carry_out(pending.request, plan, intent)
        except JournalError:
            return nothing(pending.request, Reason.JOURNAL_UNWRITABLE)

    async def fire(self, deferred: Deferred) -> Result:
        """Take a deferred plan as a new intent, now that it is due.

        The intent's own event takes the plan off the record, so it fires once.
        """
        request = deferred.request
        try:
            intent = self._open(request, deferred=deferred)
            if deferred.reverts:
                undo = replace(request, text=words_for(deferred.id))
                return await self._plan_and_run(undo, intent)
            plan = Plan(
                kind=PlanKind.COMMAND, actions=deferred.actions, source="deferred"
            )
            return await self.carry_out(request, plan, intent)
        except JournalError:
            return nothing(request, Reason.JOURNAL_UNWRITABLE)

    async def use(self, request: Request, lease: Lease) -> Result:
        """Have an existing lease taken to the gate, which says if it still counts."""
        action = Action(targets=lease.target[:1], operation=lease.operation)
        plan = Plan(kind=PlanKind.COMMAND, actions=(action,), source="lease")
        try:
            intent = self._open(request)
        except JournalError:
            return nothing(request, Reason.JOURNAL_UNWRITABLE)
        job = Job(0, action, action.targets[0])
        if (taken := withdrawn(lease, self._house)) is not None:
            steps: tuple[Step, ...] = (self._dispatch.refused(job, taken),)
        else:
            steps = await self._dispatch.use(intent, job, lease.id)
        result = Result(
            intent=intent.id,
            kind=plan.kind,
            language=request.language,
            steps=steps,
        )
        self._conclude(intent, plan, result)
        return result

    async def carry_out(
        self, request: Request, plan: Plan, intent: Intent | None
    ) -> Result:
        """Run a plan, or show its verdicts when there is no intent (a dry run)."""
        result = Result(
            intent=intent.id if intent else "",
            kind=plan.kind,
            language=request.language,
            say=plan.say,
            reason=plan.reason,
            near=plan.near,
            why=plan.why,
            as_of=plan.as_of,
            dry_run=request.dry_run,
        )
        if plan.kind is PlanKind.QUESTION:
            answers = await self._answers.of(plan, request.principal)
            result = replace(result, answers=answers, waiting=plan.waiting)
        elif plan.kind is PlanKind.COMMAND:
            if intent is None:
                steps = preview(request, plan, self._verifier, self._house)
                result = replace(result, waiting=plan.cancels)
            elif plan.cancels:
                result = replace(result, canceled=self._cancel(plan, request.principal))
                steps = ()
            elif plan.due is not None:
                result = replace(result, due=plan.due)
                steps = ()
            else:
                intent.standing, intent.until = plan.standing, plan.until
                steps = await self._dispatch.run(intent, plan)
                if plan.reverts and any(s.outcome in UNDOABLE for s in steps):
                    result = replace(result, until=plan.until)
            result = replace(result, steps=(*steps, *plan.dropped))
        if intent is not None:
            self._conclude(intent, plan, result)
        return result

    def _conclude(self, intent: Intent, plan: Plan, result: Result) -> None:
        """Put the end of an intent on record."""
        self._issuer.forget(intent.id)
        ending = ending_of(intent, plan, result)
        self.say(
            self.name,
            MessageType.RESOLUTION,
            ending.content,
            cause=intent.id,
            intent=intent.id,
            body=ending.body,
            writes=ending.writes,
        )
        if result.due is None:
            self._finished(intent.request, result)

    def failed(self, record: Record, reason: Reason, text: str) -> None:
        """End the task whose message could not be handled."""
        self.fault(record.message.task or "", reason, text)

    def fault(self, task_id: str, reason: Reason, text: str) -> None:
        """Learn from a manager on this node that a task broke down."""
        self._dispatch.fail(task_id, reason, text)

    async def handle(self, record: Record) -> None:
        """Decide on proposals; take receipts and refusals."""
        message = record.message
        match message.type:
            case MessageType.PROPOSAL:
                await self._dispatch.decide(message)
            case MessageType.RECEIPT | MessageType.REFUSAL:
                self._dispatch.close(message)
            case MessageType.OBSERVATION:
                self._observed(message)

    def _too_many(self, request: Request) -> Evidence | None:
        """Return why a request is not taken in; nothing of it is recorded then."""
        if request.dry_run:
            return None
        principal, now = request.principal, self._clock.now()
        refused = self.bursts.refuses(principal, self._clock.boottime(), now)
        if not refused:
            return None
        text = f"{principal.name} asks too often; until it stops the rest is not heard"
        if refused == 1:
            self.say(
                self.name,
                MessageType.ALERT,
                f"{text}.",
                body={
                    "principal": principal.as_dict(),
                    "text": request.text[:MAX_TEXT],
                },
            )
        return Evidence(code=Reason.RATE_LIMITED, text=text)

    def _cancel(self, plan: Plan, principal: Principal) -> tuple[Waiting, ...]:
        """Take plans for later off the record; return those that were there."""
        dropped = (self._control.drop(one.id, principal) for one in plan.cancels)
        return tuple(one.waiting for one in dropped if one is not None)
