"""The paper's table: its numbers and ours, from live runs of its three scenes.

Each run plays the scenes' trace (recorded in a real Home Assistant) with the real
core over a real broker, behind which a librarian writes a Git repository, and audits
that. The model's time is drawn from a stated profile; all other time is the devices'
recorded one.
"""

import argparse
from collections.abc import Mapping
import json
from pathlib import Path
import sys
from typing import Any

from .numeric import count
from .output import write

SOURCE = """\
Paper: HearthNet, arXiv 2604.09618; its figures from the README of its artifact. It ran
on a Mac mini, a NUC and a phone with a hosted model. Here one machine plays the scenes,
so compare what was done. Latency is the model's time, drawn evenly from {low:g} to
{high:g} s a request (the paper's 1 to 5 s a hop; one hop), and the recorded time of the
devices. The core's own work is in no virtual time: {work:.0f} ms of this machine for
all three scenes, {how}."""
MODEL = (1.0, 5.0)
"""Seconds that a hosted model takes for one answer, from and to."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command line."""
    parser.add_argument(
        "--runs", type=count, default=20, metavar="N", help="how many (20)"
    )
    parser.add_argument(
        "--seed", type=int, default=1, metavar="N", help="of the model's times (1)"
    )
    parser.add_argument(
        "--fast", action="store_true", help="in this process alone: no broker"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write it down, too")


def run(arguments: argparse.Namespace) -> int:
    """Run the scenes and print the table; 1 if a count is not as it must be."""
    # Policies and the record need packages that a phone does not have.
    from .bench.gate import measure  # noqa: PLC0415
    from .mosquitto import MosquittoError  # noqa: PLC0415
    from .traces.scenes import Run, play_scenes  # noqa: PLC0415

    try:
        runs: list[Run] = list(
            play_scenes(
                arguments.runs, arguments.seed, MODEL, over_broker=not arguments.fast
            )
        )
    except MosquittoError as error:
        sys.stderr.write(f"{error}: install Debian's package mosquitto, or --fast\n")
        return 2
    checked: Any = measure(devices=200, checks=20_000, executes=30)
    lines = rows(runs, checked["check_us"])
    low, high = MODEL
    how = "in one process" if arguments.fast else "with broker, librarian and audit"
    work = 1000 * sorted(one.work for one in runs)[len(runs) // 2]
    source = SOURCE.format(low=low, high=high, work=work, how=how)
    sys.stdout.write(
        f"{_table(lines)}\n\n{len(runs)} run{'s'[: len(runs) > 1]}. {source}\n"
    )
    if arguments.json is not None:
        told = {
            "source": source,
            "runs": [vars(one) for one in runs],
            "table": lines,
        }
        text = json.dumps(told, indent=1, ensure_ascii=False)
        write(arguments.json, f"{text}\n")
    return int(not all(one.good for one in runs))


def rows(runs: list[Any], check_us: Mapping[str, float]) -> list[list[str]]:
    """Return the table: scene, metric, the paper's figure, ours."""

    def of(part: str, whole: str) -> str:
        return f"{_sum(runs, part)}/{_sum(runs, whole)}"

    times = sorted(one.latency for one in runs)
    spread = (
        f"{times[len(times) // 2]:.1f} s ({times[0]:.1f} to {times[-1]:.1f} s,"
        f" p95 {times[min(len(times) - 1, len(times) * 95 // 100)]:.1f} s)"
    )
    sound = sum(one.sound for one in runs)
    return [
        ["1", "Tasks completed", "4/4", of("completed", "tasks")],
        ["1", "End-to-end latency, median", "8 s", spread],
        ["2", "Conflicts detected", "5/5", of("detected", "conflicts")],
        ["2", "Conflicts resolved", "5/5", of("resolved", "conflicts")],
        ["3", "Stale commands rejected", "5/5", of("stale", "replays")],
        ["3", "Dead leases rejected", "5/5", of("dead", "replays")],
        ["all", "False rejections", "0", str(_sum(runs, "false_rejections"))],
        ["all", "Events persisted", "153/153", of("persisted", "events")],
        ["all", "Git integrity (fsck)", "OK", f"{sound}/{len(runs)} sound"],
        [
            "all",
            "Lease check at actuation, p95",
            "not given",
            f"{check_us['p95'] / 1000:.4f} ms",
        ],
    ]


def _table(lines: list[list[str]]) -> str:
    whole = [["scene", "metric", "paper", "here"], *lines]
    widths = [max(map(len, column)) for column in zip(*whole, strict=True)]
    texts = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        for line in whole
    ]
    texts.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(text.rstrip() for text in texts)


def _sum(runs: list[Any], name: str) -> int:
    return sum(int(getattr(one, name)) for one in runs)
