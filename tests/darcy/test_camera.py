"""A picture is an actuation: leased, delivered apart from the record, or refused."""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import cast

import pytest

from hearthnet.core.adapter import AdapterError, Permit
from hearthnet.core.clock import ManualClock
from hearthnet.core.intents import Evidence
from hearthnet.core.phone.camera import OPERATION, TAKE_PICTURE, Picture
from hearthnet.core.reasons import Outcome, Reason
from hearthnet.core.verdict import Refused
from hearthnet.darcy.adbkey import AdbKey
from hearthnet.darcy.camera import MIN_BYTES, Camera
from hearthnet.darcy.node import Listeners, PhoneNode, PhoneSettings

JPEG = b"\xff\xd8" + b"x" * MIN_BYTES


class Slip:
    """What the camera needs of a permit; only the gate makes real ones."""

    target = ("phone.camera",)
    operation = TAKE_PICTURE
    lease = "hub.1.7"

    def __init__(self, recheck: Callable[[], None] = lambda: None) -> None:
        self.parameters = {"camera": "back"}
        self.recheck = recheck


def permit(recheck: Callable[[], None] = lambda: None) -> Permit:
    return cast(Permit, Slip(recheck))


@pytest.fixture
def shoots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
    """Make Termux's command write a picture, and note how it was called."""

    def shoot(data: bytes) -> None:
        (tmp_path / "data").write_bytes(data)
        command = tmp_path / "termux-camera-photo"
        note, copy = f'echo "$1 $2" > {tmp_path}/called', f'cp {tmp_path}/data "$3"'
        command.write_text(f"#!/bin/sh\n{note}\n{copy}\n")
        command.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    return shoot


@pytest.fixture
def pictures() -> list[Picture]:
    return []


@pytest.fixture
def camera(pictures: list[Picture]) -> Camera:
    return Camera("phone", pictures.append)


async def test_a_picture(
    camera: Camera,
    pictures: list[Picture],
    shoots: Callable[[bytes], None],
    tmp_path: Path,
) -> None:
    shoots(JPEG)

    before = await camera.take(permit())
    after = camera.read()

    assert pictures == [Picture("hub.1.7", JPEG)]
    assert (tmp_path / "called").read_text() == "-c 0\n"
    effects = dict(OPERATION.effects({"camera": "back"}, {}))
    assert effects.items() <= after.values.items()
    assert not before["phone.camera"].values, "a second one is not already taken"
    assert after.values["sha256"] == sha256(JPEG).hexdigest()


@pytest.mark.parametrize("data", [b"", b"\xff\xd8", b"x" * MIN_BYTES])
async def test_what_android_gives_an_app_in_the_background(
    camera: Camera,
    pictures: list[Picture],
    shoots: Callable[[bytes], None],
    data: bytes,
) -> None:
    shoots(data)

    with pytest.raises(AdapterError) as error:
        await camera.take(permit())

    assert error.value.outcome is Outcome.FAILED
    assert error.value.evidence[0].code is Reason.SENSOR_UNAVAILABLE
    assert not pictures
    assert not camera.read().values


async def test_no_picture_after_the_lease_is_over(
    camera: Camera, shoots: Callable[[bytes], None], tmp_path: Path
) -> None:
    shoots(JPEG)

    def over() -> None:
        raise Refused((Evidence(text="It is over.", code=Reason.EXPIRED),))

    with pytest.raises(Refused):
        await camera.take(permit(over))
    assert not (tmp_path / "called").exists()


async def test_the_node_has_a_camera_only_on_a_phone(
    adb_key: AdbKey, tmp_path: Path, shoots: Callable[[bytes], None]
) -> None:
    def node() -> PhoneNode:
        return PhoneNode(
            "phone",
            "darcy",
            PhoneSettings(key=tmp_path / "key"),
            adb_key,
            ManualClock(),
            Listeners(
                state=lambda _: None,
                reading=lambda _target, _reading: None,
                problem=lambda _: None,
                picture=lambda _: None,
            ),
        )

    host = node()
    assert host.device("phone.camera") is None
    assert not host.adapter.read("phone.camera").available
    assert TAKE_PICTURE not in host.shelf.operations

    shoots(JPEG)
    phone = node()
    device = phone.device("phone.camera")
    assert device
    assert device.name == "Phone camera"
    assert phone.adapter.read("phone.camera").available
    assert phone.shelf.operations[TAKE_PICTURE] is OPERATION
    await phone.adapter.act(permit())
    assert phone.adapter.read("phone.camera").values["picture"] is True
    await phone.close()
