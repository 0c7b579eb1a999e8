"""Scenes taken apart: each thing in one becomes an action of its own.

Called as a whole, a scene would move things that no lease names and nobody reads
back. What a bridge keeps for itself cannot be taken apart, hence is not offered.
"""

from collections.abc import Iterable, Mapping
from typing import Any, cast

from homeassistant.components.homeassistant.exposed_entities import async_should_expose
from homeassistant.components.homeassistant.scene import (
    DATA_PLATFORM,
    HomeAssistantScene,
)
from homeassistant.core import HomeAssistant, State, callback
from homeassistant.helpers.entity_platform import EntityPlatform
from homeassistant.helpers.intent import (
    MatchTargetsConstraints,
    MatchTargetsPreferences,
    async_match_targets,
)
from homeassistant.util.color import color_hs_to_RGB, color_xy_to_RGB

from .core.intents import Action, Plan, PlanKind
from .core.messages import Json
from .core.reasons import Reason
from .core.restore import ways_back
from .house import ASSISTANT, HassHouse
from .sentences.match import Setting
from .sentences.recognize import Heard, area_of
from .values import values_of

DOMAIN = "scene"


@callback
def scene_of(setting: Setting, heard: Heard) -> Plan | None:
    """Return what a scene's name asks for, None if it names no exposed scene."""
    hass = setting.hass
    states = [
        state
        for state in hass.states.async_all(DOMAIN)
        if async_should_expose(hass, ASSISTANT, state.entity_id)
    ]
    if not states or (name := heard.slots.get("name")) is None:
        return None
    constraints = MatchTargetsConstraints(
        name=name, area_name=heard.slots.get("area"), single_target=True
    )
    area = area_of(hass, setting.request.area)
    preferences = MatchTargetsPreferences(area_id=area.id if area else None)
    result = async_match_targets(hass, constraints, preferences, states)
    if not result.is_match:
        return None
    actions = actions_of(hass, setting.house, result.states[0].entity_id)
    if actions is None:
        return Plan(kind=PlanKind.UNCLEAR, reason=Reason.UNKNOWN_OPERATION)
    return Plan(kind=PlanKind.COMMAND, actions=tuple(actions))


@callback
def actions_of(
    hass: HomeAssistant, house: HassHouse, scene_id: str
) -> list[Action] | None:
    """Return the actions that a scene consists of.

    None if it cannot be taken apart, or holds a thing that HearthNet cannot move: a
    scene that is done in part is not that scene. What is not exposed gets an action
    all the same, so that its refusal is told.
    """
    found: list[Action] = []
    for state in _states(hass, scene_id):
        device = house.device(house.device_id(state.entity_id))
        values = values_of(_with_color_mode(state))
        if device is None or not (ways := ways_back(device, values, values)):
            return None
        found += (
            Action(
                targets=(device.id,),
                operation=operation,
                parameters=parameters,
                why=f"in the scene {_name(hass, scene_id)}",
            )
            for operation, parameters in ways
        )
    return found or None


def _states(hass: HomeAssistant, scene_id: str) -> Iterable[State]:
    """Return the states that a scene of Home Assistant's own gives its entities."""
    platform: EntityPlatform | None = hass.data.get(DATA_PLATFORM)
    entity = platform.entities.get(scene_id) if platform else None
    if entity is None:
        return ()
    return cast(HomeAssistantScene, entity).scene_config.states.values()


def _name(hass: HomeAssistant, scene_id: str) -> str:
    state = hass.states.get(scene_id)
    return state.name if state else scene_id


def _with_color_mode(state: State) -> State:
    """Return a lamp's state with the color mode, which scenes in YAML leave out."""
    attributes: Mapping[str, Any] = state.attributes
    if state.domain != "light" or attributes.get("color_mode"):
        return state
    color: dict[str, Json] = {}
    if attributes.get("color_temp_kelvin"):
        color = {"color_mode": "color_temp"}
    elif rgb := _rgb(attributes):
        color = {"color_mode": "rgb", "rgb_color": list(rgb)}
    return State(state.entity_id, state.state, {**attributes, **color})


def _rgb(attributes: Mapping[str, Any]) -> tuple[int, int, int] | None:
    if rgb := attributes.get("rgb_color"):
        return cast(tuple[int, int, int], tuple(rgb))
    if hs := attributes.get("hs_color"):
        return color_hs_to_RGB(*hs)
    if xy := attributes.get("xy_color"):
        return color_xy_to_RGB(*xy)
    return None
