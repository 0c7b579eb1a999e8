"""The paper's table: what is counted is what happened."""

from dataclasses import replace
import json
from pathlib import Path

import pytest

from hearthnet.cli import main
from hearthnet.core.leasebook import LeaseBook
from hearthnet.traces.scenes import play_scenes


def test_it_prints_the_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "table.json"
    assert main(["table1", "--fast", "--runs", "2", "--json", str(file)]) == 0
    text = capsys.readouterr().out
    assert "2 runs." in text
    told = json.loads(file.read_text("utf-8"))
    ours = {metric: here for _, metric, _, here in told["table"]}
    assert ours["Tasks completed"] == "10/10"
    assert ours["Conflicts detected"] == "6/6"
    assert ours["Stale commands rejected"] == "2/2"
    assert ours["False rejections"] == "0"
    assert ours["Git integrity (fsck)"] == "2/2 sound"


def test_it_is_alike_over_a_broker() -> None:
    (here,) = play_scenes(1, 1, (1.0, 1.0))
    (over,) = play_scenes(1, 1, (1.0, 1.0), over_broker=True)
    assert replace(over, work=here.work) == here


def test_the_model_takes_its_time() -> None:
    (quick,) = play_scenes(1, 1, (1.0, 1.0))
    (slow,) = play_scenes(1, 1, (4.0, 4.0))
    assert slow.latency - quick.latency == pytest.approx(3.0)
    assert slow.good
    assert quick.good


def test_a_fault_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LeaseBook, "_fresh", lambda self, entry, found: None)
    (run,) = play_scenes(1, 1, (1.0, 1.0))
    assert (run.replays, run.stale) == (1, 0)
    assert not run.good
