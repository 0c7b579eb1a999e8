"""Scenes are taken apart: each thing is leased, moved and read back by itself."""

from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er
from homeassistant.setup import async_setup_component
import pytest

from custom_components.hearthnet.core.intents import PlanKind
from custom_components.hearthnet.core.reasons import Reason
from custom_components.hearthnet.house import HassHouse
from custom_components.hearthnet.scenes import actions_of

from .home import expose, lamp, set_up, turn
from .test_planner_sentences import Home

SCENES: list[dict[str, Any]] = [
    {
        "name": "Movie time",
        "entities": {
            "light.desk": {"state": "on", "brightness": 26},
            "light.shelf": "off",
            "cover.blind": {"state": "closed"},
            "lock.front": "locked",
        },
    },
    {
        "name": "Colors",
        "entities": {
            "light.desk": {
                "state": "on",
                "brightness": 255,
                "color_temp_kelvin": 2700,
            },
            "light.shelf": {"state": "on", "hs_color": [0, 100]},
        },
    },
    {"name": "Partly", "entities": {"light.desk": "on", "person.anna": "home"}},
]


@pytest.fixture
async def home(hass: HomeAssistant) -> Home:
    nothing: list[dict[str, Any]] = []
    await set_up(
        hass,
        [lamp("desk"), lamp("shelf")],
        cover=[
            {
                "name": "Blind",
                "unique_id": "blind",
                "default_entity_id": "cover.blind",
                "state": "{{ 'open' }}",
                "open_cover": nothing,
                "close_cover": [turn("input_boolean.desk", "turn_off")],
            }
        ],
        lock=[
            {
                "name": "Front",
                "unique_id": "front",
                "default_entity_id": "lock.front",
                "state": "{{ true }}",
                "lock": nothing,
                "unlock": nothing,
            }
        ],
    )
    scene = [{"platform": "homeassistant", **one} for one in SCENES]
    scenes = [{"name": s["name"], "entities": s["entities"]} for s in scene]
    assert await async_setup_component(hass, "scene", {"scene": scenes})
    assert await async_setup_component(hass, "conversation", {})
    assert await async_setup_component(hass, "intent", {})
    expose(hass, "scene.movie_time", "scene.colors", "scene.partly", "lock.front")
    await hass.async_block_till_done()
    house = HassHouse(hass)
    await house.async_start()
    return Home(hass, house)


async def test_a_scene_becomes_an_action_for_each_thing(home: Home) -> None:
    for text in ("activate movie time", "Movie time on", "turn on movie time"):
        assert await home.actions(text) == [
            ("light.turn_on", ("light.desk",), {"brightness_pct": 10}),
            ("light.turn_off", ("light.shelf",), None),
            ("cover.close_cover", ("cover.blind",), None),
            ("lock.lock", ("lock.front",), None),
        ], text


async def test_colors_of_a_scene(home: Home) -> None:
    """In YAML nobody writes the color mode, but it says which color counts."""
    actions = actions_of(home.hass, home.house, "scene.colors")
    assert actions is not None
    assert [dict(action.parameters) for action in actions] == [
        {"brightness_pct": 100, "color_temp_kelvin": 2700},
        {"rgb_color": [255, 0, 0]},
    ]


async def test_a_scene_is_done_whole_or_not_at_all(home: Home) -> None:
    plan = await home.plan("activate partly")
    assert plan is not None
    assert plan.kind is PlanKind.UNCLEAR
    assert plan.reason is Reason.UNKNOWN_OPERATION
    # A lamp that is not exposed is refused by name, not left out in silence.
    expose(home.hass, "light.shelf", exposed=False)
    actions = await home.actions("activate movie time")
    assert ("light.turn_off", ("light.shelf",), None) in actions


async def test_what_a_bridge_keeps_for_itself_is_not_activated(home: Home) -> None:
    entry = er.async_get(home.hass).async_get_or_create(
        "scene", "hue", "1", object_id_base="sunset", original_name="Sunset"
    )
    home.hass.states.async_set(entry.entity_id, "unknown", {"friendly_name": "Sunset"})
    expose(home.hass, entry.entity_id)
    plan = await home.plan("activate sunset")
    assert plan is not None
    assert (plan.kind, plan.actions) == (PlanKind.UNCLEAR, ())


async def test_a_scene_that_is_not_exposed_is_unknown(home: Home) -> None:
    expose(home.hass, "scene.movie_time", exposed=False)
    assert await home.plan("activate movie time") is None
