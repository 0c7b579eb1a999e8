"""Sentences about robots, alarms, boilers, humidifiers, tracks and all the blinds."""

from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er
from homeassistant.setup import async_setup_component
import pytest

from custom_components.hearthnet.core.intents import PlanKind
from custom_components.hearthnet.core.reasons import Reason
from custom_components.hearthnet.house import HassHouse

from .home import expose, place, set_up
from .test_planner_sentences import Home

NONE = None
STANDS: list[tuple[str, str, str, int, dict[str, Any], str | None]] = [
    # domain, name, state, supported features, other attributes, area
    ("vacuum", "Robbie", "docked", 8192 | 16 | 4 | 8 | 512, {}, "Hallway"),
    ("lawn_mower", "Shaun", "docked", 7, {}, None),
    ("valve", "Garden water", "closed", 15, {"current_position": 0}, "Garden"),
    ("humidifier", "Mist", "on", 1, {"humidity": 40, "mode": "auto"}, "Bedroom"),
    ("water_heater", "Boiler", "eco", 11, {"temperature": 50}, None),
    (
        "alarm_control_panel",
        "House alarm",
        "disarmed",
        3,
        {"code_arm_required": False},
        None,
    ),
    ("media_player", "Radio", "playing", 16 | 32 | 1, {}, "Office"),
    ("button", "Gong", "unknown", 0, {}, None),
    ("cover", "Left blind", "closed", 15, {"device_class": "blind"}, "Office"),
    ("cover", "Right shade", "closed", 15, {"device_class": "shade"}, "Bedroom"),
    ("cover", "Old blind", "closed", 15, {}, "Bedroom"),
    ("cover", "Drapes", "closed", 15, {"device_class": "curtain"}, "Bedroom"),
    ("cover", "Garage", "closed", 15, {"device_class": "garage"}, "Garden"),
    ("fan", "Breeze", "on", 49, {"percentage": 20}, "Office"),
]


@pytest.fixture
async def home(hass: HomeAssistant) -> Home:
    await set_up(hass)
    registry = er.async_get(hass)
    for domain, name, state, supported, attributes, area in STANDS:
        entry = registry.async_get_or_create(
            domain, "test", name, object_id_base=name, original_name=name
        )
        hass.states.async_set(
            entry.entity_id,
            state,
            {**attributes, "supported_features": supported, "friendly_name": name},
        )
        expose(hass, entry.entity_id)
        if area:
            place(hass, area, entry.entity_id)
    assert await async_setup_component(hass, "conversation", {})
    assert await async_setup_component(hass, "intent", {})
    await hass.async_block_till_done()
    house = HassHouse(hass)
    await house.async_start()
    return Home(hass, house)


BLINDS = ("cover.left_blind", "cover.old_blind", "cover.right_shade")
SENTENCES: list[tuple[str, str, tuple[Any, ...]]] = [
    ("start Robbie", "en", ("vacuum.start", ("vacuum.robbie",), NONE)),
    (
        "return Robbie to base",
        "en",
        ("vacuum.return_to_base", ("vacuum.robbie",), NONE),
    ),
    ("find Robbie", "en", ("vacuum.locate", ("vacuum.robbie",), NONE)),
    ("pause Robbie", "en", ("vacuum.pause", ("vacuum.robbie",), NONE)),
    ("mow the lawn", "en", ("lawn_mower.start_mowing", ("lawn_mower.shaun",), NONE)),
    ("stop mowing", "en", ("lawn_mower.dock", ("lawn_mower.shaun",), NONE)),
    (
        "open the garden water",
        "en",
        ("valve.open_valve", ("valve.garden_water",), NONE),
    ),
    (
        "close the garden water",
        "en",
        ("valve.close_valve", ("valve.garden_water",), NONE),
    ),
    (
        "set garden water to 40 percent",
        "en",
        ("valve.set_valve_position", ("valve.garden_water",), {"position": 40}),
    ),
    (
        "set the humidity in the bedroom to 55 percent",
        "en",
        ("humidifier.set_humidity", ("humidifier.mist",), {"humidity": 55}),
    ),
    (
        "set Mist to 45 %",
        "en",
        ("humidifier.set_humidity", ("humidifier.mist",), {"humidity": 45}),
    ),
    (
        "set Mist to sleep mode",
        "en",
        ("humidifier.set_mode", ("humidifier.mist",), {"mode": "sleep"}),
    ),
    (
        "set the boiler to 55 degrees",
        "en",
        ("water_heater.set_temperature", ("water_heater.boiler",), {"temperature": 55}),
    ),
    (
        "arm the alarm",
        "en",
        (
            "alarm_control_panel.alarm_arm_away",
            ("alarm_control_panel.house_alarm",),
            NONE,
        ),
    ),
    (
        "set the alarm to home mode",
        "en",
        (
            "alarm_control_panel.alarm_arm_home",
            ("alarm_control_panel.house_alarm",),
            NONE,
        ),
    ),
    (
        "disarm the house alarm",
        "en",
        (
            "alarm_control_panel.alarm_disarm",
            ("alarm_control_panel.house_alarm",),
            NONE,
        ),
    ),
    (
        "turn off the alarm",
        "en",
        (
            "alarm_control_panel.alarm_disarm",
            ("alarm_control_panel.house_alarm",),
            NONE,
        ),
    ),
    (
        "next track on the radio",
        "en",
        ("media_player.media_next_track", ("media_player.radio",), NONE),
    ),
    (
        "previous track on the radio",
        "en",
        ("media_player.media_previous_track", ("media_player.radio",), NONE),
    ),
    ("press the gong button", "en", ("button.press", ("button.gong",), NONE)),
    (
        "set Breeze to 60 percent",
        "en",
        ("fan.set_percentage", ("fan.breeze",), {"percentage": 60}),
    ),
    ("open all the blinds", "en", ("cover.open_cover", BLINDS, NONE)),
    ("Open all blinds in the house", "en", ("cover.open_cover", BLINDS, NONE)),
    ("raise the shades everywhere", "en", ("cover.open_cover", BLINDS, NONE)),
    ("close all the curtains", "en", ("cover.close_cover", ("cover.drapes",), NONE)),
    ("Öffne alle Rollläden", "de", ("cover.open_cover", BLINDS, NONE)),
    ("Fahr alle Rollos hoch", "de", ("cover.open_cover", BLINDS, NONE)),
    ("Mach alle Vorhänge zu", "de", ("cover.close_cover", ("cover.drapes",), NONE)),
    (
        "Schalte die Alarmanlage scharf",
        "de",
        (
            "alarm_control_panel.alarm_arm_away",
            ("alarm_control_panel.house_alarm",),
            NONE,
        ),
    ),
    (
        "Stell Boiler auf 55 Grad",
        "de",
        ("water_heater.set_temperature", ("water_heater.boiler",), {"temperature": 55}),
    ),
    (
        "Stell Mist auf 50 Prozent",
        "de",
        ("humidifier.set_humidity", ("humidifier.mist",), {"humidity": 50}),
    ),
    ("打开所有窗帘", "zh-CN", ("cover.open_cover", ("cover.drapes",), NONE)),
    (
        "撤防",
        "zh-CN",
        (
            "alarm_control_panel.alarm_disarm",
            ("alarm_control_panel.house_alarm",),
            NONE,
        ),
    ),
]


async def test_sentences(home: Home) -> None:
    wrong = []
    for text, language, expected in SENTENCES:
        plan = await home.plan(text, language=language)
        actions = [home.short(action) for action in plan.actions] if plan else plan
        if actions != [expected]:
            wrong.append((text, actions, plan and plan.reason))
    assert wrong == []


async def test_all_the_blinds_are_no_doors_and_need_no_room(home: Home) -> None:
    """D02: no room is asked for, and none is put in its place."""
    for area in (None, "Office"):
        assert await home.actions("open all the blinds", area=area) == [
            ("cover.open_cover", BLINDS, NONE)
        ]


async def test_no_awning_is_not_all_of_something_else(home: Home) -> None:
    plan = await home.plan("close all the awnings")
    assert plan is None or (
        plan.kind is PlanKind.UNCLEAR and plan.reason is Reason.UNKNOWN_TARGET
    )
