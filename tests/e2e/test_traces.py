"""Traces are recorded in a real Home Assistant; see `script/traces`."""

from pathlib import Path

import pytest

from script.lib.traces.recording import record


@pytest.mark.parametrize("name", ["undo", "voices"])
def test_a_trace_shows_its_cases_and_plays_as_it_was_recorded(
    name: str, tmp_path: Path
) -> None:
    (home := tmp_path / "home").mkdir()
    record(name, home, tmp_path / "trace.json", lambda _text: None)
