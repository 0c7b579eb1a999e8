"""From a checked answer to a plan: what code knows overrules what the model said.

Pure. A question moves nothing; what nobody named is not opened; one of several
things of the same name is not guessed; no text tells an outcome.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
import difflib

from ..devices import Device
from ..intents import Action, Evidence, Plan, PlanKind, Request, Step
from ..operations import Problem
from ..reasons import Outcome, Reason
from .candidates import Candidates
from .mentions import Mentions, mentions_of, names_of
from .parse import Parsed, Proposed, Rejected
from .scope import Reach, reach_of
from .words.claims import claims_something
from .words.fold import fold
from .words.questions import is_question

MOST_NEAR = 5
"""How many names are offered instead of an unknown one."""


@dataclass(frozen=True, kw_only=True)
class Finished:
    """A plan, and how often the model claimed what it cannot know."""

    plan: Plan
    claims: int = 0


def room_not_here(request: Request, devices: Iterable[Device]) -> Plan | None:
    """Return the plan for a room that this house does not have, if it is so.

    Only where nothing else is named: then no model is needed to know that nothing
    can be meant, and none gets the chance to take the whole house instead.
    """
    known = tuple(devices)
    said = mentions_of(request.text, known)
    if not said.missing_rooms or said.areas or said.devices:
        return None
    places = {d.area for d in known if d.area} | {d.floor for d in known if d.floor}
    return Plan(
        kind=PlanKind.UNCLEAR,
        reason=Reason.UNKNOWN_TARGET,
        near=_near(said.missing_rooms[0], places),
    )


def finish(request: Request, candidates: Candidates, parsed: Parsed) -> Finished:
    """Return what is left of an answer."""
    said = mentions_of(request.text, candidates.devices)
    if parsed.kind is PlanKind.QUESTION or is_question(request.text):
        return _question(candidates, parsed, said)
    if parsed.kind is PlanKind.UNCLEAR:
        return _unclear(parsed)
    return _Command(
        request=request,
        candidates=candidates,
        said=said,
        reach=reach_of(request, candidates.devices),
    ).finish(parsed)


def _question(candidates: Candidates, parsed: Parsed, said: Mentions) -> Finished:
    """Return a plan that only reads, whatever the model wanted to do."""
    wanted = [step.device for step in parsed.proposed] or [
        item.device for item in parsed.rejected if item.device is not None
    ]
    named = [device for device in candidates.devices if device.id in said.devices]
    asked = [d.id for d in parsed.asked or wanted or named]
    say, claims = (None, 0) if asked else _spoken(parsed.say)
    plan = Plan(
        kind=PlanKind.QUESTION,
        asked=tuple(dict.fromkeys(asked)),
        say=say,
        reason=None if asked or say else Reason.NOT_UNDERSTOOD,
    )
    return Finished(plan=plan, claims=claims)


def _unclear(parsed: Parsed) -> Finished:
    say, claims = _spoken(parsed.say)
    reason = None if say else Reason.NOT_UNDERSTOOD
    plan = Plan(kind=PlanKind.UNCLEAR, say=say, reason=reason)
    return Finished(plan=plan, claims=claims)


@dataclass(frozen=True, kw_only=True)
class _Command:
    """A request that wants something done."""

    request: Request
    candidates: Candidates
    said: Mentions
    reach: Reach

    def finish(self, parsed: Parsed) -> Finished:
        """Return a plan of the actions that may be tried, the others named."""
        claims = int(claims_something(parsed.say))
        if (plan := self._which(parsed.proposed)) is not None:
            return Finished(plan=plan, claims=claims)
        actions: list[Action] = []
        dropped = [_told(item) for item in parsed.rejected]
        place: dict[int, int | None] = {}
        for index, step in enumerate(parsed.proposed):
            if (problem := self._problem(step, place)) is not None:
                place[index] = None
                dropped.append(_refused(step, problem))
                continue
            after = step.action.after
            action = replace(step.action, after=None if after is None else place[after])
            if action not in actions:
                actions.append(action)
            place[index] = actions.index(action)
        dropped += [_no_room(room) for room in self.said.missing_rooms]
        if actions or dropped:
            plan = Plan(
                kind=PlanKind.COMMAND, actions=tuple(actions), dropped=tuple(dropped)
            )
        else:
            plan = Plan(kind=PlanKind.UNCLEAR, reason=Reason.NOT_UNDERSTOOD)
        return Finished(plan=plan, claims=claims)

    def _problem(
        self, step: Proposed, place: Mapping[int, int | None]
    ) -> Problem | None:
        """Return why an action must not be tried, or None."""
        problem = self.reach.admits(step.operation, step.device, step.action.parameters)
        if problem is not None:
            return problem
        after = step.action.after
        if after is not None and place[after] is None:
            return Problem(Reason.CANCELED, "what it needs first was left out", "after")
        if (here := self._here(step.device)) is not None:
            text = f"the request came from {here.area}, where {here.entity_id} is"
            return Problem(Reason.OUT_OF_SCOPE, text, "device")
        return None

    def _which(self, proposed: Iterable[Proposed]) -> Plan | None:
        """Return a plan that asks which one, where only a guess could tell."""
        for step in proposed:
            twins = self._twins(step.device)
            same = sorted((step.device, *twins), key=lambda d: (d.area or "", d.id))
            if twins and self.request.area not in {device.area for device in same}:
                return Plan(
                    kind=PlanKind.UNCLEAR,
                    reason=Reason.AMBIGUOUS,
                    near=tuple(_with_area(device) for device in same[:MOST_NEAR]),
                )
        return None

    def _here(self, device: Device) -> Device | None:
        """Return the device of that name where the request came from, if another."""
        if device.area == self.request.area:
            return None
        twins = self._twins(device)
        return next((twin for twin in twins if twin.area == self.request.area), None)

    def _twins(self, device: Device) -> list[Device]:
        """Return the others that the sentence's name for a device could mean too.

        None where the sentence says more than the name: a room, or all of them.
        """
        said = self.said
        if device.id not in said.devices or said.everything or said.in_area(device):
            return []
        names = set(names_of(device))
        return [
            other
            for other in self.candidates.devices
            if other.id in said.devices
            and other.id != device.id
            and other.area != device.area
            and names.intersection(names_of(other))
        ]


def _with_area(device: Device) -> str:
    return f"{device.name} ({device.area})" if device.area else device.name


def _near(word: str, places: set[str]) -> tuple[str, ...]:
    """Return the names of places, those like the word first."""
    folded = {fold(place): place for place in sorted(places)}
    close = difflib.get_close_matches(fold(word), folded, n=MOST_NEAR, cutoff=0.0)
    return tuple(folded[name] for name in close)


def _spoken(say: str) -> tuple[str | None, int]:
    """Return what may be passed on of the model's words, and claims held back."""
    if claims_something(say):
        return None, 1
    return say or None, 0


def _told(item: Rejected) -> Step:
    """Return what is told of an action that did not pass the check."""
    device, fault = item.device, item.fault
    return Step(
        device=device.id if device else "",
        entity_id=device.entity_id if device else "",
        name=device.name if device else item.target,
        operation=item.operation,
        parameters={},
        outcome=Outcome.REFUSED,
        reason=fault.reason,
        evidence=(Evidence(text=f"{fault.field}: {fault.allowed}", code=fault.reason),),
    )


def _refused(step: Proposed, problem: Problem) -> Step:
    return Step(
        device=step.device.id,
        entity_id=step.device.entity_id,
        name=step.device.name,
        operation=step.operation.name,
        parameters=step.action.parameters,
        outcome=Outcome.REFUSED,
        reason=problem.reason,
        evidence=(Evidence(text=problem.text, code=problem.reason),),
    )


def _no_room(word: str) -> Step:
    return Step(
        device="",
        entity_id="",
        name=word,
        operation="",
        parameters={},
        outcome=Outcome.REFUSED,
        reason=Reason.UNKNOWN_TARGET,
        evidence=(
            Evidence(text=f"no room called {word} here", code=Reason.UNKNOWN_TARGET),
        ),
    )
