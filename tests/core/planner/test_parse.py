"""A model's answer is checked by code."""

from typing import Any

from hypothesis import given, strategies as st
import pytest

from hearthnet.core.intents import PlanKind
from hearthnet.core.planner.candidates import Candidates, candidates_for
from hearthnet.core.planner.parse import Parsed, parse
from hearthnet.core.planner.schema import MOST_ACTIONS
from hearthnet.core.reasons import Reason

from .houses import act, alias, answer, ask, small_house

HOUSE = small_house()
LAMP = alias(HOUSE, "light.kitchen")
DESK = alias(HOUSE, "light.desk")
TV = alias(HOUSE, "media_player.tv")
THERMOSTAT = alias(HOUSE, "climate.living")


def shown() -> Candidates:
    return candidates_for(ask("x"), HOUSE.devices())


def check(*actions: dict[str, Any], **fields: Any) -> Parsed:
    return parse(answer(*actions, **fields), shown())


def test_a_good_answer_passes() -> None:
    source = act(TV, "media_player.select_source", source="HDMI 2") | {"after": 2}
    parsed = check(
        act(LAMP, "light.turn_on", brightness_pct=30),
        act(TV, "media_player.turn_on"),
        source | {"why": "needs to be on"},
    )
    assert parsed.faults == ()
    assert parsed.usable
    lamp, on, select = (item.action for item in parsed.proposed)
    assert lamp.targets == ("id_light_kitchen",)
    assert lamp.parameters == {"brightness_pct": 30}
    assert (on.after, select.after, select.why) == (None, 1, "needs to be on")


def test_relative_stays_relative() -> None:
    step = act(LAMP, "light.turn_on")
    parsed = check(step | {"relative": [{"name": "brightness_pct", "by": -10}]})
    assert parsed.faults == ()
    assert parsed.proposed[0].action.relative == {"brightness_pct": -10.0}
    assert parsed.proposed[0].action.parameters == {}


def test_relative_counts_as_given() -> None:
    """“Two degrees less” names the set-point that the operation needs."""
    step = act(THERMOSTAT, "climate.set_temperature")
    parsed = check(step | {"relative": [{"name": "temperature", "by": -2}]})
    assert parsed.faults == ()


def test_both_set_points_are_needed() -> None:
    """C8, core#118899."""
    parsed = check(act(THERMOSTAT, "climate.set_temperature", target_temp_low=18))
    assert parsed.proposed == ()
    assert "target_temp_high" in parsed.faults[0].allowed


FAULTY: list[tuple[dict[str, Any], str, Reason]] = [
    (act("light99", "light.turn_on"), ".device", Reason.UNKNOWN_TARGET),
    (act("id_light_kitchen", "light.turn_on"), ".device", Reason.UNKNOWN_TARGET),
    (act(LAMP, "light.toggle"), ".op", Reason.UNKNOWN_OPERATION),
    (act(LAMP, "switch.turn_on"), ".op", Reason.UNKNOWN_OPERATION),
    (act(LAMP, "homeassistant.restart"), ".op", Reason.UNKNOWN_OPERATION),
    (
        act(LAMP, "light.turn_on", brightness_pct=0),
        ".args.brightness_pct",
        Reason.BAD_PARAMETER,
    ),
    (
        act(LAMP, "light.turn_on", brightness_pct=True),
        ".args.brightness_pct",
        Reason.BAD_PARAMETER,
    ),
    (
        act(LAMP, "light.turn_on", brightness_pct="+10"),
        ".args.brightness_pct",
        Reason.BAD_PARAMETER,
    ),
    (
        act(LAMP, "light.turn_on", brightness_pct=float("nan")),
        ".args.brightness_pct",
        Reason.BAD_PARAMETER,
    ),
    (
        act(LAMP, "light.turn_on", rgb_color=[1, 2, 3]),
        ".args.rgb_color",
        Reason.UNKNOWN_OPERATION,
    ),
    (act(LAMP, "light.turn_on", volume=1), ".args.volume", Reason.UNKNOWN_OPERATION),
    (
        act(TV, "media_player.volume_set", volume_level=30),
        ".args.volume_level",
        Reason.BAD_PARAMETER,
    ),
    (act(TV, "media_player.volume_set"), ".args.volume_level", Reason.BAD_PARAMETER),
    (
        act(TV, "media_player.turn_on") | {"relative": [{"name": "source", "by": 1}]},
        ".relative.source",
        Reason.BAD_PARAMETER,
    ),
    (
        act(LAMP, "light.turn_on")
        | {"relative": [{"name": "brightness_pct", "by": "lots"}]},
        ".relative.brightness_pct",
        Reason.BAD_PARAMETER,
    ),
    (
        act(LAMP, "light.turn_on")
        | {"relative": [{"name": "brightness_pct", "by": 1e300}]},
        ".relative.brightness_pct",
        Reason.BAD_PARAMETER,
    ),
    (
        act(LAMP, "light.turn_on", brightness_pct=5)
        | {"relative": [{"name": "brightness_pct", "by": 1}]},
        ".relative.brightness_pct",
        Reason.BAD_PARAMETER,
    ),
    (act(LAMP, "light.turn_on") | {"args": "bright"}, ".args", Reason.BAD_PARAMETER),
    (act(LAMP, "light.turn_on") | {"relative": 3}, ".relative", Reason.BAD_PARAMETER),
    (act(LAMP, "light.turn_on") | {"after": 7}, ".after", Reason.BAD_PARAMETER),
    (act(LAMP, "light.turn_on") | {"after": 1}, ".after", Reason.BAD_PARAMETER),
    (act(LAMP, "light.turn_on") | {"after": "1"}, ".after", Reason.BAD_PARAMETER),
]


@pytest.mark.parametrize(("step", "field", "reason"), FAULTY)
def test_faults_name_field_value_and_what_is_allowed(
    step: dict[str, Any], field: str, reason: Reason
) -> None:
    parsed = check(step)
    assert parsed.proposed == ()
    (fault,) = parsed.faults
    assert fault.field == f"actions[0]{field}"
    assert fault.reason is reason
    assert fault.allowed
    assert parsed.rejected[0].fault == fault


def test_the_good_ones_are_kept() -> None:
    """C20: one impossible part, the others stand."""
    parsed = check(
        act(LAMP, "light.turn_on"),
        act("light99", "light.turn_on"),
        act(TV, "media_player.turn_on"),
    )
    assert [p.operation.name for p in parsed.proposed] == [
        "light.turn_on",
        "media_player.turn_on",
    ]
    assert [item.target for item in parsed.rejected] == ["light99"]


def test_what_follows_an_impossible_step_is_impossible() -> None:
    parsed = check(
        act("media_player9", "media_player.turn_on"),
        act(TV, "media_player.select_source", source="Radio") | {"after": 1},
    )
    assert parsed.proposed == ()
    assert [f.field for f in parsed.faults] == ["actions[0].device", "actions[1].after"]


def test_more_actions_than_allowed() -> None:
    parsed = check(*[act(LAMP, "light.turn_on")] * (MOST_ACTIONS + 2))
    assert len(parsed.proposed) == MOST_ACTIONS
    assert len(parsed.rejected) == 2


def test_small_models_write_objects_and_numbers_as_text() -> None:
    step = act(LAMP, "light.turn_on") | {"args": {"brightness_pct": "30"}}
    parsed = check(step)
    assert parsed.proposed[0].action.parameters == {"brightness_pct": 30}


@pytest.mark.parametrize(
    ("alias", "op", "name", "text", "value"),
    [
        (LAMP, "light.turn_on", "brightness_pct", "12.5", 12.5),
        (TV, "media_player.volume_mute", "is_volume_muted", "true", True),
        (DESK, "light.turn_on", "rgb_color", "[255, 0, 7]", [255, 0, 7]),
        (TV, "media_player.select_source", "source", "1", "1"),
    ],
)
def test_text_that_stands_for_a_value(
    alias: str, op: str, name: str, text: str, value: object
) -> None:
    """AI Task's structures have texts only."""
    parsed = check(act(alias, op, **{name: text}))
    assert parsed.proposed[0].action.parameters == {name: value}


@pytest.mark.parametrize(
    "text", ["[1,]", "[,1]", "[1 2]", "01", "1e9", "[[1]]", "null"]
)
def test_text_that_stands_for_none(text: str) -> None:
    parsed = check(act(LAMP, "light.turn_on", brightness_pct=text))
    assert parsed.faults


def test_whole_numbers_with_a_point() -> None:
    second = act(TV, "media_player.media_play") | {"after": 1.0}
    parsed = check(act(TV, "media_player.turn_on"), second)
    assert parsed.proposed[1].action.after == 0


def test_reasons_claim_nothing() -> None:
    """They are recorded with the grant."""
    parsed = check(act(LAMP, "light.turn_on") | {"why": "I have opened the door"})
    assert parsed.proposed[0].action.why == ""


@pytest.mark.parametrize(
    "data",
    [
        None,
        "Sure, I will do that.",
        [],
        {},
        {"kind": "order", "actions": []},
        {"kind": "command"},
        {"kind": "command", "actions": {"device": LAMP}},
    ],
)
def test_what_is_no_answer(data: object) -> None:
    parsed = parse(data, shown())
    assert not parsed.usable
    assert parsed.faults
    assert parsed.proposed == ()


def test_asked_devices() -> None:
    parsed = check(kind="question", asked=[LAMP, "light99", LAMP, 3])
    assert [d.entity_id for d in parsed.asked] == ["light.kitchen"]
    assert [f.field for f in parsed.faults] == ["asked[1]", "asked[3]"]
    assert parsed.usable


def test_actions_of_a_question_are_not_even_read() -> None:
    parsed = check(act(LAMP, "light.turn_on"), kind="question")
    assert parsed.kind is PlanKind.QUESTION
    assert parsed.proposed == ()


JUNK: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from((LAMP, TV, "light.turn_on", "command", "brightness_pct")),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                (
                    "kind",
                    "say",
                    "actions",
                    "asked",
                    "n",
                    "device",
                    "op",
                    "args",
                    "relative",
                    "after",
                    "why",
                    "name",
                    "value",
                    "by",
                    "brightness_pct",
                )
            ),
            inner,
            max_size=7,
        )
    ),
    max_leaves=25,
)


@given(JUNK)
def test_no_answer_breaks_the_check(data: Any) -> None:
    """Whatever comes: no exception, and only actions of the table on known devices."""
    parsed = parse(data, shown())
    known = {device.id for device in HOUSE.devices()}
    for item in parsed.proposed:
        assert set(item.action.targets) <= known
        assert item.action.after is None or item.action.after < len(parsed.proposed)
    for fault in parsed.faults:
        assert len(str(fault.value)) < 2_000
