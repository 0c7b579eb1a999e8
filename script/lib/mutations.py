"""Takes each safeguard away in turn, and shows that tests turn red.

A copy of the tree is changed, never the tree itself. A mutation counts as found only
if its tests fail; a broken test run is told apart. First all tests must pass.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
import json
import os
from pathlib import Path
import shutil
import subprocess
import sys
from tempfile import TemporaryDirectory
from time import monotonic

ROOT = Path(__file__).parents[2]
CORE = Path("custom_components/hearthnet/core")
COPIED = ("custom_components", "companion", "tests", "pyproject.toml")
FAILED = 1
"""Pytest's exit status when tests ran and some failed."""
_FAILURES = "core/test_gate_failures.py"


@dataclass(frozen=True)
class Mutation:
    """One safeguard, and how it is taken away."""

    safeguard: str
    file: str
    """Below the core."""
    old: str
    new: str
    tests: tuple[str, ...]
    """What has to turn red, below `tests`."""


MUTATIONS = (
    Mutation(
        "the gate's check",
        "gate.py",
        "if check.lease is None or check.evidence:",
        "if check.lease is None:",
        ("core/test_gate.py",),
    ),
    Mutation(
        "freshness at the gate",
        "leasebook.py",
        "if not (stale := self.view.stale(entry.reads)):",
        "if not (stale := ()):",
        ("core/test_gate_ends.py",),
    ),
    Mutation(
        "freshness at the root",
        "agents/verifier.py",
        "stale=self._node.view.stale(assignment.reads),",
        "stale=(),",
        ("core/test_freshness.py",),
    ),
    Mutation(
        "policy",
        "verify.py",
        "        _denied(case, verdict, commit_of),\n",
        "",
        ("companion/test_traces.py", "core/test_policy_presets.py"),
    ),
    Mutation(
        "holds",
        "verify.py",
        "        *_conflicts(arbitration, commit_of),\n",
        "",
        ("core/test_hub.py",),
    ),
    Mutation(
        "reservations",
        "agents/issuer.py",
        "if not (held := self._reservations.holding(keys)):",
        "if not (held := ()):",
        ("core/test_hub.py",),
    ),
    Mutation(
        "single use",
        "leasebook.py",
        "        if lease_id in self.executed:\n            found.append",
        "        if False:\n            found.append",
        ("core/test_gate.py",),
    ),
    Mutation(
        "fencing",
        "leasebook.py",
        "if entry.order.boot < self.fence:",
        "if False:",
        ("core/test_gate_ends.py",),
    ),
    Mutation(
        "expiry",
        "leasebook.py",
        "if asked is not None and _ended(asked.sent, moment, entry):",
        "if False:",
        ("core/test_gate_ends.py",),
    ),
    Mutation(
        "revocation",
        "leasebook.py",
        "        if revoked:\n",
        "        if False:\n",
        ("core/test_gate_ends.py",),
    ),
    Mutation(
        "the journal's sync before the act",
        "gate.py",
        "        try:\n            await self._node.sync()\n",
        "        try:\n            pass\n",
        (f"{_FAILURES}::test_a_failed_journal_refuses_before_the_act",),
    ),
    Mutation(
        "the disk's sync in the journal",
        "journal.py",
        "        datasync(self._file)\n",
        "",
        ("core/test_journal.py",),
    ),
    Mutation(
        "the record's sync before the branch moves",
        "librarian/repository.py",
        "            disk.sync_filesystem(self._folder)\n            killpoint()\n"
        "            disk.write_ref",
        "            killpoint()\n            disk.write_ref",
        ("core/test_repository.py",),
    ),
    Mutation(
        "the acknowledgment in the batch's last commit",
        "librarian/repository.py",
        "if event is events[-1]:",
        "if False:",
        ("core/test_repository.py",),
    ),
    Mutation(
        "signatures",
        "keys.py",
        "        except InvalidSignature:\n            return False\n",
        "        except InvalidSignature:\n            return True\n",
        (_FAILURES,),
    ),
)


@dataclass(frozen=True)
class Found:
    """What became of a mutation."""

    safeguard: str
    caught: bool
    said: str
    """The first test that failed, or what went wrong."""
    seconds: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Try all; return 1 if one goes unnoticed."""
    parser = argparse.ArgumentParser(prog="script/mutations", description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write it down, too")
    options = parser.parse_args(arguments)
    with TemporaryDirectory(prefix="hearthnet-mutations-") as folder:
        tree = Path(folder)
        _copy(tree)
        tests = sorted({test for m in MUTATIONS for test in m.tests})
        status, said = _run(tree, tests)
        if status != 0:
            sys.stderr.write(f"The tests fail without a mutation: {said}\n")
            return 1
        found = []
        for one in _mutate(tree):
            mark = "caught" if one.caught else "NOT CAUGHT"
            print(f"{mark:10} {one.safeguard} ({one.seconds:.1f} s): {one.said}")
            found.append(one)
    caught = sum(one.caught for one in found)
    print(f"{caught} of {len(found)} mutations caught")
    if options.json is not None:
        options.json.write_text(json.dumps([vars(f) for f in found], indent=1) + "\n")
    return int(caught < len(found))


def _copy(tree: Path) -> None:
    ignored = shutil.ignore_patterns("__pycache__", "core", "images", "frontend")
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            # `core` below the companion is a link, and below tests is wanted.
            ignore = (
                ignored
                if name == "companion"
                else shutil.ignore_patterns("__pycache__")
            )
            shutil.copytree(source, tree / name, ignore=ignore)
        else:
            shutil.copy(source, tree / name)
    (tree / "companion/hearthnet/core").symlink_to(tree / CORE)


def _mutate(tree: Path) -> Iterator[Found]:
    for mutation in MUTATIONS:
        start = monotonic()
        path = tree / CORE / mutation.file
        text = path.read_text("utf-8")
        if text.count(mutation.old) != 1:
            where = f"{mutation.file} does not have the place exactly once"
            yield Found(mutation.safeguard, False, where, 0.0)
            continue
        path.write_text(text.replace(mutation.old, mutation.new), "utf-8")
        try:
            status, said = _run(tree, mutation.tests)
        finally:
            path.write_text(text, "utf-8")
        seconds = round(monotonic() - start, 1)
        yield Found(mutation.safeguard, status == FAILED, said, seconds)


def _run(tree: Path, tests: Sequence[str]) -> tuple[int, str]:
    """Run tests until one fails; return the exit status and what failed."""
    done = subprocess.run(
        [
            *(ROOT / ".venv-core/bin/python", "-m", "pytest", "-q", "-x"),
            *("-p", "no:cacheprovider", "--timeout", "60"),
            *(f"tests/{test}" for test in tests),
        ],
        cwd=tree,
        env={
            **os.environ,
            "PYTHONPATH": str(tree / "companion"),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    lines = done.stdout.splitlines() or done.stderr.splitlines() or ["no output"]
    failed = [
        line for line in lines if line.startswith(("FAILED tests", "ERROR tests"))
    ]
    return done.returncode, (failed or lines[-1:])[0][:160]


if __name__ == "__main__":
    sys.exit(main())
