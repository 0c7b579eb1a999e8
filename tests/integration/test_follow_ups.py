"""What goes on with the sentence before: “it”, “the other one”, “no, …”, “why?”."""

# ruff: noqa: E501, RUF001 - rows of a table, and Chinese punctuation, are meant

from typing import Any

import pytest

from custom_components.hearthnet.core.intents import Plan, PlanKind
from custom_components.hearthnet.core.reasons import Reason
from custom_components.hearthnet.core.texts import texts_for

from .test_everyday import LANGUAGES, home as home  # noqa: PLC0414 - a fixture
from .test_planner_sentences import Home

ON = ("turn on Desk", "schalte Desk ein", "allume Desk", "enciende Desk", "打开Desk")
type Row = tuple[str, str, str, str, str]
type Wanted = list[tuple[str, tuple[str, ...], dict[str, Any] | None]]


def after(*said: str, reply: str = "Done.") -> tuple[tuple[str, str], ...]:
    """Return the turns of a conversation in which this was said."""
    return tuple(
        turn for text in said for turn in (("user", text), ("assistant", reply))
    )


DESK_OFF: Wanted = [("light.turn_off", ("light.desk",), None)]
SPOTS_ON: Wanted = [("light.turn_on", ("light.spots",), None)]
FOLLOWING: list[tuple[Wanted, Row]] = [
    (DESK_OFF, ("turn it off", "mach sie aus", "éteins-la", "apágala", "关掉它")),
    (DESK_OFF, ("turn it off again", "mach sie wieder aus", "éteins-la", "apágala", "关掉")),
    (
        [("light.turn_on", ("light.desk",), {"brightness_pct": 10})],
        ("brighter", "heller", "plus lumineux", "más brillante", "再亮一点"),
    ),
    (
        [("light.turn_on", ("light.desk",), {"brightness_pct": -20})],
        ("not so bright", "nicht so hell", "pas si lumineux", "no tan brillante", "别那么亮"),
    ),
    (
        [("light.turn_on", ("light.desk",), {"brightness_pct": -20})],
        ("too bright", "zu hell", "trop lumineux", "demasiado brillante", "太亮了"),
    ),
    (SPOTS_ON, ("the other one", "die andere", "l'autre", "la otra", "另一个")),
    (SPOTS_ON, ("no, the other one", "nein, die andere", "non, l'autre", "no, la otra", "不是，另一个")),
    (SPOTS_ON, ("no, the spots", "nein, Spots", "non, Spots", "no, Spots", "不是，Spots")),
    (SPOTS_ON, ("I mean the spots", "ich meine Spots", "je voulais dire Spots", "quería decir Spots", "我是说Spots")),
    (
        [("light.turn_on", ("light.bedside",), None)],
        ("no, in the bedroom", "nein, im Bedroom", "non, dans Bedroom", "no, en Bedroom", "不是，Bedroom"),
    ),
]  # fmt: skip


async def test_what_was_spoken_of_is_meant(home: Home) -> None:
    wrong = []
    for wanted, texts in FOLLOWING:
        for language, first, text in zip(LANGUAGES, ON, texts, strict=True):
            plan = await home.plan(text, language=language, turns=after(first))
            actions = [home.short(action) for action in plan.actions] if plan else plan
            if actions != wanted:
                wrong.append((text, actions, plan and plan.reason))
    assert wrong == [], "\n".join(map(str, wrong))


WHY: list[Row] = [
    ("why?", "warum?", "pourquoi ?", "¿por qué?", "为什么？"),
    ("who did that?", "wer war das?", "qui a fait ça ?", "¿quién fue?", "谁干的？"),
]


@pytest.mark.parametrize("texts", WHY, ids=lambda row: row[0])
async def test_why_is_of_what_was_spoken_of(home: Home, texts: Row) -> None:
    for language, first, text in zip(LANGUAGES, ON, texts, strict=True):
        plan = await home.plan(text, language=language, turns=after(first))
        assert plan is not None, text
        assert plan.why, text
        assert [home.house.entity_id(one) for one in plan.asked] == ["light.desk"]
        assert await home.plan(text, language=language) is None


async def test_several_things_are_them(home: Home) -> None:
    both = after("turn on the desk and the spots")
    wanted = [("light.turn_off", ("light.desk", "light.spots"), None)]
    for text in ("turn them off", "turn both off", "turn it all off"):
        assert await home.actions(text, turns=both) == wanted
    with_room = after("turn on the lights")
    assert await home.actions("turn them off", area="Office", turns=with_room) == wanted


async def test_what_stands_for_nothing_moves_nothing(home: Home) -> None:
    """Without a sentence before, or after one that nobody here understood."""
    for text in ("turn it off", "the other one", "a bit more", "no, the other one"):
        assert await home.plan(text) is None, text
        assert await home.plan(text, turns=after("be a good house")) is None, text


async def test_thanks_and_what_was_lost_lie_between(home: Home) -> None:
    """Who is thanked is no longer spoken to, but what was spoken of stays."""
    assert (
        await home.actions("turn it off", turns=after("turn on Desk", "thanks"))
        == DESK_OFF
    )
    texts = texts_for("en")
    lost = texts.nothing.format(why=texts.reasons[Reason.NOT_UNDERSTOOD])
    turns = after("turn on Desk") + after("mumble", reply=lost)
    assert await home.actions("turn it off", turns=turns) == DESK_OFF


async def test_it_goes_on_over_several_sentences(home: Home) -> None:
    turns = after("turn on Desk", "no, the spots", "brighter")
    assert await home.actions("turn it off", turns=turns) == [
        ("light.turn_off", ("light.spots",), None)
    ]
    more = [("light.turn_on", ("light.spots",), {"brightness_pct": 10})]
    assert await home.actions("a bit more", turns=turns) == more
    assert await home.plan("a bit more", turns=after("turn on Desk")) is None


async def test_more_and_less_of_what_was_set(home: Home) -> None:
    for said, text, operation, parameter, by in (
        ("set Desk to 40 percent", "a bit more", "light.turn_on", "brightness_pct", 10),
        ("set Desk to 40 percent", "less", "light.turn_on", "brightness_pct", -10),
        ("dim Desk", "a bit more", "light.turn_on", "brightness_pct", -10),
        ("dim Desk", "less", "light.turn_on", "brightness_pct", 10),
        ("set the heating to 21", "more", "climate.set_temperature", "temperature", 1),
        (
            "dreh die Heizung auf 21",
            "zu viel",
            "climate.set_temperature",
            "temperature",
            -1,
        ),
    ):
        language = "de" if said.startswith("dreh") else "en"
        ((op, _, values),) = await home.actions(
            text, language=language, turns=after(said)
        )
        assert (op, values) == (operation, {parameter: by}), (said, text)


async def test_a_name_that_was_offered_is_agreed_to(home: Home) -> None:
    """“Did you mean Carport?” wants a yes, or the name, and no whole sentence."""
    offer = texts_for("en").did_you_mean.format(near="Spots")
    turns = after("turn off the spotz", reply=offer)
    wanted = [("light.turn_off", ("light.spots",), None)]
    assert await home.actions("yes", turns=turns) == wanted
    assert await home.actions("the spots", turns=turns) == wanted
    # Of two names a yes names neither.
    two = texts_for("en").did_you_mean.format(near="Spots or Desk")
    plan = await home.plan("yes", turns=after("turn off the spotz", reply=two))
    assert plan is None


async def test_the_only_one_of_a_kind(home: Home) -> None:
    off = [("media_player.turn_off", ("media_player.radio",), None)]
    assert await home.actions("turn off the speaker") == off
    assert await home.actions("turn the speaker off again") == off
    plan = await home.plan("is the garage open?")
    assert plan is not None
    assert [home.house.entity_id(one) for one in plan.asked] == ["cover.carport"]
    # In a room without one, none of another room is meant; the home's door is.
    plan = await home.plan("turn off the speaker", area="Bedroom")
    assert plan is None or not plan.actions
    plan = await home.plan("is the garage open?", area="Bedroom")
    assert plan is not None
    assert len(plan.asked) == 1
    # Of two plugs in a room neither is “the plug”, and no door is found by likeness.
    for text in ("toggle the plug", "unlock the side door", "turn off the television"):
        plan = await home.plan(text, area="Office")
        assert plan is None or not plan.actions, text


async def test_a_room_that_is_said_is_the_room(home: Home) -> None:
    """“Brighter” goes on; “brighter in here” and “more light” are about the room."""
    turns = after("turn on Bedside")
    for text in ("make the lights brighter", "it's too dark in here"):
        plan = await home.plan(text, area="Office", turns=turns)
        assert plan is not None
        assert home.short(plan.actions[0])[1] == ("light.desk",), text
    # What was switched off is not what shall be brighter.
    off = after("turn off Bedside")
    plan = await home.plan("brighter", area="Office", turns=off)
    assert plan is not None
    assert home.short(plan.actions[0])[1] == ("light.desk",)


async def test_which_other_one_is_asked(home: Home) -> None:
    plan = await home.plan("the other one", turns=after("turn on Pump"))
    assert plan is not None
    assert [home.short(a) for a in plan.actions] == [
        ("switch.turn_on", ("switch.charger",), None)
    ]
    # In the bedroom there is no other lamp, and in the house there are two.
    plan = await home.plan("the other one", turns=after("turn on Bedside"))
    assert isinstance(plan, Plan)
    assert plan.kind is PlanKind.UNCLEAR
    assert plan.reason is Reason.AMBIGUOUS
    assert sorted(plan.near) == ["Desk", "Spots"]


NAMED = ("Desk", "the spots", "in the bedroom", "no, the desk")


@pytest.mark.parametrize("text", NAMED)
async def test_a_bare_name_does_what_was_asked_for_before(
    home: Home, text: str
) -> None:
    """By itself it would be switched on; after “turn off” nobody wants that."""
    asked = "Which one do you mean: Office or Bedroom?"
    turns = after("turn off the light", reply=asked)
    assert [a for a, *_ in await home.actions(text, turns=turns)] == ["light.turn_off"]
    # A whole sentence is no answer, though it is short and has a name in it.
    assert await home.actions("turn on Spots", turns=turns) == SPOTS_ON


FORBIDDEN = (
    "no turn on Desk",
    "no enciendas Desk",
    "nicht die Desk einschalten",
    "nein mach Desk nicht an",
)


@pytest.mark.parametrize("text", FORBIDDEN)
async def test_a_no_without_a_comma_is_not_cut_off(home: Home, text: str) -> None:
    """It may forbid what follows it."""
    for language in LANGUAGES:
        plan = await home.plan(text, language=language, turns=after("turn on Spots"))
        switched = (
            [a for a in plan.actions if a.operation == "light.turn_on"] if plan else []
        )
        assert switched == []
