"""Runs what HearthNet claims, part by part, and tells every figure.

A part that fails, hangs or breaks off is told and the others go on; the exit status is
1 then. With `--write` all parts together become docs/evidence.md.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
import json
import os
from pathlib import Path
import signal
import subprocess
import sys
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

ROOT = Path(__file__).parents[2]
EVIDENCE = ROOT / "docs/evidence.md"
SHIPPED = "companion/hearthnet/traces/shipped"
CAUTIOUS = "custom_components/hearthnet/core/policy/presets/cautious.yaml"
LIMIT = 600.0
"""Seconds after which a part is given up."""
_ABOUT = """\
# Evidence

Written by `script/proof`; no figure in here was typed. Each stands under the command
that made it, with `.venv-core/bin` in the `PATH`. What holds on any machine (wrong
verdicts, losses, tampering) makes a part fail; times are those of this machine, and one
that misses its target is marked. Longer campaigns of faults: [campaigns](campaigns.md).
"""
NO_FIGURES = (KeyError, TypeError, IndexError, AttributeError, ValueError)
"""What telling of figures raises that are not there."""
JSON = "JSON"
"""Stands in a command for the file that it writes its figures to."""


@dataclass(frozen=True)
class Ran:
    """What came of a part's command."""

    status: int
    output: str
    told: Any
    """The JSON that it wrote; None without."""
    seconds: float


@dataclass(frozen=True)
class Part:
    """One claim and the command that shows it."""

    name: str
    title: str
    command: tuple[str, ...]
    show: Callable[[Ran], Iterator[str]]
    """The lines of Markdown that tell it."""


def _text(ran: Ran) -> Iterator[str]:
    yield "```text"
    yield ran.output.strip()
    yield "```"


def _bench(ran: Ran) -> Iterator[str]:
    yield "| what | target | measured | met |"
    yield "|---|---|---|---|"
    rows = ran.told["rows"]
    for row in rows:
        met = {True: "yes", False: "**no**", None: ""}[row["met"]]
        yield f"| {row['what']} | {row['target']} | {row['measured']} | {met} |"
    notes = [f"- {row['what']}: {row['note']}" for row in rows if row["note"]]
    if notes:
        yield ""
        yield from notes


def _mutations(ran: Ran) -> Iterator[str]:
    files: dict[str, list[str]] = {}
    for found in ran.told:
        name = found["safeguard"] if found["caught"] else f"**{found['safeguard']}**"
        files.setdefault(found["file"], []).append(name)
    caught = sum(found["caught"] for found in ran.told)
    yield f"{caught} of {len(ran.told)} are noticed by tests; others stand in bold."
    yield ""
    yield "| in | safeguards |"
    yield "|---|---|"
    for file, names in sorted(files.items()):
        yield f"| `{file}` | {'; '.join(names)} |"


def _table1(ran: Ran) -> Iterator[str]:
    yield "| scene | metric | paper | here |"
    yield "|---|---|---|---|"
    for row in ran.told["table"]:
        yield "| " + " | ".join(row) + " |"
    yield ""
    yield f"{len(ran.told['runs'])} runs. " + " ".join(ran.told["source"].split())


def _last(ran: Ran) -> Iterator[str]:
    yield ran.output.strip().splitlines()[-1]


def _counted(ran: Ran) -> Iterator[str]:
    """Tell of a what-if in its first line; the diff is long."""
    yield ran.output.strip().splitlines()[0]


PARTS = (
    Part(
        "replay",
        "Traces of a real Home Assistant, played with the real core",
        (
            *("hearthnet", "replay"),
            *(f"{SHIPPED}/{name}.json" for name in ("scenes", "acceptance")),
            f"{SHIPPED}/power_cut.json",
        ),
        _text,
    ),
    Part(
        "what-if",
        "The scenes, had the cautious policy been in force",
        ("hearthnet", "replay", f"{SHIPPED}/scenes.json", "--policy", CAUTIOUS),
        _counted,
    ),
    Part(
        "audit",
        "Tampering with a record: each kind is found, at the right commit",
        ("python", "-m", "pytest", "-q", "tests/companion/test_audit.py"),
        _last,
    ),
    Part(
        "table1",
        "The paper's table",
        ("hearthnet", "table1", "--runs", "20", "--json", JSON),
        _table1,
    ),
    Part(
        "mutations",
        "Each safeguard taken away in turn",
        ("python", "-m", "script.lib.mutations", "--json", JSON),
        _mutations,
    ),
    Part(
        "bench",
        "The design's targets",
        (
            *("hearthnet", "bench"),
            *("gate", "intent", "broker", "loop", "record", "timeline", "planner"),
            *("verdicts", "kills", "--commands", "5000", "--kills", "20"),
            *("--json", JSON),
        ),
        _bench,
    ),
    Part(
        "faults",
        "A home whose every part is killed again and again",
        ("python", "-m", "tests.faults", "--kills", "30"),
        _text,
    ),
    Part(
        "scale",
        "Much of everything",
        ("hearthnet", "bench", "scale", "--events", "100000", "--json", JSON),
        _bench,
    ),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the parts; return 1 if one failed."""
    names = [part.name for part in PARTS]
    parser = argparse.ArgumentParser(prog="script/proof", description=__doc__)
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"of {', '.join(names)}; else all"
    )
    parser.add_argument(
        "--write", action="store_true", help=f"all, into {EVIDENCE.relative_to(ROOT)}"
    )
    options = parser.parse_args(arguments)
    chosen = options.parts
    if unknown := set(chosen) - set(names):
        parser.error(f"no part {min(unknown)!r}")
    if options.write and chosen:
        parser.error("only all parts together are written")
    start = monotonic()
    sections = []
    failed = []
    for part in PARTS:
        if chosen and part.name not in chosen:
            continue
        print(f"{part.name}: {part.title} ...", file=sys.stderr, flush=True)
        ran = _run(part)
        print(f"  {ran.seconds:.0f} s, status {ran.status}", file=sys.stderr)
        section, whole = _section(part, ran)
        if ran.status != 0 or not whole:
            failed.append(part.name)
        sections.append(section)
    text = "\n".join([_head(monotonic() - start, failed), *sections])
    if options.write:
        EVIDENCE.write_text(text, "utf-8")
        print(f"{EVIDENCE.relative_to(ROOT)}, {monotonic() - start:.0f} s")
    else:
        print(text)
    print(f"Failed: {', '.join(failed)}" if failed else "All parts hold.")
    return int(bool(failed))


def _run(part: Part) -> Ran:
    programs = ROOT / ".venv-core/bin"
    with TemporaryDirectory(prefix="hearthnet-proof-") as folder:
        file = Path(folder) / "told.json"
        program, *rest = (str(file) if word == JSON else word for word in part.command)
        start = monotonic()
        status, output = _until([programs / program, *rest], Path(folder) / "output")
        seconds = monotonic() - start
        told = None
        with suppress(OSError, ValueError):  # it makes none, or it broke off
            told = json.loads(file.read_text("utf-8"))
    return Ran(status, output, told, seconds)


def _until(command: Sequence[Path | str], output: Path) -> tuple[int, str]:
    """Run a command; return its exit status and what it said.

    What hangs is ended with all that it has started: brokers, hubs, librarians.
    """
    with output.open("wb") as file:
        try:
            process = subprocess.Popen(
                command,
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            return 127, str(error)
        try:
            status, more = process.wait(LIMIT), ""
        except subprocess.TimeoutExpired:
            status, more = 124, f"It did not end within {LIMIT:g} seconds.\n"
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    return status, output.read_text("utf-8", errors="replace") + more


def _section(part: Part, ran: Ran) -> tuple[str, bool]:
    """Return what to tell of a part, and whether its figures are there."""
    command = " ".join("FILE" if word == JSON else word for word in part.command)
    lines = [f"## {part.title}", "", f"    {command}", ""]
    if ran.status != 0:
        lines += [f"**Failed** with status {ran.status}.", ""]
    try:
        shown, whole = list(part.show(ran)), True
    except NO_FIGURES:
        # It did not come to its figures; what it said is all there is.
        shown = ["```text", *ran.output.strip().splitlines()[-30:], "```"]
        whole = False
    return "\n".join([*lines, *shown, "", f"Took {ran.seconds:.0f} s.", ""]), whole


def _head(seconds: float, failed: list[str]) -> str:
    commit = subprocess.run(
        ["git", "rev-parse", "--short=12", "HEAD"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.strip()
    machine = subprocess.run(
        [
            *(ROOT / ".venv-core/bin/python", "-c"),
            "from hearthnet.bench.machine import machine; print(machine())",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.strip()
    verdict = f"Failed: {', '.join(failed)}." if failed else "All parts hold."
    when = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, commit {commit or 'unknown'}"
    return f"{_ABOUT}\n{when}; {machine}; {seconds / 60:.0f} minutes. {verdict}\n"


if __name__ == "__main__":
    sys.exit(main())
