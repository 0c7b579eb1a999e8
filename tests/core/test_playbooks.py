"""Playbooks: how they are read, and what they become in a home."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hearthnet.core.devices import Device
from hearthnet.core.domains import OPERATIONS
from hearthnet.core.intents import Origin, Plan, PlanKind, Request
from hearthnet.core.operations import Risk, check_parameters
from hearthnet.core.planner import Situation
from hearthnet.core.planner.playbook_file import PlaybookError, load
from hearthnet.core.planner.playbooks import PlaybookPlanner, Playbooks
from hearthnet.core.planner.targets import without_doubles
from hearthnet.core.reasons import Reason
from hearthnet.core.texts import TABLES
from tests.core.homes import TestHouse, device, person

SHIPPED = Path(__file__).parents[2] / "custom_components/hearthnet/playbooks"
NOW = datetime(2026, 11, 30, 14, 0, tzinfo=UTC)
DIMS = frozenset({"light.turn_on", "light.turn_off", "brightness_pct"})
WARM = DIMS | {"color_temp_kelvin"}
PLAYS = frozenset({"media_player.turn_off", "media_player.volume_set", "volume_level"})


def home() -> TestHouse:
    """Two rooms: a desk lamp, a pair of lamps with their group, speakers, a TV."""
    devices = (
        device("desk", "light", area="Study", features=DIMS),
        device("string", "light", area="Study", features=DIMS - {"brightness_pct"}),
        device("left", "light", area="Living Room", features=WARM),
        device("right", "light", area="Living Room", features=WARM),
        device(
            "pair",
            "light",
            area="Living Room",
            members=("left", "right"),
            features=WARM,
        ),
        device(
            "radio",
            "media_player",
            area="Study",
            device_class="speaker",
            features=PLAYS,
        ),
        device(
            "tv", "media_player", area="Living Room", device_class="tv", features=PLAYS
        ),
        device("door", "lock", area="Hall"),
        device("hall", "light", area="Hall", labels=frozenset({"Welcome"})),
    )
    return TestHouse(
        known={one.id: one for one in devices},
        values={
            "desk": {"state": "off"},
            "left": {"state": "on", "brightness_pct": 80},
            "right": {"state": "off"},
            "pair": {"state": "on", "brightness_pct": 80},
            "radio": {"state": "playing", "volume_level": 0.5},
            "tv": {"state": "on", "volume_level": 0.2},
        },
    )


def playbooks(**texts: str) -> Playbooks:
    found = Playbooks()
    assert found.load(texts) == {}
    return found


def shipped() -> Playbooks:
    return playbooks(**{p.stem: p.read_text("utf-8") for p in SHIPPED.glob("*.yaml")})


def ask(text: str, **fields: object) -> Request:
    request = Request(text=text, principal=person(), origin=Origin.APP)
    return replace(request, **fields)  # type: ignore[arg-type]


async def plan(
    request: Request, books: Playbooks | None = None, house: TestHouse | None = None
) -> Plan | None:
    situation = Situation(house=house or home(), now=NOW)
    return await PlaybookPlanner(books or shipped()).plan(request, situation)


async def command(
    request: Request, books: Playbooks | None = None, house: TestHouse | None = None
) -> Plan:
    made = await plan(request, books, house)
    assert made is not None
    assert made.kind is PlanKind.COMMAND
    return made


# What ships


def test_what_ships() -> None:
    books = {book.id: book for book in shipped()}
    assert books.keys() == {
        *("working_from_home", "wind_down", "movie_night"),
        *("good_night", "leaving", "arriving"),
    }
    for book in books.values():
        assert book.name.keys() == book.sentences.keys() == TABLES.keys()
        # A routine asks for nothing that opens the house.
        risks = {OPERATIONS[step.operation].risk for step in book.steps}
        assert Risk.CONFIRM not in risks


@pytest.mark.parametrize(
    ("text", "language", "book"),
    [
        ("I'm working from home today", "en", "working_from_home"),
        ("Work from home mode", "en", "working_from_home"),
        ("Ich arbeite heute zu Hause.", "de", "working_from_home"),
        ("Homeoffice", "de-AT", "working_from_home"),
        ("我今天在家办公", "zh-CN", "working_from_home"),
        ("Time to wind down", "en", "wind_down"),
        ("Feierabend!", "de", "wind_down"),
        ("放松一下", "zh", "wind_down"),
        ("It's movie night", "en", "movie_night"),
        ("Let's watch a movie", "en", "movie_night"),
        ("Filmabend im Wohnzimmer", "de", "movie_night"),
        ("今晚看电影吧", "zh", "movie_night"),
        ("Good night", "en", "good_night"),
        ("Ich gehe jetzt ins Bett", "de", "good_night"),
        ("晚安", "zh", "good_night"),
        ("We're leaving now", "en", "leaving"),
        ("Ich gehe jetzt los", "de", "leaving"),
        ("我要出门了", "zh", "leaving"),
        ("I'm back home", "en", "arriving"),
        ("Wir sind wieder da", "de", "arriving"),
        ("我回来了", "zh", "arriving"),
        ("Aujourd'hui je travaille à la maison", "fr", "working_from_home"),
        ("Hoy trabajo en casa", "es", "working_from_home"),
        ("Il est temps de se détendre", "fr", "wind_down"),
        ("Hora de relajarse", "es", "wind_down"),
        ("Soirée cinéma", "fr", "movie_night"),
        ("Noche de cine", "es", "movie_night"),
        ("Bonne nuit", "fr", "good_night"),
        ("¡Buenas noches!", "es", "good_night"),
        ("On part", "fr", "leaving"),
        ("Nos vamos ya", "es", "leaving"),
        ("Je suis de retour à la maison", "fr", "arriving"),
        ("Ya estamos en casa", "es", "arriving"),
        # The language is a preference, not a wall.
        ("good night", "de", "good_night"),
    ],
)
async def test_how_they_are_called(text: str, language: str, book: str) -> None:
    made = await plan(ask(text, language=language, area="Study"))
    assert made is not None
    assert made.source == f"playbook:{book}"


@pytest.mark.parametrize(
    "text",
    [
        *("bye", "is the light on", "turn on the light", "", "  ", "night"),
        *("I am working", "who is home", "wind", "晚", "再见"),
    ],
)
async def test_anything_else_is_not_for_them(text: str) -> None:
    assert await plan(ask(text, area="Study")) is None


# What they become


async def test_working_from_home() -> None:
    made = await command(ask("I'm working from home", area="Study"))
    light, volume = made.actions
    assert light.targets == ("desk",)
    assert light.operation == "light.turn_on"
    assert light.parameters == {"brightness_pct": 55}
    assert light.ranges == {"brightness_pct": (None, 60)}
    assert volume.targets == ("radio",)
    assert volume.parameters == {"volume_level": 0.3}
    assert volume.ranges == {"volume_level": (None, 0.3)}
    assert made.standing
    assert made.until == NOW.replace(hour=18)


async def test_what_is_quiet_stays_as_quiet() -> None:
    house = home()
    house.values["radio"] = {"state": "playing", "volume_level": 0.1}
    made = await command(ask("working from home", area="study"), house=house)
    assert made.actions[1].parameters == {"volume_level": 0.1}
    # One that is off shows no volume, and is not told any.
    house.values["radio"] = {"state": "off"}
    made = await command(ask("working from home", area="study"), house=house)
    assert [a.operation for a in made.actions] == ["light.turn_on"]


async def test_past_its_end_it_stands_until_midnight() -> None:
    late = Situation(house=home(), now=NOW.replace(hour=19))
    request = ask("working from home", area="Study")
    made = await PlaybookPlanner(shipped()).plan(request, late)
    assert made is not None
    assert made.standing
    assert made.until is None


async def test_only_what_is_on_winds_down() -> None:
    made = await command(ask("wind down", area="Living Room"))
    assert [a.targets for a in made.actions] == [("left",)]
    assert made.actions[0].parameters == {
        "brightness_pct": 30,
        "color_temp_kelvin": 2200,
    }


async def test_a_device_gets_what_it_understands() -> None:
    house = home()
    house.values["desk"] = {"state": "on", "brightness_pct": 70}
    house.values["string"] = {"state": "on"}
    made = await command(ask("wind down", area="Study"), house=house)
    assert made.actions[0].targets == ("desk",)
    assert made.actions[0].parameters == {"brightness_pct": 30}


async def test_good_night_tells_groups_and_not_their_members() -> None:
    made = await command(ask("good night"))
    lights, players, lock = made.actions
    assert lights.targets == ("desk", "hall", "pair", "string")
    assert players.targets == ("radio", "tv")
    assert lock.operation == "lock.lock"
    assert not made.standing


async def test_arriving() -> None:
    made = await command(ask("I'm home"))
    assert [a.targets for a in made.actions] == [("hall",), ("hall",)]


# Here


async def test_the_area_may_be_said() -> None:
    made = await command(ask("working from home in the study", area="Living Room"))
    assert made.actions[0].targets == ("desk",)


async def test_an_unknown_area_is_not_the_house() -> None:
    """D04: nothing is widened because a name is not known."""
    made = await plan(ask("working from home in the studyo"))
    assert made is not None
    assert (made.kind, made.reason) == (PlanKind.UNCLEAR, Reason.UNKNOWN_TARGET)
    assert made.near == ("Study",)
    assert made.actions == ()


async def test_without_an_area_it_asks() -> None:
    made = await plan(ask("working from home"))
    assert made is not None
    assert (made.kind, made.reason) == (PlanKind.UNCLEAR, Reason.AMBIGUOUS)
    assert made.near == ("Hall", "Living Room", "Study")
    # And takes the answer.
    turns = (("user", "working from home"), ("assistant", "Which one?"))
    answered = await command(ask("the study".removeprefix("the "), turns=turns))
    assert answered.actions[0].targets == ("desk",)
    assert await plan(ask("something else", turns=turns)) is None
    assert await plan(ask("Study")) is None
    assert await plan(ask("Study", turns=(("user", "hello"),))) is None


async def test_one_room_needs_no_question() -> None:
    house = TestHouse(known={"a": device("a", "light", area="Flat")})
    made = await command(ask("working from home"), house=house)
    assert made.actions[0].targets == ("a",)
    # Nor does a home that has no areas.
    house = TestHouse(known={"a": device("a", "light"), "b": device("b", "light")})
    made = await command(ask("working from home"), house=house)
    assert made.actions[0].targets == ("a", "b")


async def test_nothing_that_fits() -> None:
    made = await plan(ask("good night"), house=TestHouse(known={}))
    assert made is not None
    assert (made.kind, made.reason) == (PlanKind.UNCLEAR, Reason.UNKNOWN_TARGET)


# Selectors

TEMPLATE = """
name: Test
sentences: {{en: [test]}}
steps:
  - do: light.turn_off
    devices: {devices}
"""


@pytest.mark.parametrize(
    ("devices", "targets"),
    [
        ("{area: Study}", ("desk", "string")),
        ("{area: [study, hall]}", ("desk", "hall", "string")),
        ("{area: here}", ("desk", "string")),
        ("{area: [here, Hall]}", ("desk", "hall", "string")),
        ("{label: welcome}", ("hall",)),
        ("{label: welcome, area: Study}", None),
        ("{entity: light.desk}", ("desk",)),
        ("{entity: [Desk, light.hall]}", ("desk", "hall")),
        ('{state: "on"}', ("left",)),
        ("{floor: Ground}", None),
        # The group is left out when not all of it is meant.
        ("{entity: [pair, left]}", ("left",)),
        ("{entity: [pair, left, right]}", ("pair",)),
    ],
)
async def test_selectors(devices: str, targets: tuple[str, ...] | None) -> None:
    books = playbooks(test=TEMPLATE.format(devices=devices))
    made = await plan(ask("test", area="Study"), books)
    assert made is not None
    assert (made.actions[0].targets if made.actions else None) == targets


async def test_hidden_devices_are_not_named() -> None:
    house = home()
    house.hidden = frozenset({"desk", "left"})
    books = playbooks(test=TEMPLATE.format(devices="{}"))
    made = await command(ask("test"), books, house)
    # A hidden member moves with its exposed group all the same.
    assert made.actions[0].targets == ("hall", "pair", "string")


def test_overlapping_groups_move_nothing_twice() -> None:
    def light(id_: str, *members: str) -> Device:
        return device(id_, "light", members=members)

    everything = [
        *(light("a"), light("b"), light("c")),
        *(light("ab", "a", "b"), light("bc", "b", "c"), light("abc", "a", "b", "c")),
    ]
    house = TestHouse(known={one.id: one for one in everything})
    assert [d.id for d in without_doubles(everything, house)] == ["abc"]
    some = [one for one in everything if one.id != "abc"]
    house = TestHouse(known={one.id: one for one in some})
    assert [d.id for d in without_doubles(some, house)] == ["ab", "c"]
    alias = replace(light("a2"), physical="a")
    assert [d.id for d in without_doubles([light("a"), alias], house)] == ["a"]


# Files

GOOD = TEMPLATE.format(devices="{area: here}")


@pytest.mark.parametrize(
    ("text", "mistakes"),
    [
        ("", ["line 1"]),
        ("name: [", ["not YAML"]),
        ("just text", ["expected names and values"]),
        (
            "title: x\nname: y",
            ["line 1: title: unknown", "sentences: missing", "steps: missing"],
        ),
        (GOOD.replace("[test]", '["[test]"]'), ["line 3: sentences.en: everything"]),
        (GOOD.replace("[test]", "test"), ["line 3: sentences.en: expected a list"]),
        (GOOD.replace("en:", "english1:"), ["sentences.english1: no language"]),
        (GOOD.replace("light.turn_off", "light.turn_of"), ["mean light.turn_off"]),
        (GOOD.replace("light.turn_off", "script.x"), ["line 5: steps.1.do: "]),
        (GOOD.replace("area:", "room:"), ["steps.1.devices.room: unknown"]),
        (GOOD.replace("{area: here}", "{area: 5}"), ["expected a text"]),
        (GOOD + "standing: 1\n", ["standing: expected true or false"]),
        (GOOD + 'until: "25:00"\n', ["until: expected a time such as 18:00"]),
        (GOOD.replace("steps:", "steps: []\nx:"), ["steps: empty", "x: unknown"]),
        (
            GOOD + "    with: {brightness_pct: 200}\n",
            ["line 7: steps.1.with: light.turn_off has no 'brightness_pct'"],
        ),
        (
            GOOD.replace("turn_off", "turn_on")
            + "    with: {brightness_pct: 200}\n    keep: {color: {max: 1}}\n",
            ["line 7: steps.1.with: brightness_pct: expected a number", "keep.color"],
        ),
        (
            GOOD.replace("turn_off", "turn_on")
            + "    keep: {brightness_pct: {min: 60, max: 20}}\n",
            ["line 7: steps.1.keep.brightness_pct: min is above max"],
        ),
        (
            GOOD.replace("turn_off", "turn_on") + "    keep: {brightness_pct: {}}\n",
            ["expected {min"],
        ),
    ],
)
def test_mistakes_name_line_field_and_remedy(text: str, mistakes: list[str]) -> None:
    with pytest.raises(PlaybookError) as caught:
        load("test", text)
    for mistake in mistakes:
        assert mistake in str(caught.value)


async def test_the_last_good_one_stays() -> None:
    books = playbooks(test=GOOD)
    mistakes = books.load({"test": GOOD.replace("do:", "du:"), "other": GOOD})
    assert mistakes.keys() == {"test"}
    assert "steps.1.du" in {mistake.field for mistake in mistakes["test"]}
    assert [book.id for book in books] == ["other", "test"]
    assert books.load({"other": GOOD}) == {}
    assert [book.id for book in books] == ["other"]


async def test_every_shipped_action_is_one_that_exists() -> None:
    for book in shipped():
        for text in ("Study", "Living Room", "Hall"):
            request = ask(_plainest(book.sentences["en"][0].text), area=text)
            made = await plan(request)
            assert made is not None
            for action in made.actions:
                row = OPERATIONS[action.operation]
                assert check_parameters(row, action.parameters) is None


def _plainest(phrase: str) -> str:
    """Return the shortest text that a phrase fits."""
    while "[" in phrase:
        start = phrase.rindex("[")
        phrase = phrase[:start] + phrase[phrase.index("]", start) + 1 :]
    while "(" in phrase:
        start = phrase.rindex("(")
        end = phrase.index(")", start)
        first = phrase[start + 1 : end].partition("|")[0]
        phrase = phrase[:start] + first + phrase[end + 1 :]
    return phrase
