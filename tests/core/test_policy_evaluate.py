"""Policy: every matching rule counts; bounds, groups, plugs, caps, evidence."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given, settings, strategies as st
import pytest

from hearthnet.core.leases import Bound
from hearthnet.core.messages import Json
from hearthnet.core.policy.bounds import completed, intersect, is_empty, words
from hearthnet.core.policy.evaluate import evaluate
from hearthnet.core.policy.load import load
from hearthnet.core.policy.model import (
    Decision,
    Evidence,
    Request,
    Rule,
    RuleEffect,
    Usage,
    Verdict,
)
from hearthnet.core.reasons import Reason

from .homes import (
    ALL_LIGHTS,
    DEVICES,
    DOOR,
    FREEZER,
    HEATING,
    PLUG,
    RADIO,
    SOFA,
    device,
    request,
)
from .rules import Written, policy, text

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
MOMENTS = st.integers(0, 14 * 24 * 60).map(lambda m: NOON + timedelta(minutes=m))
NOTHING_BEFORE = Usage()


def judge(written: Written, asked: Request, now: datetime | None = NOON) -> Verdict:
    return evaluate(load(text(written)), asked, now, NOTHING_BEFORE)


# Specificity (F13)


def test_being_specific_opens_no_door() -> None:
    for rules_ in (
        [
            {"effect": "deny", "targets": {"domain": "lock"}},
            {"effect": "allow", "targets": {"area": "hall"}},
        ],
        [
            {"effect": "allow", "targets": {"entity": "lock.door"}},
            {"effect": "deny", "targets": {"floor": "down"}},
        ],
    ):
        verdict = judge(policy(rules_), request("lock.lock", DOOR))
        assert verdict.decision is Decision.DENY
        assert verdict.reason is Reason.POLICY_DENIED
        assert verdict.rules[0].effect is RuleEffect.DENY


def test_confirm_stands_between_allow_and_deny() -> None:
    allow, confirm, deny = [{"effect": e} for e in ("allow", "confirm", "deny")]
    decisions = [
        judge(policy(drawn), request("lock.lock", DOOR)).decision
        for drawn in ([allow], [allow, confirm], [confirm, allow, deny], [deny])
    ]
    assert decisions == [
        Decision.ALLOW,
        Decision.CONFIRM,
        Decision.DENY,
        Decision.DENY,
    ]


def test_an_exception_is_taken_out_of_its_rule_only() -> None:
    written = policy(
        [
            {"effect": "allow", "except": {"targets": {"label": "keep"}}},
            {"effect": "deny", "targets": {"domain": "light"}},
        ],
        unclassified_switches="allow",
    )
    assert judge(written, request("switch.turn_on", PLUG)).decision is Decision.ALLOW
    assert judge(written, request("switch.turn_off", FREEZER)).decision is Decision.DENY
    assert judge(written, request("lock.lock", DOOR)).decision is Decision.DENY
    assert judge(written, request("light.turn_off", SOFA)).decision is Decision.DENY


def test_an_exception_needs_all_of_its_parts() -> None:
    written = policy(
        [
            {"effect": "allow"},
            {
                "effect": "deny",
                "operations": ["lock.lock", "light.turn_off"],
                "except": {
                    "subjects": {"role": "owner"},
                    "targets": {"domain": "lock"},
                },
            },
        ]
    )
    for role, one, operation, decision in (
        ("owner", DOOR, "lock.lock", Decision.ALLOW),
        ("guest", DOOR, "lock.lock", Decision.DENY),
        ("owner", SOFA, "light.turn_off", Decision.DENY),
    ):
        assert judge(written, request(operation, one, role=role)).decision is decision


# Groups and other names


def test_a_group_opens_its_members_only_by_its_own_id() -> None:
    asked = request("light.turn_off", SOFA, group=ALL_LIGHTS)
    by_id = policy([{"effect": "allow", "targets": {"entity": "light.all_lights"}}])
    by_area = policy([{"effect": "allow", "targets": {"area": "hall"}}])
    assert judge(by_id, asked).decision is Decision.ALLOW
    assert judge(by_area, asked).decision is Decision.DENY
    alone = request("light.turn_off", SOFA)
    assert judge(by_id, alone).decision is Decision.DENY


def test_a_group_cannot_carry_a_member_past_a_rule() -> None:
    asked = request("light.turn_off", SOFA, group=ALL_LIGHTS)
    for targets in ({"entity": "light.sofa"}, {"area": "living"}, {"area": "hall"}):
        denied = policy([{"effect": "allow"}, {"effect": "deny", "targets": targets}])
        assert judge(denied, asked).decision is Decision.DENY
        left_out = policy([{"effect": "allow", "except": {"targets": targets}}])
        assert judge(left_out, asked).decision is Decision.DENY


def test_one_bad_member_spoils_the_group() -> None:
    written = policy(
        [{"effect": "allow"}, {"effect": "confirm", "targets": {"area": "living"}}]
    )
    asked = request("light.turn_off", DEVICES[0], SOFA, group=ALL_LIGHTS)
    assert judge(written, asked).decision is Decision.CONFIRM


def test_another_name_of_the_same_thing_is_no_way_round() -> None:
    matter = device("sofa_matter", "light", area="attic", physical="sofa")
    asked = request("light.turn_off", matter, aliases=(SOFA,))
    denied = policy(
        [{"effect": "allow"}, {"effect": "deny", "targets": {"entity": "light.sofa"}}]
    )
    assert judge(denied, asked).decision is Decision.DENY
    allowed = policy([{"effect": "allow", "targets": {"entity": "light.sofa"}}])
    assert judge(allowed, asked).decision is Decision.DENY


# Bounds


def test_bounds_intersect_and_an_empty_intersection_denies() -> None:
    def limited(*limits: Written) -> Verdict:
        drawn: list[Written] = [
            {"effect": "allow", "targets": {"domain": "media_player"}, "bounds": b}
            for b in ({"volume_level": limit} for limit in limits)
        ]
        asked = request("media_player.volume_set", RADIO, volume_level=0.4)
        return judge(policy(drawn), asked)

    both = limited({"min": 0.1}, {"max": 0.5})
    assert both.decision is Decision.ALLOW
    assert both.bounds["volume_level"] == Bound(minimum=0.1, maximum=0.5)
    over = limited({"max": 0.5}, {"max": 0.3})
    assert (over.decision, over.field) == (Decision.DENY, "volume_level")
    assert over.text == "volume_level may be at most 0.3"
    assert over.rules[0].rule == "rule-1"
    none = limited({"max": 0.2}, {"min": 0.6})
    assert (none.decision, none.field) == (Decision.DENY, "volume_level")


def test_an_empty_intersection_denies_even_what_does_not_name_the_value() -> None:
    drawn: list[Written] = [
        {"effect": "allow", "bounds": {"color_temp_kelvin": bound}}
        for bound in ({"max": 3000}, {"min": 4000})
    ]
    verdict = judge(policy(drawn), request("light.turn_on", SOFA))
    assert (verdict.decision, verdict.field) == (Decision.DENY, "color_temp_kelvin")


def test_a_lamp_under_a_cap_must_be_told_how_bright() -> None:
    written = policy([{"effect": "allow", "bounds": {"brightness_pct": {"max": 40}}}])
    asked = request("light.turn_on", SOFA)
    verdict = judge(written, asked)
    assert (verdict.decision, verdict.field) == (Decision.DENY, "brightness_pct")
    named = completed(asked.operation, asked.parameters, verdict.bounds)
    assert named == {"brightness_pct": 40}
    assert judge(written, replace(asked, parameters=named)).decision is Decision.ALLOW
    for bound, filled in (
        (Bound(minimum=20), {}),
        (Bound(choices=(20, 35)), {"brightness_pct": 35}),
        (Bound(exact=10), {"brightness_pct": 10}),
        (Bound(maximum=0), {}),
    ):
        limits = {"brightness_pct": bound}
        assert completed(asked.operation, asked.parameters, limits) == filled
    given = {"brightness_pct": 5}
    assert completed(asked.operation, given, verdict.bounds) is given
    simple = device("bulb", "light", features=frozenset({"light.turn_on"}))
    assert judge(written, request("light.turn_on", simple)).decision is Decision.ALLOW


def test_a_cap_on_the_temperature_covers_a_thermostat_with_a_range() -> None:
    limit = {"temperature": {"max": 24}}
    written = policy([{"effect": "allow", "bounds": limit}])
    asked = request(
        "climate.set_temperature", HEATING, target_temp_low=20, target_temp_high=30
    )
    verdict = judge(written, asked)
    assert (verdict.decision, verdict.field) == (Decision.DENY, "target_temp_high")
    asks = policy(
        [
            {"effect": "allow"},
            {
                "effect": "confirm",
                "operations": ["climate.*"],
                "conditions": {"values": {"temperature": {"above": 24}}},
            },
        ]
    )
    assert judge(asks, asked).decision is Decision.CONFIRM


NUMBERS = st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0])
ANYTHING: st.SearchStrategy[Json] = NUMBERS | st.sampled_from(["a", True, None])
BOUNDS = st.one_of(
    st.builds(lambda value: Bound(exact=value), ANYTHING),
    st.builds(
        lambda values: Bound(choices=tuple(values)), st.lists(ANYTHING, max_size=3)
    ),
    st.builds(lambda low: Bound(minimum=low), NUMBERS),
    st.builds(lambda high: Bound(maximum=high), NUMBERS),
    st.builds(lambda low, high: Bound(minimum=low, maximum=high), NUMBERS, NUMBERS),
)
PROBES: tuple[Json, ...] = (
    -1.0,
    -0.5,
    0.0,
    0.5,
    1,
    1.5,
    2.0,
    3,
    "a",
    "b",
    True,
    False,
    None,
)


@settings(deadline=None)
@given(BOUNDS, BOUNDS)
def test_intersecting_bounds_is_exact(one: Bound, other: Bound) -> None:
    both = intersect(one, other)
    for value in PROBES:
        assert both.admits(value) == (one.admits(value) and other.admits(value))
    if is_empty(both):
        assert not any(both.admits(value) for value in PROBES)
    assert words(both)


# Who asks


def test_low_evidence_gets_the_safe_direction_only() -> None:
    written = policy([{"effect": "allow"}])
    for operation, one, decision in (
        ("lock.lock", DOOR, Decision.ALLOW),
        ("lock.unlock", DOOR, Decision.DENY),
        ("light.turn_on", SOFA, Decision.DENY),
    ):
        asked = request(operation, one, evidence=Evidence.LOW)
        assert judge(written, asked).decision is decision


def test_an_untrusted_clock_leaves_the_safe_direction_only() -> None:
    written = policy([{"effect": "allow"}])
    assert judge(written, request("lock.lock", DOOR), None).decision is Decision.ALLOW
    verdict = judge(written, request("light.turn_on", SOFA), None)
    assert verdict.decision is Decision.DENY
    assert verdict.rules[0].rule == "hearthnet:clock"


# Plugs and caps


@pytest.mark.parametrize(
    ("option", "decision"),
    [
        ("confirm", Decision.CONFIRM),
        ("allow", Decision.ALLOW),
        ("deny", Decision.DENY),
    ],
)
def test_a_plug_of_no_class_is_treated_as_the_policy_says(
    option: str, decision: Decision
) -> None:
    written = policy([{"effect": "allow"}], unclassified_switches=option)
    off = request("switch.turn_off", FREEZER)
    assert judge(written, off).decision is decision
    assert judge(written, request("switch.turn_off", PLUG)).decision is Decision.ALLOW
    written["answered_switches"] = ["switch.freezer"]
    assert judge(written, off).decision is Decision.ALLOW


def test_many_devices_at_once_are_capped() -> None:
    written = policy(
        [
            {"effect": "allow"},
            {"effect": "confirm", "conditions": {"more_devices_than": 3}},
        ]
    )
    loaded = load(text(written))
    asked = request("light.turn_off", DEVICES[0], SOFA)
    for before, decision in ((0, 0), (1, 0), (2, 1)):
        verdict = evaluate(loaded, asked, NOON, Usage(devices=before))
        assert verdict.decision == decision


def test_a_rate_is_counted_by_device_within_its_while() -> None:
    rate = {"times": 2, "seconds": 60}
    drawn: list[Written] = [
        {"effect": "allow"},
        {"effect": "deny", "conditions": {"more_often_than": rate}},
    ]
    loaded = load(text(policy(drawn)))
    asked = request("light.turn_off", SOFA)
    for ages, decision in (
        ({"sofa": (5.0,)}, Decision.ALLOW),
        ({"sofa": (5.0, 59.9)}, Decision.DENY),
        ({"sofa": (5.0, 60.0)}, Decision.ALLOW),
        ({"desk": (5.0, 6.0)}, Decision.ALLOW),
    ):
        verdict = evaluate(loaded, asked, NOON, Usage(ages=ages))
        assert verdict.decision is decision
        if decision is Decision.DENY:
            assert verdict.reason is Reason.RATE_LIMITED


# Evidence


def test_a_verdict_names_its_rules_with_line_and_reason() -> None:
    loaded = load(
        "version: 1\n"
        "rules:\n"
        "  - id: all\n"
        "    effect: allow\n"
        "  - id: night\n"
        "    why: others sleep\n"
        "    effect: confirm\n"
        '    conditions: {time: "22:00-07:00"}\n'
    )
    night = NOON.replace(hour=23)
    verdict = evaluate(loaded, request("light.turn_off", SOFA), night, NOTHING_BEFORE)
    assert verdict.reason is Reason.CONFIRMATION_REQUIRED
    assert verdict.text == "night asks first: others sleep"
    assert [m.rule for m in verdict.rules] == ["night", "all"]
    assert verdict.rules[0].evidence == "confirm by night (line 5): others sleep"
    unsure = evaluate(loaded, request("light.turn_off", SOFA), None, NOTHING_BEFORE)
    assert "not known whether it applies" in unsure.rules[0].evidence


def test_a_rule_about_values_names_the_value() -> None:
    drawn: list[Written] = [
        {"effect": "allow"},
        {
            "effect": "deny",
            "operations": ["media_player.volume_set"],
            "conditions": {"values": {"volume_level": {"above": 0.7}}},
        },
    ]
    loud = request("media_player.volume_set", RADIO, volume_level=0.8)
    verdict = judge(policy(drawn), loud)
    assert (verdict.decision, verdict.field) == (Decision.DENY, "volume_level")
    just = request("media_player.volume_set", RADIO, volume_level=0.7)
    assert judge(policy(drawn), just).decision is Decision.ALLOW


def test_rules_compare_by_value() -> None:
    """Policies are data: two readings of one text are the same policy."""
    written = text(policy([{"effect": "allow", "operations": ["light.*"]}]))
    assert load(written) == load(written)
    assert load(written).rules[0] != Rule(id="rule-0", effect=RuleEffect.ALLOW)
