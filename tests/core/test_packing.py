"""Packing makes the repository small and never stands in the way of recording."""

import asyncio
import fcntl
import os
from pathlib import Path

import pytest

from hearthnet.core.librarian.packing import Packer, count_loose
from hearthnet.core.paths import device_path
from tests.core.records import check_gapless, event, fsck, library

LAMP = device_path("lamp")


async def test_packs_while_events_are_recorded(tmp_path: Path) -> None:
    packer = Packer(tmp_path)
    with library(tmp_path) as opened:
        for seq in range(1, 201):
            opened.write([event(f"hub.1.{seq}", writes={LAMP: seq})])
            if seq == 100:
                loose = count_loose(tmp_path)
                packing = asyncio.ensure_future(packer.pack())
                await asyncio.sleep(0)
            elif seq > 100:
                await asyncio.sleep(0)
        assert await packing
        assert packer.problem is None
        assert await packer.pack()
        assert loose > 300
        assert count_loose(tmp_path) == 0
        assert opened.repository.value(LAMP, opened.repository.tip) == 200
        opened.write([event("hub.1.201")])
    fsck(tmp_path)
    assert check_gapless(tmp_path) == {("hub", 1): 201}


async def test_without_git_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    packer = Packer(tmp_path)
    assert not await packer.pack()
    assert "git is not installed" in str(packer.problem)


async def test_a_failure_is_told_and_harmless(tmp_path: Path) -> None:
    (tmp_path / "hearthnet").mkdir()
    packer = Packer(tmp_path)
    assert not await packer.pack()
    assert "not a git repository" in str(packer.problem)


async def test_two_never_pack_at_once(tmp_path: Path) -> None:
    """Git that a killed librarian left running holds the lock by itself."""
    with library(tmp_path) as opened:
        opened.write([event("hub.1.1")])
    held = os.open(tmp_path / "hearthnet/packing.lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(held, fcntl.LOCK_EX)
    packer = Packer(tmp_path)
    assert not await packer.pack()
    assert packer.problem is None
    os.close(held)
    assert await packer.pack()
