"""What is being executed now, and what was answered before."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
import json

from .devices import Reading
from .intents import Evidence
from .leasebook import KEPT, Request
from .leases import Lease
from .operations import Operation
from .outcomes import Goal, goals_of, judge
from .reasons import Outcome
from .verdict import Receipt, Refusal


@dataclass(eq=False, kw_only=True)
class Run:
    """One consumed lease, from its `execute` to its answer."""

    lease: Lease
    request: Request
    execute: str
    row: Operation
    keys: tuple[str, ...]
    goals: Mapping[str, Goal]
    answer: asyncio.Future[Receipt | Refusal]
    task: asyncio.Task[object] | None
    """Whoever carries it out; canceled when a stop cannot wait."""
    acting: bool = False
    """True from the moment before the device is told."""
    readings: Mapping[str, Reading] = field(default_factory=dict)
    """What was read back."""
    fault: Outcome | None = None
    """What the adapter said went wrong."""
    evidence: tuple[Evidence, ...] = ()

    def start_from(self, before: Mapping[str, Reading]) -> None:
        """Take what the adapter read right before it acted as the beginning."""
        devices = [goal.device for goal in self.goals.values()]
        self.goals = goals_of(self.row, self.request.parameters, devices, before)

    def judge(self) -> dict[str, Outcome]:
        """Return the outcome of each target, from what was read back."""
        return {
            target: judge(self.row, goal, self.readings[target], self.fault)
            for target, goal in self.goals.items()
        }

    def conclude(self, answer: Receipt | Refusal) -> None:
        """Answer all who asked."""
        self.answer.set_result(answer)

    def failed(
        self, outcome: Outcome, text: str, evidence: tuple[Evidence, ...] = ()
    ) -> None:
        """Note what the adapter said went wrong, with its evidence if it has any."""
        self.fault = outcome
        plain = Evidence(text=text[:300], lease=self.lease.id)
        self.evidence = evidence or (plain,)

    def fail(self, error: BaseException) -> None:
        """Tell all who asked that there is no answer, unless there is one."""
        if self.answer.done():
            return
        if isinstance(error, asyncio.CancelledError):
            self.answer.cancel()
            return
        self.answer.set_exception(error)
        # Retrieved here, or asyncio reports it when nobody else asked.
        self.answer.exception()


class Runs:
    """The runs by lease and by the target that they keep busy."""

    def __init__(self) -> None:
        """Start with nothing running."""
        self._by_lease: dict[str, Run] = {}
        self._by_key: dict[str, Run] = {}

    def begin(self, run: Run) -> None:
        """Keep the run's targets busy."""
        self._by_lease[run.lease.id] = run
        self._by_key.update(dict.fromkeys(run.keys, run))

    def end(self, run: Run) -> None:
        """Let go of the targets; the answer is kept for identical requests."""
        run.task = None
        for key in run.keys:
            if self._by_key.get(key) is run:
                del self._by_key[key]
        surplus = max(0, len(self._by_lease) - KEPT)
        for lease_id in list(islice(self._by_lease, surplus)):
            if self._by_lease[lease_id].answer.done():
                del self._by_lease[lease_id]

    def same(self, lease_id: str, request: Request) -> Run | None:
        """Return the run that an identical request began, if one did."""
        run = self._by_lease.get(lease_id)
        return run if run and _exact(run.request) == _exact(request) else None

    def on(self, key: str) -> Run | None:
        """Return the run that keeps a target busy."""
        return self._by_key.get(key)

    def acting(self, key: str) -> Run | None:
        """Return the run whose effects on a target its receipt will tell."""
        run = self._by_key.get(key)
        return run if run and run.acting else None

    async def wait_idle(self, key: str) -> None:
        """Return once no run is acting on the target."""
        while run := self.acting(key):
            await asyncio.wait([run.answer])
            # The run's own task lets go of the target right after answering.
            await asyncio.sleep(0)

    async def cut_off(self, timeout: float) -> None:
        """Wait for all that runs; cancel what still does after `timeout` seconds."""
        runs = set(self._by_key.values())
        if not runs:
            return
        answers = [run.answer for run in runs]
        await asyncio.wait(answers, timeout=timeout)
        for run in runs:
            if run.task is not None and not run.answer.done():
                run.task.cancel()
        await asyncio.wait(answers)


def _exact(request: Request) -> str:
    """Return a request's text: equal only for requests that are identical."""
    return json.dumps(request, sort_keys=True, default=repr)
