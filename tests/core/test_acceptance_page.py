"""Each test that `docs/acceptance.md` names is there."""

import ast
from pathlib import Path
import re

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "acceptance.md"
CASES = {
    *(f"C{number}" for number in (1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 13, 14)),
    *("C17", "C18", "C19", "C20", "C21", "D06", "D07", "D10"),
}
"""Those that the planners and Home Assistant's surface answer to."""


def test_the_page_names_tests_that_there_are() -> None:
    rows = re.findall(
        r"^\| (\w+) \| [^|]+ \| `(.+)::(\w+)` \|$", PAGE.read_text(), re.MULTILINE
    )
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    assert len(rows) == len(lines) - 1  # all but the heading
    assert {case for case, *_ in rows} >= CASES
    for _, path, name in rows:
        tree = ast.parse((ROOT / path).read_text("utf-8"))
        functions = (ast.FunctionDef, ast.AsyncFunctionDef)
        assert name in {n.name for n in tree.body if isinstance(n, functions)}, name
