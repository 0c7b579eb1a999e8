"""Debian's adb drives the fake daemon as well: it is not bent to Darcy's client."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hearthnet.darcy.link import Link
from hearthnet.darcy.shell import Line
from tests.support.phone.adb import Adb
from tests.support.phone.fake_adbd import FakeAdbd


@pytest.fixture
async def adb(tmp_path: Path) -> AsyncIterator[Adb]:
    async with Adb(tmp_path) as client:
        yield client


async def connected(adb: Adb, adbd: FakeAdbd) -> str:
    """Connect and return the device's serial."""
    serial = f"127.0.0.1:{adbd.port}"
    said = await adb.run("connect", serial)
    assert said.out.startswith(b"connected to"), said
    return serial


async def test_a_shell_with_exit_code_and_errors(adb: Adb, adbd: FakeAdbd) -> None:
    serial = await connected(adb, adbd)

    asked = "getprop ro.product.model; nosuch; exit 7"
    said = await adb.run("-s", serial, "shell", asked)

    assert (said.code, said.out) == (7, b"FakePhone\n")
    assert b"nosuch" in said.err


async def test_binary_output(adb: Adb, adbd: FakeAdbd) -> None:
    serial = await connected(adb, adbd)

    said = await adb.run("-s", serial, "exec-out", "screencap")

    assert said.out.startswith(b"\x89PNG\r\n\x1a\n")


async def test_both_clients_read_the_same(adb: Adb, adbd: FakeAdbd, link: Link) -> None:
    serial = await connected(adb, adbd)
    adbd.world.awake = False

    theirs, ours = await asyncio.gather(
        adb.run("-s", serial, "shell", "wm size; dumpsys window"),
        link.run(Line("wm size; dumpsys window"), 5),
    )

    assert theirs.out == ours.out


async def test_keys(adb: Adb, adbd: FakeAdbd) -> None:
    """The same dialog, the same remembered key."""
    answer = asyncio.Event()

    async def allow(_: bytes) -> bool:
        await answer.wait()
        return True

    adbd.keys, adbd.allows = [], allow
    serial = f"127.0.0.1:{adbd.port}"
    await adb.run("connect", serial)
    assert f"{serial}\tunauthorized".encode() in (await adb.run("devices")).out

    answer.set()
    await adb.run("-s", serial, "wait-for-device")
    assert f"{serial}\tdevice".encode() in (await adb.run("devices")).out
    assert adbd.asked[0] == adb.public_key.strip()
