"""Traces that are damaged, hostile, or cut from an odd record: refused with words."""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from datetime import timedelta
import json
from pathlib import Path
import re
from typing import Any

from hypothesis import given, settings
from hypothesis.strategies import DataObject, data, integers, sampled_from
import pytest

from hearthnet.cli import main
from hearthnet.core.messages import MessageType
from hearthnet.core.policy.spots import PolicyError
from hearthnet.core.view import View
from hearthnet.traces.cut import cut
from hearthnet.traces.play import play
from hearthnet.traces.player import Player
from hearthnet.traces.shape import STEPS, TraceError
from hearthnet.traces.trace import Trace

from .days import LOCKED, SCENES, TRACES, recorded


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\xff\xfe{}", "not UTF-8"),
        (b"[" * 200_000, "recursion"),
        (b"{}", "decisions: required key not provided"),
        (b'{"format": NaN}', "format: expected a number up to"),
        (b'{"steps": [[1e999]]}', "steps[0][0]: expected a number up to"),
        (b'{"steps": ' + b"[" * 60 + b"]" * 60 + b"}", "nested too deeply"),
        (b'{"format": "\\ud800"}', "surrogates"),
    ],
)
def test_no_text_of_a_trace(
    data: bytes, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "trace.json"
    file.write_bytes(data)
    assert main(["replay", "--fast", str(file)]) == 2
    assert said in capsys.readouterr().err
    policy = ["replay", "--fast", str(SCENES), "--policy", str(file)]
    assert main(policy) == 2


def _places(value: object, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield all places of a JSON value, but for texts that are free anyway."""
    if place:
        yield place
    if place in (("decisions",), ("policy",)):
        return
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _places(item, (*place, name))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _places(item, (*place, number))


DAMAGE: list[Any] = [
    *(None, True, 0, -1, 0.5, 1e308, 10**400, "", "x", "x" * 5000, "boot", [], {}),
    *([[]], [None], {"a": 1}, "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z"),
]
DAYS = [json.loads(path.read_text("utf-8")) for path in TRACES]


@given(data())
@settings(max_examples=60, deadline=None)
def test_a_damaged_trace_plays_or_is_refused(draw: DataObject) -> None:
    """Wherever it is damaged: nothing but TraceError, and nothing breaks."""
    day = deepcopy(draw.draw(sampled_from(DAYS)))
    for _ in range(draw.draw(integers(1, 2))):
        *folders, name = draw.draw(sampled_from(list(_places(day))))
        inner = day
        for step in folders:
            inner = inner[step]
        match draw.draw(sampled_from(("set", "drop", "double"))):
            case "set":
                inner[name] = draw.draw(sampled_from(DAMAGE))
            case "drop":
                del inner[name]
            case _ if isinstance(inner, list):
                inner.insert(name, deepcopy(inner[name]))
    try:
        trace = Trace.decode(json.dumps(day))
        assert play(trace).broken == []
    except (TraceError, PolicyError):
        return


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"at": -1}, "steps[1].at: value must be at least 0"),
        ({"at": 0}, "steps[1].at: before that of the step before it"),
        ({"do": "boot"}, "steps[1].do: value must be one of ['answer',"),
        ({"do": "__class__"}, "steps[1].do: value must be one of ['answer',"),
        ({"device": "nothing"}, "steps[1].device: not one of the devices"),
        ({"values": [1]}, "steps[1].values: expected dict"),
        ({"colour": 1}, "steps[1].colour: extra keys not allowed"),
        ({"cause": "fate"}, "steps[1].cause: value must be one of"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(
    change: dict[str, Any], said: str
) -> None:
    day = deepcopy(DAYS[-1])
    step = {"at": 1, "do": "change", **LOCKED, "device": day["devices"][0]["id"]}
    day["steps"] = [step, {**step, **change}]
    with pytest.raises(TraceError, match=re.escape(said)):
        Trace.decode(json.dumps(day))


def test_a_device_that_is_there_twice() -> None:
    day = deepcopy(DAYS[-1])
    day["devices"].append(day["devices"][0])
    with pytest.raises(TraceError, match="is there twice"):
        Trace.decode(json.dumps(day))


@pytest.mark.parametrize("folder", ["approvals", "deferred", "holds", "settings"])
def test_a_beginning_that_the_hub_cannot_read(folder: str) -> None:
    day = {**DAYS[-1], "state": {f"{folder}/hub.1.1.json": [1]}}
    with pytest.raises(TraceError, match=f"state.{folder}/hub"):
        Trace.decode(json.dumps(day))


def test_each_step_that_there_is_can_be_played() -> None:
    played = {name.removeprefix("_do_") for name in vars(Player) if "_do_" in name}
    assert played == set(STEPS)


def test_a_clock_that_was_set_back_leaves_the_order_as_it_was() -> None:
    """The record has wall times only, and is in order all the same."""
    messages = [record.message for record in play(Trace.load(SCENES)).records]
    turn = len(messages) // 2
    hour = timedelta(hours=1)
    late = [replace(message, at=message.at - hour) for message in messages[turn:]]
    steps = cut("a day", View(), messages).steps
    assert [
        (step.do, step.name)
        for step in cut("a day", View(), messages[:turn] + late).steps
    ] == [(step.do, step.name) for step in steps]


@pytest.mark.parametrize("option", ["--since", "--until"])
def test_an_event_that_is_not_on_record(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = recorded(SCENES, tmp_path / "record")
    file = tmp_path / "trace.json"
    assert main(["record", str(record), str(file), option, "hub.9.9"]) == 2
    assert "hub.9.9 is not on record" in capsys.readouterr().err
    assert main(["record", str(record), str(tmp_path / "none" / "x.json")]) == 2


def test_an_event_that_lacks_what_its_type_has() -> None:
    """An earlier version recorded less, and a record may be anybody's."""
    messages = [record.message for record in play(Trace.load(SCENES)).records]
    number = next(n for n, m in enumerate(messages) if m.type is MessageType.INTENT)
    body = {**messages[number].body, "principal": 3}
    messages[number] = replace(messages[number], body=body)
    with pytest.raises(TraceError, match="cannot be played"):
        cut("a day", View(), messages)
