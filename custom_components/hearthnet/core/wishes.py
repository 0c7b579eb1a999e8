"""What people, automations and agents wish for: each becomes an intent of its own."""

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import NotRequired, TypedDict, Unpack

from .agents.deferrals import Deferrals
from .agents.issuer import Issuer
from .agents.questions import Questions
from .agents.reviews import Reviews
from .agents.rupert import Planned, Rupert
from .chronicle import Chronicle
from .devices import House, Principal
from .gate import Gate
from .intents import Action, Origin, Request, Result, Step
from .journal import JournalError
from .leases import DEFAULT_TTL
from .messages import Json
from .node import Node
from .overview import Overview
from .planner.restore import restoring


class Answering(TypedDict):
    """Who answers a question, and how: see `Wishes.answer`."""

    principal: Principal
    origin: Origin
    approve: bool
    until: NotRequired[datetime | None]


class Wishes:
    """The way to Rupert."""

    def __init__(
        self,
        *,
        node: Node,
        house: House,
        chronicle: Chronicle,
        rupert: Rupert,
        gate: Gate,
        issuer: Issuer,
        questions: Questions,
        deferrals: Deferrals,
        overview: Overview,
        reviews: Reviews,
    ) -> None:
        """Take who answers wishes, and what they are about."""
        self._node = node
        self._house = house
        self._chronicle = chronicle
        self._rupert = rupert
        self._gate = gate
        self._issuer = issuer
        self._questions = questions
        self._deferrals = deferrals
        self._overview = overview
        self._reviews = reviews

    async def ask(self, request: Request, planned: Planned | None = None) -> Result:
        """Take an intent in words; return when all its receipts are in.

        What is for later returns at once, with `due`. `planned` is told of the plan
        before it is carried out.
        """
        result = await self._rupert.ask(request, planned)
        if result.due or result.until or result.canceled:
            await self._node.sync()
            self._deferrals.changed()
        return result

    async def propose(
        self,
        *,
        principal: Principal,
        origin: Origin,
        targets: tuple[str, ...],
        operation: str,
        parameters: Mapping[str, Json],
        reason: str,
        language: str = "en",
        relative: Mapping[str, float] | None = None,
        dry_run: bool = False,
    ) -> Result:
        """Take one action as an intent."""
        request = Request(
            text=reason,
            principal=principal,
            origin=origin,
            language=language,
            dry_run=dry_run,
            sentence=False,
        )
        action = Action(
            targets=targets,
            operation=operation,
            parameters=parameters,
            relative=relative or {},
            why=reason,
        )
        return await self._rupert.propose(request, (action,))

    async def request_lease(
        self,
        *,
        principal: Principal,
        origin: Origin,
        target: str,
        operation: str,
        parameters: Mapping[str, Json],
        reason: str,
        language: str = "en",
        ttl: float = DEFAULT_TTL,
    ) -> Step:
        """Get a lease without using it; its id is in the step if it was granted."""
        request = Request(
            text=reason,
            principal=principal,
            origin=origin,
            language=language,
            sentence=False,
        )
        action = Action(
            targets=(target,), operation=operation, parameters=parameters, why=reason
        )
        result = await self._rupert.propose(request, (action,), lease=ttl)
        # Whoever holds it may show it after a power cut, and is to be told the truth.
        with suppress(JournalError):
            await self._node.sync()
        return result.steps[0]

    async def execute(
        self,
        lease_id: str,
        *,
        principal: Principal,
        origin: Origin,
        language: str = "en",
    ) -> Result:
        """Take a lease to the gate, which says whether it still counts.

        Raises:
            LookupError: no lease of that id was ever heard of here.
            PermissionError: the lease was granted to another principal.
        """
        lease = self._gate.lease(lease_id) or self._issuer.leases.get(lease_id)
        if lease is None:
            raise LookupError(lease_id)
        if not lease.principal.is_same_as(principal):
            raise PermissionError(lease.principal.name)
        request = Request(
            text=f"use lease {lease_id}",
            principal=principal,
            origin=origin,
            language=language,
            sentence=False,
        )
        return await self._rupert.use(request, lease)

    async def restore(
        self,
        request: Request,
        devices: tuple[str, ...],
        *,
        at: datetime | None,
        commit: str | None = None,
    ) -> Result:
        """Put devices back to how they were at a moment, or right after a commit.

        Raises:
            LookupError: the record has nothing that old, or no such commit.
        """
        past = await self._chronicle.state_at(devices, at, commit=commit)
        plan = restoring(devices, past, self._house, self._node.view)
        return await self._rupert.take(request, plan)

    async def answer(
        self,
        question: str,
        *,
        principal: Principal,
        origin: Origin,
        approve: bool,
        until: datetime | None = None,
    ) -> Result | None:
        """Take a person's answer to a question; approval makes a new intent.

        With `until` the same needs no question as long as that.

        Returns:
            What came of it; None after a rejection.

        Raises:
            LookupError: the question does not stand (any more).
            PermissionError: this person, or this way in, may not answer.
            ValueError: nobody can agree until then.
        """
        pending = self._questions.answer(
            question, principal, origin, approve=approve, until=until
        )
        if pending is None:
            raise LookupError(question)
        await self._node.sync()
        return await self._rupert.approved(pending) if approve else None

    async def answer_together(
        self, questions: Iterable[str], **answer: Unpack[Answering]
    ) -> Result | None:
        """Take one answer to questions that were put as one; see `answer`.

        Some of them may not stand any more.

        Raises:
            LookupError: none of them stands.
        """
        results = await asyncio.gather(
            *(self.answer(question, **answer) for question in questions),
            return_exceptions=True,
        )
        errors = [one for one in results if isinstance(one, BaseException)]
        for error in errors:
            if len(errors) == len(results) or not isinstance(error, LookupError):
                raise error
        done = [one for one in results if isinstance(one, Result)]
        steps = tuple(step for one in done for step in one.steps)
        return replace(done[0], steps=steps) if done else None

    async def review(self, review_id: str, *, retry: bool) -> Result | None:
        """Take what a person says of something whose end nobody knows.

        A retry is a new intent of whoever asked first, verified like any other.

        Raises:
            LookupError: there is nothing to say about it (any more).
        """
        review = self._reviews.end(review_id, retry=retry)
        await self._node.sync()
        if not retry:
            return None
        return await self._rupert.propose(review.request, (review.action,))
