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
