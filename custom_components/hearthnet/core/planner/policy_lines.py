"""The policy, as short as a planner needs it: what narrows, not what allows.

A hint that saves proposals which would be refused. What counts is the policy itself,
which is asked about every proposal.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from ..intents import Request
from ..messages import Json
from ..policy.bounds import words
from ..policy.model import Conditions, Policy, Rule, RuleEffect
from .clean import clean

MOST_RULES = 30
MOST_NAMES, NAME = 12, 40
"""How many names of one kind a line lists, and how many characters of each."""


def policy_lines(policy: Policy, request: Request) -> list[dict[str, Json]]:
    """Return a line for each rule that limits, confirms or denies this request."""
    plain = [rule for rule in policy.rules if _is_plain(rule, request)]
    return [_line(rule) for rule in plain[:MOST_RULES]]


def _is_plain(rule: Rule, request: Request) -> bool:
    """Tell whether a line says the rule whole, without telling who asks.

    One that hangs on who is at home or how many devices move would read as if it
    always counted, and the model would not even plan what is allowed now.
    """
    who, what = rule.subjects, rule.targets
    always = replace(rule.conditions, window=None) == Conditions()
    return (
        rule.effect is not RuleEffect.ALLOW
        and always
        and not rule.exceptions
        and not (who.managers or who.principals or what.entities or what.devices)
        and (not who.roles or request.principal.role in who.roles)
        and (not who.origins or request.origin in who.origins)
    )


def _line(rule: Rule) -> dict[str, Json]:
    parts: Mapping[str, Iterable[str]] = {
        "areas": rule.targets.areas,
        "floors": rule.targets.floors,
        "labels": rule.targets.labels,
        "domains": rule.targets.domains | rule.operations.domains,
        "classes": rule.targets.device_classes,
        "operations": rule.operations.names,
        "risks": (risk.value for risk in rule.operations.risks),
    }
    line: dict[str, Json] = {"effect": rule.effect.name.lower()}
    for name, values in parts.items():
        listed = [clean(value, NAME) for value in sorted(values)[:MOST_NAMES]]
        if listed:
            line[name] = list[Json](listed)
    if rule.bounds:
        line["bounds"] = {name: words(b) for name, b in sorted(rule.bounds.items())}
    if (window := rule.conditions.window) is not None:
        end = window.end.isoformat("minutes") if window.end else "24:00"
        line["between"] = [window.start.isoformat("minutes"), end]
    return line
