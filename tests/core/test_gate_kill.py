"""kill -9 at every point: no lease moves a device twice, and none unrecorded."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
import json
import os
from pathlib import Path
import signal
import subprocess
import sys
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
BOUND = 500
"""More kill points than any run may have; the search ends well before."""
ENVIRONMENT = {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "companion")])}


class Forker:
    """The process that forks those that are killed."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.core.gate_child"],
            env=ENVIRONMENT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, **request: Any) -> dict[str, Any]:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return dict(json.loads(self._process.stdout.readline()))

    def close(self) -> None:
        self._process.communicate()


@pytest.fixture
def forker() -> Iterator[Forker]:
    forker = Forker()
    yield forker
    forker.close()


@dataclass
class House:
    """The devices, outside the process that is killed."""

    forker: Forker
    folder: Path
    states: dict[str, str] = field(default_factory=lambda: {"a": "off", "b": "off"})
    writes: list[str] = field(default_factory=list)
    """`LEASE DEVICE` of each write that reached a device."""

    def run(self, mode: str, kill_at: int = 0) -> tuple[bool, dict[str, Any]]:
        """Run one boot; return whether it was killed, and what it told."""
        done = self.forker.run(
            folder=str(self.folder), mode=mode, states=self.states, kill_at=kill_at
        )
        for line in done["writes"]:
            lease, device, state = line.split()
            self.writes.append(f"{lease} {device}")
            self.states[device] = state
        assert done["ended"] in (0, -signal.SIGKILL)
        return done["ended"] != 0, json.loads(done["told"] or "{}")

    def examine(self, told: dict[str, Any], before: list[str]) -> None:
        """Check what a boot after the kill found and did; `before` it was written."""
        assert max(Counter(self.writes).values(), default=0) <= 1
        moved = {write.split()[0] for write in before}
        # What moved a device was in the journal first.
        assert moved <= set(told["executes"])
        # An execute without receipt is unknown, on all of its devices, until read.
        open_ = set(told["open"])
        assert len(open_) <= 1
        outcomes = dict(told["receipts"])
        assert all(outcomes[execute] == "unknown" for execute in open_)
        assert set(told["unknown"].values()) - {None} == open_
        # Nothing old came through, and every device works again after its read.
        for lease, codes in told["replayed"].items():
            assert codes[:2] == ["not_asked", "fenced"]
            assert ("consumed" in codes) == (lease in told["executes"])
        assert told["outcomes"] == {"a": "changed", "b": "changed"}


def recovered(house: House) -> None:
    """Start once more, unharmed, and look at all that was left."""
    before = list(house.writes)
    killed, told = house.run("recover")
    assert not killed
    house.examine(told, before)


def count_points(run: Callable[[int], bool]) -> int:
    """Run with growing n until a run passes no such point."""
    return next(n for n in range(1, BOUND) if not run(n)) - 1


@pytest.mark.timeout(600)
def test_killed_at_every_point(
    forker: Forker, tmp_path: Path, record_property: Callable[[str, int], None]
) -> None:
    def kill_and_recover(point: int) -> bool:
        house = House(forker, tmp_path / str(point))
        killed, _ = house.run("work", point)
        recovered(house)
        return killed

    count = count_points(kill_and_recover)
    record_property("kill_points", count)
    assert count >= 40


@pytest.mark.timeout(600)
def test_killed_again_in_the_recovery(
    forker: Forker, tmp_path: Path, record_property: Callable[[str, int], None]
) -> None:
    """The first kill leaves an execute open, as the point after its act does."""

    def leaves_open(point: int) -> bool:
        house = House(forker, tmp_path / f"try{point}")
        house.run("work", point)
        return bool(house.writes) and bool(house.run("recover")[1]["open"])

    first = next(n for n in range(1, BOUND) if leaves_open(n))

    def kill_twice(point: int) -> bool:
        house = House(forker, tmp_path / str(point))
        assert house.run("work", first)[0]
        killed, _ = house.run("recover", point)
        recovered(house)
        return killed

    count = count_points(kill_twice)
    record_property("kill_points", count)
    assert count >= 40


def test_the_environment_arms_a_kill() -> None:
    """As a whole process is started: the n-th point of any code ends it."""
    code = "from hearthnet.core.killpoint import killpoint\n" + "killpoint()\n" * 3
    for number, ended in ((0, 0), (3, -signal.SIGKILL), (4, 0)):
        environment = ENVIRONMENT | {"HEARTHNET_KILL_AT": str(number)}
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, check=False
        )
        assert done.returncode == ended
