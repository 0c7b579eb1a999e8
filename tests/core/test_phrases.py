"""Phrases: exact, small things aside."""

from time import perf_counter

from hypothesis import given, strategies as st
import pytest

from hearthnet.core.planner.phrases import Phrase, PhraseError, normalize


@pytest.mark.parametrize(
    ("phrase", "text", "slots"),
    [
        ("good night", "Good night!", {}),
        ("good night", "goodnight", {}),
        ("good night", "good night house", None),
        ("good night [house]", "Good night, house.", {}),
        ("(I am|I'm) home", "I'm home", {}),
        ("(I am|I'm) home", "i am HOME", {}),
        ("(I am|I'm) home", "I home", None),
        ("[let's|let us] (watch|see) a film", "Let us see a film", {}),
        ("[let's|let us] (watch|see) a film", "watch a film", {}),
        ("wind down [in [the] {area}]", "wind down", {}),
        ("wind down [in [the] {area}]", "Wind down in the Living Room", {}),
        ("wind down [in [the] {area}]", "wind down in", None),
        ("[我] (在|[要] 在) 家 办公", "我要在家办公。", {}),
        ("[我] [去] 睡觉 [了]", "我去睡觉了!", {}),
        ("schlafenszeit", "SCHLAFENSZEIT", {}),
        ("über {area}", "UBER kueche", None),
        ("straße", "STRASSE", {}),
    ],
)
def test_match(phrase: str, text: str, slots: dict[str, str] | None) -> None:
    found = Phrase.read(phrase).match(normalize(text))
    if slots == {} and found:
        found = {name: value for name, value in found.items() if name != "area"}
    assert found == slots


def test_the_slot_is_what_was_said() -> None:
    phrase = Phrase.read("wind down in [the] {area}")
    assert phrase.match(normalize("wind down in the Living Room")) in (
        {"area": "livingroom"},
        {"area": "thelivingroom"},
    )


@pytest.mark.parametrize(
    ("phrase", "why"),
    [
        ("", "expected"),
        ("x" * 201, "expected"),
        ("[all] [optional]", "silence"),
        ("[a]" * 21 + "b", "choices"),
        ("this|that", "brackets"),
        ("(this|)", "empty"),
        ("(this", "closing )"),
        ("[this", "closing ]"),
        ("this)", "closes nothing"),
        ("in {room}", "{area}"),
        ("in {area", "closing }"),
        ("{area} or {area}", "once"),
    ],
)
def test_mistakes(phrase: str, why: str) -> None:
    with pytest.raises(PhraseError) as caught:
        Phrase.read(phrase)
    assert why in str(caught.value)


def test_the_worst_phrase_is_quick() -> None:
    phrase = Phrase.read("[a]" * 10 + "(a|aa)" * 10 + "b")
    started = perf_counter()
    assert phrase.match("a" * 40) is None
    assert perf_counter() - started < 1


@given(st.text(max_size=60))
def test_any_text_is_a_phrase_or_a_mistake(text: str) -> None:
    try:
        phrase = Phrase.read(text)
    except PhraseError:
        return
    phrase.match(normalize(text))


@given(st.text(max_size=40))
def test_normalizing_twice_changes_nothing(text: str) -> None:
    once = normalize(text)
    assert normalize(once) == once
