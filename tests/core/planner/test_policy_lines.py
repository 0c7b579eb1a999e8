"""The policy as a planner is told it: what narrows, and nothing of anybody."""

import json

from hearthnet.core.intents import Origin
from hearthnet.core.planner.policy_lines import MOST_RULES, policy_lines
from hearthnet.core.policy.load import load

from .houses import POLICY, ask


def test_lines() -> None:
    """What hangs on persons, single devices or counts is not told at all."""
    assert policy_lines(POLICY, ask("x")) == [
        {"effect": "deny", "areas": ["Garage"], "domains": ["cover"]},
        {
            "effect": "limit",
            "operations": ["media_player.volume_set"],
            "bounds": {"volume_level": "at most 0.3"},
            "between": ["22:00", "07:00"],
        },
        {"effect": "confirm", "domains": ["fan"]},
    ]


def test_lines_are_those_for_who_asks() -> None:
    lines = policy_lines(POLICY, ask("x", origin=Origin.VOICE))
    assert {"effect": "confirm", "domains": ["switch"]} in lines


def test_nothing_of_anybody() -> None:
    text = json.dumps(policy_lines(POLICY, ask("x")))
    for word in ("Anna", "ex must", "secret", "owner", "child"):
        assert word not in text


def test_few_lines() -> None:
    rules = "\n".join(
        f"  - {{id: r{n}, effect: deny, operations: light.turn_on}}" for n in range(50)
    )
    assert (
        len(policy_lines(load(f"version: 1\nrules:\n{rules}\n"), ask("x")))
        == MOST_RULES
    )
