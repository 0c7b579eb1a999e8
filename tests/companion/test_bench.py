"""The command `hearthnet bench`; its numbers are not judged here."""

import asyncio
from collections import Counter
import gc
import json
import os
from pathlib import Path
import signal
import subprocess
import sys
import time
from types import ModuleType
from typing import Any

import pytest

from hearthnet import bench
from hearthnet.bench import scale
from hearthnet.bench.broker import measure as measure_broker
from hearthnet.bench.child import STOPPED
from hearthnet.bench.intent import measure as measure_intents
from hearthnet.bench.kills import measure as measure_kills
from hearthnet.bench.loop import measure as measure_loop
from hearthnet.bench.record import measure as measure_record
from hearthnet.bench.rows import Row, Scale, UnavailableError, percentile, table
from hearthnet.bench.scale import measure as measure_scale
from hearthnet.bench.slow_disk import SlowDisk
from hearthnet.bench.timeline import measure as measure_timeline
from hearthnet.cli import main
from hearthnet.core import chronicle, leasebook, runs, view
from hearthnet.core.messages import MessageType
from hearthnet.core.node import Record
from hearthnet.core.restart import Startup
from hearthnet.virtual import VirtualClock, run

GOOD = Row(what="a time", target="< 1 ms", measured="2 ms", met=False, note="so what")
WRONG = Row(what="lost", target="0", measured="1", met=False, exact=True)


@pytest.fixture
def benches(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Row]]:
    """Rows that a bench of each name hands over, in place of the real ones."""
    given: dict[str, list[Row]] = {"slow": [GOOD], "broken": [WRONG]}
    for name, rows in given.items():
        module = ModuleType(name)
        module.rows = lambda scale, rows=rows: rows  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, f"hearthnet.bench.{name}", module)
    monkeypatch.setattr(bench, "BENCHES", dict.fromkeys(given, "a bench"))
    return given


def test_it_prints_a_table_and_writes_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bench.json"
    assert main(["bench", "gate", "--quick", "--json", str(file)]) == 0
    machine, _, heading, rule, *lines = capsys.readouterr().out.splitlines()
    assert "cores" in machine
    assert "disk sync" in machine
    assert [part.strip() for part in heading.split("|")] == [
        *("what", "target", "measured", "met?")
    ]
    assert set(rule) == {"-", "|"}
    assert lines[0].startswith("lease check at actuation")
    told: dict[str, Any] = json.loads(file.read_text("utf-8"))
    assert told["scale"]["quick"] is True
    assert told["machine"]["cores"] >= 1
    assert {row["bench"] for row in told["rows"]} == {"gate"}
    assert told["rows"][0]["numbers"]["check_us"]["p95"] > 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_called_off_it_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    program = "import sys; from hearthnet.cli import main; sys.exit(main())"
    path = os.pathsep.join(sys.path)
    with subprocess.Popen(
        [sys.executable, "-c", program, "bench", "record"],
        env={**os.environ, "PYTHONPATH": path, "TMPDIR": str(tmp_path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        while not list(tmp_path.glob("hearthnet-bench-*/journal")):
            time.sleep(0.01)
        process.send_signal(number)
        # The child holds the same pipe: it ends when both have.
        _, errors = process.communicate(timeout=60)
    assert process.returncode == STOPPED
    assert b"Traceback" not in errors
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("benches")
def test_only_what_holds_on_any_machine_makes_it_fail(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["bench", "slow"]) == 0
    assert "| NO" in capsys.readouterr().out
    assert main(["bench"]) == 1
    assert "lost" in capsys.readouterr().out


def test_an_unknown_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "nonsense"]) == 2
    assert "verdicts" in capsys.readouterr().err


def test_table() -> None:
    text = table([GOOD, WRONG, Row(what="x", target="", measured="?", met=None)])
    assert text.splitlines() == [
        "what   | target | measured | met?",
        "-------|--------|----------|-----",
        "a time | < 1 ms | 2 ms     | NO",
        "lost   | 0      | 1        | NO",
        "x      |        | ?        | -",
        "a time: so what",
    ]


def test_percentile_and_scale() -> None:
    assert [percentile([3, 1, 2], p) for p in (0, 50, 95, 100)] == [1, 2, 3, 3]
    assert (Scale().of(9, 3), Scale(quick=True).of(9, 3)) == (9, 3)


def test_a_disk_without_a_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UnavailableError, match="cc"):
        SlowDisk(tmp_path)


# Each of them, small: that they measure what they say


def test_record() -> None:
    told = measure_record(40)
    assert told["events"] == 40
    assert float(str(told["rate"])) > 0


def test_timeline() -> None:
    told = measure_timeline(450)
    assert set(told["asked_ms"]) == {
        *("newest 200", "200 in the middle", "of one device", "of one intent")
    }
    assert 100 < told["bytes"] < 5000


def test_intents() -> None:
    assert len(measure_intents(3)) == 3


def test_broker() -> None:
    told = measure_broker(events=40, intents=2, kills=1)
    assert len(told["intents"]) == 2
    assert told["rate"] > 0
    assert {name: len(times) for name, times in told["presence"].items()} == {
        "gone": 1,
        "back": 1,
        "broker": 1,
    }
    assert min(told["memory"].values()) > 0


def test_loop() -> None:
    told: dict[str, Any] = measure_loop(0.3)
    assert min(told[name] for name in ("intents", "changes", "timelines")) > 0
    assert told["late_ms"]["max"] >= told["held_ms"]["max"] > 0


def test_kills() -> None:
    found = measure_kills(3, 1)
    assert (found.lost, found.doubled, found.twice) == (0, 0, 0)
    assert found.hub_kills == 2
    assert found.points > 100
    assert found.events > 100
    assert found.writes > 20


def test_a_long_record_is_one_of_deeds_and_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each lamp is told something new each time, however often its turn comes."""
    monkeypatch.setattr(scale, "DEVICES", 100)
    scale._make(tmp_path, 1000)
    node = scale._node(tmp_path, VirtualClock())
    records = Startup.read(node).records
    asyncio.run(node.close())
    outcomes = [
        record.message.body["outcome"]
        for record in records
        if record.message.type is MessageType.RECEIPT
    ]
    assert len(records) >= 1000
    assert len(outcomes) > 110
    assert set(outcomes) == {"changed"}


def test_a_record_of_many_events_is_sound() -> None:
    told = measure_scale(events=400)
    assert told["findings"] == 0
    assert 400 <= told["events"] < 420
    assert told["bytes"] > 0
    assert set(told["asked_ms"]) == {
        *("the newest 200", "one device", "one intent's chain")
    }


def test_a_cell_of_the_grid() -> None:
    told = measure_scale(agents=4, devices=10, commands=40, seed=1)
    assert (told["wrong_refusals"], told["wrong_acceptances"]) == (0, 0)


def test_a_hub_keeps_nothing_of_what_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of some it keeps the last few; of everything else an object an intent shows."""
    for module, name in ((leasebook, "KEPT"), (runs, "KEPT"), (chronicle, "RECENT")):
        monkeypatch.setattr(module, name, 10)
    monkeypatch.setattr(view, "MAX_GONE", 10)
    monkeypatch.setattr(scale, "DEVICES", 10)
    seen: list[Counter[type]] = []

    class Looking(scale._Writer):
        def __init__(self) -> None:
            self.count = 0

        def take(self, _record: Record) -> None:
            self.count += 1

        def flush(self, _least: int = 1) -> None:
            if self.count >= 300 * (len(seen) + 1):
                # Twice: what the first one frees may have been holding something.
                gc.collect()
                gc.collect()
                seen.append(Counter(map(type, gc.get_objects())))

    clock = VirtualClock()
    run(scale._live(tmp_path, clock, Looking(), 600), clock)
    intents = 300 / 8
    grown = {
        kind: n
        for kind, n in (seen[1] - seen[0]).items()
        # Others in this process make objects, too; what is kept is of our own kinds.
        if n > intents / 2 and kind.__module__.startswith("hearthnet")
    }
    assert grown == {}
