"""Traces: recorded in a real Home Assistant, played with the real core."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
import json
from pathlib import Path
import shutil
from typing import Any

import pytest

from hearthnet.audit.history import audit
from hearthnet.cli import main
from hearthnet.core.devices import Device
from hearthnet.core.gate import Gate
from hearthnet.core.leasebook import LeaseBook
from hearthnet.core.messages import MessageType
from hearthnet.core.paths import HUB
from hearthnet.core.policy.load import preset
from hearthnet.traces.play import play
from hearthnet.traces.properties import missing
from hearthnet.traces.redacted import redacted
from hearthnet.traces.shape import TraceError
from hearthnet.traces.trace import SHIPPED, Step, Trace
from hearthnet.traces.wires import key_of
from hearthnet.traces.written import write
from tests.companion.days import ANNA, LOCKED, SCENES, TRACES, recorded, wish
from tests.support.messages_api import (
    KEY as KEY_OF_API,
    MODEL,
    Body,
    MessagesApi,
    Reply,
    plan,
    shown,
)


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_it_plays_as_it_was_recorded(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", "--fast", str(path)]) == 0
    assert " 0 differ; 0 properties broken" in capsys.readouterr().out


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_it_plays_alike_over_a_broker(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", str(path)]) == 0
    shown = capsys.readouterr().out
    assert " 0 differ; 0 properties broken" in shown
    events = len(play(Trace.load(path)).records)
    assert f"{events} of them in Git" in shown


def test_a_fault_shows_over_a_broker_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(LeaseBook, "_fresh", lambda self, entry, found: None)
    assert main(["replay", str(SCENES)]) == 1
    assert "  -    refused: not_asked, fenced, revoked, stale_state" in (
        capsys.readouterr().out
    )


def test_no_broker_to_start(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_arguments, **_named: None)
    assert main(["replay", str(SCENES)]) == 2
    assert "--fast" in capsys.readouterr().err
    assert main(["table1", "--runs", "1"]) == 2
    assert "--fast" in capsys.readouterr().err


def test_what_is_not_in_git_is_named(tmp_path: Path) -> None:
    played = play(Trace.load(SCENES))
    write(played.records[:-2], tmp_path / "record")
    lost = missing(played.records, tmp_path / "record")
    assert lost == [record.message.id for record in played.records[-2:]]


def test_more_than_one_crash() -> None:
    trace = Trace.load(SHIPPED / "power_cut.json")
    last = trace.steps[-1].at
    more = (Step(at=last + 60, do="crash"), Step(at=last + 90, do="crash"))
    played = play(replace(trace, steps=(*trace.steps, *more)))
    assert played.broken == []
    boots = sum(r.message.type is MessageType.HELLO for r in played.records)
    crashed = sum(step.do in ("crash", "restart") for step in trace.steps)
    assert boots == 1 + crashed + 2


def test_it_is_the_same_every_time() -> None:
    trace = Trace.load(SCENES)
    first, second = play(trace), play(trace)
    assert [r.data for r in first.records] == [r.data for r in second.records]


def test_a_trace_survives_writing() -> None:
    trace = Trace.load(SCENES)
    assert Trace.decode(trace.encode()) == trace


def test_the_scenes_show_what_the_paper_asks_for() -> None:
    decisions = Trace.load(SCENES).decisions
    assert decisions.count("    denied: conflict") == 3
    assert "    refused: not_asked, fenced, revoked, stale_state" in decisions


def test_a_gate_that_forgets_freshness_is_noticed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(LeaseBook, "_fresh", lambda self, entry, found: None)
    assert main(["replay", "--fast", str(SCENES)]) == 1
    shown = capsys.readouterr().out
    assert "  -    refused: not_asked, fenced, revoked, stale_state" in shown
    assert "  +    refused: not_asked, fenced, revoked" in shown


def test_a_gate_that_checks_nothing_breaks_a_property(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    check = LeaseBook.check

    def nothing(self: LeaseBook, *request: object) -> object:
        return replace(check(self, *request), evidence=())  # type: ignore[arg-type]

    monkeypatch.setattr(LeaseBook, "check", nothing)
    monkeypatch.setattr(LeaseBook, "recheck", lambda *_arguments, **_named: ())
    monkeypatch.setattr(Gate, "_obstacles", lambda self, lease: ())
    assert main(["replay", "--fast", str(SCENES)]) == 1
    assert "not_asked:" in capsys.readouterr().out


def test_what_if_another_policy_had_been_in_force(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = tmp_path / "other.yaml"
    rule = "{id: no-tv, why: a test, effect: deny, operations: media_player.turn_off}"
    text = preset("balanced").replace("rules:\n", f"rules:\n  - {rule}\n", 1)
    policy.write_text(text, "utf-8")
    arguments = ["replay", "--fast", str(SCENES), "--policy", str(policy)]
    assert main(arguments) == 0
    shown = capsys.readouterr().out
    assert "  +    denied: policy_denied (no-tv)" in shown
    assert "Desk lamp" not in "".join(
        line for line in shown.splitlines() if line.startswith(("  -", "  +"))
    )
    policy.write_text("rules: 3", "utf-8")
    assert main(arguments) == 2


async def test_what_if_a_model_had_planned(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is asked with what the home was at then; nothing else of the day differs."""

    def answer(body: Body) -> Reply:
        request = shown(body)["situation"]["request"]
        return plan(kind="unclear", say=f"What is {request}?")

    async with MessagesApi(answer) as api:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY_OF_API)
        arguments = ["replay", "--fast", str(SCENES), "--planner", MODEL]
        assert await asyncio.to_thread(main, arguments) == 0
        asked = [shown(body)["situation"]["request"] for body in api.requests]
    out = capsys.readouterr().out
    assert "I'm working from home today" in asked
    assert "  -  Desk lamp: light.turn_on" in out
    assert " 0 properties broken" in out
    assert main([*arguments, "--accept"]) == 2
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    assert main(arguments) == 2


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_a_played_day_is_a_sound_record_that_can_be_cut(
    path: Path, tmp_path: Path
) -> None:
    record = recorded(path, tmp_path / "record")
    assert audit(record, {HUB: key_of(HUB).public}).findings == []
    again = tmp_path / "again.json"
    first = ["--since", "hub.1.1"]
    assert main(["record", str(record), str(again), *first]) == 0
    assert Trace.load(again).decisions == Trace.load(path).decisions
    assert main(["replay", "--fast", str(again)]) == 0


def test_a_later_part_begins_with_the_state_of_then(tmp_path: Path) -> None:
    record = recorded(SCENES, tmp_path / "record")
    part = tmp_path / "part.json"
    trace = Trace.load(SCENES)
    routine = next(
        r.message.id
        for r in play(trace).records
        if r.message.body.get("origin") == "schedule"
    )
    assert main(["record", str(record), str(part), "--since", routine]) == 0
    cut = Trace.load(part)
    assert any(path.startswith("holds/") for path in cut.state)
    assert cut.decisions.count("    denied: conflict") == 3
    assert main(["replay", "--fast", str(part)]) == 0


def test_a_redacted_trace_tells_no_names_and_plays_alike(tmp_path: Path) -> None:
    record = recorded(SCENES, tmp_path / "record")
    file = tmp_path / "redacted.json"
    arguments = [str(record), str(file), "--since", "hub.1.1", "--redact"]
    assert main(["record", *arguments]) == 0
    text = file.read_text("utf-8")
    trace = Trace.load(SCENES)
    for device in trace.devices:
        assert device.id not in text
        assert device.entity_id not in text
        assert device.name not in text
    for secret in ("Owner", "working from home", "Study", "Bedroom"):
        assert secret not in text
    assert main(["replay", "--fast", str(file)]) == 0


def test_no_text_of_a_home_survives_redaction() -> None:
    """Wherever it stands, and however decisions write it."""
    secret = 'Geheim" \\hub.1.2 (x) 台灯'
    day = json.loads(SCENES.read_text("utf-8"))
    first, second, third, fourth, *_ = day["devices"]
    first["name"] = secret
    second["aliases"], third["labels"] = [f"Alias {secret}"], [f"Label {secret}"]
    fourth["values"]["source"] = f"List {secret}"
    day["home"] = [f"Home {secret}"]
    for step in day["steps"]:
        if step["do"] == "ask" and step.get("plan"):
            step["plan"]["near"] = ["Geheim room"]
            step["plan"]["source"] = "playbook:geheim"
    rule = """
      - id: kept
        why: >
          Geheim sleeps
          in Geheimtown
        effect: deny
        subjects: {principal: [Geheimperson]}  # Geheim
        targets: {area: [Geheim], entity: [light.geheim], label: ['Geheim "x"']}
        conditions: {presence: [Geheimperson]}
    """
    at = day["policy"].index("rules:") + 1
    day["policy"][at:at] = [line[4:] for line in rule.strip("\n ").splitlines()]
    day["policy"][at] = "  - id: kept"
    trace = Trace.decode(json.dumps(day))
    trace = replace(trace, decisions=tuple(play(trace).decisions))
    assert any("Geheim" in line for line in trace.decisions)
    made = redacted(trace)
    text = made.encode().lower()
    for word in ("geheim", "台灯", "sleeps"):
        assert word not in text
    assert '"id": "kept"' in "".join(made.policy)
    assert list(made.decisions) == play(made).decisions


def test_approvals_and_plans_for_later_are_part_of_a_day(tmp_path: Path) -> None:
    """A door is agreed to for a while; a plan is called off from the card."""
    start = datetime(2026, 12, 1, 18, tzinfo=UTC)
    unlock: dict[str, Any] = {
        "kind": "command",
        "actions": [{"targets": ["d"], "operation": "lock.unlock", "parameters": {}}],
    }
    later = {**unlock, "due": (start + timedelta(minutes=20)).isoformat()}
    until = (start + timedelta(hours=1)).isoformat()
    answer = {"principal": ANNA, "of": "hub.1.1", "approve": True, "until": until}
    trace = replace(
        Trace.load(SCENES),
        start=start,
        policy=preset("balanced"),
        devices=(Device(id="d", entity_id="lock.door", name="Door", domain="lock"),),
        values={"d": {"state": "locked"}},
        answers={},
        state={},
        steps=(
            wish(1, 1, unlock),
            Step(at=5, do="answer", name="hub.1.2", data=answer),
            Step(at=60, do="change", data=LOCKED),
            wish(70, 3, unlock),
            Step(at=100, do="change", data=LOCKED),
            Step(at=110, do="withdraw", data={"principal": ANNA, "of": "hub.1.1"}),
            wish(120, 4, unlock),
            wish(300, 5, later),
            Step(at=310, do="cancel", data={"principal": ANNA, "of": "hub.1.5"}),
        ),
        decisions=(),
    )
    played = play(trace)
    types = [record.message.type for record in played.records]
    assert types.count(MessageType.CONFIRMATION_REQUEST) == 2
    assert types.count(MessageType.EXECUTE) == 2
    assert played.broken == []
    write(played.records, tmp_path / "record")
    again = tmp_path / "again.json"
    since = ["--since", "hub.1.1"]
    assert main(["record", str(tmp_path / "record"), str(again), *since]) == 0
    cut = Trace.load(again)
    assert {"withdraw", "cancel"} <= {step.do for step in cut.steps}
    assert list(cut.decisions) == played.decisions
    assert main(["replay", "--fast", str(again)]) == 0
    # From the second wish on: what was agreed to before is part of the beginning.
    later_on = next(
        record.message.id
        for record in played.records
        if record.message.body.get("text") == "Number 3"
    )
    since = ["--since", later_on, "--redact"]
    assert main(["record", str(tmp_path / "record"), str(again), *since]) == 0
    text = again.read_text("utf-8")
    assert any(path.startswith("approvals/") for path in Trace.decode(text).state)
    for secret in ("Anna", '"anna"', "Number", "Door"):
        assert secret not in text
    assert main(["replay", "--fast", str(again)]) == 0


def test_what_comes_due_is_in_the_day_or_after_it(tmp_path: Path) -> None:
    """A plan for later, and nothing after it that would make the day as long."""
    start = datetime(2026, 12, 1, 18, tzinfo=UTC)
    action = {"targets": ["d"], "operation": "light.turn_on", "parameters": {}}
    due = start + timedelta(minutes=20)
    later = {"kind": "command", "actions": [action], "due": due.isoformat()}
    trace = replace(
        Trace.load(SCENES),
        start=start,
        policy=preset("balanced"),
        devices=(Device(id="d", entity_id="light.d", name="Lamp", domain="light"),),
        values={"d": {"state": "off"}},
        answers={},
        state={},
        steps=(wish(1, 1, later), Step(at=2000, do="end")),
        decisions=(),
    )
    played = play(trace)
    record, cut = tmp_path / "record", tmp_path / "cut.json"
    write(played.records, record)
    arguments = ["record", str(record), str(cut), "--since", "hub.1.1"]
    assert main(arguments) == 0
    assert '    changed: Lamp {"state": "on"}' in Trace.load(cut).decisions
    assert main(["replay", str(cut), "--fast"]) == 0
    asked = next(r for r in played.records if r.message.type is MessageType.RESOLUTION)
    assert main([*arguments, "--until", asked.message.id]) == 0
    assert Trace.load(cut).decisions == ("Anna, app: Number 1", "  end: kept for later")
    assert main(["replay", str(cut), "--fast"]) == 0


def test_accepting_writes_the_decisions(tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    trace = replace(Trace.load(SCENES), decisions=())
    file.write_text(trace.encode(), "utf-8")
    assert main(["replay", "--fast", str(file)]) == 1
    assert main(["replay", "--fast", str(file), "--accept"]) == 0
    assert Trace.load(file).decisions == Trace.load(SCENES).decisions


@pytest.mark.parametrize("text", ["", "[]", "{}", json.dumps({"format": "other/1"})])
def test_no_trace(text: str, tmp_path: Path) -> None:
    with pytest.raises(TraceError):
        Trace.decode(text)
    file = tmp_path / "trace.json"
    file.write_text(text, "utf-8")
    assert main(["replay", "--fast", str(file)]) == 2


def test_an_unknown_step() -> None:
    trace = replace(Trace.load(SCENES), steps=(Step(at=0.0, do="fly"),))
    with pytest.raises(TraceError, match="fly"):
        play(trace)
