"""Traces of several machines, of what nobody saw, and of races."""

from collections.abc import Mapping
from dataclasses import replace
import json
from pathlib import Path

import pytest

from hearthnet.cli import main
from hearthnet.core.messages import MessageType
from hearthnet.traces.play import play
from hearthnet.traces.shape import TraceError
from hearthnet.traces.trace import Step, Trace
from hearthnet.traces.written import write
from tests.companion.days import PHONE, SCENES, again_of, recorded, wish

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


@pytest.mark.parametrize(
    ("after", "lost"),
    [("proposal", "    denied: stale_state"), ("grant", "    refused: stale_state")],
)
def test_a_race_is_lost_again(after: str, lost: str, tmp_path: Path) -> None:
    """A hand was quicker than a proposal, or than a lease on its way to the gate."""
    trace = Trace.load(SCENES)
    lamp = next(d.id for d in trace.devices if d.entity_id.startswith("light."))
    turn = {"targets": [lamp], "operation": "light.turn_on"}
    action = {**turn, "parameters": {"brightness_pct": 41}}
    by_hand = {
        "device": lamp,
        "values": {"state": "on", "brightness_pct": 7},
        "cause": "device",
        "race": "hub.1.901",
        "after": after,
    }
    at = trace.steps[-1].at + 5000
    steps = (
        *trace.steps[:-1],
        wish(at, 901, {"kind": "command", "actions": [action]}),
        Step(at=at + 0.1, do="change", data=by_hand),
    )
    played = play(replace(trace, steps=steps))
    asked = played.decisions.index("Anna, app: Number 901")
    assert lost in played.decisions[asked:]
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
