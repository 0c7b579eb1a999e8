"""Every newer domain on real entities: done, read back, slow, deaf, failing, undone."""

from typing import Any

from homeassistant.components.camera import CameraEntityFeature
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er
from homeassistant.setup import async_setup_component
import pytest

from custom_components.hearthnet.core.reasons import Outcome
from custom_components.hearthnet.features import CAMERA_ON_OFF

from .domains import Hands, demo
from .home import set_up, turn

SLOW = {"delay": {"milliseconds": 60}}
BROKEN = {"action": "test.jammed"}
"""An action that there is not: the entity raises."""
CHANGED, ALREADY_SO, RUNNING = Outcome.CHANGED, Outcome.ALREADY_SO, Outcome.RUNNING
FAILED, UNVERIFIED = Outcome.FAILED, Outcome.UNVERIFIED


async def stage(hass: HomeAssistant, **options: list[str]) -> None:
    """Set up an input_select for each name, which a template entity stands on."""
    assert await async_setup_component(
        hass,
        "input_select",
        {"input_select": {name: {"options": opts} for name, opts in options.items()}},
    )


def show(helper: str, option: str, *before: dict[str, Any]) -> list[dict[str, Any]]:
    return [*before, turn(f"input_select.{helper}", "select_option", option=option)]


def entity(domain: str, key: str, **fields: Any) -> dict[str, Any]:
    return {
        "name": key.capitalize(),
        "unique_id": f"{domain}_{key}",
        "default_entity_id": f"{domain}.{key}",
        **fields,
    }


ALARM = ["disarmed", "arming", "armed_home", "armed_away", "armed_night", "triggered"]


async def alarm(hass: HomeAssistant, **fields: Any) -> Hands:
    await stage(hass, panel=ALARM)
    panel = entity(
        "alarm_control_panel",
        "panel",
        state="{{ states('input_select.panel') }}",
        arm_home=show("panel", "armed_home", SLOW),
        arm_away=show("panel", "arming"),
        arm_night=[BROKEN],
        disarm=show("panel", "disarmed"),
        **fields,
    )
    await set_up(hass, alarm_control_panel=[panel])
    return await Hands.of(hass, "alarm_control_panel.panel")


FREE = {"code_arm_required": False, "code_format": "no_code"}
ALARMS = "alarm_control_panel"
PANEL = "alarm_control_panel.panel"


async def test_an_alarm_panel(hass: HomeAssistant) -> None:
    hands = await alarm(hass, **FREE)
    before = hands.values(PANEL)
    assert before == {"state": "disarmed"}
    do = hands.do
    assert await do(PANEL, f"{ALARMS}.alarm_arm_home") is CHANGED
    assert await do(PANEL, f"{ALARMS}.alarm_arm_home") is ALREADY_SO
    assert await do(PANEL, f"{ALARMS}.alarm_arm_night") is FAILED
    # People have to leave first.
    assert await do(PANEL, f"{ALARMS}.alarm_arm_away") is RUNNING
    assert hands.values(PANEL) == {"state": "arming"}
    # Nothing is said of a panel that has no such mode.
    assert hands.problem(PANEL, f"{ALARMS}.alarm_arm_vacation")
    assert await hands.put_back(PANEL, before) == [f"{ALARMS}.alarm_disarm"]
    assert hands.values(PANEL) == before


async def test_a_code_comes_from_home_assistant_or_not_at_all(
    hass: HomeAssistant,
) -> None:
    hands = await alarm(hass)
    for action in ("alarm_arm_home", "alarm_disarm"):
        assert hands.problem(PANEL, f"alarm_control_panel.{action}") is not None
    er.async_get(hass).async_update_entity_options(
        PANEL, "alarm_control_panel", {"default_code": "1234"}
    )
    await hass.async_block_till_done()
    done = await hands.do(PANEL, "alarm_control_panel.alarm_arm_home")
    assert done is CHANGED
    assert "1234" not in repr(hands.device(PANEL))


async def test_a_locks_code(hass: HomeAssistant) -> None:
    lock = entity(
        "lock",
        "front",
        state="{{ true }}",
        code_format="{{ '[0-9]+' }}",
        lock=[],
        unlock=[],
    )
    await set_up(hass, lock=[lock])
    hands = await Hands.of(hass, "lock.front")
    assert hands.problem("lock.front", "lock.unlock") is not None
    er.async_get(hass).async_update_entity_options(
        "lock.front", "lock", {"default_code": "1234"}
    )
    assert hands.problem("lock.front", "lock.unlock") is None


async def test_a_vacuum(hass: HomeAssistant) -> None:
    states = ["docked", "cleaning", "paused", "returning", "idle"]
    await stage(hass, robot=states, robot_speed=["low", "max"])
    robot = entity(
        "vacuum",
        "robot",
        state="{{ states('input_select.robot') }}",
        fan_speed="{{ states('input_select.robot_speed') }}",
        fan_speeds=["low", "max"],
        start=show("robot", "cleaning", SLOW),
        pause=show("robot", "paused"),
        stop=show("robot", "idle"),
        return_to_base=show("robot", "returning", SLOW),
        clean_spot=[BROKEN],
        locate=[],
        set_fan_speed=[
            turn("input_select.robot_speed", "select_option", option="{{ fan_speed }}")
        ],
    )
    await set_up(hass, vacuum=[robot])
    hands = await Hands.of(hass, "vacuum.robot")
    name, do = "vacuum.robot", hands.do
    before = hands.values(name)
    assert before == {"state": "docked", "fan_speed": "low"}
    # One on its base has stopped already.
    assert await do(name, "vacuum.stop") is ALREADY_SO
    assert await do(name, "vacuum.clean_spot") is FAILED
    assert await do(name, "vacuum.start") is CHANGED
    assert await do(name, "vacuum.set_fan_speed", fan_speed="max") is CHANGED
    assert await do(name, "vacuum.pause") is CHANGED
    assert await do(name, "vacuum.locate") is UNVERIFIED
    assert await do(name, "vacuum.start") is CHANGED
    assert await do(name, "vacuum.stop") is CHANGED
    assert await do(name, "vacuum.return_to_base") is RUNNING
    assert hands.values(name) == {"state": "returning", "fan_speed": "max"}
    hass.states.async_set("input_select.robot", "docked")
    await hass.async_block_till_done()
    assert await hands.put_back(name, before) == ["vacuum.set_fan_speed"]
    assert hands.values(name) == before


async def test_a_water_heater(hass: HomeAssistant) -> None:
    await stage(hass, boiler=["off", "eco", "performance"])
    assert await async_setup_component(
        hass,
        "input_number",
        {"input_number": {"boiler": {"min": 30, "max": 80, "initial": 50}}},
    )
    boiler = entity(
        "water_heater",
        "boiler",
        operation_mode="{{ states('input_select.boiler') }}",
        operation_list="{{ ['off', 'eco', 'performance'] }}",
        target_temperature="{{ states('input_number.boiler') | float }}",
        max_temperature=80,
        set_operation_mode=[
            SLOW,
            turn("input_select.boiler", "select_option", option="{{ operation_mode }}"),
        ],
        set_temperature=[
            turn("input_number.boiler", "set_value", value="{{ temperature }}")
        ],
        turn_on=[BROKEN],
        turn_off=show("boiler", "off"),
    )
    await set_up(hass, water_heater=[boiler])
    hands = await Hands.of(hass, "water_heater.boiler")
    name, do = "water_heater.boiler", hands.do
    mode = "water_heater.set_operation_mode"
    assert await do(name, "water_heater.turn_on") is FAILED
    assert await do(name, mode, operation_mode="eco") is CHANGED
    before = hands.values(name)
    assert before == {"state": "eco", "operation_mode": "eco", "temperature": 50}
    assert await do(name, "water_heater.set_temperature", temperature=55) is CHANGED
    assert await do(name, mode, operation_mode="off") is CHANGED
    assert await do(name, "water_heater.turn_off") is ALREADY_SO
    ways = [mode, "water_heater.set_temperature"]
    assert await hands.put_back(name, before) == ways
    assert hands.values(name) == before


async def test_buttons_are_pressed_and_nothing_is_claimed(hass: HomeAssistant) -> None:
    assert await async_setup_component(
        hass, "input_boolean", {"input_boolean": {"coffee": {}}}
    )
    assert await async_setup_component(
        hass, "input_button", {"input_button": {"gong": {}}}
    )
    brew = entity("button", "brew", press=[turn("input_boolean.coffee", "toggle")])
    stuck = entity("button", "stuck", press=[BROKEN])
    await set_up(hass, button=[brew, stuck])
    hands = await Hands.of(hass, "button.brew", "button.stuck", "input_button.gong")
    assert await hands.do("button.brew", "button.press") is UNVERIFIED
    assert hass.states.is_state("input_boolean.coffee", "on")
    assert await hands.do("button.brew", "button.press") is UNVERIFIED
    assert hass.states.is_state("input_boolean.coffee", "off")
    assert await hands.do("button.stuck", "button.press") is FAILED
    assert await hands.do("input_button.gong", "input_button.press") is UNVERIFIED
    # When it was pressed is no value: nobody can set it.
    assert hands.values("input_button.gong") == {}
    assert await hands.put_back("button.brew", {}) == []


async def test_valves(hass: HomeAssistant) -> None:
    await demo(hass, Platform.VALVE)
    hands = await Hands.of(hass, "valve.front_garden", "valve.back_garden")
    name, do = "valve.back_garden", hands.do
    before = hands.values(name)
    assert before == {"state": "open", "current_position": 70}
    # It moves ten percent a second.
    assert await do(name, "valve.close_valve", 1.3) is RUNNING
    assert await do(name, "valve.stop_valve") is UNVERIFIED
    assert await do(name, "valve.set_valve_position", 3, position=70) is CHANGED
    assert hands.problem("valve.front_garden", "valve.stop_valve") is not None
    assert await do("valve.front_garden", "valve.close_valve", 3) is CHANGED
    assert await do("valve.front_garden", "valve.close_valve") is ALREADY_SO
    assert await hands.put_back("valve.front_garden", {"state": "open"}) == [
        "valve.open_valve"
    ]


async def test_humidifiers(hass: HomeAssistant) -> None:
    await demo(hass, Platform.HUMIDIFIER)
    hands = await Hands.of(hass, "humidifier.hygrostat", "humidifier.humidifier")
    name, do = "humidifier.hygrostat", hands.do
    before = hands.values(name)
    assert before == {"state": "on", "humidity": 50, "mode": "home"}
    assert await do(name, "humidifier.set_humidity", humidity=60) is CHANGED
    assert await do(name, "humidifier.set_mode", mode="eco") is CHANGED
    assert await do(name, "humidifier.turn_off") is CHANGED
    assert hands.values(name) == {"state": "off"}
    assert await do(name, "humidifier.turn_off") is ALREADY_SO
    assert await hands.put_back(name, before) == [
        *("humidifier.turn_on", "humidifier.set_mode", "humidifier.set_humidity")
    ]
    assert hands.values(name) == before
    assert hands.problem("humidifier.humidifier", "humidifier.set_mode", mode="eco")


async def test_lawn_mowers(hass: HomeAssistant) -> None:
    await demo(hass, Platform.LAWN_MOWER)
    hands = await Hands.of(hass, "lawn_mower.my_lawn_mower")
    name, do = "lawn_mower.my_lawn_mower", hands.do
    before = hands.values(name)
    assert before == {"state": "docked"}
    assert await do(name, "lawn_mower.start_mowing") is CHANGED
    assert await do(name, "lawn_mower.start_mowing") is ALREADY_SO
    assert await do(name, "lawn_mower.pause") is CHANGED
    assert await hands.put_back(name, before) == ["lawn_mower.dock"]


async def test_sirens(hass: HomeAssistant) -> None:
    await demo(hass, Platform.SIREN)
    loud, plain = "siren.siren_with_all_features", "siren.siren"
    hands = await Hands.of(hass, loud, plain)
    before = hands.values(loud)
    how: dict[str, Any] = {"tone": "fire", "volume_level": 0.3, "duration": 5}
    assert await hands.do(loud, "siren.turn_off") is CHANGED
    # A siren that was silenced is not set off again.
    assert await hands.put_back(loud, before) == []
    off = hands.values(loud)
    assert await hands.do(loud, "siren.turn_on", **how) is CHANGED
    assert await hands.put_back(loud, off) == ["siren.turn_off"]
    problem = hands.problem(plain, "siren.turn_on", tone="fire")
    assert problem is not None
    assert problem.field == "tone"


async def test_remotes(hass: HomeAssistant) -> None:
    await demo(hass, Platform.REMOTE)
    hands = await Hands.of(hass, "remote.remote_one")
    before = hands.values("remote.remote_one")
    assert await hands.do("remote.remote_one", "remote.turn_on") is CHANGED
    assert await hands.put_back("remote.remote_one", before) == ["remote.turn_off"]


async def test_cameras(hass: HomeAssistant) -> None:
    assert int(CameraEntityFeature.ON_OFF) == CAMERA_ON_OFF
    await demo(hass, Platform.CAMERA)
    name = "camera.demo_camera"
    hands = await Hands.of(hass, name)
    before = hands.values(name)
    assert before == {"motion_detection": False}
    assert await hands.do(name, "camera.enable_motion_detection") is CHANGED
    assert await hands.do(name, "camera.enable_motion_detection") is ALREADY_SO
    assert await hands.do(name, "camera.turn_off") is UNVERIFIED
    assert await hands.do(name, "camera.turn_on") is UNVERIFIED
    assert await hands.put_back(name, before) == ["camera.disable_motion_detection"]
    assert hands.values(name) == before


LOWER = "text.text_with_only_lower_case_characters"


async def test_texts(hass: HomeAssistant) -> None:
    await demo(hass, Platform.TEXT)
    assert await async_setup_component(
        hass, "input_text", {"input_text": {"note": {"initial": "milk"}}}
    )
    names = ("text.text", "text.password", "input_text.note", LOWER)
    hands = await Hands.of(hass, *names)
    before = hands.values("text.text")
    assert before == {"value": "Hello world"}
    assert await hands.do("text.text", "text.set_value", value="on") is CHANGED
    assert await hands.put_back("text.text", before) == ["text.set_value"]
    note = "input_text.set_value"
    assert await hands.do("input_text.note", note, value="bread") is CHANGED
    done = await hands.do(LOWER, "text.set_value", value="LOUD")
    assert done is FAILED
    # A password is neither read nor written: it would be in the record.
    assert hands.values("text.password") == {}
    assert hands.problem("text.password", "text.set_value", value="x") is not None


@pytest.mark.parametrize("action", ["media_next_track", "media_previous_track"])
async def test_tracks(hass: HomeAssistant, action: str) -> None:
    await demo(hass, Platform.MEDIA_PLAYER)
    name = "media_player.walkman"
    hands = await Hands.of(hass, name)
    assert await hands.do(name, f"media_player.{action}") is UNVERIFIED
    assert hass.states.get(name) is not None
