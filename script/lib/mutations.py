"""Takes each safeguard away in turn, and shows that tests turn red.

Copies of the tree are changed, never the tree itself. A mutation counts as found only
if its tests fail; a broken test run is told apart. First all tests must pass.
"""

import argparse
from collections.abc import Sequence
from compileall import compile_dir
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
import json
import os
from pathlib import Path
from py_compile import PycInvalidationMode
from queue import SimpleQueue
import shutil
import subprocess
import sys
from tempfile import TemporaryDirectory
from time import monotonic

from .mutants import CORE, MUTATIONS, Mutation

ROOT = Path(__file__).parents[2]
COPIED = ("custom_components", "companion", "tests", "pyproject.toml")
FAILED = 1
"""Pytest's exit status when tests ran and some failed."""
INSIDE = "integration/"
"""Tests that need Home Assistant."""
LIMIT = 240.0
"""Seconds after which tests are given up: a mutation may make them wait for ever."""


@dataclass(frozen=True)
class Found:
    """What became of a mutation."""

    safeguard: str
    file: str
    caught: bool
    said: str
    """The first test that failed, or what went wrong."""
    seconds: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Try all; return 1 if one goes unnoticed."""
    parser = argparse.ArgumentParser(prog="script/mutations", description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write it down, too")
    parser.add_argument(
        "--only", default="", metavar="WORD", help="safeguards with this word"
    )
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="so many at once"
    )
    options = parser.parse_args(arguments)
    chosen = [m for m in MUTATIONS if options.only in m.safeguard]
    with TemporaryDirectory(prefix="hearthnet-mutations-") as folder:
        trees: SimpleQueue[Path] = SimpleQueue()
        for number in range(options.jobs):
            trees.put(_copy(Path(folder) / str(number)))
        tests = sorted({test for m in chosen for test in m.tests})
        for some in _apart(tests):
            status, said = _run(trees, some, options.jobs)
            if status != 0:
                sys.stderr.write(f"The tests fail without a mutation: {said}\n")
                return 1
        found = []
        with ThreadPoolExecutor(options.jobs) as pool:
            for one in pool.map(lambda mutation: _try(trees, mutation), chosen):
                mark = "caught" if one.caught else "NOT CAUGHT"
                print(
                    f"{mark:10} {one.safeguard} ({one.seconds:.1f} s): {one.said}",
                    flush=True,
                )
                found.append(one)
    caught = sum(one.caught for one in found)
    print(f"{caught} of {len(found)} mutations caught")
    if options.json is not None:
        options.json.write_text(json.dumps([vars(f) for f in found], indent=1) + "\n")
    return int(caught < len(found))


def _copy(tree: Path) -> Path:
    tree.mkdir()
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            # `core` below the companion is a link, and below tests is wanted.
            left = ("core",) if name == "companion" else ()
            ignore = shutil.ignore_patterns("__pycache__", *left)
            shutil.copytree(source, tree / name, ignore=ignore)
        else:
            shutil.copy(source, tree / name)
    (tree / "companion/hearthnet/core").symlink_to(tree / CORE)
    # By their hash: a change within the second that leaves the size is seen, too.
    mode = PycInvalidationMode.CHECKED_HASH
    for folder in (tree / CORE, tree / "companion/hearthnet/darcy"):
        compile_dir(folder, quiet=1, invalidation_mode=mode)
    return tree


def _try(trees: SimpleQueue[Path], mutation: Mutation) -> Found:
    start = monotonic()
    tree = trees.get()
    path = tree / CORE / mutation.file
    text = path.read_text("utf-8")
    try:
        if text.count(mutation.old) != 1:
            where = f"{mutation.file} does not have the place exactly once"
            return Found(mutation.safeguard, mutation.file, False, where, 0.0)
        path.write_text(text.replace(mutation.old, mutation.new), "utf-8")
        status, said = _tests(tree, mutation.tests)
    finally:
        path.write_text(text, "utf-8")
        trees.put(tree)
    seconds = round(monotonic() - start, 1)
    return Found(mutation.safeguard, mutation.file, status == FAILED, said, seconds)


def _run(trees: SimpleQueue[Path], tests: Sequence[str], jobs: int) -> tuple[int, str]:
    """Run tests in an unchanged tree, so many at once."""
    tree = trees.get()
    try:
        return _tests(tree, tests, jobs)
    finally:
        trees.put(tree)


def _apart(tests: Sequence[str]) -> list[list[str]]:
    """Part the tests that run inside Home Assistant's harness from the others."""
    inside = [test for test in tests if test.startswith(INSIDE)]
    return [some for some in (sorted({*tests} - {*inside}), inside) if some]


def _tests(tree: Path, tests: Sequence[str], jobs: int = 0) -> tuple[int, str]:
    """Run tests until one fails; return the exit status and what failed.

    Args:
        tree: where they are run.
        tests: below `tests`.
        jobs: processes that share them; 0: in one.
    """
    inside = tests[0].startswith(INSIDE)
    python = ROOT / (".venv" if inside else ".venv-core") / "bin/python"
    command: list[Path | str] = [
        *(python, "-m", "pytest", "-q", "-x"),
        *(("-p", "tests.phacc_compat") if inside else ()),
        *("-p", "no:cacheprovider", "--timeout", "60", "-n", str(jobs)),
        *(f"tests/{test}" for test in tests),
    ]
    environment = {**os.environ, "PYTHONPATH": str(tree / "companion")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    if inside:
        # Only the core's bytecode is known by its hash, and only for one Python.
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
    try:
        done = subprocess.run(
            command,
            cwd=tree,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=LIMIT,
        )
    except subprocess.TimeoutExpired:
        return -1, f"the tests did not end within {LIMIT:g} seconds"
    lines = done.stdout.splitlines() or done.stderr.splitlines() or ["no output"]
    failed = [
        line for line in lines if line.startswith(("FAILED tests", "ERROR tests"))
    ]
    return done.returncode, (failed or lines[-1:])[0][:160]


if __name__ == "__main__":
    sys.exit(main())
