"""Words that go on with what was said before, in five languages."""

# ruff: noqa: RUF001 - Chinese punctuation

import pytest

from hearthnet.core.planner.words.follow import corrected, without_pronoun


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("no, the floor lamp", "the floor lamp"),
        ("No the floor lamp", "the floor lamp"),
        ("no no, I meant the kitchen", "the kitchen"),
        ("no, no, I meant the kitchen", "the kitchen"),
        ("not that one, the other one", "the other one"),
        ("nein, die andere", "die andere"),
        ("Nein die andere", "die andere"),
        ("ich meinte die Stehlampe", "die Stehlampe"),
        ("non, l'autre", "l'autre"),
        ("je voulais dire le salon", "le salon"),
        ("no, la otra", "la otra"),
        ("no la otra", "la otra"),
        ("不是，另一个", "另一个"),
        ("我是说厨房", "厨房"),
        # These forbid, or say no more than no.
        ("no", None),
        ("no enciendas la luz", None),
        ("no las apagues", None),
        ("不要开灯", None),
        ("nicht die Heizung einschalten", None),
        ("no lights in the kitchen", None),
        ("notice the lamp", None),
    ],
)
def test_corrections(text: str, rest: str | None) -> None:
    assert corrected(text) == rest


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("turn it off", "turn LAMP off"),
        ("turn both of them off again", "turn LAMP off"),
        ("mach sie wieder aus", "mach LAMP aus"),
        ("éteins-la", "éteins LAMP"),
        ("apágala", "apaga LAMP"),
        ("enciéndelos", "enciende LAMP"),
        ("把它关掉", "把LAMP关掉"),
        ("关掉", "关掉LAMP"),
    ],
)
def test_what_it_stands_for(text: str, said: str) -> None:
    assert said in [" ".join(one.split()) for one in without_pronoun(text, "LAMP")]


def test_a_sentence_without_a_pronoun() -> None:
    assert list(without_pronoun("turn on the kitchen", "LAMP")) == []
