"""Policy: more rules never make more of it, whatever the rules are."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import assume, given, settings, strategies as st

from hearthnet.core.leases import Bound
from hearthnet.core.operations import Risk, check_parameters
from hearthnet.core.policy.bounds import intersect
from hearthnet.core.policy.evaluate import evaluate
from hearthnet.core.policy.load import load
from hearthnet.core.policy.model import (
    Decision,
    Evidence,
    Policy,
    Request,
    RuleEffect,
    Usage,
    Verdict,
)
from hearthnet.core.reasons import Reason

from .homes import (
    VALUES,
    request,
    requests,
    usages,
)
from .rules import Written, oracle, policies, policy, rules, text

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
MOMENTS = st.integers(0, 14 * 24 * 60).map(lambda m: NOON + timedelta(minutes=m))
NOTHING_BEFORE = Usage()


def narrower(new: Verdict, old: Verdict) -> bool:
    """Tell whether a verdict grants no more than another."""
    if new.decision < old.decision:
        return False
    return new.decision is Decision.DENY or all(
        name in new.bounds
        and all(bound.admits(v) or not new.bounds[name].admits(v) for v in VALUES[name])
        for name, bound in old.bounds.items()
    )


# Against an oracle that shares no code


@settings(deadline=None, max_examples=1500)
@given(policies(), requests(), MOMENTS, usages())
def test_agrees_with_the_naive_oracle(
    written: Written, asked: Request, now: datetime, usage: Usage
) -> None:
    verdict = evaluate(load(text(written)), asked, now, usage)
    decision, left = oracle(written, asked, now, usage)
    assert verdict.decision.name.lower() == decision
    for name, bound in verdict.bounds.items():
        assert {repr(v) for v in VALUES[name] if bound.admits(v)} == left[name]


@settings(deadline=None, max_examples=300)
@given(requests(), MOMENTS, usages())
def test_a_policy_that_allows_all_denies_only_on_low_evidence(
    asked: Request, now: datetime, usage: Usage
) -> None:
    opened = policy([{"effect": "allow"}], unclassified_switches="allow")
    verdict = evaluate(load(text(opened)), asked, now, usage)
    low = asked.evidence is Evidence.LOW and asked.operation.risk is not Risk.FREE
    assert (verdict.decision is Decision.DENY) == low


# Monotony (F13)


@settings(deadline=None, max_examples=400)
@given(policies(), requests(), st.none() | MOMENTS, usages(), st.data())
def test_a_rule_that_narrows_never_widens(
    written: Written,
    asked: Request,
    now: datetime | None,
    usage: Usage,
    data: st.DataObject,
) -> None:
    before = evaluate(load(text(written)), asked, now, usage)
    added = data.draw(rules(effects=("limit", "confirm", "deny")))
    where = data.draw(st.integers(0, len(written["rules"])))
    written["rules"].insert(where, {"id": "added", **added})
    assert narrower(evaluate(load(text(written)), asked, now, usage), before)


@settings(deadline=None, max_examples=400)
@given(policies(), requests(), st.none() | MOMENTS, usages(), rules())
def test_any_rule_narrows_what_is_allowed_already(
    written: Written,
    asked: Request,
    now: datetime | None,
    usage: Usage,
    added: Written,
) -> None:
    written["rules"].insert(0, {"id": "open", "effect": "allow"})
    before = evaluate(load(text(written)), asked, now, usage)
    assume(before.decision is not Decision.DENY)
    written["rules"].append({"id": "added", **added})
    assert narrower(evaluate(load(text(written)), asked, now, usage), before)


@settings(deadline=None, max_examples=300)
@given(policies(), requests(), MOMENTS, usages(), st.data())
def test_a_further_bound_never_widens(
    written: Written,
    asked: Request,
    now: datetime,
    usage: Usage,
    data: st.DataObject,
) -> None:
    loaded = load(text(written))
    open_rules = [n for n, r in enumerate(loaded.rules) if r.effect < RuleEffect.DENY]
    assume(open_rules)
    number = data.draw(st.sampled_from(open_rules))
    rule = loaded.rules[number]
    name = data.draw(st.sampled_from(["brightness_pct", "volume_level", "temperature"]))
    low, high = sorted(data.draw(st.tuples(*[st.sampled_from(VALUES[name])] * 2)))
    bound = Bound(minimum=low, maximum=high)
    bound = intersect(rule.bounds[name], bound) if name in rule.bounds else bound
    tighter = replace(rule, bounds={**rule.bounds, name: bound})
    changed = (*loaded.rules[:number], tighter, *loaded.rules[number + 1 :])
    before = evaluate(loaded, asked, now, usage)
    after = evaluate(replace(loaded, rules=changed), asked, now, usage)
    assert narrower(after, before)


@settings(deadline=None, max_examples=300)
@given(policies(), requests(), MOMENTS, usages(), st.data())
def test_a_condition_on_a_rule_that_opens_never_opens_more(
    written: Written,
    asked: Request,
    now: datetime,
    usage: Usage,
    data: st.DataObject,
) -> None:
    opening: list[Written] = [
        r for r in written["rules"] if r["effect"] == "allow" and "bounds" not in r
    ]
    assume(opening)
    before = evaluate(load(text(written)), asked, now, usage)
    rule = data.draw(st.sampled_from(opening))
    more: Written = data.draw(
        st.sampled_from(
            [
                {"time": "07:00-19:00"},
                {"weekday": ["mon"]},
                {"presence": "somebody"},
                {"evidence_from": "strong"},
            ]
        )
    )
    conditions: Written = rule.get("conditions", {})
    assume(not more.keys() & conditions.keys())
    rule["conditions"] = {**conditions, **more}
    assert narrower(evaluate(load(text(written)), asked, now, usage), before)


@settings(deadline=None, max_examples=300)
@given(policies(), requests(), MOMENTS, usages())
def test_what_is_not_known_is_judged_at_least_as_strictly(
    written: Written, asked: Request, now: datetime, usage: Usage
) -> None:
    loaded = load(text(written))
    known = evaluate(loaded, asked, now, usage)
    assert narrower(evaluate(loaded, asked, None, usage), known)
    away = replace(asked, home=None)
    assert narrower(evaluate(loaded, away, now, usage), known)


@settings(deadline=None, max_examples=300)
@given(policies(), requests(), MOMENTS, usages(), usages())
def test_more_usage_never_widens(
    written: Written, asked: Request, now: datetime, one: Usage, more: Usage
) -> None:
    loaded = load(text(written))
    keys = one.ages.keys() | more.ages.keys()
    both = Usage(
        devices=one.devices + more.devices,
        ages={k: one.ages.get(k, ()) + more.ages.get(k, ()) for k in keys},
    )
    before = evaluate(loaded, asked, now, one)
    assert narrower(evaluate(loaded, asked, now, both), before)


@settings(deadline=None, max_examples=300)
@given(policies(), requests(), MOMENTS, usages())
def test_the_order_of_rules_says_nothing(
    written: Written, asked: Request, now: datetime, usage: Usage
) -> None:
    loaded = load(text(written))
    turned = replace(loaded, rules=loaded.rules[::-1])
    one, other = (evaluate(p, asked, now, usage) for p in (loaded, turned))
    assert one.decision is other.decision
    assert narrower(one, other)
    assert narrower(other, one)


# Narrowing (invariant 2)


@settings(deadline=None, max_examples=400)
@given(policies(), requests(), MOMENTS, usages(), st.data())
def test_a_grant_stays_within_every_rule_that_counts(
    written: Written,
    asked: Request,
    now: datetime,
    usage: Usage,
    data: st.DataObject,
) -> None:
    loaded = load(text(written))
    verdict = evaluate(loaded, asked, now, usage)
    for name, bound in verdict.bounds.items():
        for value in VALUES[name]:
            other = replace(asked, parameters={**asked.parameters, name: value})
            if check_parameters(asked.operation, other.parameters):
                continue
            if not bound.admits(value):
                denied = evaluate(loaded, other, now, usage)
                # A condition on values may have freed it from the very bound.
                assert denied.decision is Decision.DENY or narrower_rules(
                    denied, verdict
                )
    if verdict.decision is Decision.ALLOW:
        alone = [
            evaluate(replace(loaded, rules=(rule,)), asked, now, usage)
            for rule in loaded.rules
        ]
        assert (
            any(v.decision is Decision.ALLOW for v in alone) or len(asked.targets) > 1
        )
        denying = [m for v in alone for m in v.rules if m.effect > RuleEffect.LIMIT]
        assert not denying


def narrower_rules(one: Verdict, other: Verdict) -> bool:
    """Tell whether other rules counted for a verdict than for another."""
    return {m.rule for m in one.rules} != {m.rule for m in other.rules}


@settings(deadline=None)
@given(requests(), usages())
def test_without_rules_all_is_denied(asked: Request, usage: Usage) -> None:
    verdict = evaluate(Policy(), asked, NOON, usage)
    assert verdict.decision is Decision.DENY
    assert verdict.reason is Reason.POLICY_DENIED
    assert verdict.text


@settings(deadline=None)
@given(requests(), usages(), st.sampled_from(["confirm", "limit", "deny"]))
def test_only_allow_opens(asked: Request, usage: Usage, effect: str) -> None:
    limits = {"bounds": {"brightness_pct": {"max": 100}}} if effect == "limit" else {}
    written = policy([{"effect": effect, **limits}], unclassified_switches="allow")
    verdict = evaluate(load(text(written)), asked, NOON, usage)
    assert verdict.decision is Decision.DENY


def test_no_target_no_grant() -> None:
    everything = load(text(policy([{"effect": "allow"}])))
    verdict = evaluate(everything, request("light.turn_on"), NOON, NOTHING_BEFORE)
    assert verdict.decision is Decision.DENY
    assert verdict.reason is Reason.UNKNOWN_TARGET
