"""Sentences to plans: what is asked for, of which devices, and what is not clear."""

from collections.abc import AsyncIterator
from typing import Any

from homeassistant.components.conversation import (
    HOME_ASSISTANT_AGENT,
    ConversationInput,
    async_get_agent,
)
from homeassistant.components.conversation.default_agent import DefaultAgent
from homeassistant.const import EVENT_CALL_SERVICE
from homeassistant.core import Context, Event, HomeAssistant, callback
from homeassistant.helpers import area_registry as ar, entity_registry as er
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
import pytest

from custom_components.hearthnet.core.devices import Principal
from custom_components.hearthnet.core.domains import OPERATIONS
from custom_components.hearthnet.core.intents import (
    Action,
    Origin,
    Plan,
    PlanKind,
    Request,
)
from custom_components.hearthnet.core.operations import check_parameters
from custom_components.hearthnet.core.planner import Situation
from custom_components.hearthnet.core.reasons import Reason
from custom_components.hearthnet.house import HassHouse
from custom_components.hearthnet.planner_sentences import (
    SentenceExplainer,
    SentencePlanner,
    answered_by_home_assistant,
)

from .home import device_id, expose, group, lamp, place, set_up

ANA = Principal(kind="user", id="ana", name="Ana")


class Home:
    """A home with the two planners, the sure one and the last one."""

    def __init__(self, hass: HomeAssistant, house: HassHouse) -> None:
        self.hass = hass
        self.house = house
        self.situation = Situation(house=house, now=dt_util.now())
        self.sure = SentencePlanner(hass, house)
        self.last = SentenceExplainer(hass, house)

    def request(self, text: str, **fields: Any) -> Request:
        return Request(text=text, principal=ANA, origin=Origin.APP, **fields)

    async def plan(self, text: str, **fields: Any) -> Plan | None:
        return await self.sure.plan(self.request(text, **fields), self.situation)

    async def unclear(self, text: str, **fields: Any) -> Plan:
        """Return what is said when neither planner knows what to do."""
        request = self.request(text, **fields)
        assert await self.sure.plan(request, self.situation) is None
        plan = await self.last.plan(request, self.situation)
        assert plan is not None
        assert plan.kind is PlanKind.UNCLEAR
        assert plan.actions == ()
        return plan

    async def actions(self, text: str, **fields: Any) -> list[tuple[Any, ...]]:
        """Return (operation, entity ids, values) of each action."""
        plan = await self.plan(text, **fields)
        assert plan is not None, text
        assert plan.kind is PlanKind.COMMAND
        assert plan.source == "sentences"
        return [self.short(action) for action in plan.actions]

    def short(self, action: Action) -> tuple[Any, ...]:
        row = OPERATIONS[action.operation]
        if not action.relative:
            assert check_parameters(row, action.parameters) is None
        entities = tuple(sorted(self.house.entity_id(t) or "" for t in action.targets))
        values = dict(action.parameters) or dict(action.relative) or None
        return action.operation, entities, values


@pytest.fixture
async def home(hass: HomeAssistant) -> AsyncIterator[Home]:
    nothing: list[dict[str, Any]] = []
    await set_up(
        hass,
        [lamp("desk"), lamp("ceiling"), lamp("hall_light"), lamp("porch")],
        lock=[
            {
                "name": "Front door",
                "unique_id": "front",
                "default_entity_id": "lock.front_door",
                "state": "{{ 'locked' }}",
                "lock": nothing,
                "unlock": nothing,
            }
        ],
        cover=[
            {
                "name": name,
                "unique_id": name,
                "default_entity_id": f"cover.{name.lower().replace(' ', '_')}",
                "device_class": kind,
                "position": "{{ 50 }}",
                "open_cover": nothing,
                "close_cover": nothing,
                "stop_cover": nothing,
                "set_cover_position": nothing,
            }
            for name, kind in (("Garage door", "garage"), ("Office blind", "blind"))
        ],
        fan=[
            {
                "name": "Breeze",
                "unique_id": "breeze",
                "default_entity_id": "fan.breeze",
                "state": "{{ 'on' }}",
                "percentage": "{{ 50 }}",
                "turn_on": nothing,
                "turn_off": nothing,
                "set_percentage": nothing,
            }
        ],
    )
    registry = er.async_get(hass)
    thermostat = registry.async_get_or_create(
        "climate", "heat", "1", object_id_base="thermostat", original_name="Thermostat"
    )
    hass.states.async_set(
        thermostat.entity_id,
        "heat",
        {"temperature": 20, "supported_features": 385, "friendly_name": "Thermostat"},
    )
    for name, state in (("Radio", "playing"), ("Speaker", "paused")):
        entry = registry.async_get_or_create(
            "media_player", "play", name, object_id_base=name, original_name=name
        )
        hass.states.async_set(
            entry.entity_id,
            state,
            {
                "volume_level": 0.4,
                "supported_features": 1 | 4 | 8 | 16384,
                "friendly_name": name,
            },
        )
    registry.async_update_entity("light.desk", aliases=[er.COMPUTED_NAME, "Work lamp"])
    place(hass, "Office", "light.desk", "light.ceiling", "cover.office_blind")
    place(hass, "Office", "media_player.radio", "media_player.speaker", "fan.breeze")
    place(hass, "Office", "climate.thermostat", floor="Upstairs")
    place(hass, "Outside", "light.porch", "cover.garage_door")
    place(hass, "Hallway", "light.hall_light", "lock.front_door")
    expose(hass, "lock.front_door", "climate.thermostat")
    expose(hass, "media_player.radio", "media_player.speaker")
    assert await async_setup_component(hass, "conversation", {})
    assert await async_setup_component(hass, "intent", {})
    await hass.async_block_till_done()
    house = HassHouse(hass)
    await house.async_start()

    called: list[Event] = []

    @callback
    def record(event: Event) -> None:
        called.append(event)

    hass.bus.async_listen(EVENT_CALL_SERVICE, record)
    yield Home(hass, house)
    assert called == []  # whatever is asked, planning moves nothing


NONE = None


ENGLISH: list[tuple[str, list[tuple[Any, ...]]]] = [
    ("turn on the desk", [("light.turn_on", ("light.desk",), NONE)]),
    ("Turn off the work lamp.", [("light.turn_off", ("light.desk",), NONE)]),
    ("can you turn on the desk please", [("light.turn_on", ("light.desk",), NONE)]),
    (
        "turn off the lights in the office",
        [("light.turn_off", ("light.ceiling", "light.desk"), NONE)],
    ),
    (
        "turn off the lights upstairs",
        [("light.turn_off", ("light.ceiling", "light.desk"), NONE)],
    ),
    (
        "turn off all the lights everywhere",
        [
            (
                "light.turn_off",
                (
                    *("light.ceiling", "light.desk", "light.hall_light"),
                    "light.porch",
                ),
                NONE,
            )
        ],
    ),
    ("lock the front door", [("lock.lock", ("lock.front_door",), NONE)]),
    ("unlock the front door", [("lock.unlock", ("lock.front_door",), NONE)]),
    ("open the garage door", [("cover.open_cover", ("cover.garage_door",), NONE)]),
    ("close the garage door", [("cover.close_cover", ("cover.garage_door",), NONE)]),
    (
        "set the garage door to 30%",
        [
            (
                "cover.set_cover_position",
                ("cover.garage_door",),
                {"position": 30},
            )
        ],
    ),
    (
        "set the garage door to 0%",
        [("cover.close_cover", ("cover.garage_door",), NONE)],
    ),
    (
        "set desk brightness to 40%",
        [("light.turn_on", ("light.desk",), {"brightness_pct": 40})],
    ),
    (
        "set desk brightness to 0%",
        [("light.turn_off", ("light.desk",), NONE)],
    ),
    (
        "set the brightness of the office to 20 percent",
        [
            (
                "light.turn_on",
                ("light.ceiling", "light.desk"),
                {"brightness_pct": 20},
            )
        ],
    ),
    (
        "make the desk red",
        [("light.turn_on", ("light.desk",), {"rgb_color": [255, 0, 0]})],
    ),
    (
        "set the radio volume to 30%",
        [("media_player.volume_set", ("media_player.radio",), {"volume_level": 0.3})],
    ),
    (
        "pause the radio",
        [("media_player.media_pause", ("media_player.radio",), NONE)],
    ),
    (
        "mute the radio",
        [
            (
                "media_player.volume_mute",
                ("media_player.radio",),
                {"is_volume_muted": True},
            )
        ],
    ),
    (
        "set the thermostat to 21 degrees",
        [
            (
                "climate.set_temperature",
                ("climate.thermostat",),
                {"temperature": 21},
            )
        ],
    ),
    (
        "set the breeze to 70%",
        [("fan.set_percentage", ("fan.breeze",), {"percentage": 70})],
    ),
    ("stop the office blind", [("cover.stop_cover", ("cover.office_blind",), NONE)]),
    ("toggle the desk", [("light.turn_on", ("light.desk",), NONE)]),
    ("toggle the radio", [("media_player.media_pause", ("media_player.radio",), NONE)]),
    (
        "set the desk color temperature to 2700 kelvin",
        [("light.turn_on", ("light.desk",), {"color_temp_kelvin": 2700})],
    ),
    ("set the breeze to 0%", [("fan.turn_off", ("fan.breeze",), NONE)]),
    (
        "pause the music in the office",
        [("media_player.media_pause", ("media_player.radio",), NONE)],
    ),
    # Several things at once.
    (
        "turn on the desk and the ceiling",
        [
            ("light.turn_on", ("light.desk",), NONE),
            ("light.turn_on", ("light.ceiling",), NONE),
        ],
    ),
    (
        "turn the desk, the porch and the ceiling off",
        [
            ("light.turn_off", ("light.desk",), NONE),
            ("light.turn_off", ("light.porch",), NONE),
            ("light.turn_off", ("light.ceiling",), NONE),
        ],
    ),
    (
        "turn off the desk and open the garage door",
        [
            ("light.turn_off", ("light.desk",), NONE),
            ("cover.open_cover", ("cover.garage_door",), NONE),
        ],
    ),
]


async def test_english(home: Home) -> None:
    # One home for all: Home Assistant needs a second to load its sentences.
    for text, expected in ENGLISH:
        assert await home.actions(text) == expected, text


OTHER_LANGUAGES: list[tuple[str, str, tuple[Any, ...]]] = [
    (
        "Schalte das Licht im Office aus",
        "de",
        ("light.turn_off", ("light.ceiling", "light.desk"), NONE),
    ),
    ("Mach Desk an", "de-AT", ("light.turn_on", ("light.desk",), NONE)),
    (
        "Dimme Desk auf 40 Prozent",
        "de",
        ("light.turn_on", ("light.desk",), {"brightness_pct": 40}),
    ),
    ("打开Desk", "zh-CN", ("light.turn_on", ("light.desk",), NONE)),
    ("Allume Desk", "fr", ("light.turn_on", ("light.desk",), NONE)),
    ("Éteins Desk", "fr-CA", ("light.turn_off", ("light.desk",), NONE)),
    (
        "Règle la luminosité de Desk à 70 %",
        "fr",
        ("light.turn_on", ("light.desk",), {"brightness_pct": 70}),
    ),
    ("Stoppe Office blind", "de", ("cover.stop_cover", ("cover.office_blind",), NONE)),
    ("Schalte Desk um", "de", ("light.turn_on", ("light.desk",), NONE)),
    ("停下Office blind", "zh", ("cover.stop_cover", ("cover.office_blind",), NONE)),
    ("切换Desk", "zh", ("light.turn_on", ("light.desk",), NONE)),
    ("Arrête Office blind", "fr", ("cover.stop_cover", ("cover.office_blind",), NONE)),
    ("Bascule Desk", "fr", ("light.turn_on", ("light.desk",), NONE)),
    ("Detén Office blind", "es", ("cover.stop_cover", ("cover.office_blind",), NONE)),
    ("Alterna Desk", "es", ("light.turn_on", ("light.desk",), NONE)),
    ("Verrouille Front door", "fr", ("lock.lock", ("lock.front_door",), NONE)),
    (
        "Éteins tout dans Hallway",
        "fr",
        ("light.turn_off", ("light.hall_light",), NONE),
    ),
    (
        "ouvre tous les volets",
        "fr",
        ("cover.open_cover", ("cover.office_blind",), NONE),
    ),
    ("Enciende Desk", "es", ("light.turn_on", ("light.desk",), NONE)),
    ("Apaga Desk", "es-MX", ("light.turn_off", ("light.desk",), NONE)),
    (
        "Pon el brillo de Desk al 35 %",
        "es",
        ("light.turn_on", ("light.desk",), {"brightness_pct": 35}),
    ),
    ("Bloquea Front door", "es", ("lock.lock", ("lock.front_door",), NONE)),
    ("Desbloquea Front door", "es", ("lock.unlock", ("lock.front_door",), NONE)),
    ("Apaga todo en Hallway", "es", ("light.turn_off", ("light.hall_light",), NONE)),
    (
        "cierra todas las persianas",
        "es",
        ("cover.close_cover", ("cover.office_blind",), NONE),
    ),
]


async def test_other_languages(home: Home) -> None:
    for text, language, expected in OTHER_LANGUAGES:
        assert await home.actions(text, language=language) == [expected], text


NOTHING_FITS = (
    *("set the volume in the hallway to 30%", "louder in the hallway"),
    "make it warmer in the hallway",
    *("set the hallway color temperature to 3000 kelvin",),
    *("open the blinds in the hallway", "pause the music in the hallway"),
    *("keep the volume of the music in the hallway below 30%",),
    *("keep the lights in the hallway below 30%",),
)


async def test_a_room_without_such_a_thing(home: Home) -> None:
    """What is not in the room named is taken from no other."""
    for text in NOTHING_FITS:
        plan = await home.plan(text)
        if plan is None:
            plan = await home.last.plan(home.request(text), home.situation)
        assert plan is None or plan.actions == (), text


# Where it was said


async def test_here_is_where_it_was_said(home: Home) -> None:
    expected = [("light.turn_off", ("light.ceiling", "light.desk"), NONE)]
    assert await home.actions("turn off the lights", area="Office") == expected
    plan = await home.plan("turn off the lights", area="Office")
    assert plan is not None
    assert plan.actions[0].why == "in Office, where the request came from"


async def test_here_without_a_place_is_asked_about(home: Home) -> None:
    plan = await home.unclear("turn off the lights")
    assert plan.reason is Reason.AMBIGUOUS
    assert plan.near == ("Hallway", "Office", "Outside")
    # The answer is taken for the room of what was said before.
    turns = (("user", "turn off the lights"), ("assistant", "Which one?"))
    expected = [("light.turn_off", ("light.ceiling", "light.desk"), NONE)]
    assert await home.actions("in the office, please", turns=turns) == expected
    assert await home.plan("in the cellar", turns=turns) is None
    assert await home.plan("Office") is None
    told = (("user", "turn off the lights"), ("assistant", "Done."))
    assert await home.plan("Office", turns=told) is None


async def test_relative_without_a_place_is_asked_about_too(home: Home) -> None:
    home.hass.states.async_set("input_boolean.desk", "on")
    await home.hass.async_block_till_done()
    plan = await home.plan("make it brighter")
    assert plan is not None
    assert (plan.kind, plan.reason) == (PlanKind.UNCLEAR, Reason.AMBIGUOUS)
    assert plan.near == ("Hallway", "Office", "Outside")
    # The players are in one room only.
    plan = await home.plan("a bit louder")
    assert plan is not None
    assert [home.short(action) for action in plan.actions] == [
        ("media_player.volume_set", ("media_player.radio",), {"volume_level": 10})
    ]
    plan = await home.last.plan(home.request("set the volume to 20%"), home.situation)
    assert plan is not None
    assert plan.kind is PlanKind.COMMAND
    assert plan.actions[0].parameters == {"volume_level": 0.2}


async def test_unknown_places_are_not_the_house(home: Home) -> None:
    """D04: no such area, no action, near names offered."""
    plan = await home.unclear("turn on the bathroom lights")
    assert plan.reason is Reason.UNKNOWN_TARGET
    plan = await home.unclear("turn on the bathroom fan", area="Office")
    assert plan.reason is Reason.UNKNOWN_TARGET
    plan = await home.unclear("turn on the lights in the offis")
    assert (plan.reason, plan.near) == (Reason.UNKNOWN_TARGET, ("Office",))
    plan = await home.unclear("turn on the porsch")
    assert (plan.reason, plan.near) == (Reason.UNKNOWN_TARGET, ("Porch",))
    plan = await home.unclear("turn off the lights in the bathroom")
    assert plan.reason is Reason.UNKNOWN_TARGET


@pytest.fixture
async def three(hass: HomeAssistant) -> Home:
    """Three rooms, each with an entity named "Lights"."""
    await set_up(hass, [lamp(key) for key in ("garage", "kitchen", "attic")])
    registry = er.async_get(hass)
    for key in ("garage", "kitchen", "attic"):
        registry.async_update_entity(f"light.{key}", name="Lights")
        place(hass, key.capitalize(), f"light.{key}")
    assert await async_setup_component(hass, "conversation", {})
    assert await async_setup_component(hass, "intent", {})
    await hass.async_block_till_done()
    house = HassHouse(hass)
    await house.async_start()
    return Home(hass, house)


async def test_one_name_in_three_rooms(three: Home) -> None:
    """D05: only the satellite's room; without a room it is asked about."""
    plan = await three.plan("turn off the lights", area="Garage")
    assert plan is not None
    assert [three.short(a) for a in plan.actions] == [
        ("light.turn_off", ("light.garage",), NONE)
    ]
    plan = await three.plan("turn off the lights")
    assert plan is not None
    assert (plan.kind, plan.reason) == (PlanKind.UNCLEAR, Reason.AMBIGUOUS)
    assert plan.near == ("Attic", "Garage", "Kitchen")
    assert plan.actions == ()
    turns = (("user", "turn off the lights"), ("assistant", "Which one?"))
    assert await three.actions("the kitchen", turns=turns) == [
        ("light.turn_off", ("light.kitchen",), NONE)
    ]


# Questions


async def test_a_question_makes_no_actions(home: Home) -> None:
    """D03: the answer is read live; nothing is proposed."""
    for text in (
        "is the hall light on",
        "is the hall light on?",
        "what is the state of the hall light",
    ):
        plan = await home.plan(text)
        assert plan is not None
        assert plan.kind is PlanKind.QUESTION
        assert plan.actions == ()
        assert plan.asked == (device_id(home.hass, "light.hall_light"),)


async def test_a_word_that_names_the_kind(home: Home) -> None:
    plan = await home.plan("is the desk lamp on")
    assert plan is not None
    assert (plan.kind, plan.actions) == (PlanKind.QUESTION, ())
    assert plan.asked == (device_id(home.hass, "light.desk"),)


async def test_which_ones(home: Home) -> None:
    home.hass.states.async_set("input_boolean.desk", "on")
    await home.hass.async_block_till_done()
    plan = await home.plan("which lights are on")
    assert plan is not None
    assert plan.asked == (device_id(home.hass, "light.desk"),)
    plan = await home.plan("are any lights on in the hallway")
    assert plan is not None
    assert (plan.kind, plan.asked) == (PlanKind.QUESTION, ())
    assert plan.say == "None of them."


# Relative


RELATIVE: list[tuple[str, str, tuple[str, str, float]]] = [
    ("make the desk a bit brighter", "en", ("light.desk", "brightness_pct", 10)),
    ("desk 25 % brighter", "en", ("light.desk", "brightness_pct", 25)),
    ("dim the desk", "en", ("light.desk", "brightness_pct", -10)),
    ("turn the desk down by 30 percent", "en", ("light.desk", "brightness_pct", -30)),
    ("brighter", "en", ("light.desk", "brightness_pct", 10)),
    (
        "make the light in the office darker",
        "en",
        ("light.desk", "brightness_pct", -10),
    ),
    ("mach Desk heller", "de", ("light.desk", "brightness_pct", 10)),
    ("etwas dunkler", "de", ("light.desk", "brightness_pct", -10)),
    ("dimme das Licht um 20 Prozent", "de", ("light.desk", "brightness_pct", -20)),
    ("把Desk调亮一点", "zh", ("light.desk", "brightness_pct", 10)),
    ("灯调暗20%", "zh", ("light.desk", "brightness_pct", -20)),
    ("turn up the volume", "en", ("media_player.radio", "volume_level", 10)),
    ("10% louder", "en", ("media_player.radio", "volume_level", 10)),
    ("make the speaker quieter", "en", ("media_player.speaker", "volume_level", -10)),
    ("leiser", "de", ("media_player.radio", "volume_level", -10)),
    ("Radio 20 Prozent lauter", "de", ("media_player.radio", "volume_level", 20)),
    ("音量大一点", "zh", ("media_player.radio", "volume_level", 10)),
    ("make it warmer", "en", ("climate.thermostat", "temperature", 1)),
    ("2 degrees colder", "en", ("climate.thermostat", "temperature", -2)),
    ("zwei Grad wärmer", "de", ("climate.thermostat", "temperature", 2)),
    ("温度调高一点", "zh", ("climate.thermostat", "temperature", 1)),
    ("mets Desk un peu plus clair", "fr", ("light.desk", "brightness_pct", 10)),
    ("un peu plus sombre", "fr", ("light.desk", "brightness_pct", -10)),
    (
        "augmente la luminosité de Desk de 20 %",
        "fr",
        ("light.desk", "brightness_pct", 20),
    ),
    ("moins fort", "fr", ("media_player.radio", "volume_level", -10)),
    ("monte le son", "fr", ("media_player.radio", "volume_level", 10)),
    ("deux degrés de moins", "fr", ("climate.thermostat", "temperature", -2)),
    ("pon Desk un poco más claro", "es", ("light.desk", "brightness_pct", 10)),
    ("más oscuro", "es", ("light.desk", "brightness_pct", -10)),
    ("sube el brillo de Desk un 20 %", "es", ("light.desk", "brightness_pct", 20)),
    ("baja el volumen", "es", ("media_player.radio", "volume_level", -10)),
    ("música más alta", "es", ("media_player.radio", "volume_level", 10)),
    ("dos grados más", "es", ("climate.thermostat", "temperature", 2)),
]


async def test_relative(home: Home) -> None:
    home.hass.states.async_set("input_boolean.desk", "on")
    await home.hass.async_block_till_done()
    for text, language, (entity_id, parameter, points) in RELATIVE:
        actions = await home.actions(text, language=language, area="Office")
        ((operation, entities, values),) = actions
        assert operation.partition(".")[0] == entity_id.partition(".")[0], text
        assert (entities, values) == ((entity_id,), {parameter: points}), text


async def test_a_range_that_a_person_named(home: Home) -> None:
    home.hass.states.async_set("input_boolean.desk", "on")
    home.hass.states.async_set("input_number.desk", "204")
    await home.hass.async_block_till_done()
    plan = await home.plan("keep the lights in the office below 60 %")
    assert plan is not None
    (action,) = plan.actions
    assert action.targets == (device_id(home.hass, "light.desk"),)
    assert action.parameters == {"brightness_pct": 60}
    assert action.ranges == {"brightness_pct": (None, 60)}
    # What is inside the range stays where it is.
    plan = await home.plan(
        "halte das Licht unter 90 Prozent", language="de", area="Office"
    )
    assert plan is not None
    assert plan.actions[0].parameters == {"brightness_pct": 80}
    plan = await home.plan("keep the volume below 30%", area="Office")
    assert plan is not None
    assert {tuple(a.parameters.items()) for a in plan.actions} == {
        (("volume_level", 0.3),)
    }


# What must not happen


async def test_everything_off_unlocks_nothing(home: Home) -> None:
    place(home.hass, "Hallway", "cover.garage_door")
    assert await home.actions("turn everything off in the hallway") == [
        ("light.turn_off", ("light.hall_light",), NONE)
    ]
    assert await home.actions("mach im Hallway alles aus", language="de") == [
        ("light.turn_off", ("light.hall_light",), NONE)
    ]


async def test_what_is_not_exposed_is_unknown(home: Home) -> None:
    expose(home.hass, "light.porch", exposed=False)
    await home.hass.async_block_till_done()
    plan = await home.unclear("turn on the porch")
    assert plan.reason is Reason.UNKNOWN_TARGET
    assert "Porch" not in plan.near


async def test_scripts_and_scenes_are_no_devices(home: Home) -> None:
    assert await async_setup_component(
        home.hass, "script", {"script": {"boom": {"alias": "Boom", "sequence": []}}}
    )
    await home.hass.async_block_till_done()
    expose(home.hass, "script.boom")
    await home.hass.async_block_till_done()
    plan = await home.unclear("run boom")
    assert plan.actions == ()


async def test_a_group_is_told_once(home: Home) -> None:
    await group(home.hass, "light", "Ceiling and desk", ["light.desk", "light.ceiling"])
    place(home.hass, "Office", "light.ceiling_and_desk")
    await home.hass.async_block_till_done()
    assert await home.actions("turn on the lights in the office") == [
        ("light.turn_on", ("light.ceiling_and_desk",), NONE)
    ]
    # One that reaches beyond the room is not the room's.
    place(home.hass, "Outside", "light.desk")
    await home.hass.async_block_till_done()
    assert await home.actions("turn on the lights in the office") == [
        ("light.turn_on", ("light.ceiling",), NONE)
    ]


async def test_not_for_this_planner(home: Home) -> None:
    for text in (
        *("tell me a joke", "what time is it", "play something nice", "", "be nice"),
        *("turn off the lights in 5 minutes", "set a timer for 5 minutes"),
    ):
        assert await home.plan(text, area="Office") is None, text


async def test_chatter_names_no_device(home: Home) -> None:
    plan = await home.last.plan(home.request("tell me a joke"), home.situation)
    assert plan is None or plan.reason is Reason.NOT_UNDERSTOOD


HARMLESS = (
    ("what time is it", True),
    ("set a timer for 5 minutes", True),
    ("is the front contact open", True),
    ("turn off the lights in 5 minutes", False),
    ("turn on the desk", False),
    ("is the desk on", False),
)


async def test_what_home_assistant_may_answer(home: Home) -> None:
    """Questions about what is no device, clocks and lists; nothing that moves."""
    registry = er.async_get(home.hass)
    entry = registry.async_get_or_create(
        "binary_sensor", "doors", "1", object_id_base="front_contact"
    )
    home.hass.states.async_set(
        entry.entity_id,
        "on",
        {"device_class": "door", "friendly_name": "Front contact"},
    )
    agent = async_get_agent(home.hass, HOME_ASSISTANT_AGENT)
    assert isinstance(agent, DefaultAgent)
    registry.async_update_entity(entry.entity_id, name="Front contact")
    expose(home.hass, entry.entity_id)
    await home.hass.async_block_till_done()
    for text, harmless in HARMLESS:
        spoken = ConversationInput(
            text, Context(), None, None, None, "en", HOME_ASSISTANT_AGENT
        )
        result = await agent.async_recognize_intent(spoken)
        assert result is not None
        assert answered_by_home_assistant(home.house, result) is harmless, text


async def test_areas_by_their_other_names(home: Home) -> None:
    area = ar.async_get(home.hass).async_get_area_by_name("Office")
    assert area is not None
    ar.async_get(home.hass).async_update(area.id, aliases={"Study"})
    await home.hass.async_block_till_done()
    expected = [("light.turn_off", ("light.ceiling", "light.desk"), NONE)]
    assert await home.actions("turn off the lights in the study") == expected
