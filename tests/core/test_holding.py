"""How holds come and go."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from hypothesis import given, settings, strategies as st
import pytest

from hearthnet.core.arbitrate import Answer, arbitrate
from hearthnet.core.devices import Principal, Values
from hearthnet.core.effects import Effect
from hearthnet.core.holding import (
    SWITCH,
    VOICE,
    HoldChange,
    ends_at,
    holds_from_receipt,
    on_observation,
)
from hearthnet.core.holds import Hold, Kind, SourceClass
from hearthnet.core.messages import Json, MalformedError, Message, MessageType
from hearthnet.core.policy.model import HoldLengths, PersonOrder, Policy
from hearthnet.core.status import Cause

from .homes import person
from .test_arbitrate import ANNA, AUTOMATION, BO, HOLDS, NOW, PERSON, held

DEFAULT = Policy()
BERLIN = ZoneInfo("Europe/Berlin")


def receipt(
    *effects: tuple[str, Json],
    source: SourceClass = PERSON,
    principal: Principal = ANNA,
    holds: tuple[Hold, ...] = (),
    policy: Policy = DEFAULT,
    seen: Values | None = None,
    ends: datetime | None = NOW + timedelta(minutes=30),
    **more: Any,
) -> HoldChange:
    return holds_from_receipt(
        "hub.1.9",
        [Effect("lamp", *effect) for effect in effects],
        {"lamp": dict(effects) if seen is None else seen},
        source=source,
        principal=principal,
        now=NOW,
        ends=ends,
        holds=holds,
        policy=policy,
        **more,
    )


def seen(
    cause: Cause,
    *effects: tuple[str, Json],
    holds: tuple[Hold, ...] = (),
    principal: Principal | None = None,
    policy: Policy = DEFAULT,
) -> HoldChange:
    return on_observation(
        "hub.1.9",
        cause,
        [Effect("lamp", *effect) for effect in effects],
        holds=holds,
        now=NOW,
        policy=policy,
        principal=principal,
        entity_id="light.lamp",
    )


def ids(holds: tuple[Hold, ...]) -> list[str]:
    return [hold.id for hold in holds]


# Lengths


@pytest.mark.parametrize(
    ("source", "minutes"),
    [
        (SourceClass.PERSON, 30),
        (SourceClass.AUTOMATION, None),
        (SourceClass.SCHEDULE, None),
        (SourceClass.AGENT, None),
        (SourceClass.SAFETY, None),
    ],
)
def test_default_lengths(source: SourceClass, minutes: int | None) -> None:
    expected = None if minutes is None else NOW + timedelta(minutes=minutes)
    assert ends_at(source, NOW, NOW, DEFAULT) == expected


def test_lengths_follow_the_policy() -> None:
    policy = Policy(holds=HoldLengths(person=0, agent=5))
    assert ends_at(PERSON, NOW, NOW, policy) is None
    five = NOW + timedelta(minutes=5)
    assert ends_at(SourceClass.AGENT, NOW, NOW, policy) == five


def test_a_standing_wish_ends_at_the_home_s_midnight() -> None:
    local = datetime(2026, 11, 30, 23, 30, tzinfo=BERLIN)
    end = ends_at(SourceClass.STANDING, local.astimezone(UTC), local, DEFAULT)
    assert end == datetime(2026, 12, 1, tzinfo=BERLIN)
    # The night in which the clocks go back has 25 hours.
    long_day = datetime(2026, 10, 25, 0, 30, tzinfo=BERLIN)
    end = ends_at(SourceClass.STANDING, long_day.astimezone(UTC), long_day, DEFAULT)
    assert end is not None
    assert end - long_day.astimezone(UTC) == timedelta(hours=24, minutes=30)


def test_an_end_that_was_named_counts_unless_it_is_over() -> None:
    later = NOW + timedelta(hours=5)
    for source in SourceClass:
        assert ends_at(source, NOW, NOW, DEFAULT, later) == later
        assert ends_at(source, NOW, NOW, DEFAULT, NOW) is None


# Receipts


def test_a_receipt_holds_the_value_that_was_seen() -> None:
    change = receipt(("state", "on"), ("brightness_pct", 60), intent="hub.1.2")
    assert [(h.attribute, h.value) for h in change.made] == [
        ("state", "on"),
        ("brightness_pct", 60),
    ]
    rounded = receipt(("brightness_pct", 60), seen={"brightness_pct": 59.6})
    (hold,) = rounded.made
    assert hold.value == 59.6
    assert (hold.source, hold.principal, hold.since) == (PERSON, ANNA, NOW)
    assert (hold.event, hold.id) == ("hub.1.9", "hub.1.9-0")


def test_what_was_not_seen_is_not_held() -> None:
    change = receipt(("state", "on"), ("brightness_pct", 60), seen={"state": "on"})
    assert [h.attribute for h in change.made] == ["state"]
    other = holds_from_receipt(
        "hub.1.9",
        [Effect("gone", "state", "on")],
        {},
        source=PERSON,
        principal=ANNA,
        now=NOW,
        ends=NOW + timedelta(minutes=1),
        holds=(),
        policy=DEFAULT,
    )
    assert other == HoldChange()


def test_a_range_is_held_where_the_person_named_one() -> None:
    change = receipt(
        ("state", "on"), ("brightness_pct", 55), ranges={"brightness_pct": (None, 60)}
    )
    assert [h.within for h in change.made] == [None, (None, 60)]


def test_no_end_no_hold_but_weaker_ones_end() -> None:
    weak = held(source=SourceClass.SCHEDULE)
    change = receipt(
        ("brightness_pct", 20),
        source=SourceClass.AUTOMATION,
        principal=AUTOMATION,
        holds=(weak,),
        ends=None,
    )
    assert change.made == ()
    assert [ended.hold for ended in change.ended] == [weak]


def test_a_person_s_new_wish_replaces_her_own_hold() -> None:
    for value in (55, 80):
        old = held(value=55)
        change = receipt(("brightness_pct", value), holds=(old,))
        assert [ended.hold for ended in change.ended] == [old]
        assert len(change.made) == 1


def test_switching_off_ends_the_hold_on_the_brightness() -> None:
    old = held()
    change = receipt(("state", "off"), holds=(old,))
    assert [ended.hold for ended in change.ended] == [old]


def test_an_equal_wish_does_not_end_the_hold_of_another() -> None:
    """Else a guest could repeat the owner's wish and then change her own."""
    policy = Policy(persons=PersonOrder.ROLE)
    owners = held(principal=ANNA)
    change = receipt(
        ("brightness_pct", 55), principal=BO, holds=(owners,), policy=policy
    )
    assert change.ended == ()
    wish = [Effect("lamp", "brightness_pct", 80)]
    found = arbitrate(wish, PERSON, BO, [owners, *change.made], now=NOW, policy=policy)
    assert found.answer is Answer.REFUSED


def test_a_hold_that_is_over_is_not_ended_again() -> None:
    over = held(ends_at=NOW)
    assert receipt(("brightness_pct", 80), holds=(over,)).ended == ()


def test_a_tie_that_was_decided_for_the_newer_ends_the_older() -> None:
    hold = held(source=SourceClass.AGENT, principal=AUTOMATION)
    change = receipt(
        ("brightness_pct", 20),
        source=SourceClass.AGENT,
        principal=BO,
        holds=(hold,),
        ends=None,
    )
    assert [ended.hold for ended in change.ended] == [hold]


def test_a_group_holds_only_the_members_that_were_not_seen() -> None:
    effects = [Effect(d, "brightness_pct", 40) for d in ("desk", "sofa", "group")]
    change = holds_from_receipt(
        "hub.1.9",
        effects,
        {"desk": {"brightness_pct": 40}, "group": {"brightness_pct": 40}},
        source=PERSON,
        principal=ANNA,
        now=NOW,
        ends=NOW + timedelta(minutes=30),
        holds=(),
        policy=DEFAULT,
        members={"group": ("desk", "sofa")},
    )
    assert [(h.device, h.members) for h in change.made] == [
        ("desk", ()),
        ("group", ("sofa",)),
    ]


@settings(deadline=None)
@given(st.lists(HOLDS, max_size=3), st.sampled_from(PersonOrder))
def test_a_receipt_s_own_hold_stands_in_nobody_s_way_twice(
    drawn: list[Hold], order: PersonOrder
) -> None:
    """F1: its own values then meet only the holds that it could not end."""
    policy = Policy(persons=order)
    holds = tuple(replace(hold, id=f"x-{n}") for n, hold in enumerate(drawn))
    wish: tuple[tuple[str, Json], ...] = (("state", "on"), ("brightness_pct", 20))
    change = receipt(*wish, holds=holds, policy=policy)
    gone = {ended.hold.id for ended in change.ended}
    left = [hold for hold in holds if hold.id not in gone] + list(change.made)
    effects = [Effect("lamp", *effect) for effect in wish]
    again = arbitrate(effects, PERSON, ANNA, left, now=NOW, policy=policy)
    assert again.answer in (Answer.FREE, Answer.REFUSED)
    assert {c.hold.id for c in again.conflicts} == set(ids(change.broken))


# Observations (F21)


def test_a_person_at_the_app_ends_weaker_holds_and_makes_one() -> None:
    weak = held(id="weak", source=SourceClass.AUTOMATION, principal=AUTOMATION)
    change = seen(Cause.PERSON, ("brightness_pct", 80), holds=(weak,), principal=BO)
    assert [ended.hold.id for ended in change.ended] == ["weak"]
    (hold,) = change.made
    assert (hold.value, hold.principal, hold.source) == (80, BO, PERSON)
    assert hold.ends_at == NOW + timedelta(minutes=30)


def test_a_person_whose_wish_comes_second_breaks_the_hold_but_ends_it_not() -> None:
    policy = Policy(persons=PersonOrder.ROLE)
    owners = held(principal=ANNA)
    change = seen(
        Cause.PERSON, ("state", "off"), holds=(owners,), principal=BO, policy=policy
    )
    assert (change.ended, change.broken) == ((), (owners,))


def test_a_person_s_change_needs_the_person() -> None:
    with pytest.raises(ValueError, match="needs the person"):
        seen(Cause.PERSON, ("state", "off"))


def test_a_voice_that_is_nobody_s_is_still_a_person_s() -> None:
    (hold,) = seen(Cause.VOICE, ("state", "off")).made
    assert (hold.principal, hold.source) == (VOICE, PERSON)


def test_a_range_that_a_person_named_is_broken_outside_only() -> None:
    hold = held(value=55, within=(None, 60))
    assert seen(Cause.UNKNOWN, ("brightness_pct", 20), holds=(hold,)) == HoldChange()
    for outside in (("brightness_pct", 70), ("state", "off")):
        change = seen(Cause.UNKNOWN, outside, holds=(hold,))
        assert change.broken == (hold,)


@pytest.mark.parametrize(
    ("within", "inside"),
    [
        ((None, 60), (1, 60, 61)),
        ((40, None), (39, 40, 100)),
        ((40, 60), (39, 40, 60, 61)),
    ],
)
def test_the_ends_of_a_range_lie_in_it_as_devices_round(
    within: tuple[float | None, float | None], inside: tuple[int, ...]
) -> None:
    hold = held(within=within)
    probes = (1, 38, 39, 40, 60, 61, 62, 100)
    effects = {value: Effect("lamp", "brightness_pct", value) for value in probes}
    kept = {value for value, effect in effects.items() if not hold.broken_by(effect)}
    assert kept >= set(inside)
    low, high = within
    assert all((low or 0) - 1 <= v <= (high or 100) + 1 for v in kept)
    assert hold.broken_by(Effect("lamp", "brightness_pct", True))


def test_a_range_of_a_group_covers_its_unseen_members_and_no_other_device() -> None:
    hold = held(device="group", members=("lamp",), within=(None, 60))
    bright = {d: Effect(d, "brightness_pct", 90) for d in ("group", "lamp", "desk")}
    broken = [device for device, effect in bright.items() if hold.broken_by(effect)]
    assert broken == ["group", "lamp"]


def test_a_switch_ends_the_hold_and_quiets_schedules_and_agents() -> None:
    hold = held()
    other = held(id="other", device="desk")
    change = seen(Cause.DEVICE, ("state", "off"), holds=(hold, other))
    assert [ended.hold for ended in change.ended] == [hold]
    (quiet,) = change.made
    assert quiet.kind is Kind.QUIET
    assert quiet.ends_at == NOW + timedelta(minutes=10)
    for source, expected in (
        (SourceClass.AGENT, Answer.REFUSED),
        (SourceClass.SCHEDULE, Answer.REFUSED),
        (SourceClass.AUTOMATION, Answer.FREE),
        (PERSON, Answer.FREE),
    ):
        wish = [Effect("lamp", "state", "on")]
        found = arbitrate(
            wish, source, AUTOMATION, change.made, now=NOW, policy=DEFAULT
        )
        assert found.answer is expected


def test_a_second_press_renews_the_quiet() -> None:
    first = seen(Cause.DEVICE, ("state", "off")).made
    for state in ("on", "off"):
        change = seen(Cause.DEVICE, ("state", state), holds=first)
        assert [ended.hold for ended in change.ended] == list(first)
        assert [hold.value for hold in change.made] == [state]


def test_without_a_cool_down_a_switch_leaves_no_quiet() -> None:
    short = Policy(holds=HoldLengths(cool_down=0.5))
    (quiet,) = seen(Cause.DEVICE, ("state", "off"), policy=short).made
    assert quiet.ends_at == NOW + timedelta(seconds=30)
    policy = Policy(holds=HoldLengths(cool_down=0))
    change = seen(Cause.DEVICE, ("state", "off"), holds=(held(),), policy=policy)
    assert len(change.ended) == 1
    assert change.made == ()


def test_a_switch_that_counts_as_a_person_makes_a_hold() -> None:
    policy = Policy(switches_as_persons=frozenset({"light.lamp"}))
    change = seen(Cause.DEVICE, ("state", "off"), policy=policy)
    (hold,) = change.made
    assert (hold.kind, hold.principal) == (Kind.HOLD, SWITCH)


def test_a_device_that_comes_back_changes_nothing() -> None:
    change = seen(Cause.RECONNECT, ("brightness_pct", 100), holds=(held(),))
    assert change == HoldChange()


@pytest.mark.parametrize("cause", [Cause.AUTOMATION, Cause.UNKNOWN])
def test_automations_and_unknown_causes_are_only_recorded(cause: Cause) -> None:
    hold = held()
    change = seen(cause, ("brightness_pct", 100), holds=(hold,))
    assert change == HoldChange(broken=(hold,))
    kept = seen(cause, ("brightness_pct", 55), holds=(hold,))
    assert kept == HoldChange()


def test_a_person_in_a_quiet_room_is_not_in_conflict_with_it() -> None:
    quiet = seen(Cause.DEVICE, ("state", "off")).made
    change = receipt(("state", "on"), principal=person("cy"), holds=quiet)
    assert (change.ended, change.broken) == ((), ())


# The record


@settings(deadline=None)
@given(HOLDS, st.none() | st.tuples(st.none() | st.floats(0, 9), st.floats(0, 9)))
def test_a_hold_survives_the_record(
    hold: Hold, within: tuple[float | None, float] | None
) -> None:
    hold = replace(
        hold,
        within=within,
        members=("a", "b"),
        kind=Kind.QUIET,
        intent="hub.1.1",
    )
    message = Message(
        id="hub.1.9",
        sender="rupert",
        to="all",
        type=MessageType.RECEIPT,
        at=NOW,
        content="Seen.",
        writes={hold.path: hold.as_dict()},
    )
    (written,) = Message.decode(message.encode()).writes.values()
    assert Hold.from_dict(written) == hold  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "change",
    [
        {"source": "mighty"},
        {"kind": 5},
        {"within": [1]},
        {"since": "yesterday"},
        {"principal": None},
        {"members": None},
    ],
)
def test_a_hold_of_another_shape_is_refused(change: dict[str, object]) -> None:
    data = {**held().as_dict(), **change}
    with pytest.raises(MalformedError):
        Hold.from_dict(data)
    with pytest.raises(MalformedError):
        Hold.from_dict({})


def test_what_an_event_writes() -> None:
    old = held(id="old")
    change = receipt(("brightness_pct", 80), holds=(old,))
    assert change.writes() == {
        "holds/old.json": None,
        "holds/hub.1.9-0.json": change.made[0].as_dict(),
    }
