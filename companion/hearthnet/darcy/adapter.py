"""The gate's way to what a phone's apps control, and to its camera."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
import logging

from hearthnet.core.adapter import AdapterError, Permit
from hearthnet.core.clock import Clock
from hearthnet.core.devices import Reading
from hearthnet.core.intents import Evidence
from hearthnet.core.messages import Json
from hearthnet.core.phone.capabilities import whole
from hearthnet.core.phone.choice import Question
from hearthnet.core.reasons import Outcome, Reason

from .camera import Camera
from .driver import Eye
from .link import LinkError
from .phone import Phone
from .runner import Report, Values, observe, perform
from .shelf import Entry, Shelf
from .stops import Stop

_LOGGER = logging.getLogger(__name__)

FRESH = 5.0
"""Seconds for which a value read in the app counts as the appliance's own.

Afterwards somebody may have used another remote control; what was seen is then
still told (`last`), but nothing is decided by it.
"""


type Choose = Callable[[Question], Awaitable[Mapping[str, Json]]]
"""Brings a question to the hub and returns the body of its answer.

Raises ConnectionError or TimeoutError.
"""


@dataclass(frozen=True)
class _Seen:
    value: Json
    at: float
    """Boot time of the read."""
    since: datetime


class PhoneAdapter:
    """Runs recipes, one at a time: a phone has one screen. Implements `Adapter`."""

    def __init__(
        self, phone: Phone, shelf: Shelf, clock: Clock, camera: Camera | None = None
    ) -> None:
        """Drive `phone` by the recipes on `shelf`, and its `camera` if it has one."""
        self._camera = camera
        self._phone = phone
        self._shelf = shelf
        self._clock = clock
        self._screen = asyncio.Lock()
        self.turn = asyncio.Lock()
        """Held by whoever uses the screen; leases are asked for only then."""
        self._seen: dict[str, dict[str, _Seen]] = {}
        self.problems: dict[str, Reason] = {}
        """By appliance, why the last run of its app ended early."""
        self.on_run: Callable[[], None] = lambda: None
        """Called after each run of an app."""
        self.choose: Choose | None = None
        """Asks the hub's model; None where there is no hub."""

    async def act(self, permit: Permit) -> Mapping[str, Reading]:
        """Run the capability that the permit names, with its verification.

        Raises:
            AdapterError: it did not reach its goal, or shows no state.
            Refused: the lease is over, before a picture was taken.
        """
        target, *others = permit.target
        if self._camera and target == self._camera.id:
            return await self._camera.take(permit)
        found = self._shelf.capability(target, permit.operation)
        if others or found is None:
            raise _refused(Reason.UNKNOWN_OPERATION, f"no {permit.operation} there")
        entry, capability = found
        if permit.recipe != entry.digest:
            raise _refused(Reason.RECIPE_MISMATCH, "the lease is for another recipe")
        if problem := capability.problem(permit.parameters):
            raise _refused(problem.reason, problem.text)
        arguments = whole(permit.parameters)
        self._phone.link.hurry()
        eye: Eye | None = None
        if self.choose is not None and permit.vision:
            eye = partial(self._look, self.choose, permit)
        async with self._screen:
            report = await perform(
                self._phone, entry.recipe, capability, arguments, permit.recheck, eye
            )
        self._note(target, entry, report)
        _LOGGER.info("%s: %s, %s", permit.operation, report.outcome, report.trail)
        if report.reason is not None:
            text = report.evidence[0].text
            raise AdapterError(report.outcome, text, report.evidence)
        if report.outcome is Outcome.UNVERIFIED:
            raise AdapterError(report.outcome, "sent; the app shows no state of this")
        before = _outward(entry, report.before or {})
        return {target: Reading(available=True, values=before)}

    async def settle(
        self,
        permit: Permit,
        satisfied: Callable[[Mapping[str, Reading]], bool],
        deadline: float,
    ) -> Mapping[str, Reading]:
        """Return what the run has read at its end; `act` has waited already."""
        del satisfied, deadline
        return {target: self.read(target) for target in permit.target}

    def read(self, device_id: str) -> Reading:
        """Return what the app has shown in the last seconds; often nothing."""
        if self._camera and device_id == self._camera.id:
            return self._camera.read()
        return self._reading(device_id, self._clock.boottime() - FRESH)

    def last(self, device_id: str) -> Reading:
        """Return what the app has last shown, whenever that was."""
        return self._reading(device_id, float("-inf"))

    def ages(self, device_id: str) -> dict[str, float]:
        """Return by attribute how many seconds ago the app has shown it."""
        now = self._clock.boottime()
        seen = self._seen.get(device_id, {})
        return {name: round(now - one.at, 3) for name, one in seen.items()}

    async def reach(self) -> bool:
        """Try a phone that was not to be had; return whether it is back.

        What only its owner can allow is not waited for.
        """
        link = self._phone.link
        if link.problem is None or link.problem.reason is Reason.ADB_UNAUTHORIZED:
            return False
        link.hurry()
        with suppress(LinkError):
            await link.connect()
        return link.problem is None

    async def refresh(self, device_id: str) -> Reading:
        """Open the app and read it. Moves nothing, so it needs no lease.

        Raises:
            AdapterError: it could not be read.
        """
        if (entry := self._shelf.entry(device_id)) is None:
            raise AdapterError(Outcome.UNREACHABLE, f"no recipe for {device_id}")
        async with self._screen:
            report = await observe(self._phone, entry.recipe)
        self._note(device_id, entry, report)
        if report.reason is not None:
            text = report.evidence[0].text
            raise AdapterError(Outcome.UNREACHABLE, text, report.evidence)
        return self.read(device_id)

    async def _look(
        self,
        choose: Choose,
        permit: Permit,
        wanted: str,
        shown: Sequence[Mapping[str, str]],
    ) -> int:
        """Have one of the candidates chosen; see `Eye`."""
        question = Question(
            lease=permit.lease,
            execute=permit.execute,
            wanted=wanted,
            candidates=tuple(shown),
        )
        try:
            answer = await choose(question)
        except (ConnectionError, TimeoutError) as error:
            text = f"no model could be asked: {error or 'no answer in time'}"
            raise Stop(Reason.MODEL_UNREACHABLE, text) from None
        number = answer.get("choice")
        if type(number) is int and 1 <= number <= len(shown):
            return number - 1
        reason = answer.get("reason")
        if isinstance(reason, str) and reason in set(Reason):
            raise Stop(Reason(reason), f"the model gave no answer: {reason}")
        raise Stop(Reason.NODE_NOT_FOUND, "the model found none that fits")

    def _note(self, target: str, entry: Entry, report: Report) -> None:
        at, now = self._clock.boottime(), self._clock.now()
        seen = self._seen.setdefault(target, {})
        for name, value in _outward(entry, report.values).items():
            old = seen.get(name)
            since = old.since if old and old.value == value else now
            seen[name] = _Seen(value, at, since)
        self.problems.pop(target, None)
        if report.reason is not None:
            self.problems[target] = report.reason
        self.on_run()

    def _reading(self, target: str, oldest: float) -> Reading:
        known = self._shelf.entry(target) is not None
        seen = {n: s for n, s in self._seen.get(target, {}).items() if s.at >= oldest}
        return Reading(
            available=known and self._phone.link.problem is None,
            values={name: one.value for name, one in seen.items()},
            since=max((one.since for one in seen.values()), default=None),
        )


def _outward(entry: Entry, values: Values) -> dict[str, Json]:
    """Return a recipe's values as control attributes."""
    shown = entry.recipe.values
    return {shown[name].means: shown[name].outward(v) for name, v in values.items()}


def _refused(reason: Reason, text: str) -> AdapterError:
    evidence = Evidence(text=text, code=reason)
    return AdapterError(Outcome.REFUSED, text, (evidence,))
