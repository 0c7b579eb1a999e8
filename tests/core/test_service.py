"""The librarian's process from inside: frames in, frames out."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
import errno
import os
from pathlib import Path
import sys
from typing import Any

import pytest

from hearthnet.core.clock import ManualClock
from hearthnet.core.journal import Entry
from hearthnet.core.librarian import BlockedError, LibrarianError, disk, service, wire
from hearthnet.core.librarian.packing import Packer, count_loose
from hearthnet.core.librarian.service import Service
from hearthnet.core.paths import device_path
from tests.core.records import KEY, check_gapless, entry, fsck, hello

LAMP = device_path("lamp")
ENTRIES = [hello("hub.1.1", [0, 0]), *(entry(f"hub.1.{n}") for n in range(2, 200))]


class Peer:
    """What the hub sees of a librarian."""

    def __init__(self, folder: Path) -> None:
        self.frames: list[wire.Frame] = []
        self._came = asyncio.Event()
        self.service = Service(folder, self.take, ManualClock())

    def take(self, line: bytes) -> None:
        assert line.endswith(b"\n")
        self.frames.append(wire.unpack(line))
        self._came.set()

    async def wait(self, wanted: Callable[[wire.Frame], Any]) -> wire.Frame:
        """Wait for a frame, however long ago it came."""
        while True:
            self._came.clear()
            for frame in self.frames:
                if wanted(frame):
                    return frame
            await self._came.wait()

    async def durable(self, node: str, *position: int) -> wire.Frame:
        return await self.wait(
            lambda f: f["kind"] == "head" and f["nodes"].get(node) == [*position]
        )

    def log(self, *entries: Entry, node: str = "hub", **options: Any) -> None:
        options = {"trusted": True, "oldest": False, **options}
        records = wire.from_entries(entries)
        self.service.receive(
            wire.unpack(wire.pack("log", node=node, records=records, **options))
        )

    async def ask(self, what: str, **args: Any) -> wire.Frame:
        number = len(self.frames)
        self.service.receive(
            {"kind": "query", "number": number, "what": what, "args": args}
        )
        return await self.wait(
            lambda f: f["kind"] == "answer" and f["number"] == number
        )


@asynccontextmanager
async def served(folder: Path) -> AsyncIterator[Peer]:
    peer = Peer(folder)
    try:
        await peer.service.open()
        running = asyncio.ensure_future(peer.service.run())
        yield peer
        peer.service.stop()
        await running
    finally:
        await peer.service.close()


async def test_records_and_tells(tmp_path: Path) -> None:
    async with served(tmp_path) as peer:
        first = peer.frames[-1]
        assert (first["kind"], first["nodes"], first["commits"]) == ("head", {}, {})
        peer.log(*ENTRIES)
        head = await peer.durable("hub", 1, 199)
        told = {
            event for f in peer.frames if f["kind"] == "head" for event in f["commits"]
        }
        assert len(told) == 199
        assert head["repository"] == first["commit"]
        rows = (await peer.ask("timeline", limit=1))["result"]
        assert rows[0]["commit"] == head["commit"] == head["commits"]["hub.1.199"]
        assert "no such question" in (await peer.ask("nonsense"))["error"]
    fsck(tmp_path)
    async with served(tmp_path) as peer:
        # Whoever missed an answer learns the commits of what came last.
        assert peer.frames[-1]["nodes"] == {"hub": [1, 199]}
        assert peer.frames[-1]["commits"]["hub.1.199"] == head["commit"]


async def test_gaps_and_notices(tmp_path: Path) -> None:
    async with served(tmp_path) as peer:
        peer.log(*ENTRIES[1:3])
        gap = await peer.wait(lambda f: f["kind"] == "gap")
        assert (gap["node"], gap["after"]) == ("hub", [0, 0])
        peer.log(*ENTRIES[:3])
        peer.log(hello("hub.4.1", [3, 7]), oldest=True)
        health = await peer.wait(lambda f: f["kind"] == "health" and f["notices"])
        assert health["notices"] == ["hub: everything after 1.3 and before 4.1 is lost"]
        assert health["problem"] is None


async def test_other_nodes_need_their_keys(tmp_path: Path) -> None:
    signed = [hello("phone.1.1", [0, 0], key=KEY), entry("phone.1.2", key=KEY)]
    async with served(tmp_path) as peer:
        peer.log(*signed, node="phone", trusted=False)
        health = await peer.wait(lambda f: f["kind"] == "health" and f["notices"])
        assert "not signed" in health["notices"][0]
        peer.service.receive({"kind": "keys", "keys": {"phone": [KEY.public.text]}})
        peer.log(*signed, node="phone", trusted=False)
        await peer.durable("phone", 1, 2)


async def test_nonsense_stops_nothing(tmp_path: Path) -> None:
    async with served(tmp_path) as peer:
        frames: list[wire.Frame] = [
            {"kind": "what"},
            {"kind": "log"},
            {"kind": "log", "node": "hub", "records": [[1]], "trusted": True},
            {"kind": "keys", "keys": {"phone": "x"}},
            {"kind": "keys", "keys": None},
            {"kind": "query", "what": "timeline"},
        ]
        for frame in frames:
            peer.service.receive(frame)
        peer.log(*ENTRIES[:2])
        await peer.durable("hub", 1, 2)


async def test_a_full_disk_is_told_and_waited_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "RETRY_SECONDS", 0.01)
    full = True
    sync = disk.sync_filesystem

    def sync_filesystem(folder: Path) -> None:
        if full:
            raise OSError(errno.ENOSPC, "No space left on device")
        sync(folder)

    async with served(tmp_path) as peer:
        monkeypatch.setattr(disk, "sync_filesystem", sync_filesystem)
        peer.log(*ENTRIES[:2])
        health = await peer.wait(lambda f: f["kind"] == "health" and f["problem"])
        assert "No space left" in health["problem"]
        assert (await peer.ask("timeline"))["result"] == []
        peer.log(*ENTRIES[:5])  # sent again, and more
        full = False
        await peer.durable("hub", 1, 5)
        assert peer.frames[-1]["kind"] == "head"
        (last,) = [f for f in peer.frames if f["kind"] == "health"][-1:]
        assert last["problem"] is None
    assert check_gapless(tmp_path) == {("hub", 1): 5}


async def test_a_lock_that_stays_ends_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk, "LOCK_PATIENCE", 0.0)
    peer = Peer(tmp_path)
    await peer.service.open()
    running = asyncio.ensure_future(peer.service.run())
    (tmp_path / "refs/heads/main.lock").touch()
    peer.log(*ENTRIES[:2])
    with pytest.raises(BlockedError):
        await running
    await peer.service.close()
    async with served(tmp_path) as peer:
        peer.log(*ENTRIES[:2])
        await peer.durable("hub", 1, 2)


@pytest.mark.parametrize(
    ("enough", "too_many", "quiet"), [(100, 10_000, 0.0), (100, 100, 1000.0)]
)
async def test_packs_when_quiet_or_when_much_is_loose(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    enough: int,
    too_many: int,
    quiet: float,
) -> None:
    packed = asyncio.Event()
    pack = Packer.pack

    async def packing(self: Packer) -> bool:
        try:
            return await pack(self)
        finally:
            packed.set()

    monkeypatch.setattr(Packer, "pack", packing)
    monkeypatch.setattr(service, "ENOUGH", enough)
    monkeypatch.setattr(service, "TOO_MANY", too_many)
    monkeypatch.setattr(service, "QUIET_SECONDS", quiet)
    async with served(tmp_path) as peer:
        peer.log(*ENTRIES[:50])
        await peer.durable("hub", 1, 50)
        assert not list((tmp_path / "objects/pack").glob("*.pack"))
        peer.log(*ENTRIES)
        await peer.durable("hub", 1, 199)
        await packed.wait()
        assert list((tmp_path / "objects/pack").glob("*.pack"))
        assert count_loose(tmp_path) < 200


async def test_bytes_of_records_are_kept_exactly() -> None:
    entries = [
        Entry(1, 1, b'{"a":"\xff\\ud800 \xc3\xbc\xe2\x80\xa8"}', None),
        Entry(2, 7, b"", b"\x00\xff"),
    ]
    line = wire.pack("log", records=wire.from_entries(entries))
    assert line.count(b"\n") == 1
    assert wire.to_entries(wire.unpack(line)["records"]) == entries
    for bad in (b"", b"[]", b"{}", b'{"kind":1}'):
        with pytest.raises(ValueError):  # noqa: PT011 - JSON's own, or ours
            wire.unpack(bad)


async def test_over_pipes(tmp_path: Path) -> None:
    """The command line: answers what was asked before the input ended."""
    frames = wire.pack(
        "log",
        node="hub",
        trusted=True,
        records=wire.from_entries(ENTRIES[:3]),
    ) + wire.pack("query", number=1, what="timeline", args={})
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-c", "import sys; from hearthnet.cli import main; sys.exit(main())"),
        *("dewey", "--stdio", "--repository", str(tmp_path)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    output, _ = await process.communicate(b"nonsense\n" + frames)
    assert process.returncode == 0
    kinds = [wire.unpack(line)["kind"] for line in output.splitlines()]
    assert kinds.count("answer") == 1
    assert kinds[-1] in ("head", "answer")
    assert check_gapless(tmp_path) == {("hub", 1): 3}


async def test_a_repository_that_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / ".git").touch()
    peer = Peer(tmp_path)
    with pytest.raises(LibrarianError, match="working copy"):
        await peer.service.open()
    await peer.service.close()
