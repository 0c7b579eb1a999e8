"""Sentences that go on with the one before: what they leave out, it said.

“Turn it off”, “and in the kitchen”, “no, the other one”, “why?”. They are planned
from what people said, never from what was answered, and only where the sentence
before was understood: a guess at what “it” is would move the wrong thing.
"""

from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import replace
import re
from typing import Protocol

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import area_registry as ar

from ..core.devices import Device
from ..core.intents import Action, Plan, PlanKind, Request
from ..core.planner.phrases import normalize
from ..core.planner.words.fold import fold
from ..core.planner.words.follow import (
    asks_why,
    corrected,
    means_other,
    says_of_what,
    wants_more,
    without_pronoun,
)
from ..core.reasons import Reason
from ..core.texts import texts_for
from ..house import HassHouse
from .everyday import DIFFERENCES
from .match import PLACED, Found, Setting, find
from .own import OwnSentences
from .recognize import Heard, async_recognize

SPARE = 12
"""How many letters an answer may have beside the name it gives: “in the … please”."""
TOO = "HearthnetToo"
"""“The desk lamp too”: what was said before is meant for this as well."""
THIS = "HearthnetThis"
"""“The desk lamp”, and no more: after a “no”, it is meant instead."""

BARE = frozenset({TOO, THIS})
YES = "HearthnetYes"


class Speech(Protocol):
    """What a planner makes of single sentences."""

    async def plan_of(self, request: Request) -> Plan | None:
        """Return the plan of a request, with all that was said before it."""

    def readings(self, request: Request) -> AsyncIterator[Heard]:
        """Yield what a sentence may be."""

    def made(self, request: Request, heard: Heard) -> Plan | None:
        """Return the plan of what was heard."""


class FollowUps:
    """Plans what cannot be understood by itself."""

    def __init__(
        self, hass: HomeAssistant, house: HassHouse, own: OwnSentences, speech: Speech
    ) -> None:
        """Take the planner of whole sentences."""
        self._hass = hass
        self._house = house
        self._own = own
        self._speech = speech

    async def plan(self, request: Request) -> Plan | None:
        """Return the plan of a sentence together with the one before it."""
        if not any(who == "user" for who, _ in request.turns):
            return None
        for follow in (
            self._answered,
            self._why,
            self._more,
            self._too,
            self._it,
            self._other,
        ):
            if (plan := await follow(request)) is not None:
                return plan
        return None

    async def answer(self, request: Request) -> Plan | None:
        """Return the plan of a sentence that is only a name, and answers “which?”."""
        if (
            not request.turns
            or await self._as_well(request.text, request, BARE) is None
        ):
            return None
        return await self._answered(request)

    async def instead(self, request: Request) -> Plan | None:
        """Return the plan of “no, …”: what was said before, of something else."""
        if (rest := corrected(request.text)) is None:
            return None
        said = replace(request, text=rest)
        # A bare name by itself is, for Home Assistant, to be switched on.
        plan = await self._too(said, BARE) if request.turns else None
        return plan or await self._speech.plan_of(said)

    async def spoken_of(self, request: Request, domain: str | None) -> frozenset[str]:
        """Return the devices of a kind that a sentence like “brighter” goes on with.

        None where it says itself what it is about, or where they were switched off.
        """
        if domain is None or says_of_what(fold(request.text)):
            return frozenset()
        if (before := await self._before(request)) is None:
            return frozenset()
        if any(action.operation.endswith("_off") for action in before.actions):
            return frozenset()
        devices = self._devices(before)
        if not devices or any(device.domain != domain for device in devices):
            return frozenset()
        return frozenset(device.id for device in devices)

    async def _before(self, request: Request) -> Plan | None:
        """Return what the sentence before was about; thanks are about nothing."""
        for place in reversed(range(len(request.turns))):
            who, text = request.turns[place]
            if who != "user":
                continue
            if request.turns[place + 1 :][:1] in self._lost(request.language):
                continue
            earlier = replace(request, text=text, turns=request.turns[:place])
            plan = await self._speech.plan_of(earlier)
            if plan is None or plan.kind is PlanKind.UNCLEAR:
                return None
            if plan.actions or plan.asked:
                return plan
        return None

    def _lost(self, language: str) -> tuple[tuple[tuple[str, str]], ...]:
        """Return how it is told that a sentence meant nothing to anybody here."""
        texts = texts_for(language)
        return tuple(
            (("assistant", texts.nothing.format(why=texts.reasons[reason])),)
            for reason in (Reason.NOT_UNDERSTOOD, Reason.UNKNOWN_TARGET)
        )

    @callback
    def _devices(self, plan: Plan) -> tuple[Device, ...]:
        ids = [t for action in plan.actions for t in action.targets] or plan.asked
        known = (self._house.device(device_id) for device_id in dict.fromkeys(ids))
        return tuple(device for device in known if device is not None)

    async def _why(self, request: Request) -> Plan | None:
        if not asks_why(fold(request.text)):
            return None
        if (before := await self._before(request)) is None:
            return None
        asked = tuple(device.id for device in self._devices(before))
        return Plan(kind=PlanKind.QUESTION, asked=asked, why=True) if asked else None

    async def _more(self, request: Request) -> Plan | None:
        """Take “a bit more”, or “less”, for a difference to what was set before."""
        direction = wants_more(fold(request.text))
        if not direction or (before := await self._before(request)) is None:
            return None
        actions = [self._changed(action, direction) for action in before.actions]
        some = tuple(action for action in actions if action is not None)
        return replace(before, actions=some, dropped=()) if some else None

    @callback
    def _changed(self, action: Action, direction: int) -> Action | None:
        """Return the difference that goes on with an action, if it set a value."""
        if action.relative:
            # “A bit more”, after “darker”, is darker still.
            by = {name: value * direction for name, value in action.relative.items()}
            return replace(action, relative=by)
        operation, parameter, step = DIFFERENCES.get(
            action.operation.partition(".")[0], ("", "", 0.0)
        )
        if action.operation != operation or parameter not in action.parameters:
            return None
        return replace(action, parameters={}, relative={parameter: step * direction})

    async def _it(self, request: Request) -> Plan | None:
        """Take “it” for what the sentence before was about, be it one thing or more."""
        if not any(without_pronoun(request.text, "")):
            return None
        before = await self._before(request)
        if before is None or not (devices := self._devices(before)):
            return None
        first = devices[0]
        ids = frozenset(device.id for device in devices)
        for text in without_pronoun(request.text, first.name):
            said = replace(request, text=text, area=first.area or request.area)
            async for heard in self._speech.readings(said):
                if heard.slots.get("name") not in (first.name, *first.aliases):
                    continue
                kept = {n: v for n, v in heard.slots.items() if n not in PLACED}
                meant = replace(heard, slots=kept, those=ids, missing=frozenset())
                if (plan := self._speech.made(request, meant)) is not None:
                    return plan
        return None

    async def _other(self, request: Request) -> Plan | None:
        """Take “the other one” for what is like the one before, and near it."""
        if not means_other(fold(request.text)):
            return None
        before = await self._before(request)
        if before is None or len(devices := self._devices(before)) != 1:
            return None
        one = devices[0]
        like = [
            device
            for device in self._house.devices()
            if device.domain == one.domain
            and device.device_class == one.device_class
            and device.id != one.id
            and not device.members
        ]
        near = [device for device in like if device.area == one.area] or like
        if len(near) != 1:
            names = tuple(device.name for device in near)
            reason = Reason.AMBIGUOUS if near else Reason.UNKNOWN_TARGET
            return Plan(kind=PlanKind.UNCLEAR, reason=reason, near=names)
        return self._moved(before, near)

    async def _too(
        self, request: Request, intents: frozenset[str] = frozenset({TOO})
    ) -> Plan | None:
        """Take “the desk lamp too” for the sentence before, about that lamp."""
        if (heard := await self._as_well(request.text, request, intents)) is None:
            return None
        said = [text for who, text in request.turns if who == "user"]
        while len(said) > 1 and await self._as_well(said[-1], request, intents):
            said.pop()
        async for before in self._speech.readings(replace(request, text=said[-1])):
            kept = {n: v for n, v in before.slots.items() if n not in PLACED}
            if "area" in heard.slots and (name := before.slots.get("name")) is not None:
                # “And in the kitchen” is about what a lamp is, not about everything.
                kept["domain"] = {
                    device.domain
                    for device in self._house.devices()
                    if name in (device.name, *device.aliases)
                }
            meant = replace(before, slots={**kept, **heard.slots}, missing=frozenset())
            if (plan := self._speech.made(request, meant)) is not None:
                return plan
        return await self._likewise(request, heard)

    async def _likewise(self, request: Request, heard: Heard) -> Plan | None:
        """Do what was done before to what is like it there, or has that name."""
        if (before := await self._before(request)) is None:
            return None
        domains = {device.domain for device in self._devices(before)}
        if len(domains) != 1:
            return None
        setting = Setting(hass=self._hass, house=self._house, request=request)
        found = find(setting, heard, domains=domains)
        if not isinstance(found, Found):
            return None
        return self._moved(before, found.devices)

    @callback
    def _moved(self, plan: Plan, devices: Iterable[Device]) -> Plan:
        """Return a plan for other devices."""
        ids = tuple(device.id for device in devices)
        if not plan.actions:
            return replace(plan, asked=ids)
        actions = {
            (action.operation, str(action.parameters)): replace(action, targets=ids)
            for action in plan.actions
        }
        return replace(plan, actions=tuple(actions.values()), dropped=())

    async def _as_well(
        self, text: str, request: Request, intents: frozenset[str]
    ) -> Heard | None:
        heard = None
        for said in (text, corrected(text)):
            if heard is None and said is not None:
                heard = await self._own.async_recognize(
                    self._house, said, request.language
                )
        return heard if heard is not None and heard.intent in intents else None

    async def _answered(self, request: Request) -> Plan | None:
        """Take the answer to “which one?”: a room's name, or a device's."""
        said = [place for place, turn in enumerate(request.turns) if turn[0] == "user"]
        if not request.turns[-1][1].rstrip().endswith(("?", "\uff1f")):
            return None
        plain = normalize(await self._agreed(request) or request.text)
        areas = {
            normalize(name): area.name
            for area in ar.async_get(self._hass).async_list_areas()
            for name in (area.name, *area.aliases)
        }
        devices: dict[str, list[Device]] = {}
        for device in self._house.devices():
            for name in {normalize(name) for name in (device.name, *device.aliases)}:
                devices.setdefault(name, []).append(device)
        named = {
            name
            for name in areas.keys() | devices.keys()
            if name and name in plain and len(plain) - len(name) <= SPARE
        }
        # “Kitchen light” names a light, not the kitchen.
        names = [n for n in named if not any(n in o and n != o for o in named)]
        if len(names) != 1:
            return None
        place, name = said[-1], names[0]
        asked = replace(
            request, text=request.turns[place][1], turns=request.turns[:place]
        )
        if (instead := await self._mended(asked, areas, name)) is not None:
            return instead
        if name in areas:
            return await self._speech.plan_of(replace(asked, area=areas[name]))
        meant = devices[name]
        ids = frozenset(device.id for device in meant)
        area = meant[0].area
        async for heard in self._speech.readings(replace(asked, area=area)):
            kept = {n: v for n, v in heard.slots.items() if n not in PLACED}
            those = replace(heard, slots=kept, those=ids, missing=frozenset())
            if (plan := self._speech.made(asked, those)) is not None:
                return plan
        if len(meant) == 1 and area is not None:
            return await self._speech.plan_of(replace(asked, area=area))
        return None

    async def _agreed(self, request: Request) -> str | None:
        """Return the only name that was offered, to who says yes to it."""
        heard = await self._own.async_recognize(
            self._house, request.text, request.language
        )
        if heard is None or heard.intent != YES:
            return None
        offer = texts_for(request.language).did_you_mean
        before, _, behind = offer.partition("{near}")
        said = request.turns[-1][1]
        if not (said.startswith(before) and said.endswith(behind)):
            return None
        return said.removeprefix(before).removesuffix(behind)

    async def _mended(
        self, asked: Request, areas: Mapping[str, str], name: str
    ) -> Plan | None:
        """Return the plan with the right name where the sentence had an unknown one."""
        heard = await async_recognize(
            self._hass, asked.text, asked.language, asked.area, strict=False
        )
        unknown = (
            (heard.unmatched.get(slot) for slot in ("area", "floor", "name"))
            if (heard)
            else ()
        )
        meant = areas.get(name) or next(
            device.name
            for device in self._house.devices()
            if name in map(normalize, (device.name, *device.aliases))
        )
        for said in filter(None, unknown):
            text = re.sub(
                re.escape(said), lambda _: meant, asked.text, flags=re.IGNORECASE
            )
            if text != asked.text and (
                plan := await self._speech.plan_of(replace(asked, text=text))
            ):
                return plan
        return None
