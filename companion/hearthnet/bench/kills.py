"""kill -9 of the hub and of the librarian, again and again, in one home.

Each round is a boot of a whole hub (`kill_child`) that does a few intents and is
killed at one of its kill points, or has its librarian killed at one of its own. The
devices are in this process and count what is written to them. At the end one boot
goes on undisturbed, and git is asked what there is.
"""

from collections import Counter
from dataclasses import dataclass, field
import json
import os
from pathlib import Path
import random
import shutil
import signal
import subprocess
import sys
from tempfile import TemporaryDirectory
from typing import Any

from hearthnet.core.messages import Json
from hearthnet.core.segment import segments

from .kill_child import COUNTING
from .rows import Row, Scale, UnavailableError

LIBRARIAN_POINTS = 60
"""Its points up to about a dozen batches."""


@dataclass(kw_only=True)
class Outcome:
    """What so many kills did."""

    hub_kills: int = 0
    librarian_kills: int = 0
    points: int = 0
    """Kill points that a boot of the hub passes."""
    events: int = 0
    writes: int = 0
    lost: int = 0
    """In the journal and not in Git, or the other way, or moved and in neither."""
    doubled: int = 0
    """In Git more than once."""
    twice: int = 0
    """Written to a device more than once under one lease."""

    def as_dict(self) -> dict[str, Json]:
        """Return the JSON form."""
        return {name: int(value) for name, value in vars(self).items()}


def rows(scale: Scale) -> list[Row]:
    """Kill as often as the scale says."""
    kills = scale.of(scale.kills, min(scale.kills, 4))
    what = f"lost / doubled / twice-acted in {kills} kill -9"
    try:
        found = measure(kills, scale.seed)
    except UnavailableError as error:
        return [Row(what=what, target="0 / 0 / 0", measured=str(error), met=None)]
    return [
        Row(
            what=what,
            target="0 / 0 / 0",
            measured=f"{found.lost} / {found.doubled} / {found.twice}",
            met=not (found.lost or found.doubled or found.twice),
            exact=True,
            numbers=found.as_dict(),
            note=(
                f"{found.hub_kills} of the hub, at points 1 to {found.points} of a "
                f"boot, {found.librarian_kills} of the librarian; {found.events} "
                f"events and {found.writes} writes compared"
            ),
        )
    ]


def measure(kills: int, seed: int) -> Outcome:
    """Kill and count.

    Raises:
        UnavailableError: there is no git to ask.
    """
    if (git := shutil.which("git")) is None:
        raise UnavailableError("no git to ask what is recorded")
    with TemporaryDirectory(prefix="hearthnet-bench-") as folder:
        home = _Home(Path(folder))
        try:
            outcome = _kill(home, kills, random.Random(seed))  # noqa: S311
        finally:
            home.close()
        _compare(outcome, Path(folder), git, home.written)
    return outcome


@dataclass
class _Home:
    """The devices, and the process that forks those that are killed."""

    folder: Path
    levels: dict[str, int] = field(default_factory=lambda: dict.fromkeys("abcde", 1))
    written: list[tuple[str, str]] = field(default_factory=list)
    """(lease, device) of each write, in order."""
    rounds: int = 0

    def __post_init__(self) -> None:
        self._forker = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-m", f"{__package__}.kill_child"],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def boot(self, *, hub: int = 0, librarian: int = 0) -> dict[str, Any]:
        """Run one boot and take over what it wrote; see `kill_child.fork`."""
        assert self._forker.stdin
        assert self._forker.stdout
        self.rounds += 1
        request = {
            "folder": str(self.folder),
            "levels": self.levels,
            "round": self.rounds,
            "kill_hub": hub,
            "kill_librarian": librarian,
        }
        self._forker.stdin.write(json.dumps(request) + "\n")
        self._forker.stdin.flush()
        answer: dict[str, Any] = json.loads(self._forker.stdout.readline())
        if answer["ended"] not in (0, -signal.SIGKILL):
            raise RuntimeError(f"a boot ended with {answer['ended']}")
        for line in answer["writes"]:
            lease, device, level = line.split()
            self.written.append((lease, device))
            self.levels[device] = int(level)
        return answer

    def close(self) -> None:
        """End the forker."""
        self._forker.communicate()


def _kill(home: _Home, kills: int, rng: random.Random) -> Outcome:
    """Kill the hub at points spread over a boot; each third round the librarian."""
    outcome = Outcome(points=home.boot(hub=COUNTING)["points"])
    hubs = kills - kills // 3
    points = [1 + number * outcome.points // hubs for number in range(hubs)]
    rng.shuffle(points)
    for number in range(kills):
        if number % 3 == 2:
            told = home.boot(librarian=rng.randint(1, LIBRARIAN_POINTS))
        else:
            told = home.boot(hub=points.pop())
        outcome.hub_kills += told["ended"] != 0
        outcome.librarian_kills += told["killed"]
    if home.boot()["ended"] != 0:
        raise RuntimeError("the last boot was not undisturbed")
    return outcome


def _compare(
    outcome: Outcome, folder: Path, git: str, written: list[tuple[str, str]]
) -> None:
    """Compare devices, journal and Git; the git program is the witness."""
    recorded = _recorded(folder / "record", git)
    held = dict(recorded)
    kept = _journal(folder / "journal")
    used = {
        message.get("lease")
        for message in map(json.loads, held.values())
        if message["type"] == "execute"
    }
    outcome.events, outcome.writes = len(kept), len(written)
    outcome.doubled = len(recorded) - len(held)
    outcome.twice = sum(count - 1 for count in Counter(written).values())
    outcome.lost = (
        sum(held.get(event) != message for event, message in kept.items())
        + len(held.keys() - kept.keys())
        + len({lease for lease, _ in written} - used)
    )


def _recorded(record: Path, git: str) -> list[tuple[str, str]]:
    """Return each event in Git with its message, oldest first."""
    form = "%(trailers:key=Event,valueonly)%x00%b%x01"
    text = subprocess.run(  # noqa: S603 - our own repository
        [git, "-C", record, "log", "--reverse", f"--format={form}"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    parts = (part.partition("\0") for part in text.split("\x01"))
    return [
        (name.strip(), body.split("\n")[0]) for name, _, body in parts if name.strip()
    ]


def _journal(folder: Path) -> dict[str, str]:
    """Return each event of the journal with its message."""
    return {
        f"hub.{one.boot}.{seq}": line.split(" ", 2)[2]
        for one in segments(folder)
        for seq, line in enumerate(
            (folder / one.name).read_text("utf-8").splitlines(), one.first
        )
    }
