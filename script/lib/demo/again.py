"""The fifth scene: the day that was just played is audited, and played again."""

from pathlib import Path
import re
import subprocess
import sys

from .scenes import Round, Run
from .stage import Stage

_DIFFER = re.compile(r"(\d+) lines of decisions, (\d+) differ; (\d+) properties broken")


def play(stage: Stage, folder: Path) -> Run:
    """Cut the record's day out of it, without a device; traces go into `folder`."""
    played = Round(stage)
    stage.say("Scene 5: the day is audited, and played again without a device")
    stage.committed()
    status, told = _hearthnet("audit", str(stage.repository))
    sound = "its record is sound, lease by lease"
    played.check(5, sound, status == 0, told.splitlines()[0])
    day = folder / "day.json"
    first = stage.git(
        "log", "--reverse", "--grep=^Type: intent$", "--format=%(trailers:key=Event)"
    ).split()[1]
    # All that the hub's start in which the first wish came has to tell.
    since = f"{first.rpartition('.')[0]}.1"
    _hearthnet("record", str(stage.repository), str(day), "--since", since)
    over = [] if stage.machines else ["--fast"]
    _, said = _hearthnet("replay", *over, str(day))
    found = _DIFFER.search(said)
    lines, differ, broken = map(int, found.groups()) if found else (0, 1, 1)
    alike = f"{lines} lines, {differ} differ" if found else said[-300:]
    where = "over another broker" if stage.machines else "in another process"
    played.check(5, f"it decides alike, {where}", differ == 0, alike)
    played.check(5, "and no property is broken", broken == 0, broken)
    if differ:
        stage.say(said)
    return played.run


def _hearthnet(*arguments: str) -> tuple[int, str]:
    """Run the companion's program; return its status and what it said."""
    done = subprocess.run(
        [Path(sys.executable).with_name("hearthnet"), *arguments],
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.returncode, done.stdout
