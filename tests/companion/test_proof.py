"""`script/proof` tells of what fails, goes on, and writes only when told."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from script.lib import proof
from script.lib.proof import JSON, Part, Ran


def figure(ran: Ran) -> Iterator[str]:
    yield f"The figure is {ran.told['figure']}."


def part(name: str, code: str) -> Part:
    """Return a part that runs Python; it may write to `sys.argv[1]`."""
    return Part(name, f"About {name}", ("python", "-c", code, JSON), figure)


def told(text: str) -> str:
    return f"import sys; open(sys.argv[1], 'w').write({text!r})"


GOOD = part("good", told('{"figure": 42}'))
HANG = "os.fork(); time.sleep(60)"
BAD = (
    part("fails", "import sys; print('no luck'); sys.exit(3)"),
    part("breaks off", told('{"figure"')),
    part("says nothing", "pass"),
    part("tells something else", told("[]")),
    Part("is not there", "About nothing", ("no-such-program",), figure),
    # What it starts holds on to its output, and outlives it.
    part(
        "hangs",
        "import os, time; os.fork(); print('so far', flush=True); time.sleep(60)",
    ),
)


@pytest.fixture(autouse=True)
def evidence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs/evidence.md"
    programs = tmp_path / ".venv-core"
    programs.symlink_to(proof.ROOT / ".venv-core")
    monkeypatch.setattr(proof, "ROOT", tmp_path)
    monkeypatch.setattr(proof, "EVIDENCE", page)
    monkeypatch.setattr(proof, "LIMIT", 5.0)
    return page


def test_what_fails_is_told_and_the_rest_goes_on(
    evidence: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(proof, "PARTS", (*BAD, GOOD))
    assert proof.main([]) == 1
    shown = capsys.readouterr().out
    names = ", ".join(one.name for one in BAD)
    assert shown.splitlines()[-1] == f"Failed: {names}"
    assert "The figure is 42." in shown
    for said in ("no luck", "status 3", "so far", "did not end within", "status 127"):
        assert said in shown
    assert not evidence.exists()


def test_it_writes_only_when_told_and_only_all(
    evidence: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proof, "PARTS", (GOOD,))
    assert proof.main(["good"]) == 0
    assert not evidence.exists()
    with pytest.raises(SystemExit):
        proof.main(["--write", "good"])
    assert proof.main(["--write"]) == 0
    assert "The figure is 42." in evidence.read_text("utf-8")
