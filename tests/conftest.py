"""Fixtures for all stages; nothing here may import Home Assistant."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hearthnet.bench.slow_disk import SlowDisk
from tests.support.mosquitto import Mosquitto


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say loudly when what proves most could not run here."""
    reasons = {
        str(report.longrepr[-1]).removeprefix("Skipped: ")
        for report in terminalreporter.getreports("skipped")
        if isinstance(report.longrepr, tuple) and "real adbd" in report.longrepr[-1]
    }
    for reason in sorted(reasons):
        terminalreporter.write_line(f"NOT RUN, {reason}", yellow=True)


@pytest.fixture
def mosquitto(tmp_path: Path) -> Iterator[Mosquitto]:
    """A running broker that lets everybody in."""
    directory = tmp_path / "mosquitto"
    directory.mkdir()
    with Mosquitto(directory) as broker:
        yield broker


@pytest.fixture(scope="session")
def slow_disk(tmp_path_factory: pytest.TempPathFactory) -> SlowDisk:
    """A disk whose syncs take as long as wanted."""
    return SlowDisk(tmp_path_factory.mktemp("slow_disk"))
