"""One safeguard, and the ways to take one away."""

from dataclasses import dataclass
from pathlib import Path

CORE = Path("custom_components/hearthnet/core")


@dataclass(frozen=True)
class Mutation:
    """One safeguard, and how it is taken away."""

    safeguard: str
    file: str
    """Below the core."""
    old: str
    """Stands in the file exactly once."""
    new: str
    tests: tuple[str, ...]
    """What has to turn red, below `tests`."""


def instead(safeguard: str, file: str, old: str, new: str, *tests: str) -> Mutation:
    """Put something else in a safeguard's place."""
    return Mutation(safeguard, file, old, new, tests)


def without(safeguard: str, file: str, text: str, *tests: str) -> Mutation:
    """Leave a safeguard out."""
    return Mutation(safeguard, file, text, "", tests)


def never(safeguard: str, file: str, condition: str, *tests: str) -> Mutation:
    """Let a condition that stops something never be met."""
    return Mutation(safeguard, file, f"if {condition}:", "if False:", tests)
