"""Outcomes from readings alone, and which reports are our own effect."""

from dataclasses import replace
from typing import Any

from hypothesis import given, strategies as st
import pytest

from hearthnet.core.devices import Device, Reading, Values
from hearthnet.core.domains import OPERATIONS
from hearthnet.core.expectations import Expectations
from hearthnet.core.outcomes import (
    Goal,
    arrival_deadline,
    combine,
    judge,
    met,
    needless,
    read_back_deadline,
    satisfied,
)
from hearthnet.core.reasons import DONE, Outcome

OFF = Reading(available=True, values={"state": "off"})
ON = Reading(available=True, values={"state": "on", "brightness_pct": 55})
GONE = Reading(available=False)
TURN_ON = OPERATIONS["light.turn_on"]
OPEN = OPERATIONS["cover.open_cover"]


def goal(
    before: Reading, *effects: tuple[str, Any], assumed_state: bool = False
) -> Goal:
    device = Device(
        id="d",
        entity_id="light.d",
        name="D",
        domain="light",
        assumed_state=assumed_state,
    )
    return Goal(device, before, effects)


def test_an_apps_numbers_are_exact() -> None:
    """A device rounds what it is told; an app that shows 12 % has not got 13 %."""
    quiet = Reading(available=True, values={"volume_level": 0.12})
    device = goal(quiet, ("volume_level", 0.13))
    assert device.met(quiet)
    app = replace(device, exact=True)
    assert not app.met(quiet)
    assert app.met(Reading(available=True, values={"volume_level": 0.13}))


@pytest.mark.parametrize(
    ("before", "after", "fault", "outcome"),
    [
        (OFF, ON, None, Outcome.CHANGED),
        (ON, ON, None, Outcome.ALREADY_SO),
        (OFF, OFF, None, Outcome.FAILED),
        (OFF, GONE, None, Outcome.UNKNOWN),
        (GONE, GONE, None, Outcome.UNREACHABLE),
        (GONE, ON, None, Outcome.CHANGED),
        (OFF, OFF, Outcome.UNREACHABLE, Outcome.UNREACHABLE),
        (OFF, OFF, Outcome.UNKNOWN, Outcome.UNKNOWN),
        (OFF, GONE, Outcome.FAILED, Outcome.FAILED),
        # A read that shows the goal outweighs what the integration said.
        (OFF, ON, Outcome.FAILED, Outcome.CHANGED),
    ],
)
def test_one_target(
    before: Reading, after: Reading, fault: Outcome | None, outcome: Outcome
) -> None:
    assert judge(TURN_ON, goal(before, ("state", "on")), after, fault) is outcome


def test_some_attributes_only() -> None:
    dim = goal(OFF, ("state", "on"), ("brightness_pct", 20))
    assert judge(TURN_ON, dim, ON, None) is Outcome.PARTIAL
    # It was on before and did not obey.
    dim = goal(ON, ("state", "on"), ("brightness_pct", 20))
    assert judge(TURN_ON, dim, ON, None) is Outcome.FAILED


def test_what_travels_is_running() -> None:
    closed = Reading(available=True, values={"state": "closed", "current_position": 0})
    moving = Reading(available=True, values={"state": "opening", "current_position": 9})
    up = goal(closed, ("state", "open"), ("current_position", 100))
    assert judge(OPEN, up, moving, None) is Outcome.RUNNING
    # It tells nothing before it arrives, or it is stuck: nobody knows yet.
    assert judge(OPEN, up, closed, None) is Outcome.UNVERIFIED
    assert judge(OPEN, up, closed, Outcome.FAILED) is Outcome.FAILED


def test_what_reports_nothing_is_unverified() -> None:
    blind = goal(ON, ("state", "on"), assumed_state=True)
    assert judge(TURN_ON, blind, ON, None) is Outcome.UNVERIFIED
    assert judge(TURN_ON, blind, ON, Outcome.FAILED) is Outcome.FAILED
    assert not needless(TURN_ON, {"d": blind})
    assert satisfied({"d": blind}, {"d": OFF})
    stop = goal(ON)
    assert judge(OPERATIONS["cover.stop_cover"], stop, ON, None) is Outcome.UNVERIFIED
    assert not needless(OPERATIONS["cover.stop_cover"], {"d": stop})


C, A, R, P = Outcome.CHANGED, Outcome.ALREADY_SO, Outcome.RUNNING, Outcome.PARTIAL
U, F, V, N = (
    Outcome.UNREACHABLE,
    Outcome.FAILED,
    Outcome.UNVERIFIED,
    Outcome.UNKNOWN,
)


@pytest.mark.parametrize(
    ("members", "whole"),
    [
        ([C], C),
        ([A, A], A),
        ([C, A], C),
        ([C, F], P),
        ([C, U], P),
        ([U, F], F),
        ([U, U], U),
        ([C, R], R),
        ([C, V], V),
        ([R, V], R),
        ([V, F], P),
        ([C, P], P),
        ([C, F, N], N),
    ],
)
def test_the_whole_of_a_group(members: list[Outcome], whole: Outcome) -> None:
    assert combine(members) is whole


@given(st.lists(st.sampled_from([C, A, R, P, U, F, V, N]), min_size=1))
def test_done_only_if_all_are(members: list[Outcome]) -> None:
    assert (combine(members) in DONE) == (set(members) <= DONE)


def test_a_transition_lengthens_the_read_back() -> None:
    assert read_back_deadline(TURN_ON, {}) == TURN_ON.deadline
    assert read_back_deadline(TURN_ON, {"transition": 5}) == TURN_ON.deadline + 5
    assert read_back_deadline(TURN_ON, {"transition": True}) == TURN_ON.deadline


# Which reports are ours


def expecting(before: Values, *effects: tuple[str, Any]) -> Expectations:
    expectations = Expectations()
    expectations.begin("e", goal(Reading(available=True, values=before), *effects))
    return expectations


def test_a_lamp_that_goes_on_step_by_step() -> None:
    ours = expecting(OFF.values, ("state", "on"), ("brightness_pct", 60))
    assert ours.claim("d", {"state": "on", "brightness_pct": None}, 1) == "e"
    assert ours.claim("d", {"state": "on", "brightness_pct": 10}, 2) == "e"
    assert ours.claim("d", {"state": "on", "brightness_pct": 40}, 3) == "e"
    # Back again is nobody's way to 60.
    assert ours.claim("d", {"state": "on", "brightness_pct": 30}, 4) is None
    assert ours.claim("d", {"state": "on", "brightness_pct": 60}, 5) == "e"
    assert ours.claim("other", {"state": "on"}, 5) is None


def test_a_lamp_that_goes_off_loses_its_attributes() -> None:
    ours = expecting(ON.values, ("state", "off"))
    assert ours.claim("d", {"state": "off"}, 1) == "e"
    assert ours.claim("d", {"state": "on", "brightness_pct": 55}, 1) is None


def test_another_attribute_is_another_hand() -> None:
    ours = expecting(ON.values, ("state", "on"), ("color_temp_kelvin", 2700))
    seen: Values = {"state": "on", "brightness_pct": 10, "color_temp_kelvin": 2700}
    assert ours.claim("d", seen, 1) is None


def test_nothing_is_ours_after_the_deadline() -> None:
    ours = expecting(OFF.values, ("state", "on"))
    ours.end("other", {"d": ON}, 0)
    assert ours.claim("d", {"state": "on"}, 1e9) == "e"
    ours.end("e", {"d": GONE, "unheard": ON}, 10)
    assert ours.claim("d", {"state": "on"}, 10) == "e"
    assert ours.claim("d", {"state": "on"}, 10.1) is None
    assert ours.claim("d", {"state": "on"}, 9) is None


def test_a_foreign_hand_after_the_receipt_ends_what_is_ours() -> None:
    """A blind that a person opened, and then closed, was not closed by us."""
    closed: Values = {"state": "closed"}
    ours = expecting({"state": "open"}, ("state", "closed"))
    ours.end("e", {"d": Reading(available=True, values=closed)}, 120)
    assert ours.claim("d", closed, 1) == "e"
    assert ours.claim("d", {"state": "open"}, 2) is None
    assert ours.claim("d", closed, 3) is None


def test_what_travels_may_arrive_for_two_minutes() -> None:
    assert arrival_deadline(OPEN, {}) == 120
    assert arrival_deadline(TURN_ON, {"transition": 5}) == TURN_ON.deadline + 5


VALUES = st.fixed_dictionaries(
    {"state": st.sampled_from(["on", "off"]), "level": st.integers(0, 9)}
)


@given(before=VALUES, wanted=VALUES, reports=st.lists(VALUES))
def test_what_is_ours_never_leads_away(
    before: dict[str, Any], wanted: dict[str, Any], reports: list[dict[str, Any]]
) -> None:
    ours = expecting(before, *wanted.items())
    last = before
    for report in reports:
        if ours.claim("d", report, 0) is None:
            continue
        away = abs(report["level"] - wanted["level"])
        assert away <= abs(last["level"] - wanted["level"])
        assert report["state"] in (last["state"], wanted["state"])
        last = report
    if last == wanted:
        assert met(tuple(wanted.items()), last)
