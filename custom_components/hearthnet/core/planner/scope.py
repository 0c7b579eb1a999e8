"""How far a plan for a sentence may reach. Code says so, never a model.

A plan may name the devices that were shown and the operations of the table. What
opens, unlocks or disarms is reached only if the sentence itself names both the
operation and the device. No text but the person's own words has a part in it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
import re

from ..devices import Device
from ..domains import OPERATIONS
from ..intents import Request
from ..messages import Json
from ..operations import Operation, Problem, Risk
from ..reasons import Reason
from .mentions import Mentions, mentions_of
from .words.fold import fold, phrases
from .words.forbidden import directions, forbidden
from .words.kinds import WINDOW_COVERINGS
from .words.sensitive import SENSITIVE

_NONE: Mapping[str, Json] = {}
_TURNS = 2
"""How many earlier turns of the person may have named what “it” is."""
_FILLERS = phrases(
    """
    please, the, my, our, now, quick, quickly, just, hey, up
    can, could, would, will, you, for, me, us
    bitte, die, das, den, der, mal, jetzt, schnell, mir, uns, kannst, konntest, du, auf
    请, 請, 帮我, 一下, 把, 吧, 吗
    s il te plait, s il vous plait, la, le, les, l, peux, tu
    por favor, el, los, las, puedes, ahora, ?, ¿
    """
)
"""Words that say nothing about which door is meant."""


@dataclass(frozen=True, kw_only=True)
class Reach:
    """What a plan for one request may touch."""

    devices: frozenset[str]
    """Ids of the devices that the planner was shown."""
    harmless: frozenset[str]
    """Ids of those of which nothing is to be feared: window coverings."""
    spoken: frozenset[str]
    """Operations of the class `confirm` that the sentence names."""
    named: frozenset[str]
    """Ids of the devices that the sentence names exactly."""
    forbidden: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By id of a device, what the sentence says not to do with it."""

    def admits(
        self,
        operation: Operation,
        device: Device,
        parameters: Mapping[str, Json] = _NONE,
    ) -> Problem | None:
        """Return why an action lies outside, or None."""
        not_to = self.forbidden.get(device.id)
        if not_to and not_to & directions(operation.name, parameters):
            return _outside("the request says not to", "op")
        if device.id not in self.devices:
            return _outside(f"{device.id} is not among the devices shown", "device")
        if operation.risk is not Risk.CONFIRM or device.id in self.harmless:
            return None
        if operation.name not in self.spoken:
            return _outside(f"the request does not name {operation.name}", "op")
        if device.id not in self.named:
            return _outside("the request does not name this device", "device")
        return None


def reach_of(request: Request, shown: Iterable[Device]) -> Reach:
    """Return how far a plan for the request may reach.

    Args:
        request: whose words count; a turn of the assistant names nothing.
        shown: the devices that the planner was shown.
    """
    devices = tuple(shown)
    sentence = fold(request.text)
    spoken = frozenset(
        name
        for name in OPERATIONS
        if name in SENSITIVE and SENSITIVE[name].search(sentence)
    )
    said = mentions_of(request.text, devices)
    named = _named(request, sentence, said, devices)
    if not named and not said.kinds and not said.areas:
        for text in _earlier(request):
            earlier = mentions_of(text, devices)
            if named := _named(request, fold(text), earlier, devices):
                break
    return Reach(
        devices=frozenset(device.id for device in devices),
        harmless=_coverings(devices),
        spoken=spoken,
        named=named,
        forbidden=_not_to(request.text, devices),
    )


def _not_to(text: str, devices: tuple[Device, ...]) -> dict[str, frozenset[str]]:
    """Return what is not to be done with which device.

    What another part of the sentence names too is not guessed about: “not all the
    lights, only the desk lamp”.
    """
    parts = forbidden(text)
    if not any(what for _, what in parts):
        return {}
    wanted = {
        device.id
        for part, what in parts
        if not what
        for device in _meant(mentions_of(part, devices), devices)
    }
    found: dict[str, frozenset[str]] = {}
    for part, what in parts:
        for device in _meant(mentions_of(part, devices), devices) if what else ():
            if device.id not in wanted:
                found[device.id] = found.get(device.id, frozenset()) | what
    return found


def _meant(said: Mentions, devices: tuple[Device, ...]) -> list[Device]:
    """Return the devices named, else those of a kind, in the rooms that are named."""
    if said.devices:
        return [device for device in devices if device.id in said.devices]
    return [
        device
        for device in devices
        if any(kind.fits(device) for kind in said.kinds)
        and (not said.areas or said.in_area(device))
    ]


def _coverings(devices: tuple[Device, ...]) -> frozenset[str]:
    """Return the window coverings, and groups that have nothing else in them."""
    known = {device.id: device for device in devices}
    return frozenset(
        device.id
        for device in devices
        if all(
            part.domain == "cover" and part.device_class in WINDOW_COVERINGS
            for part in (device, *(known.get(m, device) for m in device.members))
        )
    )


def _earlier(request: Request) -> list[str]:
    """Return what the person said before, the latest first."""
    said = [text for speaker, text in request.turns if speaker == "user"]
    return said[::-1][:_TURNS]


def _named(
    request: Request, sentence: str, said: Mentions, devices: tuple[Device, ...]
) -> frozenset[str]:
    """Return the devices that are named by name, or by their kind and place."""
    named = set(said.devices)
    for kind in said.kinds:
        fitting = [device for device in devices if kind.fits(device)]
        here = [d for d in fitting if said.in_area(d)]
        if said.everything:
            named.update(d.id for d in (here if said.areas else fitting))
        elif len(here) == 1:
            named.add(here[0].id)
        elif (
            len(fitting) == 1
            and not (said.areas or said.devices)
            and (fitting[0].domain != "lock" or _says_no_more(sentence, kind.words))
        ):
            named.add(fitting[0].id)
    return frozenset(named)


def _says_no_more(sentence: str, kind: re.Pattern[str]) -> bool:
    """Tell whether a sentence says which door only by there being one.

    “Unlock the door” does where there is one lock; “unlock the front door” does not,
    unless that lock is called so.
    """
    rest = sentence
    for pattern in (*SENSITIVE.values(), kind, _FILLERS):
        rest = pattern.sub(" ", rest)
    return rest.isspace() or not rest


def _outside(text: str, field: str) -> Problem:
    return Problem(Reason.OUT_OF_SCOPE, text, field)
