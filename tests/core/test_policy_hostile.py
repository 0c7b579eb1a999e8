"""Texts that are no policies: each is refused, and none ends the process."""

from random import Random
import subprocess
import sys

import pytest

from hearthnet.core.policy.load import PRESETS, load, preset
from hearthnet.core.policy.spots import Mistake, PolicyError

JUNK = (
    *("", "[[[", "- x", "a: &a [*a]", "\t", "? ", "!!python/object:os.system x"),
    *("\0", "{}", "key: value: value", "'", "  - - -", "<<: *x", "1: 2", "null"),
    *("- {id: , effect: allow}", "2026-01-01", "!!binary aGk=", "--- \n...", "\ud800"),
    *("%YAML 9.9", "a" * 5000, "? [a,b] : c", ".inf", ".nan", "\N{PILE OF POO}: 1"),
)
DEEP = """
from hearthnet.core.policy.load import load
from hearthnet.core.policy.spots import PolicyError
for text in ("[" * 100_000, "- " * 49_000, "{a: " * 24_000, "? " * 49_000):
    try:
        load(text)
    except PolicyError:
        continue
    raise SystemExit(f"taken: {text[:9]}")
"""


def mistakes_of(text: str) -> tuple[Mistake, ...]:
    """Return the mistakes of a text; none if it is a policy after all."""
    try:
        load(text)
    except PolicyError as error:
        return tuple(error.mistakes)
    return ()


@pytest.mark.parametrize("name", PRESETS)
def test_a_policy_broken_at_every_line(name: str) -> None:
    """A shorter one may be a policy too; anything else is a mistake with a line."""
    lines, random = preset(name).split("\n"), Random(1)
    for number, line in enumerate(lines):
        indent = line[: len(line) - len(line.lstrip())]
        replacements = [[], [line[: len(line) // 2]]]
        for junk in random.sample(JUNK, 3):
            replacements += [[indent + junk], [f"{line.partition(':')[0]}: {junk}"]]
        for replacement in replacements:
            text = "\n".join([*lines[:number], *replacement, *lines[number + 1 :]])
            assert all(mistake.line >= 1 for mistake in mistakes_of(text))


def test_no_depth_ends_the_process() -> None:
    """The parser recurses in C: too deep a text was a segmentation fault."""
    run = subprocess.run(
        [sys.executable, "-c", DEEP], capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stderr) == (0, "")
