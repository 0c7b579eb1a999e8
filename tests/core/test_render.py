"""Sentences come from receipts: what they say, and what they never say."""

# ruff: noqa: RUF001 - Chinese punctuation

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
import re
from string import Formatter
from typing import Any

from hypothesis import given, strategies as st
import pytest

from hearthnet.core.domains import OPERATIONS
from hearthnet.core.effects import ANYTHING, STATE
from hearthnet.core.intents import Answer, Evidence, PlanKind, Result, Step
from hearthnet.core.messages import Json
from hearthnet.core.operations import Operation
from hearthnet.core.reasons import DONE, Outcome, Reason
from hearthnet.core.render import asks_back, render
from hearthnet.core.status import Cause, HoldStatus
from hearthnet.core.texts import TABLES, texts_for

NOW = datetime(2026, 11, 30, 18, 30, tzinfo=timezone(timedelta(hours=1)))

CLAIMS = {
    "en": r"\bnow\b|already|\bdone\b|turned|switched on|\bset to\b",
    "de": r"\bjetzt\b|\bschon\b|erledigt|eingeschaltet|eingestellt",
    "zh": r"现在|本来就|已",
    "fr": r"\bmaintenant\b|\bdéjà\b|c'est fait|terminé|\breçu\b",
    "es": r"\bahora\b|\bya\b|\bhecho\b|\blisto\b",
}
"""Words that tell a success; a sentence without a receipt may hold none of them."""


def step(name: str = "Hall light", **fields: Any) -> Step:
    return Step(
        **{
            "device": "abc",
            "entity_id": "light.hall",
            "name": name,
            "operation": "light.turn_on",
            "parameters": {},
            "outcome": Outcome.CHANGED,
            "values": {"state": "on"},
        }
        | fields
    )


def result(*steps: Step, **fields: Any) -> Result:
    return Result(
        **{"intent": "hub.1.1", "kind": PlanKind.COMMAND, "language": "en"} | fields,
        steps=steps,
    )


def say(outcome: Result, language: str = "en", **fields: Any) -> str:
    return render(outcome, language, now=NOW, **fields)


@pytest.mark.parametrize("language", TABLES)
def test_tables_are_complete(language: str) -> None:
    """Every outcome and reason has words, with the same placeholders everywhere."""
    table, english = TABLES[language], TABLES["en"]
    assert set(table.outcomes) == set(Outcome)
    assert set(table.reasons) == set(Reason)
    assert set(table.states) == set(english.states)
    assert set(table.attributes) == set(english.attributes)
    assert set(table.flags) == set(english.flags)
    for name in table.__dataclass_fields__:
        mine, theirs = getattr(table, name), getattr(english, name)
        assert _placeholders(mine) == _placeholders(theirs), name


def _samples(row: Operation) -> dict[str, Json]:
    """Return a value for each parameter of an operation."""
    return {
        name: True if want.boolean else want.choices[0] if want.choices else 5
        for name, want in row.parameters.items()
    }


def test_what_operations_change_has_words() -> None:
    """A new domain's states and attributes are told in every language."""
    english = TABLES["en"]
    for row in OPERATIONS.values():
        for name, value in row.effects(_samples(row), {}):
            if name == STATE:
                assert not isinstance(value, str) or value in english.states, row.name
            elif isinstance(value, bool):
                assert name in english.flags, row.name
            elif name != ANYTHING:
                assert name in english.attributes, row.name


def test_what_has_no_state_is_told_by_what_it_is_set_to() -> None:
    chosen = Answer(
        device="a",
        entity_id="select.a",
        name="Program",
        available=True,
        since=None,
        values={"option": "Cotton"},
    )
    watching = Answer(
        device="b",
        entity_id="camera.b",
        name="Porch",
        available=True,
        since=None,
        values={"motion_detection": False},
    )
    nothing = Answer(
        device="c",
        entity_id="scene.c",
        name="Party",
        available=True,
        since=None,
        values={},
    )
    asked = result(kind=PlanKind.QUESTION, answers=(chosen, watching, nothing))
    assert say(asked) == (
        "Program is set to Cotton. Porch is not watching for motion. "
        "Party is in an unknown state."
    )


def _placeholders(value: object) -> object:
    match value:
        case str():
            return {field for _, field, _, _ in Formatter().parse(value) if field}
        case tuple():
            return [_placeholders(item) for item in value]
        case dict():
            return {key: _placeholders(item) for key, item in value.items()}
    return value


@pytest.mark.parametrize(
    ("tag", "same_as"),
    [
        ("de-CH", "de"),
        ("zh-Hans", "zh"),
        ("zh_CN", "zh"),
        ("fr-CA", "fr"),
        ("it", "en"),
    ],
)
def test_language_tags(tag: str, same_as: str) -> None:
    assert texts_for(tag) is TABLES[same_as]


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "Desk and Shelf are now on, 55 % bright."),
        ("de", "Desk und Shelf sind jetzt an, auf 55 % Helligkeit."),
        ("zh", "Desk和Shelf现在开着、亮度55%。"),
        ("fr", "Desk et Shelf : maintenant allumé, à 55 % de luminosité."),
        ("es", "Desk y Shelf: ahora encendido, al 55 % de brillo."),
        ("it", "Desk and Shelf are now on, 55 % bright."),
    ],
)
def test_changed(language: str, sentence: str) -> None:
    """The value told is the one read back, not the one asked for."""
    fields: dict[str, Any] = {
        "parameters": {"brightness_pct": 54},
        "values": {"state": "on", "brightness_pct": 55},
    }
    assert (
        say(result(step("Desk", **fields), step("Shelf", **fields)), language)
        == sentence
    )


def test_many_names_are_counted() -> None:
    steps = [step(f"Lamp {number}") for number in range(9)]
    assert say(result(*steps)) == (
        "Lamp 0, Lamp 1, Lamp 2, Lamp 3, Lamp 4 and 4 more are now on."
    )


def test_partial_result_names_both() -> None:
    """D02 and C3 of the users' page: what worked and what did not, by name."""
    spoken = say(
        result(
            step("Porch", outcome=Outcome.UNREACHABLE, values={}),
            step("Hall"),
            step("Attic", outcome=Outcome.FAILED, values={"state": "off"}),
        )
    )
    assert spoken == (
        "Hall is now on. Attic did not follow and still shows: off. "
        "Porch cannot be reached, so nothing was sent."
    )


@pytest.mark.parametrize(
    ("language", "today", "earlier"),
    [
        ("en", "since 15:02", "since 15:02 on 28 Nov"),
        ("de", "seit 15:02", "seit 28.11. um 15:02"),
        ("zh", "从15:02起", "从11月28日15:02起"),
        ("fr", "depuis 15:02", "depuis le 28/11 à 15:02"),
        ("es", "desde las 15:02", "desde el 28/11 a las 15:02"),
    ],
)
def test_unreachable_since(language: str, today: str, earlier: str) -> None:
    """Times are local, and carry the date when it is another day."""
    at = datetime(2026, 11, 30, 14, 2, tzinfo=UTC)
    gone: dict[str, Any] = {"outcome": Outcome.UNREACHABLE, "values": {}}
    assert today in say(result(step(since=at, **gone)), language)
    before = at - timedelta(days=2)
    assert earlier in say(result(step(since=before, **gone)), language)


def test_what_a_phone_says_of_itself_is_told() -> None:
    """Nothing was tapped, and the code says why; a person is told that."""
    locked = step(outcome=Outcome.UNREACHABLE, reason=Reason.SCREEN_LOCKED, values={})
    assert say(result(locked)).startswith("Hall light was left alone: the phone is")
    found = step(outcome=Outcome.REFUSED, reason=Reason.NODE_NOT_FOUND, values={})
    assert "does not show what the recipe expects" in say(result(found))
    gone = step(outcome=Outcome.UNREACHABLE, reason=Reason.UNREACHABLE, values={})
    assert say(result(gone)) == "Hall light cannot be reached, so nothing was sent."


HOLD = HoldStatus(
    id="h1",
    device="abc",
    attribute="brightness_pct",
    value=55,
    source="standing",
    principal="Anna",
    intent="hub.1.1",
    since=datetime(2026, 11, 30, 8, 2, tzinfo=UTC),
    ends_at=datetime(2026, 11, 30, 17, tzinfo=UTC),
)


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        (
            "en",
            "Flur was left alone: a request by Anna of 09:02 stands until 18:00.",
        ),
        (
            "de",
            "Flur bleibt unangetastet: ein Auftrag von Anna (09:02) gilt bis 18:00.",
        ),
        ("zh", "Flur保持原样：Anna在09:02的要求有效到18:00。"),
        (
            "fr",
            (
                "Je n'ai pas touché à Flur : une demande de Anna (09:02) tient "
                "toujours, fin prévue : 18:00."
            ),
        ),
        (
            "es",
            (
                "No toqué Flur: una petición de Anna (las 09:02) sigue en pie "
                "hasta las 18:00."
            ),
        ),
    ],
)
def test_conflict_names_who_and_when(language: str, sentence: str) -> None:
    evidence = (Evidence(text="", path="holds/h1.json"),)
    refused = step(
        "Flur", outcome=Outcome.REFUSED, reason=Reason.CONFLICT, evidence=evidence
    )
    assert say(result(refused), language, holds={"h1": HOLD}) == sentence
    assert "Anna" not in say(result(refused), language)


def test_conflict_without_end() -> None:
    evidence = (Evidence(text="", path="holds/h1.json"),)
    refused = step(outcome=Outcome.REFUSED, reason=Reason.CONFLICT, evidence=evidence)
    endless = HoldStatus(**{**vars(HOLD), "ends_at": None})
    assert say(result(refused), holds={"h1": endless}) == (
        "Hall light was left alone: a request by Anna of 09:02 stands."
    )


def test_dry_run_claims_nothing() -> None:
    planned = step(
        outcome=Outcome.PLANNED, parameters={"brightness_pct": 40}, values={}
    )
    spoken = say(result(planned, dry_run=True))
    assert spoken == "Hall light would be allowed: on, 40 % bright."


def test_a_plan_is_told_by_its_goal() -> None:
    """Home Assistant's name of an action stands only for what shows no value."""
    blind = step(
        "Blind", operation="cover.open_cover", outcome=Outcome.PLANNED, values={}
    )
    still = step(
        "Shade", operation="cover.stop_cover", outcome=Outcome.PLANNED, values={}
    )
    told = result(blind, still, dry_run=True)
    assert say(told) == (
        "Blind would be allowed: open. Shade would be allowed: cover.stop_cover."
    )
    assert say(told, "fr").startswith("Blind : ce serait permis, ouvert.")


def test_rest_of_a_late_intent() -> None:
    spoken = say(result(step(), reason=Reason.DEADLINE))
    assert spoken == "Hall light is now on. The rest was left alone: it took too long."


def test_question_is_answered_with_age() -> None:
    """D03: the live value and how long it has been so."""
    answer = Answer(
        device="abc",
        entity_id="light.hall",
        name="Hall light",
        available=True,
        values={"state": "off"},
        since=NOW - timedelta(hours=3, minutes=5),
    )
    asked = result(kind=PlanKind.QUESTION, answers=(answer,))
    assert say(asked) == "Hall light has been off for 3 hours."
    assert say(asked, "de") == "Hall light ist seit 3 Stunden aus."
    assert say(asked, "zh") == "Hall light关着，已经3小时了。"
    assert say(asked, "fr") == "Hall light : éteint, depuis 3 heures."
    assert say(asked, "es") == "Hall light: apagado, desde hace 3 horas."


@pytest.mark.parametrize(
    ("span", "age"),
    [
        (42, "42 seconds"),
        (61, "1 minute"),
        (7300, "2 hours"),
        (90000, "1 day"),
    ],
)
def test_ages(span: int, age: str) -> None:
    answer = Answer(
        device="a",
        entity_id="light.a",
        name="A",
        available=True,
        values={"state": "on", "brightness_pct": 40},
        since=NOW - timedelta(seconds=span),
    )
    spoken = say(result(kind=PlanKind.QUESTION, answers=(answer,)))
    assert spoken == f"A has been on, 40 % bright for {age}."


def test_what_an_app_showed_is_told_with_its_age() -> None:
    """Nothing tells when somebody used another remote control."""
    at = {"state": NOW - timedelta(minutes=2), "source": NOW - timedelta(minutes=14)}
    answer = Answer(
        device="a",
        entity_id="tv.a",
        name="TV",
        available=True,
        values={"state": "on"},
        since=None,
        seen=at,
    )

    def told(one: Answer, *others: Answer, language: str = "en") -> str:
        asked = result(kind=PlanKind.QUESTION, answers=(one, *others))
        return say(asked, language)

    assert told(answer) == "TV was on when its app was last read, 2 minutes ago."
    whole = replace(answer, values={"state": "on", "source": "hdmi1"})
    assert told(whole).endswith(" last read, 14 minutes ago.")
    assert told(whole, language="de").endswith("zuletzt gelesen wurde, vor 14 Minuten.")
    assert told(whole, language="zh").endswith("这是14分钟前从应用读到的。")
    assert told(whole, language="fr").endswith("il y a 14 minutes.")
    assert told(whole, language="es").endswith("hace 14 minutos.")
    before = replace(answer, seen={"source": NOW})
    assert told(before) == "TV was on when its app was last read."
    assert told(replace(answer, values={})) == "TV is in an unknown state."
    other = replace(answer, device="b", name="Box", seen={"state": NOW})
    assert told(answer, other) == (
        "TV was on when its app was last read, 2 minutes ago. "
        "Box was on when its app was last read, a moment ago."
    )


def test_unreachable_answer_admits_it() -> None:
    gone: dict[str, Any] = {
        "device": "a",
        "entity_id": "a.b",
        "name": "A",
        "values": {},
    }
    for since, expected in (
        (None, "A cannot be reached, so its state is not known."),
        (NOW, "A cannot be reached since 18:30, so its state is not known."),
    ):
        answer = Answer(available=False, since=since, **gone)
        assert say(result(kind=PlanKind.QUESTION, answers=(answer,))) == expected


def test_equal_answers_share_a_sentence() -> None:
    lamps: dict[str, Any] = {"available": True, "since": NOW}
    answers = tuple(
        Answer(
            device=name,
            entity_id=f"light.{name}",
            name=name,
            values={"state": state},
            **lamps,
        )
        for name, state in (("Bed", "off"), ("Hall", "on"), ("Desk", "off"))
    )
    asked = result(kind=PlanKind.QUESTION, answers=answers)
    assert say(asked) == "Bed and Desk are off. Hall is on."


def test_climate_and_cover_values() -> None:
    heating = step(
        "Heating",
        operation="climate.set_temperature",
        parameters={"temperature": 21.5},
        values={"state": "heat", "temperature": 21.5},
    )
    blind = step(
        "Blind",
        operation="cover.open_cover",
        outcome=Outcome.RUNNING,
        values={"state": "opening", "current_position": 40},
    )
    speaker = step(
        "Speaker",
        operation="media_player.volume_set",
        parameters={"volume_level": 0.3},
        values={"state": "playing", "volume_level": 0.3},
    )
    assert say(result(heating, blind, speaker)) == (
        "Heating is now at a target of 21.5°. Speaker is now at volume 30 %. "
        "Blind is moving and has not arrived yet: 40 % open."
    )


def test_asking_back() -> None:
    """D04 and D05: near names are offered, candidates are listed."""
    unknown = result(
        kind=PlanKind.UNCLEAR,
        reason=Reason.UNKNOWN_TARGET,
        near=("Bedroom", "Outside"),
    )
    assert say(unknown).endswith("Did you mean Bedroom or Outside?")
    which = result(
        kind=PlanKind.UNCLEAR,
        reason=Reason.AMBIGUOUS,
        near=("Garage lights", "Hall lights", "Attic lights"),
    )
    assert say(which, "de") == (
        "Was meinst du: Garage lights, Hall lights oder Attic lights?"
    )
    puzzled = result(kind=PlanKind.UNCLEAR, reason=Reason.NOT_UNDERSTOOD)
    assert say(puzzled) == "Nothing was touched: I did not understand that."
    asked = result(kind=PlanKind.UNCLEAR, say="At what time?")
    assert say(asked) == "At what time?"
    assert [asks_back(r) for r in (unknown, which, puzzled, asked)] == [
        *(True, True, False, True)
    ]
    assert not asks_back(result(step(), say="Shall I?"))


def test_empty_results() -> None:
    assert say(result()) == "There is nothing to do."
    assert (
        say(result(kind=PlanKind.QUESTION)) == "I find nothing that fits the question."
    )
    assert say(result(kind=PlanKind.QUESTION, say="It is Monday.")) == "It is Monday."
    assert "starting" in say(result(reason=Reason.STARTING))
    unanswered = result(kind=PlanKind.QUESTION, reason=Reason.UNKNOWN_TARGET)
    assert "no such device or room" in say(unanswered)


STEPS = st.builds(
    step,
    name=st.sampled_from(["A", "B", "C"]),
    outcome=st.sampled_from(sorted(set(Outcome) - DONE)),
    reason=st.none() | st.sampled_from(Reason),
    operation=st.sampled_from(
        ["light.turn_on", "cover.open_cover", "media_player.volume_set", "x.y"]
    ),
    parameters=st.sampled_from([{}, {"brightness_pct": 20}, {"volume_level": 0.4}]),
    values=st.sampled_from(
        [
            {},
            {"state": "on", "brightness_pct": 20},
            {"state": "off"},
            {"volume_level": 1},
        ]
    ),
    since=st.none() | st.just(NOW),
)


@pytest.mark.parametrize("language", TABLES)
@given(steps=st.lists(STEPS, max_size=5), reason=st.none() | st.sampled_from(Reason))
def test_no_success_without_receipt(
    language: str, steps: list[Step], reason: Reason | None
) -> None:
    """Invariant 7: no wording of success while no step is done.

    What a model wanted to say of a command is not told at all.
    """
    spoken = say(
        result(*steps, reason=reason, say="Done, I turned it on now."), language
    )
    assert spoken
    assert not re.search(CLAIMS[language], spoken), spoken
    for item in steps:
        assert item.name in spoken


@given(steps=st.lists(STEPS | st.builds(step, name=st.just("D")), min_size=1))
def test_done_names_only_done_devices(steps: list[Step]) -> None:
    """In a mixed result the sentence of success names nobody else."""
    done = {item.name for item in steps if item.outcome in DONE}
    for sentence in say(result(*steps)).split(". "):
        if re.search(CLAIMS["en"], sentence):
            named = set(
                re.findall(r"\b[ABCD]\b", sentence.split(" is ")[0].split(" are ")[0])
            )
            assert named <= done


@pytest.mark.parametrize("language", TABLES)
def test_success_has_words_of_success(language: str) -> None:
    """The test above looks for words that the tables do use."""
    for outcome in DONE:
        assert re.search(CLAIMS[language], say(result(step(outcome=outcome)), language))


def test_ends_of_the_way_have_words() -> None:
    def blind(position: int, state: str) -> str:
        values = {"state": state, "current_position": position}
        one = step("Blind", operation="cover.close_cover", values=values)
        return say(result(one))

    assert blind(0, "closed") == "Blind is now closed."
    assert blind(100, "open") == "Blind is now open."
    assert blind(30, "open") == "Blind is now 30 % open."
    shut = Answer(
        device="a",
        entity_id="cover.a",
        name="Blind",
        available=True,
        values={"state": "closed", "current_position": 0},
        since=None,
    )
    asked = result(kind=PlanKind.QUESTION, answers=(shut,))
    assert say(asked) == "Blind is closed."


def test_many_that_were_so_already_are_counted_beside_what_changed() -> None:
    same = [step(name, outcome=Outcome.ALREADY_SO) for name in ("A", "B", "C")]
    assert say(result(*same)) == "A, B and C were already on."
    one = say(result(step("D"), *same))
    assert one == "D is now on. 3 others were so already."
    few = say(result(step("D"), *same[:2]))
    assert few == "D is now on. A and B were already on."


def test_a_state_that_nobody_knows_is_not_told_as_asked() -> None:
    lost = step("TV", outcome=Outcome.FAILED, values={}, operation="light.turn_off")
    assert say(result(lost)).endswith("still shows: in an unknown state.")


@pytest.mark.parametrize("language", TABLES)
def test_every_cause_has_words(language: str) -> None:
    assert set(TABLES[language].causes) == set(Cause)
