"""What a family asks and answers over a day, in five languages, without a model."""

# ruff: noqa: RUF001 - Chinese punctuation is meant

from homeassistant.core import HomeAssistant
import pytest

from custom_components.hearthnet.core.intents import PlanKind
from custom_components.hearthnet.core.reasons import Outcome
from custom_components.hearthnet.core.texts import texts_for

from .test_everyday import LANGUAGES, home as home  # noqa: PLC0414 - a fixture
from .test_planner_sentences import Home

type Row = tuple[str, str, str, str, str]

ASKED: list[tuple[tuple[str, ...], Row]] = [
    (
        ("light.desk",),
        (
            "are the lights on?",
            "sind die Lichter an?",
            "est-ce que les lumières sont allumées ?",
            "¿están encendidas las luces?",
            "灯开着吗？",
        ),
    ),
    (
        ("light.desk",),
        (
            "are all the lights off?",
            "sind alle Lichter aus?",
            "est-ce que toutes les lumières sont éteintes ?",
            "¿están apagadas todas las luces?",
            "灯都关了吗？",
        ),
    ),
    (
        ("climate.stove",),
        (
            "is the heating on?",
            "ist die Heizung an?",
            "le chauffage est allumé ?",
            "¿está encendida la calefacción?",
            "暖气开着吗？",
        ),
    ),
    (
        ("light.desk",),
        (
            "how bright is the desk?",
            "wie hell ist Desk?",
            "à combien est Desk ?",
            "¿a cuánto está Desk?",
            "Desk多亮？",
        ),
    ),
    (
        ("cover.left_blind",),
        (
            "is anything open?",
            "ist noch was offen?",
            "est-ce que tout est fermé ?",
            "¿queda algo abierto?",
            "门窗都关好了吗？",
        ),
    ),
]


async def test_questions(home: Home) -> None:
    wrong = []
    for wanted, texts in ASKED:
        for language, text in zip(LANGUAGES, texts, strict=True):
            plan = await home.plan(text, language=language)
            asked = plan and tuple(map(home.house.entity_id, plan.asked))
            if asked != wanted or plan is None or plan.actions:
                wrong.append((text, asked))
    assert wrong == []


async def test_everything_is_shut(home: Home, hass: HomeAssistant) -> None:
    blind = hass.states.get("cover.left_blind")
    assert blind is not None
    hass.states.async_set("cover.left_blind", "closed", blind.attributes)
    plan = await home.plan("is anything open?")
    assert plan is not None
    assert plan.say == texts_for("en").nothing_open
    lock = hass.states.get("lock.porch")
    assert lock is not None
    hass.states.async_set("lock.porch", "unlocked", lock.attributes)
    plan = await home.plan("is everything locked?")
    assert plan is not None
    assert [home.house.entity_id(one) for one in plan.asked] == ["lock.porch"]


WARM: Row = (
    "how warm is it in the hallway?",
    "wie warm ist es im Hallway?",
    "quelle température fait-il dans Hallway ?",
    "¿qué temperatura hace en Hallway?",
    "Hallway温度多少？",
)


async def test_how_warm_it_is_is_what_is_measured(
    home: Home, hass: HomeAssistant
) -> None:
    """Not what is wanted: the target is another number."""
    stove = hass.states.get("climate.stove")
    assert stove is not None
    measured = {**stove.attributes, "current_temperature": 17.5}
    hass.states.async_set("climate.stove", "heat", measured)
    for language, text in zip(LANGUAGES, WARM, strict=True):
        plan = await home.plan(text, language=language)
        assert plan is not None, text
        assert plan.say is not None, text
        assert "17.5" in plan.say, text
        assert "20" not in plan.say, text


OPEN: Row = (
    "open the blinds",
    "mach die Rollläden auf",
    "ouvre les volets",
    "abre las persianas",
    "打开窗帘",
)


async def test_blinds_are_of_a_room(home: Home) -> None:
    """Here there is one only; a garage is none."""
    for language, text in zip(LANGUAGES, OPEN, strict=True):
        assert await home.actions(text, language=language) == [
            ("cover.open_cover", ("cover.left_blind",), None)
        ], text


YES: Row = ("yes", "ja", "oui", "sí", "好的")


@pytest.mark.parametrize(
    ("language", "text"), zip(LANGUAGES, YES, strict=True), ids=LANGUAGES
)
async def test_a_yes_in_words_is_told_where_to_confirm(
    home: Home, language: str, text: str
) -> None:
    texts = texts_for(language)
    waits = texts.outcomes[Outcome.WAITING][0].format(names="Porch", state="")
    turns = (("user", "unlock the porch"), ("assistant", waits))
    plan = await home.plan(text, language=language, turns=turns)
    assert plan is not None
    assert (plan.kind, plan.actions) == (PlanKind.QUESTION, ())
    assert plan.say == texts.confirm_there
    # A model that asked something itself gets its answer.
    other = (("user", "I am bored"), ("assistant", "Shall I tell a story?"))
    assert await home.plan(text, language=language, turns=other) is None


LOCK_ALL: Row = (
    "lock all doors",
    "schließ alle Türen ab",
    "verrouille toutes les portes",
    "cierra todas las puertas con llave",
    "锁好所有的门",
)
ALL_BUT: Row = (
    "turn off everything in the office except the desk",
    "mach in Office alles außer Desk aus",
    "éteins tout dans Office sauf Desk",
    "apaga todo en Office menos Desk",
    "",
)


async def test_all_doors_and_all_but_one(home: Home) -> None:
    for language, text in zip(LANGUAGES, LOCK_ALL, strict=True):
        locked = await home.actions(text, language=language)
        assert locked == [("lock.lock", ("lock.porch",), None)], text
    for language, text in zip(LANGUAGES, ALL_BUT, strict=True):
        if text:
            off = await home.actions(text, language=language)
            assert off == [
                ("light.turn_off", ("light.spots",), None),
                ("media_player.turn_off", ("media_player.radio",), None),
                ("switch.turn_off", ("switch.charger", "switch.pump"), None),
            ], text
