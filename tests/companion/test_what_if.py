"""What a day would have been: what differs, and how that is told."""

from pathlib import Path

import pytest

from hearthnet.cli import main
from hearthnet.core.policy import load
from hearthnet.traces.differing import differing
from hearthnet.traces.trace import SHIPPED, Trace
from script.lib.traces.cases import FIVE

PARTS = SHIPPED / "parts.json"
CAUTIOUS = Path(load.__file__).parent / "presets/cautious.yaml"


def test_what_if_no_model_had_answered(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It needs no key; what code recognized is done as it was."""
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    arguments = ["replay", "--fast", str(PARTS), "--planner", "offline"]
    assert main(arguments) == 0
    out = capsys.readouterr().out
    steps = Trace.load(PARTS).steps
    planned = [step for step in steps if step.data.get("plan", {}).get("calls")]
    assert out.count("  +  end: model_unreachable") == len(planned) == 5
    assert "Turn on the work light" not in out
    assert " 0 properties broken" in out
    assert main([*arguments, "--accept"]) == 2


def test_what_differs_first_is_named_with_its_rule(
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = ["replay", "--fast", str(PARTS), "--policy", str(CAUTIOUS)]
    assert main(arguments) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert " differ; 0 properties broken" in head
    assert lines[:6] == [
        "  5 of 7 chains differ. What differs first:",
        f"    Owner, app: {FIVE}",
        "    Desk lamp: light.turn_on brightness_pct=40",
        "    -granted",
        "    +a person is asked: confirmation_required (empty-house-asks)",
        "  Decisions by rule: +8 empty-house-asks",
    ]


def test_each_chain_is_shown_with_its_head_and_without_what_is_alike() -> None:
    before = [
        "Anna, app: a",
        "  Lamp: on",
        "    granted",
        "  Door: open",
        "    granted",
    ]
    after = [*before[:4], "    denied: policy_denied (no-doors)"]
    other = ["Ben, app: (b)", "  end: question"]
    found = differing([*before, *other], [*after, *other])
    assert list(found.lines) == [
        " Anna, app: a",
        "   Door: open",
        "-    granted",
        "+    denied: policy_denied (no-doors)",
    ]
    assert found.rules == {"no-doors": 1}
    assert not differing(other, other).lines
    gone = differing([*before, *other], before)
    assert list(gone.lines) == ["-Ben, app: (b)", "-  end: question"]
    assert list(gone.first) == ["-Ben, app: (b)"]
