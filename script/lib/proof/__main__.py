"""The command `script/proof`."""

import argparse
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
import json
import os
from pathlib import Path
import signal
import subprocess
import sys
from tempfile import TemporaryDirectory
from time import monotonic

from script.lib import proof

from .page import Where, long_runs, page, section, with_long_runs
from .parts import JSON, LONG, PARTS, Part
from .shown import Ran

ROOT = Path(__file__).parents[3]
EVIDENCE = ROOT / "docs/evidence.md"
LIMIT = 600.0
"""Seconds after which a part is given up."""
LONG_LIMIT = 6 * 3600.0
"""The same for a long run."""
_COMMIT = ("git", "describe", "--always", "--exclude=*", "--dirty", "--abbrev=12")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the parts; return 1 if one failed."""
    names = [part.name for part in PARTS]
    long = {part.name: part for part in LONG}
    parser = argparse.ArgumentParser(prog="script/proof", description=proof.__doc__)
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"of {', '.join(names)}; else all"
    )
    parser.add_argument(
        "--long", choices=long, metavar="NAME", help=f"one of {', '.join(long)}"
    )
    page_name = EVIDENCE.relative_to(ROOT)
    parser.add_argument(
        "--write", action="store_true", help=f"all, or a long run, into {page_name}"
    )
    options = parser.parse_args(arguments)
    chosen = options.parts
    if unknown := set(chosen) - set(names):
        parser.error(f"no part {min(unknown)!r}")
    if chosen and options.write:
        parser.error("only all parts together are written")
    if chosen and options.long:
        parser.error("a long run is run by itself")
    if options.long:
        return _long(long[options.long], write=options.write)
    return _all([p for p in PARTS if not chosen or p.name in chosen], options.write)


def _all(parts: Sequence[Part], write: bool) -> int:
    start = monotonic()
    where = _where()
    sections = [section(part, _run(part, LIMIT)) for part in parts]
    seconds = monotonic() - start
    text = page(sections, where, seconds if len(parts) == len(PARTS) else None)
    if write:
        text = with_long_runs(text, long_runs(_written()))
    failed = [p.name for p, told in zip(parts, sections, strict=True) if told.failed]
    return _tell(text, failed, write)


def _long(part: Part, write: bool) -> int:
    where = _where()
    told = section(part, _run(part, LONG_LIMIT), where)
    text = told.text
    if write:
        before = _written()
        text = with_long_runs(before, {**long_runs(before), part.title: text})
    return _tell(text, [part.name] if told.failed else [], write)


def _written() -> str:
    """Return the page as it is; what ran for hours meanwhile may have changed it."""
    return EVIDENCE.read_text("utf-8") if EVIDENCE.exists() else ""


def _tell(text: str, failed: Sequence[str], write: bool) -> int:
    if write:
        EVIDENCE.write_text(text, "utf-8")
        print(EVIDENCE.relative_to(ROOT))
    else:
        print(text)
    print(f"Failed: {', '.join(failed)}" if failed else "All parts hold.")
    return int(bool(failed))


def _run(part: Part, limit: float) -> Ran:
    print(f"{part.name}: {part.title} ...", file=sys.stderr, flush=True)
    program, *words = part.command
    path = ROOT / program if "/" in program else ROOT / ".venv-core/bin" / program
    with TemporaryDirectory(
        prefix="hearthnet-proof-", ignore_cleanup_errors=True
    ) as name:
        folder = Path(name)
        file = folder / "told.json"
        rest = [str(file) if word == JSON else word for word in words]
        start = monotonic()
        status, output = _until([path, *rest], folder, limit)
        seconds = monotonic() - start
        told = None
        with suppress(OSError, ValueError):  # it makes none, or it broke off
            told = json.loads(file.read_text("utf-8"))
    print(f"  {seconds:.0f} s, status {status}", file=sys.stderr)
    return Ran(status, output, told, seconds)


def _until(
    command: Sequence[Path | str], folder: Path, limit: float
) -> tuple[int, str]:
    """Run a command; return its exit status and what it said.

    What hangs is ended with all that it has started: brokers, hubs, librarians. What it
    leaves behind is in `folder`.
    """
    output = folder / "output"
    with output.open("wb") as file:
        try:
            process = subprocess.Popen(
                command,
                cwd=ROOT,
                env={**os.environ, "TMPDIR": str(folder)},
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            return 127, str(error)
        try:
            status, more = process.wait(limit), ""
        except subprocess.TimeoutExpired:
            status, more = 124, f"It did not end within {limit:g} seconds.\n"
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    return status, output.read_text("utf-8", errors="replace") + more


def _where() -> Where:
    """Say when it begins, on which tree, and look at the machine before the load."""
    look = "from hearthnet.bench.machine import machine; print(machine())"
    return Where(
        when=f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        commit=_said(*_COMMIT) or "unknown",
        machine=_said(ROOT / ".venv-core/bin/python", "-c", look),
    )


def _said(*command: Path | str) -> str:
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
