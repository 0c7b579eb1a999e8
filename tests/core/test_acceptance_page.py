"""Each test and each trace that `docs/acceptance.md` names is there."""

import ast
from pathlib import Path
import re

from hearthnet.traces.trace import SHIPPED, Trace
from script.lib.traces.cases import SHOWN, missing

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "acceptance.md"
CASES = {
    *(f"C{number}" for number in (1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 13, 14)),
    *("C17", "C18", "C19", "C20", "C21", "D06", "D07", "D10"),
}
"""Those that the planners and Home Assistant's surface answer to."""


ROW = re.compile(
    r"^\| (\w+) \| [^|]+ \| `(.+)::(\w+)` \| (?:`(\w+)` )?\|$", re.MULTILINE
)


def test_the_page_names_tests_that_there_are() -> None:
    rows = ROW.findall(PAGE.read_text())
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    assert len(rows) == len(lines) - 1  # all but the heading
    assert {case for case, *_ in rows} >= CASES
    for _, path, name, _ in rows:
        tree = ast.parse((ROOT / path).read_text("utf-8"))
        functions = (ast.FunctionDef, ast.AsyncFunctionDef)
        assert name in {n.name for n in tree.body if isinstance(n, functions)}, name


def test_the_page_names_the_trace_of_each_case_that_one_shows() -> None:
    named = {
        (case, trace) for case, *_, trace in ROW.findall(PAGE.read_text()) if trace
    }
    assert named == {(case, trace) for trace in SHOWN for case in SHOWN[trace]}
    for name in SHOWN:
        trace = Trace.load(SHIPPED / f"{name}.json")
        assert missing(name, trace.decisions) == []
        assert set(re.findall(r"\b[CD][0-9]+\b", trace.title)) == set(SHOWN[name])


def test_a_case_that_a_trace_does_not_show_is_missed() -> None:
    decisions = list(Trace.load(SHIPPED / "undo.json").decisions)
    decisions.remove("  Desk lamp: light.turn_on brightness_pct=70")
    assert missing("undo", decisions) == ["C14"]
