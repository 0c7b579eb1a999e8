"""The planner for playbooks: routines that people wrote down and call by name."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from difflib import get_close_matches

from ..devices import House
from ..domains import OPERATIONS
from ..intents import Plan, PlanKind, Request
from ..operations import Operation
from ..policy.spots import Mistake
from ..reasons import Reason
from . import Situation
from .phrases import normalize
from .playbook_file import HERE, Playbook, PlaybookError, load
from .playbook_steps import Here, actions_of, selected


class Playbooks:
    """The playbooks in force. A file that does not load leaves its last good one."""

    def __init__(self, operations: Mapping[str, Operation] = OPERATIONS) -> None:
        """Start without any; `operations` are those that exist."""
        self._operations = operations
        self._good: dict[str, Playbook] = {}

    def load(self, files: Mapping[str, str]) -> dict[str, tuple[Mistake, ...]]:
        """Take over the files there are: name without `.yaml` to text.

        Returns:
            Name to mistakes, for those that do not load.
        """
        mistakes: dict[str, tuple[Mistake, ...]] = {}
        for gone in self._good.keys() - files.keys():
            del self._good[gone]
        for name, text in sorted(files.items()):
            try:
                self._good[name] = load(name, text, self._operations)
            except PlaybookError as error:
                mistakes[name] = error.mistakes
        return mistakes

    def __iter__(self) -> Iterator[Playbook]:
        """Go through them in the order of their names."""
        return iter([self._good[name] for name in sorted(self._good)])


class PlaybookPlanner:
    """Takes a request that calls a playbook; anything else is not for it."""

    def __init__(self, playbooks: Playbooks) -> None:
        """Take the playbooks; they may change later."""
        self._playbooks = playbooks

    async def plan(self, request: Request, situation: Situation) -> Plan | None:
        """Return the playbook's plan, expanded to the devices there are now."""
        if (called := self._called(request.text, request.language)) is not None:
            playbook, slots = called
            return _plan(playbook, slots.get("area"), request, situation)
        return self._answered(request, situation)

    def _called(
        self, text: str, language: str
    ) -> tuple[Playbook, dict[str, str]] | None:
        """Return the playbook that a text calls; the request's language first."""
        plain = normalize(text)
        own = language.partition("-")[0]
        matches = [
            (name.partition("-")[0] != own, playbook.id, playbook, slots)
            for playbook in self._playbooks
            for name, phrases in playbook.sentences.items()
            for phrase in phrases
            if (slots := phrase.match(plain)) is not None
        ]
        if not matches:
            return None
        _, _, playbook, slots = min(matches, key=lambda match: match[:2])
        return playbook, slots

    def _answered(self, request: Request, situation: Situation) -> Plan | None:
        """Take the name of an area as the answer to "which one?"."""
        said = [text for who, text in request.turns if who == "user"]
        if not said or not _area(request.text, situation.house):
            return None
        if (called := self._called(said[-1], request.language)) is None:
            return None
        return _plan(called[0], request.text, request, situation)


def _plan(
    playbook: Playbook, named: str | None, request: Request, situation: Situation
) -> Plan:
    source = f"playbook:{playbook.id}"
    here = _here(playbook, named, request, situation.house)
    if isinstance(here, Plan):
        return replace(here, source=source)
    actions = tuple(
        action
        for step in playbook.steps
        for action in actions_of(step, here, situation.house, playbook.id)
    )
    if not actions:
        return Plan(kind=PlanKind.UNCLEAR, reason=Reason.UNKNOWN_TARGET, source=source)
    return Plan(
        kind=PlanKind.COMMAND,
        actions=actions,
        standing=playbook.standing,
        until=_until(playbook, situation.now),
        source=source,
    )


def _until(playbook: Playbook, now: datetime) -> datetime | None:
    if not playbook.standing or playbook.until is None:
        return None
    end = now.replace(
        hour=playbook.until.hour,
        minute=playbook.until.minute,
        second=0,
        microsecond=0,
    )
    # Said later than that, it ends with the day.
    return end if end > now else None


def _here(
    playbook: Playbook, named: str | None, request: Request, house: House
) -> Here | Plan:
    """Return what `here` is, or a plan that asks or says that there is no such area.

    Nothing is ever widened to the house because an area is not known.
    """
    if named is not None:
        if (area := _area(named, house)) is not None:
            return Here(area)
        close = get_close_matches(named, _areas(house), n=3)
        return Plan(
            kind=PlanKind.UNCLEAR, reason=Reason.UNKNOWN_TARGET, near=tuple(close)
        )
    if all(HERE not in step.devices.area for step in playbook.steps):
        return Here(None)
    if request.area is not None:
        return Here(request.area)
    areas = {
        device.area
        for step in playbook.steps
        if HERE in step.devices.area
        for device in selected(step, Here(None), house)
    }
    if len(areas) < 2:
        return Here(areas.pop() if areas else None)
    near = tuple(sorted(area for area in areas if area is not None))
    return Plan(kind=PlanKind.UNCLEAR, reason=Reason.AMBIGUOUS, near=near)


def _areas(house: House) -> list[str]:
    return sorted({d.area for d in house.devices() if d.area is not None})


def _area(named: str, house: House) -> str | None:
    """Return the area of a name, compared as phrases are."""
    plain = normalize(named)
    return next((area for area in _areas(house) if normalize(area) == plain), None)
