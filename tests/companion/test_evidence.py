"""Measured figures stand in docs/evidence.md; others may only cite them."""

from pathlib import Path
import re

import pytest

ROOT = Path(__file__).parents[2]
EVIDENCE = ROOT / "docs/evidence.md"
PAGES = [
    ROOT / "README.md",
    *(ROOT / f"docs/{n}.md" for n in ("audit", "models", "record")),
]
MEASURED = re.compile(
    r"[0-9][0-9.,]* ?(?:ms\b|µs\b|[kM]i?B\b|bytes an event|events a second)"
)
"""A figure with a unit of time, size or rate that somebody has measured."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_page_states_a_figure_of_its_own(page: Path) -> None:
    known = set(MEASURED.findall(EVIDENCE.read_text("utf-8")))
    assert set(MEASURED.findall(page.read_text("utf-8"))) <= known
