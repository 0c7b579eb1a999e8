"""Plans that come due: each on its way once, looked at again, and told if it fails."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, cast

import pytest

from hearthnet.core.agents import deferrals
from hearthnet.core.agents.deferrals import Deferrals
from hearthnet.core.clock import ManualClock
from hearthnet.core.deferred import Deferred
from hearthnet.core.intents import PlanKind, Result, Step
from hearthnet.core.news import PlanFailed, went_wrong
from hearthnet.core.reasons import Outcome, Reason
from hearthnet.core.state import State

from .home import request

STEP = Step(
    device="id_desk",
    entity_id="light.desk",
    name="Desk",
    operation="light.turn_off",
    parameters={},
    outcome=Outcome.CHANGED,
)


def result(*outcomes: Outcome, reason: Reason | None = None) -> Result:
    """Return what came of a plan."""
    steps = tuple(replace(STEP, outcome=outcome) for outcome in outcomes)
    return Result(
        intent="hub.1.9",
        kind=PlanKind.COMMAND,
        language="en",
        steps=steps,
        reason=reason,
    )


@pytest.mark.parametrize(
    ("came", "wrong"),
    [
        (result(Outcome.CHANGED, Outcome.ALREADY_SO), False),
        (result(Outcome.RUNNING), False),
        (result(Outcome.UNVERIFIED), False),
        (result(Outcome.WAITING), False),
        (result(Outcome.CHANGED, Outcome.FAILED), True),
        (result(Outcome.UNREACHABLE), True),
        (result(Outcome.REFUSED), True),
        (result(Outcome.UNKNOWN), True),
        (result(Outcome.PARTIAL), True),
        (result(reason=Reason.NOTHING_TO_UNDO), False),
        (result(reason=Reason.JOURNAL_UNWRITABLE), True),
    ],
)
def test_what_goes_wrong(came: Result, wrong: bool) -> None:
    assert went_wrong(came) is wrong


def test_what_a_person_changed_since_is_left_alone_and_not_wrong() -> None:
    step = replace(STEP, outcome=Outcome.REFUSED, reason=Reason.CHANGED_SINCE)
    assert not went_wrong(replace(result(), steps=(step,)))


@dataclass
class Waiting:
    """A record of plans, whoever fires them, and what is told."""

    clock: ManualClock = field(default_factory=ManualClock)
    plans: list[Deferred] = field(default_factory=list)
    fired: asyncio.Queue[str] = field(default_factory=asyncio.Queue)
    told: asyncio.Queue[PlanFailed] = field(default_factory=asyncio.Queue)
    go: asyncio.Event = field(default_factory=asyncio.Event)
    came: Result = field(default_factory=lambda: result(Outcome.CHANGED))
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def deferred(self) -> tuple[Deferred, ...]:
        return tuple(self.plans)

    def plan(self, name: str, minutes: float) -> Deferred:
        due = self.clock.now() + timedelta(minutes=minutes)
        self.plans.append(Deferred(id=name, due=due, request=request(name), actions=()))
        return self.plans[-1]

    async def fire(self, plan: Deferred) -> Result:
        self.fired.put_nowait(plan.id)
        await self.go.wait()
        return self.came

    def spawn(self, coroutine: Coroutine[Any, Any, None]) -> None:
        self.tasks.add(asyncio.create_task(coroutine))

    def loop(self) -> Deferrals:
        fire: Callable[[Deferred], Awaitable[Result]] = self.fire
        return Deferrals(
            cast("State", self),
            self.clock,
            self.spawn,
            trusted=lambda: True,
            fire=fire,
            miss=self.plans.remove,
            failed=self.told.put_nowait,
        )


async def next_of[T](queue: asyncio.Queue[T]) -> T:
    async with asyncio.timeout(10):
        return await queue.get()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look again at once at what is due and still there."""
    monkeypatch.setattr(deferrals, "AGAIN", 0.01)


async def test_one_on_its_way_is_not_sent_again(quick: None) -> None:
    """Until it is through; if it is still on record then, it is tried again."""
    home = Waiting()
    home.plan("a", 0)
    loop = home.loop()
    running = asyncio.create_task(loop.run())
    assert await next_of(home.fired) == "a"
    home.plan("b", 0)
    for _ in range(3):
        loop.changed()
        await asyncio.sleep(0)
    assert await next_of(home.fired) == "b"
    assert home.fired.empty()
    del home.plans[1]
    home.go.set()
    await asyncio.gather(*home.tasks)
    assert home.told.empty()
    loop.changed()
    assert await next_of(home.fired) == "a"
    running.cancel()


async def test_what_failed_or_was_missed_is_told(quick: None) -> None:
    home = Waiting(came=result(Outcome.FAILED))
    home.go.set()
    late = home.plan("late", -6)
    due = home.plan("due", 0)
    running = asyncio.create_task(home.loop().run())
    missed = await next_of(home.told)
    assert (missed.plan, missed.result) == (late.waiting, None)
    failed = await next_of(home.told)
    assert (failed.plan, failed.result) == (due.waiting, home.came)
    running.cancel()


class Running(ManualClock):
    """A clock that goes on by a millisecond whenever somebody looks."""

    def now(self) -> datetime:
        self.advance(0.001)
        return super().now()


async def test_one_that_comes_due_between_two_looks(quick: None) -> None:
    """It does not wait for the next look, a minute later."""
    home = Waiting(clock=Running())
    home.plan("a", 0.0015 / 60)
    running = asyncio.create_task(home.loop().run())
    assert await next_of(home.fired) == "a"
    running.cancel()
