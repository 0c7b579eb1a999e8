"""kill -9 at every point: nothing lost, nothing doubled, nothing stuck."""

import json
import os
from pathlib import Path
import subprocess
import sys

import pytest

from hearthnet.core.messages import EventId
from tests.core.records import check_gapless, fsck, git, journaled, recorded


def positions(path: Path) -> list[tuple[int, int]]:
    """Read the places that a file lists."""
    if not path.exists():
        return []
    return [(int(b), int(s)) for b, s in map(str.split, path.open())]


def check(folder: Path) -> None:
    """Check what two lives, the first cut short, left behind."""
    record = folder / "record"
    fsck(record)
    ends = check_gapless(record)
    held = dict(recorded(record))
    # Acknowledged, or seen outside the node: it is there.
    for name in ("acknowledged", "left"):
        for position in positions(folder / name):
            assert EventId("hub", *position) in held
    # Quiet at the end: exactly the journal, of which what is old was purged.
    journal = journaled(folder / "journal")
    for position, message in journal.items():
        assert held.pop(EventId("hub", *position)) == message
    boot, seq = max(journal)
    assert (boot, seq) == max((boot, seq) for (_, boot), seq in ends.items())
    assert all(event.position < min(journal) for event in held)
    # The state is that of the last life.
    names = git(record, "ls-tree", "-r", "--name-only", "HEAD").split()
    assert names == ["acked.json", "nodes/hub.json", "policy.yaml"]
    about = json.loads(git(record, "show", "HEAD:nodes/hub.json"))
    assert about["boot"] == boot


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_killed_at_every_point(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "tests.core.crash_driver", tmp_path],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert result.returncode == 0, result.stderr
    trials = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(trials) > 60
    assert all(killed == -9 for _, killed, _ in trials[:-1]), result.stderr
    assert trials[-1][1] == 0, result.stderr
    assert all(again == 0 for _, _, again in trials), result.stderr
    for point, _, _ in trials:
        check(tmp_path / str(point))
