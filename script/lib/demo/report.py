"""The table at the end: the paper's rows, its numbers and ours."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
import json
from pathlib import Path
from statistics import median
from typing import Any

from .machines import Machines
from .model import REAL as MODEL
from .scenes import Run

SOURCE = (
    "Paper: HearthNet, arXiv 2604.09618; its figures from the README of its artifact "
    "(zhonghaozhan/hearthnet_framework). It ran on a Mac mini, a NUC and a phone with "
    "a hosted model; this ran on one machine with the offline planner, so compare what "
    "was done, not how fast."
)


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    scene: str
    metric: str
    paper: str
    ours: str


@dataclass(frozen=True)
class Record:
    """What the git command line says of the record."""

    events: int
    """Events that HearthNet knows of."""
    commits: int
    """Of these, in Git."""
    sound: bool
    """`git fsck --full --strict` found nothing."""


def rows(runs: Sequence[Run], record: Record) -> list[Row]:
    """Return the table of some rounds."""

    def of(part: str, whole: str) -> str:
        return f"{_sum(runs, part)}/{_sum(runs, whole)}"

    latency = median(run.latency for run in runs)
    return [
        Row("Scene 1", "Tasks completed", "4/4", of("completed", "tasks")),
        Row("Scene 1", "End-to-end latency, median", "8 s", f"{latency:.2f} s"),
        Row(
            "Scene 2",
            "Conflicts detected",
            "5/5",
            of("conflicts detected", "conflicts"),
        ),
        Row(
            "Scene 2",
            "Conflicts resolved",
            "5/5",
            of("conflicts resolved", "conflicts"),
        ),
        Row(
            "Scene 3", "Stale commands rejected", "5/5", of("stale rejected", "replays")
        ),
        Row(
            "Scene 3",
            "Dead leases rejected",
            "5/5",
            of("dead leases rejected", "replays"),
        ),
        Row("All", "False rejections", "0", str(_sum(runs, "false rejections"))),
        Row("All", "Events persisted", "153/153", f"{record.commits}/{record.events}"),
        Row("All", "Git integrity (fsck)", "OK", "OK" if record.sound else "damaged"),
    ]


def table(lines: Iterable[Row]) -> str:
    """Return the rows as text."""
    cells = [("", "metric", "paper", "here")]
    cells += [(row.scene, row.metric, row.paper, row.ours) for row in lines]
    widths = [max(len(row[column]) for row in cells) for column in range(4)]
    texts = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in cells
    ]
    texts.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(text.rstrip() for text in texts)


def real(machines: Machines | None) -> dict[str, str]:
    """Return what each part was, in words."""
    home = {
        "Home Assistant": "a process, with Rupert and Jeeves in it",
        "home": "simulated devices: helpers with delay, failure and silence",
        "model": f"none in scenes 1 to 3; in scene 4 {MODEL}",
    }
    if machines is None:
        return {**home, "Dewey": "a child process of Home Assistant"}
    return {**home, **machines.real}


def parts(machines: Machines | None) -> str:
    """Return as text which parts were real."""
    found = real(machines)
    width = max(map(len, found))
    return "\n".join(f"{name.ljust(width)}  {what}" for name, what in found.items())


def failed(runs: Sequence[Run]) -> list[str]:
    """Return the properties that did not hold."""
    return [
        f"round {number}, scene {check.scene}: {check.what} ({check.seen})"
        for number, run in enumerate(runs, 1)
        for check in run.checks
        if not check.held
    ]


def write(
    path: Path, runs: Sequence[Run], lines: Iterable[Row], machines: Machines | None
) -> None:
    """Write everything as JSON."""
    data: dict[str, Any] = {
        "source": SOURCE,
        "parts": real(machines),
        "table": [vars(row) for row in lines],
        "rounds": [
            {
                "checks": [vars(check) for check in run.checks],
                "counts": run.counts,
                "latency_s": run.latency,
                "intent": run.chain,
            }
            for run in runs
        ],
        "failed": failed(runs),
    }
    path.write_text(json.dumps(data, indent=1) + "\n")


def _sum(runs: Sequence[Run], name: str) -> int:
    return sum(run.counts.get(name, 0) for run in runs)
