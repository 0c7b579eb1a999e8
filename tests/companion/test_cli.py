"""The command `hearthnet` itself."""

import sys

import pytest

from hearthnet.cli import main


def test_what_is_not_installed_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.startswith("hearthnet.darcy")]:
        monkeypatch.delitem(sys.modules, name)
    # What is None here cannot be imported.
    monkeypatch.setitem(sys.modules, "adb_shell", None)
    for name in [name for name in sys.modules if name.startswith("adb_shell.")]:
        monkeypatch.delitem(sys.modules, name)
    assert main(["darcy"]) == 2
    told = capsys.readouterr().err
    assert "needs adb_shell" in told
    assert "hearthnet[darcy]" in told


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_it_tells_of_itself(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([option])
    assert ended.value.code == 0
    assert "hearthnet" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("bench", "--commands", "0"), "0 is no number from 1 on"),
        (("bench", "--events", "999"), "999 is no number from 1000 on"),
        (("bench", "--kills", "٣"), "٣ is no number from 1 on"),
        (("table1", "--runs", "1e3"), "1e3 is no number from 1 on"),
        (("record", "--live", "x", "--seconds", "nan"), "nan is no number of seconds"),
        (("record", "--live", "x", "--seconds", "-1"), "-1 is no number of seconds"),
    ],
)
def test_a_number_is_refused_before_anything_is_begun(
    words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert said in capsys.readouterr().err
