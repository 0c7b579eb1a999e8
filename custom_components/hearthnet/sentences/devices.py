"""What sentences about robots, alarms, boilers, humidifiers and all blinds ask for."""

from collections.abc import Mapping

from ..core.intents import Plan
from ..core.reasons import Reason
from ..scenes import scene_of
from .actions import (
    MAKERS as COMMON,
    Maker,
    action_on,
    command,
    one_operation,
)
from .everyday import MAKERS as EVERYDAY
from .match import Setting, find
from .questions import MAKERS as QUESTIONS
from .recognize import Heard


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


def _on(setting: Setting, heard: Heard) -> Plan:
    """Switch something on, or do what a scene of that name consists of."""
    plan = COMMON["HassTurnOn"](setting, heard)
    if plan.reason is Reason.UNKNOWN_TARGET:
        return scene_of(setting, heard) or plan
    return plan


MAKERS: Mapping[str, Maker] = {
    **COMMON,
    **EVERYDAY,
    **QUESTIONS,
    "HassTurnOn": _on,
    "HassVacuumStart": one_operation("vacuum.start", single=True),
    "HassVacuumReturnToBase": one_operation("vacuum.return_to_base", single=True),
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
}
"""Intent to what it asks for. An intent that is not here asks for no device."""
