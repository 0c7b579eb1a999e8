"""Rules about what recipes do, and about what they did once."""

from datetime import UTC, datetime

import pytest

from hearthnet.core.devices import Principal
from hearthnet.core.messages import Json
from hearthnet.core.policy.evaluate import evaluate
from hearthnet.core.policy.load import load
from hearthnet.core.policy.model import (
    Decision,
    Evidence,
    Policy,
    Request,
    Target,
    Usage,
    Verdict,
)
from hearthnet.core.policy.spots import PolicyError

from .recipes import RECIPES, WITH_RECIPES

APPLIANCE = RECIPES.by_device["phone.living_room_tv"]
TV = APPLIANCE.recipe.as_device("phone", "phone", None)
CHILD = Principal(kind="user", id="c1", name="Kim", role="child")
CHILDREN = """
version: 1
rules:
  - id: tv-for-children
    effect: allow
    subjects: {role: child}
    operations: [tv.set_volume, tv.power_on]
    bounds: {level: {max: 20}}
  - id: tv-asks
    effect: confirm
    operations: tv.power_on
  - {id: no-input, effect: deny, operations: tv.set_input}
"""


def judge(policy: Policy, operation: str, **parameters: Json) -> Verdict:
    asked = Request(
        principal=CHILD,
        manager="phone",
        origin="app",
        evidence=Evidence.STRONG,
        operation=WITH_RECIPES[operation],
        parameters=parameters,
        targets=(Target(device=TV),),
    )
    return evaluate(policy, asked, datetime(2026, 11, 30, 12, tzinfo=UTC), Usage())


@pytest.mark.parametrize("operations", [WITH_RECIPES, None])
def test_allow_limit_and_confirm(operations: dict[str, object] | None) -> None:
    """Checked against the recipes or not, a text means the same."""
    policy = load(CHILDREN, operations)  # type: ignore[arg-type]
    assert judge(policy, "tv.set_volume", level=20).decision is Decision.ALLOW
    loud = judge(policy, "tv.set_volume", level=21)
    assert (loud.decision, loud.field) == (Decision.DENY, "level")
    assert judge(policy, "tv.power_on").decision is Decision.CONFIRM
    assert judge(policy, "tv.set_input", input="tv").decision is Decision.DENY
    assert judge(policy, "tv.power_off").decision is Decision.DENY


def test_a_whole_domain() -> None:
    policy = load(
        "version: 1\nrules: [{id: a, effect: allow, operations: tv.*}]", WITH_RECIPES
    )
    assert judge(policy, "tv.power_off").decision is Decision.ALLOW
    domain = "version: 1\nrules: [{id: a, effect: allow, targets: {domain: tv}}]"
    assert judge(load(domain, WITH_RECIPES), "tv.power_off").decision is Decision.ALLOW


@pytest.mark.parametrize(
    ("rule", "mistake"),
    [
        (
            "operations: tv.power_of",
            "line 5: rules[0].operations: 'tv.power_of' is unknown; did you mean",
        ),
        (
            "operations: tv.set_volume, bounds: {level: {max: 50}}",
            "line 5: rules[0].bounds.level: 50 cannot be: expected a number from 0 to",
        ),
        (
            "operations: tv.set_input, bounds: {input: hdmi9}",
            "line 5: rules[0].bounds.input: hdmi9 cannot be: expected one of hdmi1",
        ),
        (
            "operations: tv.power_off, bounds: {level: 5}",
            "line 5: rules[0].bounds.level: no operation of this rule has it",
        ),
    ],
)
def test_mistakes_name_line_field_and_remedy(rule: str, mistake: str) -> None:
    text = f"version: 1\nrules:\n  -\n\n    {{id: r, effect: allow, {rule}}}"
    with pytest.raises(PolicyError) as caught:
        load(text, WITH_RECIPES)
    assert str(caught.value).startswith(mistake)


def test_what_is_gone_fits_nothing_and_opens_nothing() -> None:
    """A rule never gets wider by what it names going away."""
    gone = load(
        "version: 1\nrules:\n"
        "  - {id: a, effect: allow, operations: [old.press, older.*]}\n"
        "  - {id: b, effect: allow, targets: {domain: old}}",
        None,
    )
    for operation in ("tv.power_off", "tv.power_on"):
        assert judge(gone, operation).decision is Decision.DENY
    with pytest.raises(PolicyError, match=r"'old\.press' is unknown"):
        load(
            "version: 1\nrules: [{id: a, effect: deny, operations: old.press}]",
            WITH_RECIPES,
        )
