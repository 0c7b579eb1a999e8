"""Scripts and opaque scenes: leased with all that they are declared to move."""

from dataclasses import replace

from hearthnet.core.agents.tasking import assignment_of
from hearthnet.core.compile import Compiled, compile_action
from hearthnet.core.domains import OPERATIONS
from hearthnet.core.effects import ANYTHING, Effect, contradicts
from hearthnet.core.holds import SourceClass
from hearthnet.core.intents import Action, Origin, Request
from hearthnet.core.operations import Risk

from .homes import ALL_LIGHTS, DEVICES, DOOR, TestHouse, device, person

NIGHT = device("night", "script", moves=(ALL_LIGHTS.id, DOOR.id), risk="normal")
ROW = OPERATIONS["script.turn_on"]


def house() -> TestHouse:
    return TestHouse(known={one.id: one for one in (*DEVICES, NIGHT)})


def compiled() -> Compiled:
    found = compile_action(ROW, {}, NIGHT, house())
    assert isinstance(found, Compiled)
    return found


def test_a_script_is_leased_with_its_members() -> None:
    """A group among them stands for the devices in it."""
    found = compiled()
    targets = {target.device.id for target in found.targets}
    assert targets == {"night", "desk", "sofa", "door"}
    request = Request(text="good night", principal=person(), origin=Origin.APP)
    action = Action(targets=(NIGHT.id,), operation=ROW.name)
    assignment = assignment_of(
        "hub.1.1", "hub.1.0", action, NIGHT, house(), request, source=SourceClass.PERSON
    )
    assert assignment.task.scope.admits(ROW.name, targets) is None


def test_the_risk_is_the_declared_one() -> None:
    assert compiled().operation.risk is Risk.NORMAL
    silent = replace(NIGHT, risk=None)
    found = compile_action(ROW, {}, silent, house())
    assert isinstance(found, Compiled)
    assert found.operation.risk is Risk.CONFIRM


def test_whatever_is_held_of_a_member_stands_in_the_way() -> None:
    effects = compiled().effects
    assert {effect.device for effect in effects} == {"desk", "sofa", "door"}
    assert {effect.attribute for effect in effects} == {ANYTHING}
    for held in (("brightness_pct", 40), ("state", "locked"), ("state", "off")):
        assert contradicts(Effect("desk", ANYTHING, None), *held)
