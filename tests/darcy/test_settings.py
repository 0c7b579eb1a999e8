"""A phone's settings: every field has a default, every mistake has a name."""

from pathlib import Path

import pytest

from hearthnet.core.phone.part import RecipeError
from hearthnet.darcy.node import PhoneSettings

HOME = Path("/home/darcy")


def test_nothing_has_to_be_set() -> None:
    settings = PhoneSettings.read({}, HOME)

    assert (settings.host, settings.port) == ("127.0.0.1", 5555)
    assert settings.key == HOME / "adbkey"
    assert settings.pace.dump == 5


def test_everything_can_be_set() -> None:
    data = {
        "host": "192.168.1.40",
        "port": 5037,
        "key": "/root/.android/adbkey",
        "every": 30,
        "dump_seconds": 9,
        "quiet_seconds": 0,
    }

    settings = PhoneSettings.read(data, HOME)

    assert settings.host == "192.168.1.40"
    assert settings.key == Path("/root/.android/adbkey")
    assert (settings.pace.dump, settings.pace.quiet) == (9, 0)


def test_the_port_of_wireless_debugging() -> None:
    assert PhoneSettings.read({"port": "wireless"}, HOME).port is None


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({"port": 0}, "port"),
        ({"port": "5555"}, "port"),
        ({"hosts": "x"}, "hosts"),
        ({"dump_seconds": 0}, "dump_seconds"),
        ({"host": 3}, "host"),
        ([], ""),
    ],
)
def test_mistakes(data: object, field: str) -> None:
    with pytest.raises(RecipeError) as error:
        PhoneSettings.read(data, HOME)

    assert error.value.path == ((field,) if field else ())
