"""Traces: recorded in a real Home Assistant, played with the real core."""

import asyncio
from collections.abc import Mapping
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
from hearthnet.traces.play import Played, play
from hearthnet.traces.properties import missing
from hearthnet.traces.redacted import redacted
from hearthnet.traces.shape import TraceError
from hearthnet.traces.trace import SHIPPED, Step, Trace
from hearthnet.traces.wires import key_of
from hearthnet.traces.written import write
from tests.support.messages_api import (
    KEY as KEY_OF_API,
    MODEL,
    Body,
    MessagesApi,
    Reply,
    plan,
    shown,
)

ANNA = {"kind": "user", "id": "anna", "name": "Anna", "role": "owner"}
LOCKED = {"device": "d", "values": {"state": "locked"}, "cause": "device"}
TRACES = sorted(SHIPPED.glob("*.json"))
SCENES = SHIPPED / "scenes.json"


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


def recorded(trace: Path, folder: Path) -> Path:
    """Play a trace and put it into a repository."""
    write(play(Trace.load(trace)).records, folder)
    return folder


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


PHONE = SHIPPED / "phone.json"
MUTED = '{"is_volume_muted": true, "state": "off", "volume_level": 0.12}'


def test_what_another_machine_did_is_part_of_a_day() -> None:
    """Its manager is a node of its own, over a broker in memory."""
    trace = Trace.load(PHONE)
    (tv,) = (device for device in trace.devices if device.manager == "darcy")
    played = play(trace)
    said = [record.message for record in played.records]
    acts = [m for m in said if m.type is MessageType.EXECUTE and m.task]
    (act,) = (m for m in acts if m.body["target"] == [tv.id])
    assert act.event.node == "darcy"
    # What it decides by came over the bus: the policy, and the lease.
    grant = next(m for m in said if m.id == act.lease)
    assert grant.event.node == "hub"
    assert played.broken == []


def test_a_machine_that_is_cut_off_or_away(tmp_path: Path) -> None:
    """It crashes, starts anew, and is away when it is wanted."""
    trace = Trace.load(PHONE)
    at = trace.steps[-1].at
    target = {"targets": ["darcy.living_room_tv"]}
    action = {**target, "operation": "tv.mute", "parameters": {}}
    off = {"kind": "command", "actions": [action]}
    steps = (
        *trace.steps,
        Step(at=at + 60, do="crash", data={"node": "darcy"}),
        Step(at=at + 70, do="restart", data={"node": "darcy"}),
        Step(at=at + 80, do="away", data={"node": "darcy"}),
        wish(at + 90, 901, off),
        Step(at=at + 200, do="back", data={"node": "darcy"}),
        wish(at + 210, 902, off),
    )
    played = play(replace(trace, steps=steps))
    assert played.broken == []
    lines = played.decisions
    assert lines[-14:] == [
        "Anna, app: Number 901",
        "  Living room TV: tv.mute",
        "    given up: manager_offline",
        "  Living room TV: tv.mute",
        "    proposed",
        "    granted",
        f"    changed: Living room TV {MUTED}",
        "  end: 1 changed",
        "Anna, app: Number 902",
        "  Living room TV: tv.mute",
        "    proposed",
        "    granted",
        f"    already_so: Living room TV {MUTED}",
        "  end: 1 already_so",
    ]
    starts = [
        r.message.event.boot
        for r in played.records
        if r.message.type is MessageType.HELLO and r.message.event.node == "darcy"
    ]
    assert starts == [1, 2, 3, 4]
    # Cut out of the record that it makes, all of this is in the steps again.
    write(played.records, tmp_path / "record")
    again = tmp_path / "again.json"
    since = ["--since", "hub.1.1"]
    assert main(["record", str(tmp_path / "record"), str(again), *since]) == 0
    does = [step.do for step in Trace.load(again).steps if "node" in step.data]
    assert {"restart", "away", "back"} <= set(does)
    assert main(["replay", "--fast", str(again)]) == 0


def changed_unseen(device: str, values: Mapping[str, object], at: float) -> Step:
    """Return that something is changed where nobody sees it."""
    return Step(at=at, do="unseen", data={"device": device, "values": values})


def again_of(played: Played, folder: Path) -> Trace:
    """Cut a played day out of the record that it makes."""
    write(played.records, folder / "record")
    file = folder / "again.json"
    arguments = [str(folder / "record"), str(file), "--since", "hub.1.1"]
    assert main(["record", *arguments]) == 0
    return Trace.load(file)


def test_what_nobody_saw_is_found_by_who_looks(tmp_path: Path) -> None:
    """The television was switched on by hand; Darcy looks before he switches it off."""
    trace = Trace.load(PHONE)
    at = trace.steps[-1].at
    tv = "darcy.living_room_tv"
    action = {"targets": [tv], "operation": "tv.power_off", "parameters": {}}
    off = {"kind": "command", "actions": [action]}
    on = {"state": "on", "is_volume_muted": False, "volume_level": 0.12}
    days = (wish(at + 60, 901, off), changed_unseen(tv, on, at + 90))
    played = play(
        replace(trace, steps=(*trace.steps[:-1], *days, wish(at + 120, 902, off)))
    )
    ends = [line for line in played.decisions if line.startswith("  end:")][-2:]
    assert ends == ["  end: 1 already_so", "  end: 1 changed"]
    again = again_of(played, tmp_path)
    assert any(step.do == "unseen" for step in again.steps)
    assert play(again).decisions == list(again.decisions)


def test_a_race_is_lost_again(tmp_path: Path) -> None:
    """A hand was quicker than a lease on its way to the gate."""
    trace = Trace.load(SCENES)
    lamp = next(d.id for d in trace.devices if d.entity_id.startswith("light."))
    turn = {"targets": [lamp], "operation": "light.turn_on"}
    action = {**turn, "parameters": {"brightness_pct": 41}}
    by_hand = {
        "device": lamp,
        "values": {"state": "on", "brightness_pct": 7},
        "cause": "device",
        "race": "hub.1.901",
    }
    at = trace.steps[-1].at + 5000
    steps = (
        *trace.steps[:-1],
        wish(at, 901, {"kind": "command", "actions": [action]}),
        Step(at=at + 0.1, do="change", data=by_hand),
    )
    played = play(replace(trace, steps=steps))
    asked = played.decisions.index("Anna, app: Number 901")
    assert "    refused: stale_state" in played.decisions[asked:]
    assert played.broken == []
    again = again_of(played, tmp_path)
    assert sum("race" in step.data for step in again.steps) == 1
    assert play(again).decisions == list(again.decisions)


def test_a_lease_from_before_is_none_of_the_days(tmp_path: Path) -> None:
    trace = Trace.load(SCENES)
    (use,) = (step for step in trace.steps if step.do == "use")
    old = replace(use, data={**use.data, "lease": "hub.1.7"})
    steps = tuple(old if step is use else step for step in trace.steps)
    played = play(replace(trace, steps=steps))
    assert played.broken == []
    used = "    refused: not_asked, fenced, revoked, stale_state"
    assert used in trace.decisions
    assert used not in played.decisions


@pytest.mark.parametrize(
    ("recipes", "told"),
    [
        ({"darcy": [{}]}, "a recipe of darcy"),
        ({"darcy": 3}, "recipes.darcy: expected a list"),
    ],
)
def test_what_is_no_recipe(recipes: object, told: str) -> None:
    data = json.loads(SCENES.read_text("utf-8"))
    with pytest.raises(TraceError, match=told):
        play(Trace.decode(json.dumps({**data, "recipes": recipes})))


def test_a_redacted_trace_tells_nothing_of_a_phone(tmp_path: Path) -> None:
    record = recorded(PHONE, tmp_path / "record")
    file = tmp_path / "redacted.json"
    arguments = [str(record), str(file), "--since", "hub.1.1", "--redact"]
    assert main(["record", *arguments]) == 0
    text = file.read_text("utf-8")
    of_a_phone = ("living_room", "tvremote", "btn_power", "Standby", "Night mode")
    for secret in (*of_a_phone, "Living", "Garage", "hdmi1", "Owner", "television"):
        assert secret not in text
    assert main(["replay", "--fast", str(file)]) == 0


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


def wish(at: float, number: int, plan: Mapping[str, object]) -> Step:
    """Return that somebody says something and what it is taken for."""
    data = {"text": f"Number {number}", "principal": ANNA, "origin": "app"}
    return Step(at=at, do="ask", name=f"hub.1.{number}", data={**data, "plan": plan})


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
    assert Trace.load(cut).decisions == ("Anna, app: Number 1", "  end: command")
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
