"""The copy of the record for people, pushed with the git program."""

import asyncio
from pathlib import Path
import subprocess

from hearthnet.core.librarian.mirror import Mirror
from tests.core.records import event, git, library


async def test_pushes_and_tells_once_what_is_wrong(tmp_path: Path) -> None:
    record, copy = tmp_path / "record", tmp_path / "copy.git"
    with library(record) as opened:
        opened.write([event("hub.1.1")])
        tip = opened.repository.tip
    told: list[str | None] = []
    mirror = Mirror(record, None, told.append)
    for _ in range(2):
        await mirror.push(str(copy))
    assert len(told) == 1
    assert told[0] is not None
    assert told[0].startswith("the mirror: ")
    await asyncio.to_thread(
        subprocess.run, ["git", "init", "--quiet", "--bare", str(copy)], check=True
    )
    await mirror.push(str(copy))
    assert told[1:] == [None]
    assert git(copy, "rev-parse", "refs/heads/main").strip() == tip


async def test_keeps_the_address_s_password_to_itself(tmp_path: Path) -> None:
    record = tmp_path / "record"
    with library(record) as opened:
        opened.write([event("hub.1.1")])
    told: list[str | None] = []
    mirror = Mirror(record, None, told.append)
    await mirror.push("http://me:a-password@127.0.0.1:1/record.git")
    assert told[0] is not None
    assert "127.0.0.1" in told[0] or "its address" in told[0]
    assert "a-password" not in told[0]
