"""Running one capability, or one read, of a recipe.

Observe; stop if the goal is true already; tap once; verify. Nothing is tapped a
second time because the first did not show: an app may be slow, and the screen
another one by then.
"""

import asyncio
from collections.abc import Callable, Collection, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any

from hearthnet.core.intents import Evidence
from hearthnet.core.messages import Json
from hearthnet.core.operations import Parameters
from hearthnet.core.phone.capabilities import OVERHEAD, Capability, Repeat, Step
from hearthnet.core.phone.recipe import Recipe
from hearthnet.core.phone.selectors import Selector
from hearthnet.core.phone.values import Shown, UnmappedError
from hearthnet.core.reasons import Outcome, Reason
from hearthnet.core.verdict import Refused

from .driver import Driver, Eye
from .link import LinkError
from .phone import Phone
from .stops import Stop, outcome_of
from .ui import Tree

type Values = Mapping[str, Json]

_PASSING = frozenset(
    {
        Reason.UI_NOT_IDLE,
        Reason.UI_UNREADABLE,
        Reason.NODE_NOT_FOUND,
        Reason.AMBIGUOUS_MATCH,
        Reason.VALUE_UNMAPPED,
    }
)
"""What a screen may show for a moment while an app takes up a change."""
_ATTRIBUTE = {"desc": "content-desc"}


@dataclass(frozen=True, kw_only=True)
class Report:
    """What a run did and saw."""

    outcome: Outcome
    before: Values | None = None
    """The goal's values right before the tap; None when it did not get there."""
    values: Values = field(default_factory=dict)
    """The values as last read in this run."""
    taps: int = 0
    reason: Reason | None = None
    evidence: tuple[Evidence, ...] = ()
    trail: tuple[str, ...] = ()


async def perform(
    phone: Phone,
    recipe: Recipe,
    capability: Capability,
    arguments: Parameters,
    recheck: Callable[[], None],
    eye: Eye | None = None,
) -> Report:
    """Run a capability to its end, leave the phone on its home screen, and report.

    `recheck` raises `Refused` once the lease is over; `eye` see `Driver`.
    """
    run = _Run(Driver(phone, recipe, recheck, eye), recipe)
    return await run.report(run.pursue(capability, arguments), capability.seconds)


async def observe(phone: Phone, recipe: Recipe) -> Report:
    """Read a recipe's values without changing the appliance, and report."""
    run = _Run(Driver(phone, recipe, lambda: None), recipe)
    return await run.report(run.read_all(), OVERHEAD)


class _Run:
    def __init__(self, driver: Driver, recipe: Recipe) -> None:
        self._driver = driver
        self._recipe = recipe
        self._pace = driver.phone.pace
        self._now = driver.phone.link.now
        self._before: Values | None = None
        self._values: dict[str, Json] = {}
        self._acted = False
        self._seen = False

    async def report(
        self, course: Coroutine[Any, Any, Outcome], budget: float
    ) -> Report:
        """Follow a course within a budget of seconds, then leave the phone."""
        try:
            try:
                async with asyncio.timeout(budget):
                    outcome = await course
            finally:
                await asyncio.shield(self._driver.leave())
        except Stop as stop:
            return self._stopped(stop.reason, stop.evidence)
        except LinkError as error:
            evidence = Evidence(text=error.text, code=error.reason)
            return self._stopped(error.reason, (evidence,))
        except Refused as refused:
            code = refused.evidence[0].code or Reason.NO_LEASE
            return self._stopped(code, refused.evidence)
        except TimeoutError:
            text = f"not done within {budget:.0f} s"
            evidence = Evidence(text=text, code=Reason.DEADLINE)
            return self._stopped(Reason.DEADLINE, (evidence,))
        return self._finished(outcome)

    async def read_all(self) -> Outcome:
        """Read what the recipe says to read."""
        look = self._recipe.look
        if look is None:
            raise Stop(Reason.UNKNOWN_OPERATION, "the recipe reads nothing")
        # A version that nobody has checked is read where it opens, never tapped.
        await self._driver.open(any_version=not look.way)
        await self._navigate(look.way, {})
        tree = await self._driver.reach(look.screen)
        self._values = self._read(tree, look.values, look.screen)
        return Outcome.ALREADY_SO  # nothing was to be changed

    async def pursue(self, capability: Capability, arguments: Parameters) -> Outcome:
        """Run a capability."""
        wanted = capability.wanted(arguments)
        act = capability.act
        await self._driver.open(any_version=False)
        await self._navigate(capability.way, arguments)
        tree = await self._driver.reach(act.screen)
        if isinstance(act, Step) and capability.blind:
            await self._step(tree, act, arguments)
            return Outcome.UNVERIFIED
        self._before = self._read(tree, wanted, act.screen)
        self._values = dict(self._before)
        if self._before == wanted:
            return Outcome.ALREADY_SO
        if isinstance(act, Step):
            await self._step(tree, act, arguments)
        else:
            await self._close_in(tree, capability, arguments)
            if not capability.stable:
                return Outcome.CHANGED
        await self._verify(capability, wanted)
        return Outcome.CHANGED

    async def _navigate(self, way: tuple[Step, ...], arguments: Parameters) -> None:
        for step in way:
            tree = await self._driver.reach(step.screen)
            tap = step.tap.fill(arguments)
            await self._driver.tap(tree, step.screen, tap, vision=step.vision)

    async def _step(self, tree: Tree, act: Step, arguments: Parameters) -> None:
        await self._tap(tree, act.screen, act.tap.fill(arguments), vision=act.vision)

    async def _tap(
        self, tree: Tree, screen: str, selector: Selector, *, vision: bool = False
    ) -> None:
        """Send the tap that moves the appliance."""
        taps = self._driver.taps
        try:
            await self._driver.tap(tree, screen, selector, vision=vision)
        except LinkError as error:
            if not error.sent:
                raise
            text = f"the tap may have had its effect: {error.text}"
            raise Stop(Reason.RESULT_UNKNOWN, text) from error
        finally:
            if self._driver.taps > taps:
                self._acted, self._seen = True, False

    async def _close_in(
        self, tree: Tree, capability: Capability, arguments: Parameters
    ) -> None:
        """Tap step by step, looking after each, until the goal is shown."""
        act = capability.act
        assert isinstance(act, Repeat)
        ((name, goal),) = capability.wanted(arguments).items()
        way_up: bool | None = None
        for _ in range(act.most):
            shown = self._values[name]
            if shown == goal:
                return
            up = _number(shown) < _number(goal)
            if way_up not in {None, up}:
                text = f"{name} went past {goal} to {shown}"
                raise Stop(Reason.POSTCONDITION_FAILED, text)
            way_up = up
            selector = (act.less if up else act.more).fill(arguments)
            await self._tap(tree, act.screen, selector)
            tree = await self._moved(name, act.screen, capability.within)
        if self._values[name] != goal:
            text = f"{name} is {self._values[name]} after {act.most} taps"
            raise Stop(Reason.POSTCONDITION_FAILED, text)

    async def _moved(self, name: str, screen: str, patience: float) -> Tree:
        """Wait until a value is another one, and return the screen that shows it."""
        before = self._values[name]
        end = self._now() + patience
        while True:
            late = self._now() >= end
            tree = await self._driver.reach(screen)
            try:
                self._values |= self._read(tree, (name,), screen)
            except Stop:
                if late:
                    raise
            if self._values[name] != before:
                self._seen = True
                return tree
            if late:
                self._seen = True
                text = f"{name} stays {before}"
                raise Stop(Reason.POSTCONDITION_FAILED, text)
            await asyncio.sleep(self._pace.poll)

    async def _verify(self, capability: Capability, wanted: Values) -> None:
        """Wait until the app shows the goal, and goes on showing it.

        Raises:
            Stop: it shows something else at the end, or cannot be read.
        """
        end = self._now() + capability.within
        since: float | None = None
        while True:
            late = self._now() >= end
            problem: Stop | None = None
            try:
                tree = await self._driver.look()
                tree.require(self._recipe.screens[capability.act.screen])
                self._values |= self._read(tree, wanted, capability.act.screen)
            except Stop as stop:
                if stop.reason not in _PASSING:
                    raise
                problem = stop
            wait = self._pace.poll
            if problem is None and self._values == wanted:
                since = since or self._now()
                left = since + capability.stable - self._now()
                if left <= 0:
                    return
                wait = max(wait, left)
            else:
                since = None
                if late:
                    self._seen = problem is None
                    raise problem or _not_shown(wanted, self._values)
            await asyncio.sleep(wait)

    def _read(self, tree: Tree, names: Collection[str], screen: str) -> dict[str, Json]:
        package = self._recipe.screens[screen].package
        return {
            name: _read_value(tree, name, self._recipe.values[name], package)
            for name in names
        }

    def _finished(self, outcome: Outcome) -> Report:
        return Report(
            outcome=outcome,
            before=self._before,
            values=self._values,
            taps=self._driver.taps,
            trail=tuple(self._driver.phone.trail),
        )

    def _stopped(self, reason: Reason, evidence: tuple[Evidence, ...]) -> Report:
        return Report(
            outcome=outcome_of(reason, acted=self._acted, seen=self._seen),
            before=self._before,
            values=self._values,
            taps=self._driver.taps,
            reason=reason,
            evidence=evidence,
            trail=tuple(self._driver.phone.trail),
        )


def _read_value(tree: Tree, name: str, shown: Shown, package: str) -> Json:
    node = tree.one(shown.node, package)
    try:
        return shown.value(node.get(_ATTRIBUTE.get(shown.attribute, shown.attribute)))
    except UnmappedError as error:
        raise Stop(Reason.VALUE_UNMAPPED, f"{name}: {error}") from None


def _not_shown(wanted: Values, values: Values) -> Stop:
    seen = ", ".join(f"{name} is {values.get(name)}" for name in wanted)
    return Stop(Reason.POSTCONDITION_FAILED, f"{seen}; it may still take effect")


def _number(value: Json) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"no number: {value!r}")
    return value
