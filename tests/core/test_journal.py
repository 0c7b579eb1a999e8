"""The journal survives torn writes, full disks and kill -9, or does not open."""

import asyncio
from collections.abc import Awaitable, Callable
import errno
import os
from pathlib import Path
import sys

from hypothesis import given, settings, strategies as st
import pytest

from hearthnet.core.journal import (
    KEEP_SECONDS,
    MAX_PENDING,
    Journal,
    JournalError,
    Runner,
)


async def inline[T](function: Callable[[], T]) -> T:
    return function()


def opened(folder: Path, boot: int | None = None, run: Runner = inline) -> Journal:
    journal = Journal(folder, run)
    journal.begin(boot or journal.boot + 1)
    return journal


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.log"))


def texts(journal: Journal) -> list[str]:
    return [entry.data.decode() for entry in journal.history()]


async def test_records_come_back_with_their_places(tmp_path: Path) -> None:
    journal = opened(tmp_path / "deep" / "journal")
    assert journal.end == journal.synced == (0, 0)
    assert journal.append(b'{"n":1}', None) == (1, 1)
    assert journal.append('{"n":"zwei\u2028"}'.encode(), b"\x00" * 64) == (1, 2)
    assert journal.synced == (0, 0)
    assert list(journal.history()) == []
    await journal.sync()
    assert journal.synced == journal.end == (1, 2)
    await journal.close()
    journal = opened(tmp_path / "deep" / "journal")
    assert journal.end == (1, 2)
    journal.append(b"{}", None)
    await journal.sync()
    first, second, third = journal.history()
    assert first[:] == (1, 1, b'{"n":1}', None)
    assert second[:] == (1, 2, '{"n":"zwei\u2028"}'.encode(), b"\x00" * 64)
    assert third.position == (2, 1)
    assert [e.position for e in journal.read((1, 1))] == [(1, 2), (2, 1)]
    assert [e.position for e in journal.read((1, 1), 1)] == [(1, 2)]
    assert [e.position for e in journal.read((1, 2), 1)] == [(2, 1)]
    assert journal.read((2, 1)) == []


async def test_format_is_the_documented_one(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    journal.append(b"{}", None)
    journal.append(b"{}", b"abc")
    await journal.sync()
    journal.append(b"{}", None)
    await journal.sync()
    assert (tmp_path / "1.log").read_bytes() == (
        b"ecf99ab1+ - {}\n37702915 YWJj {}\necf99ab1+ - {}\n"
    )


async def fill(folder: Path, groups: list[int]) -> None:
    journal = opened(folder, 1)
    for group in groups:
        for _ in range(group):
            journal.append(f"record {journal.seq + 1}".encode(), None)
        await journal.sync()
    await journal.close()


async def test_torn_tail_is_cut_at_every_offset(tmp_path: Path) -> None:
    await fill(tmp_path, [2, 3])
    path = tmp_path / "1.log"
    whole = path.read_bytes()
    for cut in range(len(whole)):
        path.write_bytes(whole[:cut])
        journal = Journal(tmp_path, inline)
        good = whole[:cut].count(b"\n")
        assert journal.end == ((1, good) if good else (0, 0))
        assert texts(journal) == [f"record {n + 1}" for n in range(good)]
        assert path.read_bytes() == b"".join(whole.splitlines(keepends=True)[:good])
        await journal.close()


async def test_damage_is_told_from_a_torn_write(tmp_path: Path) -> None:
    """At every offset: what was synced is never cut off silently."""
    await fill(tmp_path, [2, 3])
    path = tmp_path / "1.log"
    whole = path.read_bytes()
    synced = len(b"".join(whole.splitlines(keepends=True)[:2]))
    for at in range(len(whole)):
        for junk in (b"\0", b"\n"):
            damaged = whole[:at] + junk + whole[at + 1 :]
            if damaged == whole:
                continue
            path.write_bytes(damaged)
            if at < synced:
                with pytest.raises(JournalError, match=r"1\.log: record [12] "):
                    Journal(tmp_path, inline)
                assert path.read_bytes() == damaged
            else:
                journal = Journal(tmp_path, inline)
                assert journal.end == (1, whole[:at].count(b"\n"))
                await journal.close()


async def test_damage_in_an_old_boot_is_never_cut(tmp_path: Path) -> None:
    await fill(tmp_path, [3])
    journal = opened(tmp_path)
    await journal.close()
    path = tmp_path / "1.log"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(JournalError, match="record 3 is damaged"):
        Journal(tmp_path, inline)


async def test_damage_found_while_reading(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    journal.append(b"one", None)
    journal.append(b"two", None)
    await journal.sync()
    path = tmp_path / "1.log"
    path.write_bytes(path.read_bytes().replace(b"two", b"owt"))
    with pytest.raises(JournalError, match="record 2 is damaged"):
        texts(journal)


async def test_two_processes_cannot_share_it(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    with pytest.raises(JournalError, match="another process"):
        Journal(tmp_path, inline)
    await journal.close()
    await Journal(tmp_path, inline).close()


async def test_calls_at_the_same_time_share_a_sync(tmp_path: Path) -> None:
    calls = 0
    started, release = asyncio.Event(), asyncio.Event()

    async def slow[T](function: Callable[[], T]) -> T:
        nonlocal calls
        calls += 1
        started.set()
        await release.wait()
        return function()

    journal = opened(tmp_path, run=slow)
    journal.append(b"1", None)
    first = asyncio.ensure_future(journal.sync())
    await started.wait()
    waiters = []
    for n in range(2, 12):
        journal.append(str(n).encode(), None)
        waiters.append(asyncio.ensure_future(journal.sync()))
    await asyncio.sleep(0)
    waiters[3].cancel()
    first.cancel()
    release.set()
    results = await asyncio.gather(first, *waiters, return_exceptions=True)
    assert sum(isinstance(r, asyncio.CancelledError) for r in results) == 2
    assert calls == 2
    assert journal.synced == (1, 11)
    assert texts(journal) == [str(n) for n in range(1, 12)]


class Disk:
    """Runs disk work, or fails it as a full or broken disk would."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.broken: str | None = None
        self._write, self._sync = os.pwrite, os.fdatasync
        monkeypatch.setattr(os, "pwrite", self.pwrite)
        monkeypatch.setattr("hearthnet.core.journal.datasync", self.sync)

    def pwrite(self, file: int, data: bytes, offset: int) -> int:
        if self.broken == "full":
            raise OSError(errno.ENOSPC, "No space left on device")
        if self.broken == "short":
            self.broken = "full"
            return self._write(file, data[: len(data) // 2], offset)
        return self._write(file, data, offset)

    def sync(self, file: int) -> None:
        if self.broken == "sync":
            raise OSError(errno.EIO, "Input/output error")
        self._sync(file)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


@pytest.mark.parametrize("how", ["full", "short", "sync"])
async def test_failed_disk_doubles_and_drops_nothing(
    tmp_path: Path, disk: Disk, how: str
) -> None:
    journal = opened(tmp_path)
    journal.append(b"1", None)
    await journal.sync()
    disk.broken = how
    journal.append(b"2", None)
    journal.append(b"3", None)
    with pytest.raises(JournalError):
        await journal.sync()
    assert journal.writable is False
    assert texts(journal) == ["1"]
    # It stays failed, without touching the disk, until a probe succeeds.
    disk.broken = None
    assert journal.append(b"4", None) == (1, 4)
    with pytest.raises(JournalError):
        await journal.sync()
    disk.broken = how
    assert not await journal.probe()
    disk.broken = None
    assert await journal.probe()
    assert texts(journal) == ["1", "2", "3", "4"]
    await journal.close()
    assert texts(Journal(tmp_path, inline)) == ["1", "2", "3", "4"]


async def test_all_waiters_learn_of_a_failure(tmp_path: Path, disk: Disk) -> None:
    journal = opened(tmp_path, run=asyncio.to_thread)
    disk.broken = "sync"
    waiters = []
    for n in range(5):
        journal.append(str(n).encode(), None)
        waiters.append(asyncio.ensure_future(journal.sync()))
    results = await asyncio.gather(*waiters, return_exceptions=True)
    assert all(isinstance(r, JournalError) for r in results)


async def test_killed_after_a_half_written_group(tmp_path: Path, disk: Disk) -> None:
    journal = opened(tmp_path)
    journal.append(b"1", None)
    await journal.sync()
    disk.broken = "short"
    journal.append(b"2", None)
    journal.append(b"33333333", None)
    with pytest.raises(JournalError):
        await journal.sync()
    os.close(journal._lock)
    assert texts(Journal(tmp_path, inline)) == ["1", "2"]


async def test_waiting_records_are_bounded(tmp_path: Path, disk: Disk) -> None:
    journal = opened(tmp_path)
    for _ in range(MAX_PENDING):
        journal.append(b"1", None)
    with pytest.raises(JournalError, match="wait for the disk"):
        journal.append(b"1", None)
    assert journal.seq == MAX_PENDING


async def test_real_full_disk(tmp_path: Path) -> None:
    """The kernel refuses to grow the file past a limit."""
    script = """
import asyncio, resource, signal, sys
from pathlib import Path
from hearthnet.core.journal import Journal, JournalError

async def main():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    journal = Journal(Path(sys.argv[1]))
    journal.begin(1)
    journal.append(b"first", None)
    await journal.sync()
    resource.setrlimit(resource.RLIMIT_FSIZE, (200, resource.RLIM_INFINITY))
    for n in range(20):
        journal.append(b"more %d" % n, None)
    try:
        await journal.sync()
    except JournalError as error:
        print(error)
    assert not await journal.probe()
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
    assert await journal.probe()
    await journal.close()

asyncio.run(main())
"""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        script,
        str(tmp_path),
        stdout=asyncio.subprocess.PIPE,
    )
    output, _ = await process.communicate()
    assert process.returncode == 0
    assert b"File too large" in output
    assert texts(Journal(tmp_path, inline)) == [
        "first",
        *(f"more {n}" for n in range(20)),
    ]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from(["append", "sync", "tick", "fail", "probe", "part"])))
async def test_synced_means_written_for_any_interleaving(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str]
) -> None:
    """What `sync` promised is on disk; disk order is the order of appends."""
    folder = tmp_path_factory.mktemp("journal")
    fail = False

    async def run[T](function: Callable[[], T]) -> T:
        await asyncio.sleep(0)
        if fail:
            raise OSError(errno.ENOSPC, "No space left on device")
        return function()

    journal = opened(folder, run=run)
    promised = 0

    async def sync() -> None:
        nonlocal promised
        mine = journal.seq
        await journal.sync()
        promised = max(promised, mine)

    waiters: list[Awaitable[None]] = []
    for step in steps:
        fail = fail ^ (step == "fail")
        match step:
            case "append":
                journal.append(str(journal.seq + 1).encode(), None)
            case "sync":
                waiters.append(asyncio.ensure_future(sync()))
            case "tick":
                await asyncio.sleep(0)
            case "probe":
                await journal.probe()
            case "part":
                journal.part()
        on_disk = sum(p.read_bytes().count(b"\n") for p in files(folder))
        assert promised <= on_disk <= journal.seq
    fail = False
    await asyncio.gather(*waiters, return_exceptions=True)
    assert await journal.probe()
    assert texts(journal) == [str(n + 1) for n in range(journal.seq)]
    await journal.close()


async def test_raising_the_boot_while_records_arrive(tmp_path: Path) -> None:
    journal: Journal

    async def run[T](function: Callable[[], T]) -> T:
        result = function()
        if journal.boot == 1 and journal.seq < 3:
            journal.append(f"late {journal.seq}".encode(), None)
        await asyncio.sleep(0)
        return result

    journal = opened(tmp_path, run=run)
    journal.append(b"first", None)
    await journal.raise_boot(9)
    assert journal.append(b"new", None) == (9, 1)
    await journal.sync()
    assert texts(journal) == ["first", "late 1", "late 2", "new"]
    with pytest.raises(JournalError, match="cannot follow"):
        await journal.raise_boot(9)
    await journal.close()
    assert Journal(tmp_path, inline).end == (9, 1)


async def test_raising_the_boot_on_a_failed_disk(tmp_path: Path, disk: Disk) -> None:
    journal = opened(tmp_path)
    journal.append(b"1", None)
    disk.broken = "full"
    with pytest.raises(JournalError):
        await journal.raise_boot(5)
    disk.broken = None
    assert await journal.probe()
    await journal.raise_boot(5)
    assert journal.append(b"2", None) == (5, 1)
    await journal.sync()
    assert texts(journal) == ["1", "2"]


async def test_purge_keeps_what_git_lacks_and_what_is_young(tmp_path: Path) -> None:
    for boot in range(1, 5):
        journal = opened(tmp_path, boot)
        journal.append(b"1", None)
        await journal.close()
    journal = opened(tmp_path)
    now = 1_000_000_000.0
    for boot, age in ((1, 1e7), (2, KEEP_SECONDS + 1), (3, KEEP_SECONDS - 1), (4, 1e7)):
        os.utime(tmp_path / f"{boot}.log", (now - age, now - age))
    old = journal.purgeable((4, 1), now)
    assert [one.boot for one in old] == [1, 2], "never with a hole"
    assert [one.boot for one in journal.purgeable((2, 0), now)] == [1]
    assert journal.checkpoint() is None
    journal.purge(old[:1], {"state": "é"})
    assert journal.checkpoint() == {"state": "é"}
    assert not (tmp_path / "1.log").exists()
    assert [e.boot for e in journal.history()] == [2, 3, 4]
    await journal.close()
    (tmp_path / "checkpoint.json").write_bytes(b"{")
    with pytest.raises(JournalError):
        Journal(tmp_path, inline).checkpoint()


async def test_a_long_boot_stands_in_several_segments(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    journal.part()  # there is nothing yet to be parted from
    for n in range(1, 6):
        journal.append(str(n).encode(), None)
        await journal.sync()
        if n in (2, 3):
            journal.part()
    journal.part()
    names = [path.name for path in files(tmp_path)]
    assert names == ["1.3.log", "1.4.log", "1.log"]
    for after in range(6):
        for limit in (1, 2, 9):
            read = journal.read((1, after), limit)
            expected = list(range(after + 1, 6))[:limit]
            assert [entry.seq for entry in read] == expected
            assert [int(entry.data) for entry in read] == expected
        assert journal.count((1, after)) == 5 - after
    await journal.close()
    journal = opened(tmp_path)
    assert journal.end == (1, 5)
    journal.append(b"6", None)
    await journal.sync()
    assert texts(journal) == ["1", "2", "3", "4", "5", "6"]
    assert journal.count((1, 4)) == 2


async def test_the_old_of_a_boot_that_goes_on_is_purged(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    for n in range(1, 5):
        journal.append(str(n).encode(), None)
        await journal.sync()
        journal.part()
    now = 1_000_000_000.0
    for path in files(tmp_path):
        os.utime(path, (1, 1))
    assert journal.purgeable((1, 0), now) == []
    old = journal.purgeable((1, 2), now)
    assert [one.end for one in old] == [(1, 1), (1, 2)]
    assert [one.end for one in journal.purgeable((9, 9), now)][-1] == (1, 3), (
        "not the one that is written"
    )
    journal.purge(old, {})
    assert journal.first == (1, 3)
    assert texts(journal) == ["3", "4"]
    assert journal.count((0, 0)) == journal.count((1, 1)) == 2
    await journal.close()
    assert texts(Journal(tmp_path, inline)) == ["3", "4"]


async def test_a_segment_that_is_gone_is_noticed(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    for n in range(1, 4):
        journal.append(str(n).encode(), None)
        await journal.sync()
        journal.part()
    await journal.close()
    (tmp_path / "1.2.log").unlink()
    with pytest.raises(JournalError, match="missing"):
        Journal(tmp_path, inline)


@pytest.mark.parametrize("how", ["full", "short", "sync"])
async def test_parting_on_a_failed_disk(tmp_path: Path, disk: Disk, how: str) -> None:
    journal = opened(tmp_path)
    journal.append(b"1", None)
    await journal.sync()
    journal.part()
    disk.broken = how
    journal.append(b"2", None)
    with pytest.raises(JournalError):
        await journal.sync()
    disk.broken = None
    journal.append(b"3", None)
    assert await journal.probe()
    assert texts(journal) == ["1", "2", "3"]
    await journal.close()
    assert texts(Journal(tmp_path, inline)) == ["1", "2", "3"]


async def test_a_parted_journal_is_cut_only_where_nothing_was_synced(
    tmp_path: Path,
) -> None:
    journal = opened(tmp_path)
    for data in (b"one", b"two"):
        journal.append(data, None)
        await journal.sync()
        journal.part()
    await journal.close()
    last = tmp_path / "1.2.log"
    last.write_bytes(last.read_bytes()[:-1])
    journal = Journal(tmp_path, inline)
    assert journal.end == (1, 1)
    await journal.close()
    first = tmp_path / "1.log"
    first.write_bytes(first.read_bytes()[:-1])
    with pytest.raises(JournalError, match=r"1\.log: record 1 is damaged"):
        Journal(tmp_path, inline)
