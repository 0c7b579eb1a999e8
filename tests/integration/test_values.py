"""States as control values."""

from typing import Any

from homeassistant.components.alarm_control_panel import AlarmControlPanelState
from homeassistant.components.climate import HVACMode
from homeassistant.components.cover import CoverState
from homeassistant.components.lawn_mower import LawnMowerActivity
from homeassistant.components.lock import LockState
from homeassistant.components.media_player import MediaPlayerState
from homeassistant.components.vacuum import VacuumActivity
from homeassistant.components.valve import ValveState
from homeassistant.components.water_heater import (
    STATE_ECO,
    STATE_ELECTRIC,
    STATE_GAS,
    STATE_HEAT_PUMP,
    STATE_HIGH_DEMAND,
    STATE_PERFORMANCE,
)
from homeassistant.core import State
import pytest

from custom_components.hearthnet.core.devices import Limit
from custom_components.hearthnet.core.messages import Json
from custom_components.hearthnet.core.texts import TABLES
from custom_components.hearthnet.limits import limits_of
from custom_components.hearthnet.values import differences, reading_of, values_of


@pytest.mark.parametrize(
    ("entity_id", "state", "attributes", "values"),
    [
        ("switch.a", "on", {"power": 12.5}, {"state": "on"}),
        ("light.a", "off", {"brightness": None}, {"state": "off"}),
        (
            "light.a",
            "on",
            {"brightness": 140, "color_mode": "brightness"},
            {"state": "on", "brightness_pct": 55},
        ),
        (
            "light.a",
            "on",
            {"brightness": 1, "color_mode": "brightness"},
            {"state": "on", "brightness_pct": 1},
        ),
        (
            "light.a",
            "on",
            {
                "brightness": 255,
                "color_mode": "color_temp",
                "color_temp_kelvin": 2703,
                "rgb_color": (255, 167, 89),
            },
            {"state": "on", "brightness_pct": 100, "color_temp_kelvin": 2703},
        ),
        (
            "light.a",
            "on",
            {"brightness": 255, "color_mode": "xy", "rgb_color": (255, 0, 10)},
            {"state": "on", "brightness_pct": 100, "rgb_color": [255, 0, 10]},
        ),
        (
            "light.a",
            "on",
            {
                "brightness": 255,
                "color_mode": "hs",
                "rgb_color": (1, 2, 3),
                "effect": "colorloop",
            },
            {"state": "on", "brightness_pct": 100, "effect": "colorloop"},
        ),
        (
            "light.a",
            "on",
            {"color_mode": "rgb", "rgb_color": [1, 2, 3], "effect": "off"},
            {"state": "on", "rgb_color": [1, 2, 3]},
        ),
        (
            "media_player.a",
            "playing",
            {"volume_level": 0.30000001, "is_volume_muted": False, "media_title": "x"},
            {"state": "playing", "volume_level": 0.3, "is_volume_muted": False},
        ),
        ("media_player.a", "buffering", {}, {"state": "playing"}),
        (
            "climate.a",
            "heat",
            {
                "temperature": 21.5,
                "current_temperature": 19.0,
                "hvac_action": "heating",
            },
            {"state": "heat", "temperature": 21.5},
        ),
        (
            "cover.a",
            "opening",
            {"current_position": 40},
            {"state": "opening", "current_position": 40},
        ),
        ("fan.a", "off", {"percentage": 0}, {"state": "off"}),
        (
            "fan.a",
            "on",
            {"percentage": 33, "oscillating": True},
            {"state": "on", "percentage": 33, "oscillating": True},
        ),
        ("number.a", "21.5", {}, {"state": 21.5}),
        ("input_number.a", "nonsense", {}, {}),
        ("light.a", "unknown", {}, {}),
        ("light.a", "unavailable", {}, {}),
    ],
)
def test_values(
    entity_id: str, state: str, attributes: dict[str, Any], values: dict[str, Json]
) -> None:
    assert values_of(State(entity_id, state, attributes)) == values


def test_a_reading_is_available_unless_the_device_is_not() -> None:
    assert not reading_of(None).available
    gone = reading_of(State("light.a", "unavailable"))
    assert not gone.available
    assert gone.since is not None
    # MQTT lights without feedback stay unknown, and can be told things all the same.
    assert reading_of(State("light.a", "unknown")).available


@pytest.mark.parametrize(
    ("known", "seen", "changed"),
    [
        (None, {"state": "on"}, {"state"}),
        ({"state": "on"}, {"state": "on"}, set()),
        # A paused player that turns idle is news, though a pause is done by it.
        ({"state": "paused"}, {"state": "idle"}, {"state"}),
        (
            {"state": "on", "brightness_pct": 55},
            {"state": "on", "brightness_pct": 54},
            set(),
        ),
        (
            {"state": "on", "brightness_pct": 55},
            {"state": "off"},
            {"state", "brightness_pct"},
        ),
        ({"rgb_color": [1, 2, 3]}, {"rgb_color": [1, 2, 4]}, {"rgb_color"}),
    ],
)
def test_differences(
    known: dict[str, Json] | None, seen: dict[str, Json], changed: set[str]
) -> None:
    assert differences(known, seen) == changed


def test_home_assistants_states_have_words() -> None:
    """Each state of a domain that HearthNet controls is told in people's words."""
    states = {
        str(state)
        for known in (
            *(AlarmControlPanelState, HVACMode, CoverState, LawnMowerActivity),
            *(LockState, MediaPlayerState, VacuumActivity, ValveState),
            (STATE_ECO, STATE_ELECTRIC, STATE_GAS, STATE_HEAT_PUMP),
            (STATE_HIGH_DEMAND, STATE_PERFORMANCE, "on", "off"),
        )
        for state in known
    }
    for language, table in TABLES.items():
        assert states <= set(table.states), language


@pytest.mark.parametrize(
    ("domain", "attributes", "limits"),
    [
        (
            "climate",
            {"min_temp": 7, "max_temp": 35, "target_temp_step": 0.5},
            dict.fromkeys(
                ("temperature", "target_temp_low", "target_temp_high"),
                Limit(7, 35, 0.5),
            ),
        ),
        ("climate", {}, {}),
        ("fan", {"percentage_step": 25.0}, {"percentage": Limit(step=25)}),
        (
            "humidifier",
            {"min_humidity": 30, "max_humidity": 80},
            {"humidity": Limit(30, 80)},
        ),
        (
            "light",
            {"min_color_temp_kelvin": 2000, "max_color_temp_kelvin": None},
            {"color_temp_kelvin": Limit(2000)},
        ),
        ("number", {"min": 1, "max": 9, "step": 2}, {"value": Limit(1, 9, 2, 1)}),
        (
            "input_number",
            {"min": -5, "max": 5, "step": 0},
            {"value": Limit(-5, 5, None, -5)},
        ),
        ("water_heater", {"min_temp": True, "max_temp": "hot"}, {}),
        ("switch", {"min": 1}, {}),
    ],
)
def test_limits(
    domain: str, attributes: dict[str, Any], limits: dict[str, Limit]
) -> None:
    """What an entity's attributes say it can be set to."""
    assert limits_of(domain, attributes) == limits
