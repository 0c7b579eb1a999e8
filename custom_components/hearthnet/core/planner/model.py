"""A planner that asks a language model, and believes nothing of what it says.

The model sees the prompt and answers in the schema. Code decides the rest: whether
it was a question at all, which actions hold, how far they reach, what may be said.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
import logging
import random
import time
from typing import Protocol

from ..intents import Consultation, Plan, PlanKind, Request
from ..messages import Json
from ..reasons import Reason
from . import Situation
from .budget import Amount, Budget
from .errors import PlannerError
from .finish import finish, room_not_here
from .later import timed
from .parse import Parsed, parse
from .prompt import Prompt, build_prompt
from .words.questions import is_question
from .words.times import later

_LOGGER = logging.getLogger(__name__)
_RETRIES = 1
"""How often a round is tried again after a fault that passes."""
_JITTER = 0.5
"""Seconds by which a wait is spread, so that homes do not return all at once."""


@dataclass
class Usage:
    """What a call used.

    The model counts into it while it runs, so that a call that fails or is canceled
    counts too.
    """

    input_tokens: int = 0
    """Without those from the provider's cache."""
    cached_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, kw_only=True)
class Repair:
    """The second round: what was answered, and what is wrong with it."""

    answer: Json
    faults: tuple[dict[str, Json], ...]


class Model(Protocol):
    """Something that answers a prompt. It knows nothing of plans."""

    @property
    def name(self) -> str:
        """Name for the record and the log."""

    @property
    def most_devices(self) -> int:
        """How many devices it can make sense of."""

    @property
    def seconds(self) -> float:
        """How long one call may take."""

    async def ask(self, prompt: Prompt, repair: Repair | None, usage: Usage) -> Json:
        """Make one call and return the answer, as the schema or not.

        Raises:
            PlannerError: when there is no answer.
        """


class ModelPlanner:
    """Makes plans with a model; see `core.planner.Planner`."""

    def __init__(
        self,
        model: Model,
        budget: Budget,
        *,
        keeps_later: bool = False,
        seconds: Callable[[], float] = time.monotonic,
        jitter: Callable[[], float] = random.random,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Take the model and what it may use.

        Args:
            model: what to ask.
            budget: shared by all planners of the home.
            keeps_later: whether the caller keeps a plan until its `due`. If not, a
                request about a later time is declined: acting now would be wrong.
            seconds: a clock that only runs on.
            jitter: a number from 0 to 1, new each time.
            sleep: waits between two tries.
        """
        self.model = model
        self.budget = budget
        self.keeps_later = keeps_later
        self.seconds = seconds
        self.jitter = jitter
        self.sleep = sleep

    async def plan(self, request: Request, situation: Situation) -> Plan | None:
        """Return a plan, or one that says why there is none; never act."""
        when = None
        if not is_question(request.text):
            when = later(request.text, situation.now)
        if when and not when.until and not (self.keeps_later and when.due):
            return self._nothing(Reason.LATER)
        if plan := room_not_here(request, situation.house.devices()):
            return replace(plan, source=self.model.name)
        consulting = _Consulting(self, request, situation)
        try:
            plan = await consulting.plan()
        except PlannerError as error:
            _LOGGER.info("%s made no plan: %s", self.model.name, error)
            plan = self._nothing(error.reason)
        if when and plan.kind is PlanKind.COMMAND:
            plan = timed(plan, when, request.text)
        return replace(
            plan, source=self.model.name, consultation=consulting.consultation
        )

    def _nothing(self, reason: Reason) -> Plan:
        return Plan(kind=PlanKind.UNCLEAR, reason=reason, source=self.model.name)


class _Consulting:
    """One request's dealings with the model."""

    def __init__(
        self, planner: ModelPlanner, request: Request, situation: Situation
    ) -> None:
        self._planner = planner
        self._request = request
        self._situation = situation
        self._used = Amount()
        self.consultation = Consultation(model=planner.model.name)

    async def plan(self) -> Plan:
        """Ask, have it repaired once, and return what holds."""
        most = self._planner.model.most_devices
        prompt = build_prompt(self._request, self._situation, most)
        self.consultation = replace(self.consultation, prompt=prompt.digest)
        answer = await self._round(prompt, None)
        parsed = self._parse(answer, prompt)
        asks = is_question(self._request.text)
        if not asks and (not parsed.usable or parsed.rejected):
            parsed = await self._repaired(prompt, answer, parsed)
        if not asks and not parsed.usable:
            raise PlannerError(Reason.MODEL_FAILED, parsed.faults[0].field)
        finished = finish(self._request, prompt.candidates, parsed)
        self.consultation = replace(self.consultation, claims=finished.claims)
        return finished.plan

    def _parse(self, answer: Json, prompt: Prompt) -> Parsed:
        return parse(answer, prompt.candidates, self._situation.house.operations)

    async def _repaired(self, prompt: Prompt, answer: Json, first: Parsed) -> Parsed:
        """Return the second answer, or the first where there is no better one."""
        faults = tuple(fault.as_dict() for fault in first.faults)
        try:
            second = await self._round(prompt, Repair(answer=answer, faults=faults))
        except PlannerError as error:
            if not first.usable:
                raise
            _LOGGER.info("%s repaired nothing: %s", self._planner.model.name, error)
            return first
        parsed = self._parse(second, prompt)
        return parsed if parsed.usable or not first.usable else first

    async def _round(self, prompt: Prompt, repair: Repair | None) -> Json:
        """Ask, and again where a fault passes and nothing was executed yet."""
        for attempt in range(_RETRIES + 1):
            try:
                return await self._call(prompt, repair)
            except PlannerError as error:
                last = attempt == _RETRIES or self._situation.acted
                if last or error.wait is None or error.wait > self._left():
                    raise
                _LOGGER.debug("%s: trying again: %s", self._planner.model.name, error)
                wait = error.wait + _JITTER * self._planner.jitter()
                self._count(Amount(seconds=wait))
                await self._planner.sleep(wait)
        raise AssertionError  # the last attempt returns or raises

    async def _call(self, prompt: Prompt, repair: Repair | None) -> Json:
        """Make one call within the budget and count what it used."""
        planner, now = self._planner, self._situation.now
        planner.budget.check(self._used, now)
        self._count(Amount(calls=1))
        usage, started = Usage(), planner.seconds()
        try:
            async with asyncio.timeout(min(planner.model.seconds, self._left())):
                return await planner.model.ask(prompt, repair, usage)
        except TimeoutError:
            raise PlannerError(Reason.MODEL_TIMEOUT) from None
        finally:
            tokens = usage.input_tokens + usage.cached_tokens + usage.output_tokens
            self._count(Amount(tokens=tokens, seconds=planner.seconds() - started))
            done = self.consultation
            self.consultation = replace(
                done,
                calls=self._used.calls,
                input_tokens=done.input_tokens + usage.input_tokens,
                cached_tokens=done.cached_tokens + usage.cached_tokens,
                output_tokens=done.output_tokens + usage.output_tokens,
                seconds=self._used.seconds,
            )

    def _count(self, amount: Amount) -> None:
        self._used += amount
        self._planner.budget.charge(amount, self._situation.now)

    def _left(self) -> float:
        """Return the seconds that budget and deadline leave."""
        budget = self._planner.budget.seconds_left(self._used, self._situation.now)
        return min(budget, self._request.deadline - self._used.seconds)
