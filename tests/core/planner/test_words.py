"""What code recognizes in sentences, in five languages."""

# ruff: noqa: RUF001 - Chinese punctuation

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from hearthnet.core.domains import OPERATIONS
from hearthnet.core.operations import Risk
from hearthnet.core.planner.words.claims import claims_something
from hearthnet.core.planner.words.fold import fold, phrases, says
from hearthnet.core.planner.words.kinds import ALL
from hearthnet.core.planner.words.questions import is_question
from hearthnet.core.planner.words.rooms import rooms_missing
from hearthnet.core.planner.words.sensitive import SENSITIVE
from hearthnet.core.planner.words.times import later

from .houses import NOW
from .sentences import COMMANDS, QUESTIONS, UNKNOWABLE

LANGUAGES = tuple(QUESTIONS)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("  Küchen-Licht! ", " kuchen licht "),
        ("ÉTEINS l'ampoule", " eteins l ampoule "),
        ("Straße", " strasse "),
        ("打开TV灯", " 打开 tv 灯 "),
        ("２０％", " 20% "),
        ("¿Está?", " ¿ esta ? "),
        ("a_b", " a b "),
        ("!!", "  "),
    ],
)
def test_fold(text: str, folded: str) -> None:
    assert fold(text) == folded


def test_names_are_found_as_whole_words() -> None:
    assert says(fold("Turn on the Hall Light now"), fold("hall light"))
    assert not says(fold("Turn on the hall lights"), fold("hall light"))
    assert not says(fold("anything"), fold("!!"))
    assert says(fold("请打开客厅灯"), fold("客厅灯"))
    assert says(fold("请打开客厅 TV"), fold("tv"))


def test_phrases() -> None:
    table = phrases("one, *licht, tele*\n/two (or|and) three/\n灯")
    for text in ("one", "kuchenlicht", "televisor", "two or three", "把灯打开"):
        assert table.search(fold(text)), text
    for text in ("ones", "lichter", "tel", "two"):
        assert not table.search(fold(text)), text


@pytest.mark.parametrize("language", LANGUAGES)
def test_questions_are_recognized(language: str) -> None:
    """C1: twenty paraphrases a language, with and without a question mark."""
    assert [s for s in QUESTIONS[language] if not is_question(s)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_commands_are_no_questions(language: str) -> None:
    """Polite requests, proposals and grumbles are not."""
    assert [s for s in COMMANDS[language] if is_question(s)] == []


def test_what_no_table_can_know_is_left_to_the_model() -> None:
    assert [s for s in UNKNOWABLE if is_question(s)] == []


CLAIMS = {
    "en": (
        "Done! I've opened all the blinds.",
        "I turned off the lights.",
        "Turning on the hall light now.",
        "All set.",
        "The door is now locked.",
        "The lights are off.",
        "I have unlocked the front door for you.",
    ),
    "de": (
        "Erledigt!",
        "Ich habe das Licht ausgeschaltet.",
        "Das Licht ist jetzt an.",
        "Die Tür wurde entriegelt.",
        "Ich schalte das Licht ein.",
    ),
    "zh": ("已经打开了灯", "好的，已为您开灯", "我把门打开了", "搞定", "灯开着"),
    "fr": (
        "C'est fait.",
        "J'ai éteint la lumière.",
        "La porte est déverrouillée.",
        "Le volet a été fermé.",
        "J'allume la lampe.",
    ),
    "es": (
        "Hecho.",
        "He apagado la luz.",
        "La puerta está abierta.",
        "Se ha cerrado la persiana.",
        "Encendí la luz.",
    ),
}
HARMLESS = (
    "Which lamp do you mean, the kitchen's or the hall's?",
    "How bright should it be?",
    "Welche Lampe meinst du?",
    "Wie hell soll es sein?",
    "你指的是哪一盏灯？",
    "Quelle lampe veux-tu ?",
    "¿Qué lámpara quieres?",
    "The capital of France is Paris.",
    "Ich kenne kein Badezimmer hier.",
)


@pytest.mark.parametrize("language", LANGUAGES)
def test_claims_are_recognized(language: str) -> None:
    assert [s for s in CLAIMS[language] if not claims_something(s)] == []


def test_what_claims_nothing_passes() -> None:
    assert [s for s in HARMLESS if claims_something(s)] == []


def test_each_sensitive_operation_has_words() -> None:
    """One without words could not be planned; a new domain has to bring some."""
    confirmed = {n for n, row in OPERATIONS.items() if row.risk is Risk.CONFIRM}
    assert confirmed <= set(SENSITIVE)


OPENING = (
    "Open the front door",
    "Öffne die Haustür",
    "Mach die Garage auf",
    "Fahr das Rollo im Büro hoch",
    "打开车库门",
    "把窗帘打开",
    "Ouvre la porte du garage",
    "Abre la puerta del garaje",
)


@pytest.mark.parametrize("text", OPENING)
def test_opening_is_named(text: str) -> None:
    assert SENSITIVE["cover.open_cover"].search(fold(text))


@pytest.mark.parametrize(
    "text",
    ["Close the blind", "Schließ die Tür ab", "关上车库门", "Ferme le volet", "Cierra"],
)
def test_closing_is_not_opening(text: str) -> None:
    for name in ("cover.open_cover", "lock.unlock"):
        assert not SENSITIVE[name].search(fold(text)), name


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("Turn on the bathroom lights", ("bathroom",)),
        ("Licht im Badezimmer an", ("badezimmer",)),
        ("打开浴室的灯", ("浴室",)),
        ("Allume la cuisine", ()),
        ("enciende la cocina y el sótano", ("sotano",)),
        ("Turn on the desk lamp", ()),
    ],
)
def test_rooms_that_are_not_here(text: str, missing: tuple[str, ...]) -> None:
    """D04; a room is known by any language's word for it."""
    places = ("Kitchen", "Schlafzimmer", "Outside", "Desk lamp")
    assert rooms_missing(fold(text), places) == missing


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("Licht im Badezimmer an", "Bad"),
        ("éteins la salle de bain", "Bathroom"),
        ("lights in the hallway", "Eingang"),
        ("打开走廊的灯", "Hall"),
        ("Licht im Arbeitszimmer", "Büro"),
        ("turn on the office", "Study"),
    ],
)
def test_rooms_by_another_name(text: str, place: str) -> None:
    assert rooms_missing(fold(text), (place,)) == ()


@pytest.mark.parametrize(
    ("text", "all_of_them"),
    [
        ("turn all lights off", True),
        ("alles aus", True),
        ("éteins tout", True),
        ("éteins la lampe tout de suite", False),
        ("all right, turn it off", False),
        ("把灯都关了", True),
    ],
)
def test_all(text: str, *, all_of_them: bool) -> None:
    assert bool(ALL.search(fold(text))) is all_of_them


def at(hour: int, minute: int = 0, *, day: int = 30) -> datetime:
    base = NOW if day == 30 else NOW + timedelta(days=1)
    return base.replace(hour=hour, minute=minute)


DUE = [
    ("turn off the AC in two minutes", at(18, 2)),
    ("turn on bedroom lights at nine tomorrow", at(9, day=1)),
    ("Schalte in fünf Minuten das Licht im Flur aus", at(18, 5)),
    ("五分钟后关灯", at(18, 5)),
    ("10分钟后打开空调", at(18, 10)),
    ("半小时后关灯", at(18, 30)),
    ("éteins la lumière dans dix minutes", at(18, 10)),
    ("Éteins dans une demi-heure", at(18, 30)),
    ("apaga la luz en media hora", at(18, 30)),
    ("apaga la luz a las nueve", at(21)),
    ("allume à 7h30", at(19, 30)),
    ("allume à 19 heures", at(19)),
    ("schalte um 9 Uhr 30 das Licht ein", at(21, 30)),
    ("晚上九点关灯", at(21)),
    ("下午一点关灯", at(13, day=1)),
    ("在一点关灯", at(1, day=1)),
    ("一点半关灯", at(1, 30, day=1)),
    ("十一点关灯", at(23)),
    ("明天早上七点半打开窗帘", at(7, 30, day=1)),
    ("turn the heating on at 6:30 pm", at(18, 30)),
    ("at 5 am turn on the light", at(5, day=1)),
    ("turn it off at midnight", at(0, day=1)),
    ("en 90 segundos apaga todo", at(18, 1).replace(second=30)),
]


@pytest.mark.parametrize(("text", "due"), DUE)
def test_due(text: str, due: datetime) -> None:
    """D06, D07: a later time is worked out by code."""
    found = later(text, NOW)
    assert found is not None
    assert (found.due, found.until) == (due, None)


@pytest.mark.parametrize(
    ("text", "until"),
    [
        ("turn on the fan for 10 minutes", NOW + timedelta(minutes=10)),
        ("Ventilator 10 Minuten lang an", NOW + timedelta(minutes=10)),
        ("mach das Licht für eine Stunde an", NOW + timedelta(hours=1)),
        ("allume la lampe pendant cinq minutes", NOW + timedelta(minutes=5)),
        ("enciende la luz durante media hora", NOW + timedelta(minutes=30)),
        ("打开灯10分钟", NOW + timedelta(minutes=10)),
        ("keep the light on until ten", at(22)),
        ("lass das Licht bis 22 Uhr an", at(22)),
        ("deja la luz hasta las once", at(23)),
    ],
)
def test_until(text: str, until: datetime) -> None:
    found = later(text, NOW)
    assert found is not None
    assert (found.due, found.until) == (None, until)


@pytest.mark.parametrize(
    "text",
    [
        "when I leave turn everything off",
        "wenn ich gehe, alles aus",
        "turn on the lights tonight",
        "quand je pars, éteins tout",
        "每天早上打开窗帘",
        "cuando llegue, enciende la luz",
    ],
)
def test_vaguely_later(text: str) -> None:
    found = later(text, NOW)
    assert found is not None
    assert (found.due, found.until) == (None, None)


@pytest.mark.parametrize(
    "text",
    [
        *(s for language in LANGUAGES for s in COMMANDS[language][:2]),
        "mach das Licht um 20 Prozent dunkler",
        "mach es um 5 heller",
        "set volume at 20 %",
        "set the heating at 21 degrees",
        "turn on two lights in the kitchen",
        "apaga las dos lámparas",
        "fahr den Rollladen bis 50 Prozent runter",
        "baisse le volet jusqu'à 50 %",
        "Guten Morgen, mach das Licht an",
        "开一下客厅的灯",
        "那里再亮一点",
        "有一点暗，开灯",
        "聲音大一點",
        "turn on the lights at 50",
    ],
)
def test_now(text: str) -> None:
    assert later(text, NOW) is None


def test_a_span_over_a_clock_change_is_real_time() -> None:
    night = datetime(2026, 10, 25, 1, 30, tzinfo=ZoneInfo("Europe/Berlin"))
    found = later("turn it off in 2 hours", night)
    assert found is not None
    assert found.due is not None
    assert found.due.timestamp() - night.timestamp() == 7200
