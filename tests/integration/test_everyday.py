"""What people say in passing, in five languages: what it asks for, and of what."""

# ruff: noqa: RUF001 - Chinese punctuation is meant

from typing import Any

from homeassistant.components.climate import ClimateEntityFeature
from homeassistant.components.cover import CoverEntityFeature
from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er
from homeassistant.setup import async_setup_component
import pytest

from custom_components.hearthnet.core.intents import Plan, PlanKind
from custom_components.hearthnet.core.reasons import Reason
from custom_components.hearthnet.house import HassHouse

from .home import expose, place, set_up
from .test_planner_sentences import Home

DIMMABLE: dict[str, Any] = {
    "supported_color_modes": ["brightness"],
    "color_mode": "brightness",
}
ANY = (
    CoverEntityFeature.OPEN | CoverEntityFeature.CLOSE | CoverEntityFeature.SET_POSITION
)
STANDS: list[tuple[str, str, str, int, dict[str, Any], str]] = [
    # domain, name, state, supported features, other attributes, area
    ("light", "Desk", "on", 0, {**DIMMABLE, "brightness": 128}, "Office"),
    ("light", "Spots", "off", 0, DIMMABLE, "Office"),
    ("light", "Bedside", "off", 0, DIMMABLE, "Bedroom"),
    ("switch", "Pump", "on", 0, {}, "Office"),
    ("switch", "Charger", "off", 0, {}, "Office"),
    (
        "media_player",
        "Radio",
        "playing",
        4 | 128 | 256,
        {"volume_level": 0.4},
        "Office",
    ),
    ("fan", "Breeze", "on", 49, {"percentage": 20}, "Bedroom"),
    (
        "climate",
        "Stove",
        "heat",
        ClimateEntityFeature.TARGET_TEMPERATURE,
        {"temperature": 20, "hvac_modes": ["heat", "off"]},
        "Hallway",
    ),
    (
        "cover",
        "Left blind",
        "open",
        ANY,
        {"device_class": "blind", "current_position": 80},
        "Bedroom",
    ),
    (
        "cover",
        "Carport",
        "closed",
        ANY,
        {"device_class": "garage", "current_position": 0},
        "Garage",
    ),
    ("lock", "Porch", "locked", 0, {}, "Hallway"),
]


@pytest.fixture
async def home(hass: HomeAssistant) -> Home:
    await set_up(hass)
    registry = er.async_get(hass)
    for domain, name, state, supported, attributes, area in STANDS:
        entry = registry.async_get_or_create(
            domain,
            "test",
            name,
            object_id_base=name,
            original_name=name,
            capabilities=attributes,
            supported_features=supported,
        )
        hass.states.async_set(
            entry.entity_id,
            state,
            {**attributes, "supported_features": supported, "friendly_name": name},
        )
        expose(hass, entry.entity_id)
        place(hass, area, entry.entity_id)
    assert await async_setup_component(hass, "conversation", {})
    house = HassHouse(hass)
    await house.async_start()
    return Home(hass, house)


LANGUAGES = ("en", "de", "fr", "es", "zh-CN")
type Wanted = tuple[str, tuple[str, ...], dict[str, Any] | None]

LIGHTER: Wanted = ("light.turn_on", ("light.desk",), {"brightness_pct": 20})
DARKER: Wanted = ("light.turn_on", ("light.desk",), {"brightness_pct": -20})
HALF: Wanted = (
    "light.turn_on",
    ("light.desk", "light.spots"),
    {"brightness_pct": 50},
)
WARMER: Wanted = ("climate.set_temperature", ("climate.stove",), {"temperature": 1})
BIT_DOWN: Wanted = (
    "cover.set_cover_position",
    ("cover.left_blind",),
    {"position": -20},
)
BIT_UP: Wanted = ("cover.set_cover_position", ("cover.left_blind",), {"position": 20})
HALFWAY: Wanted = ("cover.set_cover_position", ("cover.left_blind",), {"position": 50})
OPEN: Wanted = ("cover.open_cover", ("cover.carport",), None)
LOCKED: Wanted = ("lock.lock", ("lock.porch",), None)
TARGET: Wanted = ("climate.set_temperature", ("climate.stove",), {"temperature": 21})
BREEZE: Wanted = ("fan.set_percentage", ("fan.breeze",), {"percentage": 50})
QUIETER: Wanted = (
    "media_player.volume_set",
    ("media_player.radio",),
    {"volume_level": -10},
)
FASTER: Wanted = ("fan.set_percentage", ("fan.breeze",), {"percentage": 30})
KEPT: Wanted = ("switch.turn_on", ("switch.pump",), None)
LEFT_OFF: Wanted = ("switch.turn_off", ("switch.charger",), None)

# One row a wish; a column for each of LANGUAGES. They are said in the office.
SAID: list[tuple[Wanted, tuple[str, str, str, str, str]]] = [
    (
        LIGHTER,
        (
            "it's too dark in here",
            "es ist zu dunkel hier",
            "il fait trop sombre ici",
            "está muy oscuro aquí",
            "这里太暗了",
        ),
    ),
    (
        DARKER,
        (
            "it's too bright in here",
            "hier ist es zu hell",
            "il fait trop clair ici",
            "hay demasiada luz aquí",
            "这里太亮了",
        ),
    ),
    (
        HALF,
        (
            "lights at half",
            "Licht auf die Hälfte",
            "lumière à moitié",
            "luz a la mitad",
            "灯光调到一半",
        ),
    ),
    (
        WARMER,
        ("I'm cold", "mir ist kalt", "j'ai froid", "tengo frío", "我有点冷"),
    ),
    (
        BIT_DOWN,
        (
            "close the left blind a bit",
            "mach Left blind ein bisschen zu",
            "ferme un peu Left blind",
            "baja un poco Left blind",
            "把Left blind关一点",
        ),
    ),
    (
        BIT_UP,
        (
            "open the blinds in the bedroom a little",
            "mach die Rollläden in Bedroom etwas auf",
            "ouvre un peu les volets dans Bedroom",
            "sube un poco las persianas en Bedroom",
            "把Bedroom的窗帘打开一点",
        ),
    ),
    (
        HALFWAY,
        (
            "open the left blind halfway",
            "Left blind halb runter",
            "ferme Left blind à moitié",
            "cierra Left blind a la mitad",
            "把Left blind关一半",
        ),
    ),
    (
        OPEN,
        (
            "open the garage",
            "mach die Garage auf",
            "ouvre le garage",
            "abre el garaje",
            "打开车库",
        ),
    ),
    (
        LOCKED,
        (
            "lock the door",
            "schließ die Tür ab",
            "verrouille la porte",
            "cierra la puerta con llave",
            "锁门",
        ),
    ),
    (
        TARGET,
        (
            "set the heating to 21",
            "stell die Heizung auf 21 Grad",
            "mets le chauffage à 21 degrés",
            "pon la calefacción a 21 grados",
            "暖气调到21度",
        ),
    ),
    (
        BREEZE,
        (
            "set the fan in the bedroom to 50%",
            "stell den Ventilator in Bedroom auf 50 Prozent",
            "mets le ventilateur dans Bedroom à 50 %",
            "pon el ventilador en Bedroom al 50 por ciento",
            "把Bedroom的风扇调到50%",
        ),
    ),
    (
        QUIETER,
        (
            "turn the radio down a bit",
            "dreh Radio etwas runter",
            "baisse un peu le son de Radio",
            "baja Radio un poco",
            "把Radio调低一点",
        ),
    ),
    (
        FASTER,
        (
            "turn up the breeze by 30 percent",
            "mach Breeze höher um 30 Prozent",
            "monte Breeze de 30 %",
            "sube Breeze en 30 %",
            "",
        ),
    ),
    (
        KEPT,
        (
            "don't turn off the pump tonight",
            "mach Pump heute Nacht nicht aus",
            "n'éteins pas Pump cette nuit",
            "no apagues Pump esta noche",
            "今晚不要关Pump",
        ),
    ),
    (
        KEPT,
        (
            "leave the pump on",
            "lass Pump an",
            "laisse Pump allumé",
            "deja encendido Pump",
            "让Pump开着",
        ),
    ),
    (
        LEFT_OFF,
        (
            "don't turn on the charger",
            "mach Charger nicht an",
            "n'allume pas Charger",
            "no enciendas Charger",
            "不要开Charger",
        ),
    ),
]


async def test_wishes(home: Home) -> None:
    wrong = []
    for wanted, texts in SAID:
        for language, text in zip(LANGUAGES, texts, strict=True):
            if not text:
                continue  # that language has no such sentence
            plan = await home.plan(text, language=language, area="Office")
            actions = [home.short(a) for a in plan.actions] if plan else plan
            if actions != [wanted]:
                wrong.append((text, actions, plan and plan.reason))
    assert wrong == [], "\n".join(map(str, wrong))


EVERYTHING: list[Wanted] = [
    ("fan.turn_off", ("fan.breeze",), None),
    ("light.turn_off", ("light.bedside", "light.desk", "light.spots"), None),
    ("media_player.turn_off", ("media_player.radio",), None),
    ("switch.turn_off", ("switch.charger", "switch.pump"), None),
]
ALL_OFF = (
    "turn everything off",
    "mach alles aus",
    "éteins tout",
    "apaga todo",
    "全部关掉",
)
ALL_BUT = (
    "turn everything off except the desk",
    "mach alles aus außer Desk",
    "éteins tout sauf Desk",
    "apaga todo menos Desk",
    "除了Desk全部关掉",
)


async def test_everything_is_the_house_for_who_is_in_no_room(home: Home) -> None:
    for language, text in zip(LANGUAGES, ALL_OFF, strict=True):
        assert await home.actions(text, language=language) == EVERYTHING, text
        here = await home.actions(text, language=language, area="Bedroom")
        off = ("light.turn_off", ("light.bedside",), None)
        assert here == [("fan.turn_off", ("fan.breeze",), None), off], text


async def test_everything_but_one(home: Home) -> None:
    lights = ("light.turn_off", ("light.bedside", "light.spots"), None)
    for language, text in zip(LANGUAGES, ALL_BUT, strict=True):
        actions = await home.actions(text, language=language)
        assert actions == [EVERYTHING[0], lights, *EVERYTHING[2:]], text
    assert await home.actions("turn off all lights except the bedside") == [
        ("light.turn_off", ("light.desk", "light.spots"), None)
    ]


# Questions


WHY = (
    ("why is the desk on?", "who turned on the desk?", "did you turn off the desk"),
    ("warum ist Desk an?", "wer hat Desk angemacht?", "hast du Desk ausgemacht"),
    ("pourquoi Desk est-il allumé ?", "qui a allumé Desk ?", "as-tu éteint Desk"),
    (
        "¿por qué está encendido Desk?",
        "¿quién encendió Desk?",
        "¿quién ha apagado Desk?",
    ),
    ("Desk为什么开着？", "谁打开了Desk？", "谁把Desk关了"),
)
STOVE = (
    "who turned off the heating?",
    "wer hat die Heizung ausgeschaltet?",
    "qui a éteint le chauffage ?",
    "¿quién apagó la calefacción?",
    "谁关了暖气？",
)


def asked(home: Home, plan: Plan | None) -> list[str]:
    """Return what a question is about, by entity id; it wants nothing done."""
    assert plan is not None
    assert (plan.kind, plan.actions) == (PlanKind.QUESTION, ())
    found = {device.id: device.entity_id for device in home.house.devices()}
    return [found[one] for one in plan.asked]


async def test_why(home: Home) -> None:
    for language, texts in zip(LANGUAGES, WHY, strict=True):
        for text in texts:
            plan = await home.plan(text, language=language)
            assert asked(home, plan) == ["light.desk"], text
            assert plan is not None
            assert plan.why, text
    for language, text in zip(LANGUAGES, STOVE, strict=True):
        plan = await home.plan(text, language=language, area="Hallway")
        assert asked(home, plan) == ["climate.stove"], text
    # Without a name it is about those that are on, where it is asked.
    plan = await home.plan("why is the light on?", area="Office")
    assert asked(home, plan) == ["light.desk"]
    plan = await home.plan("why is the light on?")
    assert plan is not None
    assert plan.reason is Reason.AMBIGUOUS


WHAT = (
    "what's on in the office?",
    "was ist in Office an?",
    "qu'est-ce qui est allumé dans Office ?",
    "¿qué está encendido en Office?",
    "Office里什么开着？",
)


async def test_what_is_on(home: Home) -> None:
    on = {"light.desk", "media_player.radio", "switch.pump"}
    for language, text in zip(LANGUAGES, WHAT, strict=True):
        plan = await home.plan(text, language=language)
        assert set(asked(home, plan)) == on, text
    plan = await home.plan("what's on in the garage?")
    assert plan is None or plan.kind is PlanKind.UNCLEAR  # nothing there can be on
    plan = await home.plan("are all the lights off?")
    assert asked(home, plan) == ["light.desk"]
    home.hass.states.async_set("light.desk", "off", DIMMABLE)
    plan = await home.plan("are all the lights off?")
    assert plan is not None
    assert plan.say == "All of them."


WARM = (
    "what's the temperature?",
    "wie warm ist es?",
    "quelle température fait-il ?",
    "¿qué temperatura hace?",
    "现在多少度？",
)


async def test_how_warm_it_is(home: Home) -> None:
    """One thermostat for the home is who is asked, wherever that is."""
    for language, text in zip(LANGUAGES, WARM, strict=True):
        for area in (None, "Hallway", "Office"):
            plan = await home.plan(text, language=language, area=area)
            assert asked(home, plan) == ["climate.stove"], (text, area)


async def test_a_room_without_blinds_takes_none_of_another(home: Home) -> None:
    for text in ("close the blinds a bit", "set the blinds to half"):
        plan = await home.plan(text, area="Office")
        assert plan is None or plan.actions == (), text
    # A garage door is no blind.
    assert await home.plan("open the blinds in the garage a bit") is None


async def test_who_says_not_to_switch_it_off_does_not_say_to_switch_it_on(
    home: Home,
) -> None:
    plan = await home.plan("don't turn off the charger")
    assert asked(home, plan) == ["switch.charger"]
    assert await home.actions("leave the charger on") == [
        ("switch.turn_on", ("switch.charger",), None)
    ]


async def test_a_door_is_not_left_open_by_a_word(home: Home) -> None:
    for text in ("keep the porch off", "leave the carport on", "don't turn on porch"):
        plan = await home.plan(text)
        assert plan is None or plan.actions == (), text


ASKED = (
    ("is it too dark in here?", "is it cold in here?", "are the lights at half?"),
    ("ist es zu dunkel hier?", "Ist es hier zu kalt?", "ist es zu warm"),
    ("fait-il trop sombre ici ?", "il fait froid ici ?", "est-ce qu'il fait chaud ?"),
    ("¿está muy oscuro aquí?", "¿hace frío?", "¿hay demasiada luz aquí?"),
    ("这里太暗了吗？", "我有点冷吗？", "这里太亮了吗"),
)


async def test_who_asks_whether_it_is_dark_gets_no_light(home: Home) -> None:
    wrong = []
    for language, texts in zip(LANGUAGES, ASKED, strict=True):
        for text in texts:
            plan = await home.plan(text, language=language, area="Office")
            if plan is not None and plan.actions:
                wrong.append((text, [home.short(action) for action in plan.actions]))
    assert wrong == []


# Follow-ups


TOO = (
    "the bedside too",
    "Bedside auch",
    "et Bedside",
    "y Bedside también",
    "Bedside也要",
)
BEFORE = (
    "turn on the spots",
    "schalte Spots ein",
    "allume Spots",
    "enciende Spots",
    "打开Spots",
)


async def test_the_same_for_another(home: Home) -> None:
    expected = [("light.turn_on", ("light.bedside",), None)]
    for language, first, text in zip(LANGUAGES, BEFORE, TOO, strict=True):
        turns: tuple[tuple[str, str], ...] = (("user", first), ("assistant", "Done."))
        actions = await home.actions(text, language=language, turns=turns)
        assert actions == expected, text
        assert await home.plan(text, language=language) is None
    said = ("turn on the desk", "the spots too")
    turns = tuple(("user", text) for text in said)
    # It is about what a lamp is, not about everything in that room.
    assert await home.actions("and in the bedroom", turns=turns) == expected


# What cannot be done


async def test_what_a_device_cannot_do_is_not_a_name_that_is_unknown(
    home: Home,
) -> None:
    for text in ("mute the radio", "next track"):
        plan = await home.plan(text, area="Office")
        assert plan is not None, text
        (step,) = plan.dropped
        assert (step.name, step.reason) == ("Radio", Reason.UNSUPPORTED), text
        assert plan.actions == (), text
    plan = await home.plan("turn on the spots and mute the radio")
    assert plan is not None
    assert [home.short(action) for action in plan.actions] == [
        ("light.turn_on", ("light.spots",), None)
    ]
    assert [step.name for step in plan.dropped] == ["Radio"]


@pytest.mark.parametrize(
    ("text", "language", "part"),
    [
        ("thank you", "en", "You are welcome."),
        ("danke", "de", "Gern geschehen."),
        ("merci", "fr", "Je t'en prie."),
        ("gracias", "es", "De nada."),
        ("谢谢", "zh-CN", "不客气。"),
        ("what can you do?", "en", "such as"),
    ],
)
async def test_manners(home: Home, text: str, language: str, part: str) -> None:
    plan = await home.plan(text, language=language)
    assert asked(home, plan) == []
    assert plan is not None
    assert part in (plan.say or "")
