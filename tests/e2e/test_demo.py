"""The README's `script/demo`: it plays to its end, and leaves nothing behind."""

from collections.abc import Callable
import os
from pathlib import Path
import signal
import subprocess
import sys

from tests.support.process import wait_until

ROOT = Path(__file__).parents[2]


def demo(folder: Path, *options: str) -> tuple[subprocess.Popen[bytes], Path]:
    """Start the demo with its files in a folder; return it and what it says."""
    said = folder / "said"
    with said.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "script.lib.demo", *options],
            cwd=ROOT,
            env={**os.environ, "TMPDIR": str(folder)},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    return process, said


def remains(folder: Path) -> list[str]:
    """Return the processes and folders of a demo that are still there."""
    found = [str(path) for path in folder.glob("hearthnet-demo-*")]
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:  # it ended meanwhile
            continue
        if str(folder) in command:
            found.append(command)
    return found


def told(said: Path) -> Callable[[], str]:
    return lambda: said.read_text()[-2000:]


def test_it_plays_to_its_end(tmp_path: Path) -> None:
    process, said = demo(tmp_path, "--exit", "--rounds", "1")
    assert process.wait(300) == 0, told(said)()
    assert "properties held in one round" in said.read_text()
    assert remains(tmp_path) == []


def test_a_closed_terminal_ends_all_of_it(tmp_path: Path) -> None:
    process, said = demo(tmp_path, "--stay", "--embedded")
    wait_until(
        lambda: "Home Assistant runs" in said.read_text(),
        timeout=120,
        failure=told(said),
    )
    process.send_signal(signal.SIGHUP)
    assert process.wait(60) == 128 + signal.SIGHUP
    assert remains(tmp_path) == []
