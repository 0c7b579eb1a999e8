"""Fixtures of the core's tests."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from _pytest.terminal import TerminalReporter
import pytest

from .gate_world import World


@pytest.fixture(params=["remote", "embedded"])
async def world(request: Any, tmp_path: Path) -> AsyncIterator[World]:
    """A gate on a phone's node, and one on the hub's."""
    world = World(tmp_path / "journal", request.param == "embedded")
    world.fence()
    yield world
    await world.node.close()


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Show what tests counted with `record_property`."""
    for report in terminalreporter.getreports("passed"):
        if report.when == "call":
            for name, value in report.user_properties:
                terminalreporter.write_line(f"{report.nodeid}: {name} = {value}")
