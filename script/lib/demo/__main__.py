"""Runs the demo: `script/demo [--exit | --stay] [--embedded] [--rounds N] …`."""

import argparse
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
import signal
import subprocess
import sys
import tempfile
import time

from tests.support.mosquitto import available
from tests.support.provider import provider

from . import again, model
from .machines import machines
from .report import SOURCE, Record, failed, parts, rows, table, write
from .scenes import Run, play
from .stage import Stage, stage


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the scenes; return 1 if a property did not hold."""
    options = _parse(arguments)
    ended: list[int] = []

    def end(number: int, _frame: object) -> None:
        ended.append(128 + number)
        sys.exit(ended[0])

    # A closed terminal ends it as Ctrl-C does, and what it started with it.
    for ends in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ends, end)
    try:
        return _play(options)
    except Exception:
        # What was going on when it was to end may have failed in its own way.
        if ended:
            return ended[0]
        raise


def _play(options: argparse.Namespace) -> int:
    """Play the scenes in a home that ends with them."""
    began = time.monotonic()

    def say(text: str) -> None:
        print(f"[{time.monotonic() - began:5.1f} s] {text}", flush=True)

    with ExitStack() as stack:
        folder = Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="hearthnet-demo-"))
        )
        beside = None
        if not options.embedded and not available():
            say("No mosquitto here: all runs in Home Assistant (as with --embedded)")
        elif not options.embedded:
            beside = stack.enter_context(machines(folder / "machines"))
            say(f"Mosquitto listens on port {beside.broker.port}")
        (folder / "home").mkdir()
        api = stack.enter_context(
            provider(model.answer, latency=model.LATENCY, rate=model.RATE)
        )
        home = stack.enter_context(
            stage(
                folder / "home",
                say,
                choices=model.CHOICES,
                env={"ANTHROPIC_BASE_URL": api.url},
                beside=beside,
            )
        )
        runs = []
        for number in range(1, options.rounds + 1):
            say(f"Round {number} of {options.rounds}")
            runs.append(play(home))
        others = [model.play(home, api), again.play(home, folder)]
        status = _conclude(home, runs, others, options.json)
        if options.stay:
            _stay(home)
    return status


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="script/demo", description="HearthNet's three scenes in a real home."
    )
    ending = parser.add_mutually_exclusive_group()
    ending.add_argument("--exit", dest="stay", action="store_false", help="end at once")
    ending.add_argument("--stay", action="store_true", help="go on until Ctrl-C")
    parser.add_argument(
        "--embedded",
        action="store_true",
        help="all in Home Assistant: no broker, no other machines, no phone",
    )
    parser.add_argument("--rounds", type=int, default=5, metavar="N")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all as JSON")
    parser.set_defaults(stay=sys.stdout.isatty())
    return parser.parse_args(arguments)


def _conclude(
    home: Stage, runs: Sequence[Run], others: Sequence[Run], path: Path | None
) -> int:
    """Print the table and one chain from Git; return the exit status.

    `others` are the scenes that the paper's table knows nothing of.
    """
    home.committed()
    lines = rows(runs, _record(home))
    print(f"\n{table(lines)}\n\n{parts(home.machines)}\n\n{SOURCE}\n")
    print("One chain, as `git log` shows it:\n")
    print(
        home.git(
            "log",
            "--reverse",
            f"--grep=^Intent: {runs[-1].chain}$",
            "--format=%h %<(8,trunc)%an %s",
        )
    )
    if path is not None:
        write(path, [*runs, *others], lines, home.machines)
    if broken := failed([*runs, *others]):
        print("Did not hold:", *broken, sep="\n  ")
        return 1
    held = sum(len(run.checks) for run in (*runs, *others))
    rounds = "one round" if len(runs) == 1 else f"{len(runs)} rounds"
    print(f"All {held} properties held in {rounds}, with a model, and played again.")
    return 0


def _record(home: Stage) -> Record:
    """Ask git itself how the record is."""
    log = home.git("log", "--format=%(trailers:key=Event,valueonly)").split()
    told = [event["id"] for event in home.events(limit=100)]
    ends: dict[str, int] = {}
    for event in {*log, *told}:
        boot, _, seq = event.rpartition(".")
        ends[boot] = max(ends.get(boot, 0), int(seq))
    fsck = subprocess.run(
        ["git", "-C", home.repository, "fsck", "--full", "--strict"],
        check=False,
        capture_output=True,
    )
    return Record(
        # The numbers of a node's boot have no gaps, so the last one counts them all.
        events=sum(ends.values()),
        commits=len(set(log)),
        sound=fsck.returncode == 0 and len(log) == len(set(log)),
    )


def _stay(home: Stage) -> None:
    """Leave the home running for a look around."""
    hass = home.hass
    print(f"\nLook around at {hass.url}")
    print(f"  log in as {hass.username!r} with the password {hass.password!r}")
    print(f"  the record: git -C {home.repository} log")
    print("Ctrl-C ends it.", flush=True)
    try:
        signal.pause()
    except KeyboardInterrupt:
        print()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
