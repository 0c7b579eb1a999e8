"""Reads the text of a policy; the only module that needs PyYAML."""

from collections.abc import Mapping
from dataclasses import dataclass

from ..domains import OPERATIONS
from ..operations import Operation
from .model import Policy


@dataclass(frozen=True)
class Mistake:
    """One thing wrong with the text."""

    line: int
    field: str
    text: str
    """What is wrong and how to put it right."""

    def __str__(self) -> str:
        """Write it as people read it."""
        return f"line {self.line}: {self.field}: {self.text}"


class PolicyError(ValueError):
    """A policy that does not load, with every mistake found in it."""

    def __init__(self, mistakes: tuple[Mistake, ...]) -> None:
        """Take the mistakes, at least one."""
        super().__init__("\n".join(map(str, mistakes)))
        self.mistakes = mistakes


def load(text: str, operations: Mapping[str, Operation] = OPERATIONS) -> Policy:
    """Read a policy whole.

    Args:
        text: the YAML text.
        operations: the operations that exist, for checking names.

    Raises:
        PolicyError: naming line, field and remedy of each mistake.
    """
    raise NotImplementedError


def preset(name: str) -> str:
    """Return the text of a shipped policy: `balanced`, `cautious` or `relaxed`."""
    raise NotImplementedError
