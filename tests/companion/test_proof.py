"""`script/proof` tells of what fails, goes on, and writes only when told."""

from collections.abc import Iterator
from pathlib import Path
import tempfile

import pytest

from script.lib.proof import __main__ as proof, page
from script.lib.proof.parts import JSON, Part
from script.lib.proof.shown import Brief, Ran, bench, scaled


def figure(ran: Ran) -> Iterator[str]:
    yield f"The figure is {ran.told['figure']}."


def brief(ran: Ran) -> Iterator[Brief]:
    yield Brief("a claim", f"{ran.told['figure']} of 42", ran.told["figure"] == 42)


def part(name: str, code: str) -> Part:
    """Return a part that runs Python; it may write to `sys.argv[1]`."""
    command = ("python", "-c", code, JSON)
    return Part(name, f"About {name}", "What it does.", command, figure, brief)


def told(text: str) -> str:
    return f"import sys; open(sys.argv[1], 'w').write({text!r})"


GOOD = part("good", told('{"figure": 42}'))
LATE = part("late", told('{"figure": 43}'))
LONG = (part("first", told('{"figure": 1}')), part("second", told('{"figure": 2}')))
BAD = (
    part("fails", "import sys; print('no luck'); sys.exit(3)"),
    part("breaks off", told('{"figure"')),
    part("says nothing", "pass"),
    part("tells something else", told("[]")),
    Part("is not there", "About nothing", "", ("no-such-program",), figure, brief),
    # What it starts holds on to its output, and outlives it.
    part(
        "hangs",
        "import os, tempfile, time; os.fork(); tempfile.mkdtemp(prefix='hang');"
        " print('so far', flush=True); time.sleep(60)",
    ),
)


@pytest.fixture(autouse=True)
def evidence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "docs").mkdir()
    written = tmp_path / "docs/evidence.md"
    programs = tmp_path / ".venv-core"
    programs.symlink_to(proof.ROOT / ".venv-core")
    monkeypatch.setattr(proof, "ROOT", tmp_path)
    monkeypatch.setattr(proof, "EVIDENCE", written)
    monkeypatch.setattr(proof, "LIMIT", 5.0)
    monkeypatch.setattr(proof, "PARTS", (GOOD,))
    for module in (proof, page):
        monkeypatch.setattr(module, "LONG", LONG)
    return written


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
    for one in BAD:
        assert f"| {one.title} | failed | **no** |" in shown.replace("[", "").replace(
            f"](#{page.anchor(one.title)})", ""
        )
    assert not evidence.exists()
    assert not list(Path(tempfile.gettempdir()).glob("hang*")), "left behind"


def test_it_writes_only_when_told_and_only_all(evidence: Path) -> None:
    assert proof.main(["good"]) == 0
    assert not evidence.exists()
    for wrong in (["--write", "good"], ["--long", "first", "good"]):
        with pytest.raises(SystemExit):
            proof.main(wrong)
    assert proof.main(["--write"]) == 0
    written = evidence.read_text("utf-8")
    assert "The figure is 42." in written
    assert "| [a claim](#about-good) | 42 of 42 | yes |" in written
    assert "| all of it in less than 15 minutes on two cores | 0 minutes | yes |" in (
        written
    )


def test_a_target_that_is_missed_is_no_failure_and_marked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(proof, "PARTS", (LATE,))
    assert proof.main([]) == 0
    assert "| 43 of 42 | **no** |" in capsys.readouterr().out


def test_a_long_run_stays_until_it_is_run_anew(
    evidence: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert proof.main(["--long", "second"]) == 0
    assert not evidence.exists()
    assert proof.main(["--write"]) == 0
    assert proof.main(["--long", "second", "--write"]) == 0
    assert proof.main(["--long", "first", "--write"]) == 0
    written = evidence.read_text("utf-8")
    runs = page.long_runs(written)
    assert list(runs) == ["About first", "About second"]
    assert "commit" in runs["About second"]
    # A remark of whoever looked at it is kept with the rest.
    remarked = written.replace("The figure is 2.", "The figure is 2.\n\nUnder load.")
    evidence.write_text(remarked, "utf-8")
    monkeypatch.setattr(proof, "PARTS", (LATE,))
    assert proof.main(["--write"]) == 0
    later = evidence.read_text("utf-8")
    assert "The figure is 42." not in later
    assert "The figure is 43." in later
    assert page.long_runs(later) == page.long_runs(remarked)
    # Writing is a fixed point: nothing piles up.
    assert page.with_long_runs(later, page.long_runs(later)) == later
    assert proof.main(["--long", "second", "--write"]) == 0
    assert "Under load." not in evidence.read_text("utf-8")
    assert "The figure is 43." in evidence.read_text("utf-8")


def test_a_size_that_is_judged_wrongly_is_told_on_top() -> None:
    def row(what: str, *, met: bool) -> dict[str, object]:
        return {"what": what, "target": "", "measured": "m", "met": met, "note": ""}

    rows = [
        row("4 agents, 10 devices", met=True),
        row("16 agents, 10 devices", met=False),
        row("audit, 50,000 events", met=True),
    ]
    ran = Ran(0, "", {"rows": rows}, 1.0)
    grid, record = scaled(ran)
    assert (grid.figure, grid.met) == ("1 of 2 sizes without a wrong verdict", False)
    assert record.met
    assert "| 16 agents, 10 devices |  | m | **no** |" in list(bench(ran))
