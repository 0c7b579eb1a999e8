"""The systemd unit, as systemd itself reads it."""

from pathlib import Path
import shutil
import subprocess

import pytest

UNITS = Path(__file__).parents[2] / "companion/hearthnet/systemd"
UNIT = UNITS / "hearthnet-dewey.service"
DOCS = Path(__file__).parents[2] / "docs/second-machine.md"


@pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="there is no systemd here"
)
@pytest.mark.parametrize("path", sorted(UNITS.iterdir()), ids=lambda path: path.stem)
def test_systemd_takes_the_unit(path: Path, tmp_path: Path) -> None:
    """Everything in it is known; only its program is not on this machine."""
    program = tmp_path / "hearthnet"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    unit = tmp_path / path.name
    unit.write_text(
        path.read_text()
        .replace("/opt/hearthnet/bin/hearthnet", str(program))
        .replace("User=hearthnet", "User=root")
        .replace("Group=hearthnet", "Group=root")
    )
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(unit)],
        check=False,
        capture_output=True,
        text=True,
    )
    mine = [line for line in done.stderr.splitlines() if path.name in line]
    assert not mine
    assert done.returncode == 0


def test_the_page_and_the_unit_name_the_same_places() -> None:
    lines = dict(
        line.split("=", 1)
        for line in UNIT.read_text().splitlines()
        if "=" in line and not line.startswith("#")
    )
    program, role, option, config = lines["ExecStart"].split()
    text = DOCS.read_text()
    assert (role, option) == ("dewey", "--config")
    assert f"{Path(program).parent}/pip install" in text
    assert f"--config {config} --data /var/lib/{lines['StateDirectory']}" in text
    assert f"useradd --system --home-dir /var/lib/{lines['StateDirectory']}" in text
    assert lines["RestartPreventExitStatus"] == "3", "a fenced Dewey stays down"
