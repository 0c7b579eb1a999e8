"""Sentences about several things at once, taken apart into one sentence each."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
import re

MAX_PARTS = 6
_WORDS = "and|und|et|y|e|en|och|og|ja|oraz|和|跟|与|及"
_JOINT = re.compile(rf"\s*,\s*|\s+(?:{_WORDS})\s+|[\u3001\uff0c和跟与及]")
_BETWEEN = 12
"""How many letters may stand between two names: a joint and an article."""


def readings(text: str, names: Iterable[str]) -> Iterator[list[str]]:
    """Yield the ways of taking a sentence apart, the likelier first.

    “Turn the lamp and the fan off” shares its other words between the names; “turn
    the lamp off and open the door” is two sentences.
    """
    if not _JOINT.search(text):
        return
    spans = _spans(text, names)
    if 1 < len(spans) <= MAX_PARTS and _joined(text, spans):
        head, tail = text[: spans[0][0]], text[spans[-1][1] :]
        yield [f"{head}{text[start:end]}{tail}" for start, end in spans]
    parts = [part.strip() for part in _JOINT.split(text) if part.strip()]
    if 1 < len(parts) <= MAX_PARTS:
        yield parts


def _spans(text: str, names: Iterable[str]) -> list[tuple[int, int]]:
    """Return where known names stand in a text; a longer one hides one in it."""
    found: list[tuple[int, int]] = []
    lowered = text.lower()
    if len(lowered) != len(text):
        # Lowering changed the length (İ): positions would be wrong.
        return found
    for name in sorted({n.lower() for n in names if n}, key=len, reverse=True):
        for match in re.finditer(_bounded(name), lowered):
            start, end = match.span()
            if all(end <= a or b <= start for a, b in found):
                found.append((start, end))
    return sorted(found)


def _bounded(name: str) -> str:
    """Return a pattern for a name as a whole word, where its letters make words."""
    head = r"(?<!\w)" if name[0].isascii() else ""
    tail = r"(?!\w)" if name[-1].isascii() else ""
    return head + re.escape(name) + tail


def _joined(text: str, spans: list[tuple[int, int]]) -> bool:
    """Tell whether nothing but joints and articles stands between the names."""
    gaps = [text[end:start] for (_, end), (start, _) in pairwise(spans)]
    return all(len(gap) <= _BETWEEN and _JOINT.search(gap) for gap in gaps)
