"""What sentences about robots, alarms, boilers, humidifiers and all blinds ask for."""

from collections.abc import Mapping

from ..core.intents import Plan, PlanKind
from ..core.planner.words.kinds import WINDOW_COVERINGS
from ..core.reasons import Reason
from ..scenes import scene_of
from .actions import (
    MAKERS as COMMON,
    Maker,
    action_on,
    command,
    one_operation,
)
from .match import Setting, find
from .recognize import Heard

BLINDS = WINDOW_COVERINGS - {"curtain", "awning"}
"""What people call blinds. Nobody says that the curtains are blinds, though."""


def _humidity(setting: Setting, heard: Heard) -> Plan:
    found = find(setting, heard, domains=("humidifier",), feature="humidity")
    if isinstance(found, Plan):
        return found
    humidity = round(float(heard.slots["amount"]))
    return command(
        [action_on(found, "humidifier.set_humidity", {"humidity": humidity})]
    )


def _humidifier_mode(setting: Setting, heard: Heard) -> Plan:
    found = find(setting, heard, domains=("humidifier",), feature="mode", single=True)
    if isinstance(found, Plan):
        return found
    mode = str(heard.slots["mode"])
    return command([action_on(found, "humidifier.set_mode", {"mode": mode})])


def _water(setting: Setting, heard: Heard) -> Plan:
    found = find(
        setting, heard, domains=("water_heater",), feature="temperature", single=True
    )
    if isinstance(found, Plan):
        return found
    degrees = float(heard.slots["degrees"])
    return command(
        [action_on(found, "water_heater.set_temperature", {"temperature": degrees})]
    )


def _fan_mode(setting: Setting, heard: Heard) -> Plan:
    found = find(setting, heard, domains=("climate",), feature="fan_mode")
    if isinstance(found, Plan):
        return found
    mode = str(heard.slots["fan_mode"])
    return command([action_on(found, "climate.set_fan_mode", {"fan_mode": mode})])


def _arm(setting: Setting, heard: Heard) -> Plan:
    """Arm in the mode that is named; without one, in the one that guards most."""
    mode = heard.slots.get("mode", "away")
    operation = f"alarm_control_panel.alarm_arm_{mode}"
    found = find(
        setting,
        heard,
        domains=("alarm_control_panel",),
        feature=operation,
        single=True,
    )
    if isinstance(found, Plan):
        return found
    return command([action_on(found, operation)])


def _all_coverings(operation: str) -> Maker:
    """Return a maker for “open all the blinds”, which no room narrows.

    Doors and gates are no blinds, and what has no device class may be one.
    """

    def make(setting: Setting, heard: Heard) -> Plan:
        said = str(heard.slots["coverings"])
        classes = BLINDS if said == "blind" else {said}
        slots = {n: v for n, v in heard.slots.items() if n in ("area", "floor")}
        everywhere = Heard(intent=heard.intent, slots=slots)
        found = find(setting, everywhere, domains=("cover",), feature=operation)
        if isinstance(found, Plan):
            return found
        devices = [
            device
            for device in found.devices
            if device.device_class in classes
            or (said == "blind" and device.device_class is None)
        ]
        if not devices:
            return Plan(kind=PlanKind.UNCLEAR, reason=Reason.UNKNOWN_TARGET)
        return command([action_on(found, operation, devices=devices)])

    return make


def _on(setting: Setting, heard: Heard) -> Plan:
    """Switch something on, or do what a scene of that name consists of."""
    plan = COMMON["HassTurnOn"](setting, heard)
    if plan.reason is Reason.UNKNOWN_TARGET:
        return scene_of(setting, heard) or plan
    return plan


MAKERS: Mapping[str, Maker] = {
    **COMMON,
    "HassTurnOn": _on,
    "HassVacuumStart": one_operation("vacuum.start"),
    "HassVacuumReturnToBase": one_operation("vacuum.return_to_base"),
    "HassLawnMowerStartMowing": one_operation("lawn_mower.start_mowing"),
    "HassLawnMowerDock": one_operation("lawn_mower.dock"),
    "HassClimateSetFanMode": _fan_mode,
    "HearthnetArm": _arm,
    "HearthnetDisarm": one_operation("alarm_control_panel.alarm_disarm"),
    "HearthnetHumidity": _humidity,
    "HearthnetHumidifierMode": _humidifier_mode,
    "HearthnetLocate": one_operation("vacuum.locate"),
    "HearthnetRobotPause": one_operation("vacuum.pause"),
    "HearthnetWater": _water,
    "HearthnetOpenAll": _all_coverings("cover.open_cover"),
    "HearthnetCloseAll": _all_coverings("cover.close_cover"),
}
"""Intent to what it asks for. An intent that is not here asks for no device."""
