"""Planning without a model: known sentences become plans, nobody acts on them.

Two planners, because a model may stand between them: the first takes only what it
is sure of, the last says what was not clear and what it may have meant.
"""

from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import replace

from hassil.recognize import RecognizeResult
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import area_registry as ar

from .core.intents import Action, Plan, PlanKind, Request, Step
from .core.planner import Situation
from .core.planner.words.follow import without_again
from .core.planner.words.questions import is_question
from .core.reasons import Reason
from .house import HassHouse
from .sentences.devices import MAKERS
from .sentences.everyday import COVERINGS
from .sentences.follow import FollowUps
from .sentences.match import PLACED, Setting, unknown
from .sentences.names import as_kinds, as_named
from .sentences.own import OwnSentences
from .sentences.recognize import Heard, async_recognize
from .sentences.several import readings

SOURCE = "sentences"
HERE = frozenset(
    {
        *("HearthnetBrightness", "HearthnetVolume", "HearthnetTemperature"),
        *("HearthnetDimmest", "HearthnetQuietest", "HassTurnOff", "HassLightSet"),
        *("HearthnetCoverBit", "HearthnetCoverHalf", "HearthnetLighter"),
        *("HearthnetOpen", "HearthnetClose"),
        *("HearthnetWhy", "HassClimateSetTemperature", "HassFanSetSpeed"),
    }
)
"""Our own sentences that mean the room they are said in, if they name nothing."""
MARKS = ("?", "\uff1f", "\u5417", "\u55ce")
LIKE_BEFORE = frozenset(
    {
        *("HearthnetBrightness", "HearthnetVolume", "HearthnetTemperature"),
        "HearthnetLighter",
    }
)
"""Our own sentences that go on with what was spoken of, if they name nothing."""
DOMAINS_OF = {
    "HassClimateGetTemperature": "climate",
    "HassClimateSetTemperature": "climate",
    "HassFanSetSpeed": "fan",
    "HassClimateSetFanMode": "climate",
    "HassMediaNext": "media_player",
    "HassMediaPause": "media_player",
    "HassMediaPrevious": "media_player",
    "HassMediaUnpause": "media_player",
    "HassSetVolume": "media_player",
    "HassSetVolumeRelative": "media_player",
    "HearthnetBrightness": "light",
    "HassLightSet": "light",
    "HearthnetCoverBit": "cover",
    "HearthnetCoverHalf": "cover",
    "HearthnetOpen": "cover",
    "HearthnetClose": "cover",
    "HearthnetDimmest": "light",
    "HearthnetLighter": "light",
    "HearthnetQuietest": "media_player",
    "HearthnetTemperature": "climate",
    "HearthnetVolume": "media_player",
}
"""What a sentence is about that does not say it in a slot."""
KINDS = frozenset({"name", "domain", "device_class"})
"""Slots that say what is meant; without any it is everything."""
HARMLESS = frozenset(
    {
        *("HassGetCurrentDate", "HassGetCurrentTime", "HassGetWeather"),
        *("HassClimateGetTemperature", "HassRespond", "HassStartTimer"),
        *("HassCancelTimer", "HassCancelAllTimers"),
        *("HassIncreaseTimer", "HassDecreaseTimer", "HassPauseTimer"),
        *("HassUnpauseTimer", "HassTimerStatus", "HassListAddItem"),
        *("HassListCompleteItem", "HassListRemoveItem", "HassShoppingListAddItem"),
        *("HassShoppingListCompleteItem", "HassBroadcast"),
    }
)
"""Intents that move nothing but Home Assistant's own lists and clocks."""


class SentencePlanner:
    """Makes plans of sentences that fit exactly; leaves all others to the next one."""

    def __init__(self, hass: HomeAssistant, house: HassHouse) -> None:
        """Take the house whose names the sentences may use."""
        self._hass = hass
        self._house = house
        self._own = OwnSentences(hass)
        self._follow = FollowUps(hass, house, self._own, self)

    async def plan(self, request: Request, situation: Situation) -> Plan | None:
        """Return a plan if the sentence is known and says exactly what it means."""
        plan = await self.plan_of(request)
        return None if plan is None else replace(plan, source=SOURCE)

    async def plan_of(self, request: Request) -> Plan | None:
        """Return the plan of a request, with all that was said before it."""
        for said in self._as_named(request):
            for planned in (
                self._follow.answer,
                self._plan,
                self._several,
                self._follow.plan,
                self._follow.instead,
            ):
                if (plan := await planned(said)) is not None:
                    return plan
        return None

    def _as_named(self, request: Request) -> Iterator[Request]:
        """Yield the request, then with its names as they are written here."""
        yield request
        rooms = [area.name for area in self._areas()]
        text = as_named(without_again(request.text), self._names(), rooms)
        if text != request.text:
            yield replace(request, text=text)
        for named in as_kinds(text, self._house.devices(), request.area):
            yield replace(request, text=named)

    async def _plan(self, request: Request) -> Plan | None:
        async for heard in self.readings(request):
            if (plan := self.made(request, heard)) is not None:
                return plan
        return None

    def made(self, request: Request, heard: Heard) -> Plan | None:
        """Return the plan of what was heard, None if it is none to be sure of."""
        setting = Setting(hass=self._hass, house=self._house, request=request)
        if (maker := MAKERS.get(heard.intent)) is None:
            return None
        placed = _placed(setting, heard)
        plan = placed if isinstance(placed, Plan) else maker(setting, placed)
        if plan.kind is PlanKind.COMMAND and _asks(request.text):
            # “It is cold” wants it warmer; “is it cold?” wants to know.
            return None
        if plan.reason is Reason.UNKNOWN_TARGET:
            # A model may know what was meant; the last planner says so otherwise.
            return None
        return plan

    async def readings(self, request: Request) -> AsyncIterator[Heard]:
        """Yield what a sentence may be: Home Assistant's own first, then ours.

        What moves none of our devices does not hide one of ours: in French “mets …”
        is a title to be played, whatever follows. What needs no room comes before
        what does not say in which.
        """
        text, language, area = request.text, request.language, request.area
        theirs = await async_recognize(self._hass, text, language, area, strict=True)
        if theirs is not None and theirs.intent not in MAKERS:
            theirs = None
        if theirs is not None and not theirs.missing:
            yield theirs
        ours = await self._own.async_recognize(self._house, text, language)
        if ours is not None and ours.intent in HERE and not ours.slots.keys() & PLACED:
            if those := await self._spoken_of(request, ours):
                ours = replace(ours, those=those)
            elif area is None or not self._is_about(ours, area):
                ours = replace(ours, missing=frozenset({"area"}))
            else:
                ours = replace(ours, slots={**ours.slots, "area": area})
        if ours is not None and not ours.missing:
            yield ours
        for heard in (theirs, ours):
            if heard is not None and heard.missing:
                yield heard

    async def _spoken_of(self, request: Request, heard: Heard) -> frozenset[str]:
        if heard.intent not in LIKE_BEFORE or not request.turns:
            return frozenset()
        return await self._follow.spoken_of(request, DOMAINS_OF.get(heard.intent))

    @callback
    def _is_about(self, heard: Heard, area: str) -> bool:
        """Tell whether a room is meant by who speaks in it.

        One thermostat may heat a whole home: who is cold means the one there is.
        """
        if DOMAINS_OF.get(heard.intent) != "climate":
            return True
        return any(
            device.domain == "climate" and device.area == area
            for device in self._house.devices()
        )

    async def _several(self, request: Request) -> Plan | None:
        """Take a sentence about several things apart; all parts count, or none."""
        for texts in readings(request.text, self._names()):
            actions: list[Action] = []
            dropped: list[Step] = []
            for text in texts:
                plan = await self._plan(replace(request, text=text))
                if plan is None or plan.kind is not PlanKind.COMMAND:
                    break
                actions += plan.actions
                dropped += plan.dropped
            else:
                return Plan(
                    kind=PlanKind.COMMAND,
                    actions=tuple(actions),
                    dropped=tuple(dropped),
                )
        return None

    def _areas(self) -> Iterable[ar.AreaEntry]:
        return ar.async_get(self._hass).async_list_areas()

    @callback
    def _names(self) -> set[str]:
        names = {area.name for area in self._areas()}
        for device in self._house.devices():
            names |= {device.name, *device.aliases}
        return names


class SentenceExplainer:
    """Says of a sentence that nobody took what keeps it from being clear."""

    def __init__(self, hass: HomeAssistant, house: HassHouse) -> None:
        """Take the house whose names the sentences may use."""
        self._hass = hass
        self._house = house

    async def plan(self, request: Request, situation: Situation) -> Plan | None:
        """Return an unclear plan, or None if the sentence is not about devices."""
        heard = await async_recognize(
            self._hass, request.text, request.language, request.area, strict=False
        )
        if heard is None or (maker := MAKERS.get(heard.intent)) is None:
            return None
        setting = Setting(hass=self._hass, house=self._house, request=request)
        plan = self._explain(setting, heard)
        if plan is None and heard.missing - {"area"}:
            plan = Plan(kind=PlanKind.UNCLEAR, reason=Reason.NOT_UNDERSTOOD)
        if plan is None:
            placed = _placed(setting, heard)
            plan = placed if isinstance(placed, Plan) else maker(setting, placed)
            if plan.kind is not PlanKind.UNCLEAR and placed is heard:
                # It fits only without a word of it, which may be the one that counts.
                plan = Plan(kind=PlanKind.UNCLEAR, reason=Reason.NOT_UNDERSTOOD)
        return replace(plan, source=SOURCE)

    @callback
    def _explain(self, setting: Setting, heard: Heard) -> Plan | None:
        """Return what the recognizer itself says is wrong."""
        for name in ("area", "floor", "name"):
            if (said := heard.unmatched.get(name)) is not None:
                if heard.intent == "HassGetState" and name == "name":
                    # Any sentence at all may be a question about some thing.
                    return Plan(kind=PlanKind.UNCLEAR, reason=Reason.NOT_UNDERSTOOD)
                return unknown(setting, said, areas_only=name != "name")
        return None


@callback
def _placed(setting: Setting, heard: Heard) -> Heard | Plan:
    """Give a sentence that means the room it is said in a room, or ask for one.

    Never the whole house, but for “everything off” that is said in no room; but if
    there is one room only that can be meant, it is.
    """
    if "area" not in heard.missing or heard.unmatched:
        return heard
    if heard.intent == "HassTurnOff" and not heard.slots.keys() & KINDS:
        # “Everything” is the whole house, for who is in no room of it.
        return replace(heard, missing=frozenset())
    domains = _set(heard.slots.get("domain") or DOMAINS_OF.get(heard.intent) or ())
    classes = _set(heard.slots.get("device_class") or ())
    if (kind := heard.slots.get("coverings")) is not None:
        classes = set(COVERINGS[kind])
    areas = {
        device.area
        for device in setting.house.devices()
        if device.area is not None
        and (not domains or device.domain in domains)
        and (not classes or device.device_class in classes)
    }
    if len(areas) == 1:
        return replace(
            heard, slots={**heard.slots, "area": areas.pop()}, missing=frozenset()
        )
    return Plan(
        kind=PlanKind.UNCLEAR,
        reason=Reason.AMBIGUOUS if areas else Reason.UNKNOWN_TARGET,
        near=tuple(sorted(areas)),
    )


def _asks(text: str) -> bool:
    """Tell whether a sentence says itself that it is a question.

    Without a mark, word order alone would take a wish for one in some languages.
    """
    return any(mark in text for mark in MARKS) and is_question(text)


def _set(value: str | Iterable[str]) -> set[str | None]:
    return {value} if isinstance(value, str) else set(value)


@callback
def answered_by_home_assistant(house: HassHouse, result: RecognizeResult) -> bool:
    """Tell whether Home Assistant's own agent may answer a sentence by itself.

    It may where nothing is moved that HearthNet controls: the time, the weather,
    timers, lists, and questions about what is no device of HearthNet. A timer that
    ends in a command moves something.
    """
    heard = Heard.of(result)
    if heard.unmatched or heard.missing:
        return False
    if heard.intent == "HassGetState":
        name = str(heard.slots.get("name", "")).casefold()
        return bool(name) and not any(
            name in {n.casefold() for n in (device.name, *device.aliases)}
            for device in house.devices()
        )
    return heard.intent in HARMLESS and "conversation_command" not in heard.slots
