"""What each recognized sentence asks for, as actions of the operations table."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby

from homeassistant.util.color import color_name_to_rgb

from ..core.devices import Device
from ..core.effects import STATE
from ..core.intents import Action, Plan, PlanKind
from ..core.messages import Json
from ..core.operations import Problem
from ..core.reasons import Reason
from ..core.relative import resolve_toggle
from .match import Found, Setting, find
from .recognize import Heard

type Maker = Callable[[Setting, Heard], Plan]

STEP = 10.0
"""Points that “louder” or “brighter” is, if nobody says how much."""
ON = {
    "button": "button.press",
    "climate": "climate.turn_on",
    "cover": "cover.open_cover",
    "fan": "fan.turn_on",
    "humidifier": "humidifier.turn_on",
    "input_boolean": "input_boolean.turn_on",
    "input_button": "input_button.press",
    "light": "light.turn_on",
    # In Home Assistant's sentences a lock that is "on" is locked.
    "lock": "lock.lock",
    "media_player": "media_player.turn_on",
    "remote": "remote.turn_on",
    # Those that the policy declares; others are no devices.
    "scene": "scene.turn_on",
    "script": "script.turn_on",
    "siren": "siren.turn_on",
    "switch": "switch.turn_on",
    "valve": "valve.open_valve",
    "water_heater": "water_heater.turn_on",
}
OFF = {
    "climate": "climate.turn_off",
    "cover": "cover.close_cover",
    "fan": "fan.turn_off",
    "humidifier": "humidifier.turn_off",
    "input_boolean": "input_boolean.turn_off",
    "light": "light.turn_off",
    "lock": "lock.unlock",
    "media_player": "media_player.turn_off",
    "remote": "remote.turn_off",
    "siren": "siren.turn_off",
    "switch": "switch.turn_off",
    "valve": "valve.close_valve",
    "water_heater": "water_heater.turn_off",
}
EVERYTHING = frozenset({"fan", "light", "media_player", "switch"})
"""Domains of which "everything" consists. Turning everything off unlocks no door."""


def command(actions: Iterable[Action]) -> Plan:
    """Return a plan of actions; one without any is not understood."""
    if listed := tuple(actions):
        return Plan(kind=PlanKind.COMMAND, actions=listed)
    return Plan(kind=PlanKind.UNCLEAR, reason=Reason.UNKNOWN_OPERATION)


def action_on(
    found: Found,
    operation: str,
    parameters: Mapping[str, Json] | None = None,
    relative: Mapping[str, float] | None = None,
    devices: Iterable[Device] | None = None,
) -> Action:
    """Return an action on the devices found, or on some of them."""
    chosen = found.devices if devices is None else devices
    return Action(
        targets=tuple(device.id for device in chosen),
        operation=operation,
        parameters=parameters or {},
        relative=relative or {},
        why=found.why,
    )


def _switch(operations: Mapping[str, str]) -> Maker:
    """Return a maker that turns things on or off, each in the way of its domain."""

    def make(setting: Setting, heard: Heard) -> Plan:
        by_kind = not heard.slots.keys() & {"name", "domain", "device_class"}
        domains = EVERYTHING if by_kind else operations
        found = find(setting, heard, domains=domains)
        if isinstance(found, Plan):
            return found
        by_operation: dict[str, list[Device]] = {}
        for device in _unspared(heard, found.devices):
            if (operation := operations.get(device.domain)) is not None:
                by_operation.setdefault(operation, []).append(device)
        return command(
            action_on(found, operation, devices=devices)
            for operation, devices in sorted(by_operation.items())
        )

    return make


def _unspared(heard: Heard, devices: Iterable[Device]) -> Iterator[Device]:
    """Yield the devices without those of “everything except …”."""
    name, area = heard.slots.get("spared"), heard.slots.get("spared_area")
    for device in devices:
        if name not in (device.name, *device.aliases) and device.area != (area or ""):
            yield device


def _toggle(setting: Setting, heard: Heard) -> Plan:
    found = find(setting, heard, domains=ON)
    if isinstance(found, Plan):
        return found
    actions = []
    for device in found.devices:
        values = setting.house.read(device.id).values
        operation = resolve_toggle(device.domain, values)
        if isinstance(operation, Problem):
            return Plan(kind=PlanKind.UNCLEAR, reason=operation.reason)
        actions.append(action_on(found, operation, devices=(device,)))
    return command(actions)


def _light(setting: Setting, heard: Heard) -> Plan:
    slots = heard.slots
    parameters: dict[str, Json] = {}
    if (brightness := slots.get("brightness")) is not None:
        parameters["brightness_pct"] = round(float(brightness))
    if (kelvin := slots.get("temperature")) is not None:
        parameters["color_temp_kelvin"] = round(float(kelvin))
    if (color := slots.get("color")) is not None:
        try:
            parameters["rgb_color"] = list(color_name_to_rgb(str(color)))
        except ValueError:
            return Plan(kind=PlanKind.UNCLEAR, reason=Reason.BAD_PARAMETER)
    # In a room, only those lamps are meant that can do it.
    feature = None if "name" in slots else next(iter(parameters), None)
    found = find(setting, heard, domains=("light",), feature=feature)
    if isinstance(found, Plan):
        return found
    if parameters.get("brightness_pct") == 0:
        return command([action_on(found, "light.turn_off")])
    return command([action_on(found, "light.turn_on", parameters)])


def _position(setting: Setting, heard: Heard) -> Plan:
    position = round(float(heard.slots["position"]))
    found = find(setting, heard, domains=("cover", "valve"), feature="position")
    if isinstance(found, Plan):
        return found
    actions = []
    for domain, devices in _by_domain(found):
        operation = f"{domain}.set_{domain}_position"
        parameters: dict[str, Json] = {"position": position}
        if position == 0:
            # The same thing, and known to be the safe direction.
            operation, parameters = f"{domain}.close_{domain}", {}
        actions.append(action_on(found, operation, parameters, devices=devices))
    return command(actions)


def _stop(setting: Setting, heard: Heard) -> Plan:
    found = find(setting, heard, domains=("cover", "valve"))
    if isinstance(found, Plan):
        return found
    return command(
        action_on(found, f"{domain}.stop_{domain}", devices=devices)
        for domain, devices in _by_domain(found)
        if all(device.supports(f"{domain}.stop_{domain}") for device in devices)
    )


def _by_domain(found: Found) -> list[tuple[str, list[Device]]]:
    devices = sorted(found.devices, key=lambda device: device.domain)
    return [
        (domain, list(same))
        for domain, same in groupby(devices, key=lambda device: device.domain)
    ]


def one_operation(
    operation: str, *, sounding: bool = False, single: bool = False, **parameters: Json
) -> Maker:
    """Return a maker for sentences that are one operation with fixed values.

    `sounding` narrows a room's players to those that play; with `single` exactly
    one device can be meant.
    """
    domain = operation.partition(".")[0]

    def make(setting: Setting, heard: Heard) -> Plan:
        found = find(
            setting, heard, domains=(domain,), feature=operation, single=single
        )
        if isinstance(found, Plan):
            return found
        devices = _playing(setting, found) if sounding else found.devices
        return command([action_on(found, operation, parameters, devices=devices)])

    return make


def _playing(setting: Setting, found: Found) -> tuple[Device, ...]:
    """Return the players of a room that play; all of them if none does."""
    if found.named or len(found.devices) == 1:
        return found.devices
    playing = tuple(
        device
        for device in found.devices
        if setting.house.read(device.id).values.get(STATE) == "playing"
    )
    return playing or found.devices


def _volume(setting: Setting, heard: Heard) -> Plan:
    level = round(float(heard.slots["volume_level"]) / 100, 2)
    found = find(setting, heard, domains=("media_player",), feature="volume_level")
    if isinstance(found, Plan):
        return found
    return command(
        [action_on(found, "media_player.volume_set", {"volume_level": level})]
    )


def _louder(setting: Setting, heard: Heard) -> Plan:
    step = heard.slots["volume_step"]
    points = {"up": STEP, "down": -STEP}.get(step) if isinstance(step, str) else None
    if points is None:
        points = float(step)
    found = find(setting, heard, domains=("media_player",), feature="volume_level")
    if isinstance(found, Plan):
        return found
    devices = _playing(setting, found)
    relative = {"volume_level": points}
    return command(
        [
            action_on(
                found, "media_player.volume_set", relative=relative, devices=devices
            )
        ]
    )


def _brighter(setting: Setting, heard: Heard) -> Plan:
    points = _signed(heard, STEP)
    found = find(setting, heard, domains=("light",), feature="brightness_pct")
    if isinstance(found, Plan):
        return found
    # Nobody means the dark lamps of a room, unless all are dark; one that is named is
    # asked about.
    lit = found.devices
    if not found.named:
        lit = tuple(
            device
            for device in found.devices
            if setting.house.read(device.id).values.get(STATE) == "on"
        )
    if not lit:
        operation = "light.turn_on" if points > 0 else "light.turn_off"
        return command([action_on(found, operation)])
    relative = {"brightness_pct": points}
    return command([action_on(found, "light.turn_on", relative=relative, devices=lit)])


def _at_most(operation: str, parameter: str, unit: float) -> Maker:
    """Return a maker for “keep it below 60 %”: a range, not a value.

    What is inside the range stays where it is, and what is off stays off unless it
    is named.
    """
    domain = operation.partition(".")[0]

    def make(setting: Setting, heard: Heard) -> Plan:
        limit = round(float(heard.slots["amount"]) * unit, 2)
        found = find(setting, heard, domains=(domain,), feature=parameter)
        if isinstance(found, Plan):
            return found
        actions = []
        for device in found.devices:
            present = setting.house.read(device.id).values.get(parameter)
            if isinstance(present, bool) or not isinstance(present, int | float):
                if not found.named:
                    continue
                present = limit
            actions.append(
                Action(
                    targets=(device.id,),
                    operation=operation,
                    parameters={parameter: min(present, limit)},
                    ranges={parameter: (None, limit)},
                    why=found.why,
                )
            )
        return command(actions)

    return make


def _warmer(setting: Setting, heard: Heard) -> Plan:
    found = find(
        setting, heard, domains=("climate",), feature="temperature", single=True
    )
    if isinstance(found, Plan):
        return found
    relative = {"temperature": _signed(heard, 1.0)}
    return command([action_on(found, "climate.set_temperature", relative=relative)])


def _signed(heard: Heard, step: float) -> float:
    amount = float(heard.slots.get("amount") or step)
    return -amount if heard.slots.get("direction") == "down" else amount


def _temperature(setting: Setting, heard: Heard) -> Plan:
    found = find(
        setting, heard, domains=("climate",), feature="temperature", single=True
    )
    if isinstance(found, Plan):
        return found
    degrees = float(heard.slots["temperature"])
    parameters: dict[str, Json] = {"temperature": degrees}
    return command([action_on(found, "climate.set_temperature", parameters)])


def _fan(setting: Setting, heard: Heard) -> Plan:
    percentage = round(float(heard.slots["percentage"]))
    found = find(setting, heard, domains=("fan",), feature="percentage")
    if isinstance(found, Plan):
        return found
    if percentage == 0:
        return command([action_on(found, "fan.turn_off")])
    return command([action_on(found, "fan.set_percentage", {"percentage": percentage})])


MAKERS: Mapping[str, Maker] = {
    "HassTurnOn": _switch(ON),
    "HassTurnOff": _switch(OFF),
    "HassToggle": _toggle,
    "HassOpenCover": one_operation("cover.open_cover"),
    "HassCloseCover": one_operation("cover.close_cover"),
    "HassSetPosition": _position,
    "HassStopMoving": _stop,
    "HassLightSet": _light,
    "HassFanSetSpeed": _fan,
    "HassSetVolume": _volume,
    "HassSetVolumeRelative": _louder,
    "HassMediaPause": one_operation("media_player.media_pause", sounding=True),
    "HassMediaUnpause": one_operation("media_player.media_play"),
    "HassMediaNext": one_operation("media_player.media_next_track", sounding=True),
    "HassMediaPrevious": one_operation(
        "media_player.media_previous_track", sounding=True
    ),
    "HassMediaPlayerMute": one_operation(
        "media_player.volume_mute", is_volume_muted=True
    ),
    "HassMediaPlayerUnmute": one_operation(
        "media_player.volume_mute", is_volume_muted=False
    ),
    "HassClimateSetTemperature": _temperature,
    "HearthnetBrightness": _brighter,
    "HearthnetVolume": lambda setting, heard: _louder(
        setting,
        replace(heard, slots={**heard.slots, "volume_step": _signed(heard, STEP)}),
    ),
    "HearthnetTemperature": _warmer,
    "HearthnetDimmest": _at_most("light.turn_on", "brightness_pct", 1),
    "HearthnetQuietest": _at_most("media_player.volume_set", "volume_level", 0.01),
}
"""Intent to what it asks for, of what most homes have."""
