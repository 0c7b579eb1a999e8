"""What people say in passing: “too dark in here”, “a bit more”, “leave it on”."""

from collections.abc import Container, Iterable, Mapping
from dataclasses import replace

from ..core.devices import Device
from ..core.intents import Action, Plan, PlanKind
from ..core.planner.words.kinds import WINDOW_COVERINGS
from ..core.reasons import Reason
from .actions import EVERYTHING, OFF, ON, Maker, action_on, command, one_operation
from .match import Found, Setting, find
from .questions import is_on, state_of
from .recognize import Heard

type Devices = tuple[Device, ...]

BLINDS = WINDOW_COVERINGS - {"curtain", "awning"}
"""What people call blinds. Nobody says that the curtains are blinds, though."""
ANY = "any"
"""A word for curtains that, where there are none, is for all that covers a window."""
COVERINGS: Mapping[str, frozenset[str | None]] = {
    # What has no device class may be a blind.
    "blind": BLINDS | {None},
    "curtain": frozenset({"curtain"}),
    "awning": frozenset({"awning"}),
    ANY: WINDOW_COVERINGS | {None},
}
A_BIT = 20.0
"""Points by which a blind is opened or closed “a bit”."""
DIFFERENCES: Mapping[str, tuple[str, str, float]] = {
    "climate": ("climate.set_temperature", "temperature", 1.0),
    "cover": ("cover.set_cover_position", "position", A_BIT),
    "fan": ("fan.set_percentage", "percentage", A_BIT),
    "light": ("light.turn_on", "brightness_pct", 10.0),
    "media_player": ("media_player.volume_set", "volume_level", 10.0),
}
"""By domain, what goes up and down, and by how much if nobody says so."""


KEPT = EVERYTHING | {"climate", "humidifier", "input_boolean", "water_heater"}
"""What people ask to be left on or off. Doors are not left open by such a word."""


def coverings(setting: Setting, heard: Heard, operation: str) -> Found | Plan:
    """Return the blinds or curtains that a sentence means, by name or by their kind.

    Doors and gates are no blinds.
    """
    found = find(setting, heard, domains=("cover",), feature=operation)
    if isinstance(found, Plan) or "coverings" not in heard.slots:
        return found
    kind = str(heard.slots["coverings"])
    devices = _of(COVERINGS[kind], found.devices)
    if kind == ANY:
        devices = _of(COVERINGS["curtain"], found.devices) or devices
    if not devices:
        return Plan(kind=PlanKind.UNCLEAR, reason=Reason.UNKNOWN_TARGET)
    return replace(found, devices=devices)


def _of(classes: Container[str | None], devices: Iterable[Device]) -> Devices:
    return tuple(device for device in devices if device.device_class in classes)


def _cover_bit(setting: Setting, heard: Heard) -> Plan:
    operation = "cover.set_cover_position"
    found = coverings(setting, heard, operation)
    if isinstance(found, Plan):
        return found
    points = A_BIT if heard.slots["direction"] == "up" else -A_BIT
    return command([action_on(found, operation, relative={"position": points})])


def _cover_half(setting: Setting, heard: Heard) -> Plan:
    operation = "cover.set_cover_position"
    found = coverings(setting, heard, operation)
    if isinstance(found, Plan):
        return found
    return command([action_on(found, operation, {"position": 50})])


def all_coverings(operation: str) -> Maker:
    """Return a maker for “open the blinds”: all, if no room is said."""

    def make(setting: Setting, heard: Heard) -> Plan:
        said = {"coverings", "area", "floor"}
        slots = {n: v for n, v in heard.slots.items() if n in said}
        everywhere = Heard(intent=heard.intent, slots=slots, those=heard.those)
        found = coverings(setting, everywhere, operation)
        if isinstance(found, Plan):
            return found
        return command([action_on(found, operation)])

    return make


def _garage(operation: str) -> Maker:
    """Return a maker for “open the garage”: its door, if there is one only."""

    def make(setting: Setting, heard: Heard) -> Plan:
        slots = {"device_class": "garage"}
        door = Heard(intent=heard.intent, slots=slots)
        found = find(setting, door, domains=("cover",), feature=operation, single=True)
        if isinstance(found, Plan):
            return found
        return command([action_on(found, operation)])

    return make


def _lighter(setting: Setting, heard: Heard) -> Plan:
    """Change the light of a room: of the lamps that are lit, else switch them on."""
    up = heard.slots["direction"] == "up"
    found = find(setting, heard, domains=("light",))
    if isinstance(found, Plan):
        return found
    dimmable = [
        device
        for device in found.devices
        if state_of(setting, device) == "on" and device.supports("brightness_pct")
    ]
    if not dimmable:
        return command([action_on(found, "light.turn_on" if up else "light.turn_off")])
    relative = {"brightness_pct": A_BIT if up else -A_BIT}
    return command(
        [action_on(found, "light.turn_on", relative=relative, devices=dimmable)]
    )


def _more_or_less(setting: Setting, heard: Heard) -> Plan:
    """Turn a named thing up or down: each kind has something that goes up."""
    found = find(setting, heard, domains=DIFFERENCES)
    if isinstance(found, Plan):
        return found
    actions: list[Action] = []
    for device in found.devices:
        operation, parameter, step = DIFFERENCES[device.domain]
        amount = float(heard.slots.get("amount") or step)
        points = amount if heard.slots["direction"] == "up" else -amount
        actions.append(
            action_on(found, operation, relative={parameter: points}, devices=(device,))
        )
    return command(actions)


def _keep(setting: Setting, heard: Heard) -> Plan:
    """Keep something on or off: a wish that stands, though nothing moves.

    Who says not to switch it off does not say to switch it on: if it is off, that is
    told.
    """
    state = str(heard.slots["state"])
    found = find(setting, heard, domains=KEPT)
    if isinstance(found, Plan):
        return found
    operations = ON if state == "on" else OFF
    devices = found.devices
    if heard.slots.get("only") is not None:
        devices = tuple(
            d for d in devices if is_on(state_of(setting, d)) == (state == "on")
        )
    if not devices:
        asked = tuple(device.id for device in found.devices)
        return Plan(kind=PlanKind.QUESTION, asked=asked)
    return command(
        action_on(found, operations[device.domain], devices=(device,))
        for device in devices
    )


MAKERS: Mapping[str, Maker] = {
    "HearthnetClose": all_coverings("cover.close_cover"),
    "HearthnetCloseAll": all_coverings("cover.close_cover"),
    "HearthnetCloseGarage": _garage("cover.close_cover"),
    "HearthnetCoverBit": _cover_bit,
    "HearthnetCoverHalf": _cover_half,
    "HearthnetKeep": _keep,
    "HearthnetLighter": _lighter,
    "HearthnetLock": one_operation("lock.lock", single=True),
    "HearthnetLockAll": one_operation("lock.lock"),
    "HearthnetMoreOrLess": _more_or_less,
    "HearthnetOpen": all_coverings("cover.open_cover"),
    "HearthnetOpenAll": all_coverings("cover.open_cover"),
    "HearthnetOpenGarage": _garage("cover.open_cover"),
    "HearthnetUnlock": one_operation("lock.unlock", single=True),
}
"""Intent to what it asks for."""
