"""What is asked about: how things are, why they are so, and what one can say at all."""

from collections.abc import Mapping

from ..core.devices import Device
from ..core.effects import STATE
from ..core.intents import Plan, PlanKind
from ..core.messages import Json
from ..core.reasons import Outcome, Reason
from ..core.texts import texts_for
from ..core.wording import attribute
from .actions import EVERYTHING, Maker
from .match import Setting, find
from .recognize import Heard

MEASURED = "current_temperature"
SHUT: Mapping[str, frozenset[str]] = {
    "cover": frozenset({"closed", "closing"}),
    "lock": frozenset({"locked", "locking"}),
    "valve": frozenset({"closed", "closing"}),
}
"""What can be open, by domain with the states in which it is not."""


def _asked_state(setting: Setting, heard: Heard) -> Plan:
    """Ask about devices; their values are read when it is answered."""
    found = find(setting, heard)
    if isinstance(found, Plan):
        return found
    asked = found.devices
    if not found.named and (state := heard.slots.get("state")) is not None:
        states = {state} if isinstance(state, str) else set(state)
        texts = texts_for(setting.request.language)
        fits = [state_of(setting, device) in states for device in asked]
        # “Are all of them off?” is answered with those that are not.
        every = heard.response == "all"
        if every and all(fits):
            return Plan(kind=PlanKind.QUESTION, say=texts.all)
        if not every and not any(fits):
            return Plan(kind=PlanKind.QUESTION, say=texts.none)
        asked = tuple(d for d, fit in zip(asked, fits, strict=True) if fit != every)
    return Plan(kind=PlanKind.QUESTION, asked=tuple(d.id for d in asked))


def _temperature_now(setting: Setting, heard: Heard) -> Plan:
    """Ask how warm it is: what has a target knows it too, and may measure it.

    What is measured is no value of a device that HearthNet controls, and is told here.
    """
    found = find(setting, heard, domains=("climate",))
    if isinstance(found, Plan):
        return found
    texts = texts_for(setting.request.language)
    told = []
    for device in found.devices:
        state = setting.hass.states.get(device.entity_id)
        measured = state and state.attributes.get(MEASURED)
        if isinstance(measured, int | float):
            shown = attribute(texts, MEASURED, measured)
            told.append(texts.answer[0].format(names=device.name, state=shown))
    if told:
        return _say(setting, texts.between_sentences.join(told))
    return Plan(kind=PlanKind.QUESTION, asked=tuple(d.id for d in found.devices))


def _why(setting: Setting, heard: Heard) -> Plan:
    """Ask why something is as it is; of a kind without a name, what is so now."""
    found = find(setting, heard)
    if isinstance(found, Plan):
        return found
    asked = [d for d in found.devices if found.named or state_of(setting, d) != "off"]
    return Plan(
        kind=PlanKind.QUESTION,
        asked=tuple(device.id for device in asked or found.devices),
        why=True,
    )


def _what_is_on(setting: Setting, heard: Heard) -> Plan:
    found = find(setting, heard, domains=EVERYTHING)
    if isinstance(found, Plan):
        return found
    asked = [d.id for d in found.devices if is_on(state_of(setting, d))]
    if asked:
        return Plan(kind=PlanKind.QUESTION, asked=tuple(asked))
    return _say(setting, texts_for(setting.request.language).nothing_on)


def _what_is_open(setting: Setting, heard: Heard) -> Plan:
    found = find(setting, heard, domains=SHUT)
    if isinstance(found, Plan):
        return found
    asked = [d.id for d in found.devices if state_of(setting, d) not in SHUT[d.domain]]
    if asked:
        return Plan(kind=PlanKind.QUESTION, asked=tuple(asked))
    return _say(setting, texts_for(setting.request.language).nothing_open)


def is_on(state: Json) -> bool:
    """Tell whether a state is one of being on."""
    return state not in (None, "off", "standby", "unknown", "unavailable")


def state_of(setting: Setting, device: Device) -> Json:
    """Return a device's state, read just now."""
    return setting.house.read(device.id).values.get(STATE)


def _say(setting: Setting, text: str) -> Plan:
    return Plan(kind=PlanKind.QUESTION, say=text)


def _welcome(setting: Setting, heard: Heard) -> Plan:
    return _say(setting, texts_for(setting.request.language).welcome)


def _hello(setting: Setting, heard: Heard) -> Plan:
    return _say(setting, texts_for(setting.request.language).hello)


def _never_mind(setting: Setting, heard: Heard) -> Plan:
    return _say(setting, texts_for(setting.request.language).all_right)


def _yes(setting: Setting, heard: Heard) -> Plan:
    """Tell who says yes to what waits for a confirmation where to say it.

    Nothing proves who speaks here, so that a yes in words confirms nothing.
    """
    texts = texts_for(setting.request.language)
    said = setting.request.turns[-1][1] if setting.request.turns else ""
    waits = (one.rpartition("}")[2] for one in texts.outcomes[Outcome.WAITING])
    if any(words in said for words in waits):
        return _say(setting, texts.confirm_there)
    return Plan(kind=PlanKind.UNCLEAR, reason=Reason.UNKNOWN_TARGET)


def _help(setting: Setting, heard: Heard) -> Plan:
    return _say(setting, texts_for(setting.request.language).help)


MAKERS: Mapping[str, Maker] = {
    "HassClimateGetTemperature": _temperature_now,
    "HassGetState": _asked_state,
    "HassNevermind": _never_mind,
    "HearthnetHello": _hello,
    "HearthnetHelp": _help,
    "HearthnetThanks": _welcome,
    "HearthnetWhatIsOn": _what_is_on,
    "HearthnetWhatIsOpen": _what_is_open,
    "HearthnetWhy": _why,
    "HearthnetYes": _yes,
}
"""Intent to what it asks."""
