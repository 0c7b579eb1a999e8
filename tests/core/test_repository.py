"""The repository: what git says of it, and how it heals after a crash."""

import asyncio
import errno
import json
import os
from pathlib import Path
import subprocess
import time

import pytest

from hearthnet.core.clock import ManualClock
from hearthnet.core.files import replace
from hearthnet.core.librarian import BlockedError, LibrarianError, disk
from hearthnet.core.librarian.library import Library
from hearthnet.core.librarian.packing import Packer
from hearthnet.core.librarian.record import Event
from hearthnet.core.librarian.repository import Repository
from hearthnet.core.messages import EventId, Json, MessageType
from hearthnet.core.paths import device_path
from tests.core.records import (
    MOMENT,
    check_gapless,
    event,
    fsck,
    git,
    library,
    recorded,
)

LAMP = device_path("lamp")
FAN = device_path("fan")


def record(opened: Library, *events: Event) -> list[str]:
    return list(opened.write(list(events)).values())


def test_git_sees_events_as_commits_and_state_as_files(tmp_path: Path) -> None:
    with library(tmp_path / "deep" / "r") as opened:
        folder = tmp_path / "deep" / "r"
        commits = record(
            opened,
            event(
                "hub.1.1",
                content="Kitchen lamp is on.",
                type=MessageType.RECEIPT,
                writes={LAMP: {"on": True, "b": 1}, "policy.yaml": "a: ä\nb: 2"},
                signature=b"s" * 64,
                lease="hub.1.1",
            ),
            event("hub.1.2", writes={FAN: [1, None, "ü"], "holds/x.json": "text"}),
            event("hub.1.3", writes={FAN: None, "holds/x.json": None, LAMP: None}),
        )
    fsck(folder)
    first, second, third = commits
    assert git(folder, "rev-parse", "main").strip() == third
    assert git(folder, "log", "-1", "--format=%an|%ae|%cn|%s|%at", first) == (
        f"jeeves|jeeves@hub|Dewey|Kitchen lamp is on.|{int(MOMENT.timestamp())}\n"
    )
    assert git(
        folder, "log", "--format=%(trailers:key=Lease,valueonly)", first
    ).split() == ["hub.1.1"]
    body = git(folder, "log", "-1", "--format=%b", first).split("\n")
    assert body[1].startswith("Signature: hub c3Nzc3")
    assert git(folder, "cat-file", "-p", f"{first}:policy.yaml") == "a: ä\nb: 2"
    assert git(folder, "cat-file", "-p", f"{first}:{LAMP}") == (
        '{\n "b": 1,\n "on": true\n}\n'
    )
    assert json.loads(git(folder, "cat-file", "-p", f"{second}:{FAN}")) == [
        1,
        None,
        "ü",
    ]
    names = git(folder, "ls-tree", "-r", "--name-only", second).split()
    assert names == sorted(["acked.json", LAMP, FAN, "holds/x.json", "policy.yaml"])
    # No empty folder is left behind, and the account moved with the last event.
    assert git(folder, "ls-tree", "-r", "-t", "--name-only", third).split() == [
        "acked.json",
        "policy.yaml",
    ]
    assert check_gapless(folder) == {("hub", 1): 3}


def test_quarantined_events_keep_their_place(tmp_path: Path) -> None:
    with library(tmp_path) as opened:
        bad = Event(EventId("phone", 2, 1), b"\xff\0", b"s" * 64, None, "not JSON")
        (commit,) = record(opened, bad)
        assert opened.repository.event(commit) == bad
    fsck(tmp_path)
    assert git(tmp_path, "log", "-1", "--format=%s|%an") == (
        "Quarantined: not JSON|phone\n"
    )
    assert check_gapless(tmp_path) == {("phone", 2): 1}


def test_values_come_back(tmp_path: Path) -> None:
    values: dict[str, Json] = {
        LAMP: {"on": None, "x": [1.5, "ü", {"y": False}]},
        "policy.yaml": "plain\r\n",
        "tasks/a.json": "text",
    }
    with library(tmp_path) as opened:
        (old,) = record(opened, event("hub.1.1", writes=values))
        (new,) = record(opened, event("hub.1.2", writes=dict.fromkeys(values)))
        for path, value in values.items():
            assert opened.repository.value(path, old) == value
            assert opened.repository.value(path, new) is None
        assert opened.repository.value("devices", old) is None
        with pytest.raises(LibrarianError):
            opened.repository.value(LAMP, "0" * 40)


def test_identity_outlives_reopening_and_cloning(tmp_path: Path) -> None:
    with library(tmp_path / "a") as opened:
        name = opened.repository.id
        record(opened, event("hub.1.1"))
        tip = opened.repository.tip
    with library(tmp_path / "other") as opened:
        assert opened.repository.id != name
    for options in ([], ["--no-tags"]):
        clone = tmp_path / "-".join(["clone", *options])
        git(tmp_path, "clone", "-q", "--bare", *options, "a", str(clone))
        with library(clone) as opened:
            assert (opened.repository.id, opened.repository.tip) == (name, tip)
            assert opened.intake.last == {"hub": (1, 1)}


def test_only_one_librarian(tmp_path: Path) -> None:
    with library(tmp_path), pytest.raises(LibrarianError, match="another librarian"):
        Library(tmp_path, ManualClock())
    with library(tmp_path):
        pass


def test_not_a_repository_of_ours(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "work")
    with pytest.raises(LibrarianError, match="working copy"):
        Library(tmp_path / "work", ManualClock())
    who = ("-c", "user.name=x", "-c", "user.email=x")
    git(tmp_path / "work", *who, "commit", "-q", "--allow-empty", "-m", "Mine")
    git(tmp_path, "clone", "-q", "--bare", "work", "bare")
    git(tmp_path / "bare", "branch", "-f", "main")
    with pytest.raises(LibrarianError, match="something else"):
        Library(tmp_path / "bare", ManualClock())


def test_durable_before_visible(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Objects are synced, then the branch moves, then the commit is told."""
    steps = []
    sync, write, fsync = disk.sync_filesystem, disk.write_ref, os.fsync
    with library(tmp_path) as opened:

        def synced(folder: Path) -> None:
            steps.append("sync")
            sync(folder)

        def fsynced(file: int) -> None:
            steps.append("fsync")
            fsync(file)

        monkeypatch.setattr(disk, "sync_filesystem", synced)
        monkeypatch.setattr(os, "fsync", fsynced)

        def written(folder: Path, ref: str, *, old: str | None, new: str) -> None:
            steps.append("ref")
            assert git(folder, "cat-file", "-t", new) == "commit\n"
            write(folder, ref, old=old, new=new)

        monkeypatch.setattr(disk, "write_ref", written)
        record(opened, event("hub.1.1"), event("hub.1.2"))
        steps.append("told")
    assert [s for s in steps if s != "fsync"] == ["sync", "ref", "told"]
    after = steps[steps.index("ref") :]
    assert after == ["ref", "fsync", "fsync", "told"]


@pytest.mark.parametrize("batch", [1, 3])
def test_failed_batch_leaves_nothing_and_can_be_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    events = [event(f"hub.1.{n + 1}", writes={LAMP: n}) for n in range(batch)]

    def fail(*_args: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with library(tmp_path) as opened:
        for name in ("sync_filesystem", "sync_folder"):
            with monkeypatch.context() as patch:
                patch.setattr(disk, name, fail)
                with pytest.raises(LibrarianError, match="No space left"):
                    opened.write(events)
        with monkeypatch.context() as patch:
            patch.setattr(disk, "free_space", lambda _: 0)
            with pytest.raises(LibrarianError, match="MiB free"):
                opened.write(events)
        # The last attempt had moved the branch before it failed.
        git(tmp_path, "update-ref", "refs/heads/main", opened.repository.id)
        opened.write(events)
        assert opened.durable == {"hub": (1, batch)}
    fsck(tmp_path)
    assert check_gapless(tmp_path) == {("hub", 1): batch}


def test_stale_locks_are_healed(tmp_path: Path) -> None:
    with library(tmp_path) as opened:
        record(opened, event("hub.1.1"))
    stale = [
        "refs/heads/main.lock",
        "refs/tags/start.lock",
        "HEAD.lock",
        "index.lock",
        "packed-refs.lock",
        "config.lock",
        "objects/tmp_object_git2_x",
    ]
    for name in stale:
        (tmp_path / name).touch()
    with library(tmp_path) as opened:
        assert any("locks" in text for text in opened.repository.healed)
        record(opened, event("hub.1.2"))
    assert not any((tmp_path / name).exists() for name in stale)
    assert check_gapless(tmp_path) == {("hub", 1): 2}


def test_somebody_elses_lock_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with library(tmp_path) as opened:
        lock = tmp_path / "refs/heads/main.lock"
        lock.touch()
        waits = []

        def sleep(seconds: float) -> None:
            waits.append(seconds)
            lock.unlink()

        monkeypatch.setattr(time, "sleep", sleep)
        record(opened, event("hub.1.1"))
        assert len(waits) == 1
        lock.touch()
        monkeypatch.setattr(disk, "LOCK_PATIENCE", -1.0)
        with pytest.raises(BlockedError, match="stays locked"):
            record(opened, event("hub.1.2"))
        assert lock.exists()
    with library(tmp_path) as opened:
        record(opened, event("hub.1.2"))


def test_branch_moved_by_somebody_else(tmp_path: Path) -> None:
    with library(tmp_path) as opened:
        record(opened, event("hub.1.1"))
        git(tmp_path, "update-ref", "refs/heads/main", opened.repository.id)
        with pytest.raises(BlockedError, match="moved"):
            record(opened, event("hub.1.2"))
    # Opened anew it takes the branch as it is; the journals refill it.
    with library(tmp_path) as opened:
        assert opened.intake.last == {}
        assert any("another history" in text for text in opened.repository.healed)


def test_git_gc_beside_the_librarian(tmp_path: Path) -> None:
    """A user's gc packs the branch's file away; recording goes on."""
    with library(tmp_path) as opened:
        record(opened, event("hub.1.1", writes={LAMP: 1}))
        git(tmp_path, "gc", "-q", "--prune=now")
        assert not (tmp_path / "refs/heads/main").exists()
        record(opened, event("hub.1.2", writes={LAMP: 2}))
    with library(tmp_path) as opened:
        assert opened.durable == {"hub": (1, 2)}
    fsck(tmp_path)


def power_cut(folder: Path) -> None:
    """Let the next opening believe that the machine was started anew."""
    (folder / "hearthnet/machine_boot").write_text("another")


@pytest.mark.parametrize("how", ["missing", "empty", "nul", "nonsense", "no object"])
def test_broken_branch_falls_back_to_the_last_whole_tip(
    tmp_path: Path, how: str
) -> None:
    with library(tmp_path) as opened:
        for n in range(1, 4):
            record(opened, event(f"hub.1.{n}"))
    branch = tmp_path / "refs/heads/main"
    match how:
        case "missing":
            branch.unlink()
        case "empty":
            branch.write_bytes(b"")
        case "nul":
            branch.write_bytes(b"\0" * 41)
        case "nonsense":
            branch.write_text("nonsense\n")
        case "no object":
            branch.write_text("1" * 40 + "\n")
    with library(tmp_path) as opened:
        assert any("damaged: back at" in text for text in opened.repository.healed)
        assert opened.durable == {"hub": (1, 3)}
        record(opened, event("hub.1.4"))
    fsck(tmp_path)
    assert check_gapless(tmp_path) == {("hub", 1): 4}


def objects_of(folder: Path, commit: str) -> list[Path]:
    """Return the files of a commit's own objects: itself, trees and blobs."""
    listing = git(folder, "ls-tree", "-r", "-t", "--object-only", commit).split()
    tree = git(folder, "rev-parse", f"{commit}^{{tree}}").strip()
    return [
        path
        for name in (commit, tree, *listing)
        if (path := folder / "objects" / name[:2] / name[2:]).exists()
    ]


def test_any_object_of_the_newest_commit_may_be_lost(tmp_path: Path) -> None:
    """Empty, cut or gone: back to a whole tip, and the events can be written again."""
    with library(tmp_path / "whole") as opened:
        record(opened, event("hub.1.1", writes={LAMP: 1, FAN: 1}))
        before = set((tmp_path / "whole/objects").rglob("?" * 38))
        (tip,) = record(opened, event("hub.1.2", writes={LAMP: 2}))
    lost = [p for p in objects_of(tmp_path / "whole", tip) if p not in before]
    assert len(lost) >= 5
    for number, path in enumerate(lost):
        for how in ("empty", "cut", "gone"):
            copy = tmp_path / f"{number}-{how}"
            subprocess.run(["cp", "-r", tmp_path / "whole", copy], check=True)
            damaged = copy / path.relative_to(tmp_path / "whole")
            damaged.chmod(0o644)
            data = damaged.read_bytes()
            damaged.unlink()
            if how != "gone":
                damaged.write_bytes(b"" if how == "empty" else data[:-3])
            power_cut(copy)
            with library(copy) as opened:
                assert opened.durable == {"hub": (1, 1)}
                assert opened.repository.healed
                record(opened, event("hub.1.2", writes={LAMP: 2}))
            fsck(copy)
            assert check_gapless(copy) == {("hub", 1): 2}


def test_beyond_repair_is_said(tmp_path: Path) -> None:
    with library(tmp_path) as opened:
        record(opened, event("hub.1.1"))
    for path in (tmp_path / "objects").rglob("?" * 38):
        path.unlink()
    with pytest.raises(LibrarianError, match="no whole commit"):
        Library(tmp_path, ManualClock())


def test_repository_whose_making_was_cut_short(tmp_path: Path) -> None:
    with library(tmp_path / "r"):
        pass
    for number, remove in enumerate(
        [
            ["refs/heads/main"],
            ["refs/heads/main", "refs/tags/start"],
            ["refs/heads/main", "refs/tags/start", "hearthnet/tips"],
            ["refs/heads/main", "refs/tags/start", "hearthnet/tips", "config"],
        ]
    ):
        copy = tmp_path / str(number)
        subprocess.run(["cp", "-r", tmp_path / "r", copy], check=True)
        for name in remove:
            (copy / name).unlink()
        if number == 3:
            (copy / "HEAD").write_bytes(b"")
        with library(copy) as opened:
            record(opened, event("hub.1.1"))
        fsck(copy)
        assert check_gapless(copy) == {("hub", 1): 1}


def test_tips_stay_short(tmp_path: Path) -> None:
    tips = disk.Tips(tmp_path / "tips")
    names = [f"{n:040d}" for n in range(6 * disk.KEPT_TIPS)]
    for name in names:
        tips.append(name)
    tips.close()
    lines = (tmp_path / "tips").read_text().split()
    assert lines[-disk.KEPT_TIPS :] == names[-disk.KEPT_TIPS :]
    assert len(lines) < 6 * disk.KEPT_TIPS
    replace(tmp_path / "tips", f"{names[0]}\n{names[1][:7]}".encode())
    assert list(disk.Tips(tmp_path / "tips")) == [names[0]]


def test_a_moment_before_1970_is_no_obstacle(tmp_path: Path) -> None:
    with library(tmp_path) as opened:
        record(opened, event("hub.1.1", at=MOMENT.replace(year=1900)))
    fsck(tmp_path)
    assert len(recorded(tmp_path)) == 1


def test_without_syncfs_everything_is_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced = []
    monkeypatch.setattr(disk, "_syncfs", None)
    monkeypatch.setattr(os, "sync", lambda: synced.append(True))
    repository = Repository(tmp_path, ManualClock())
    repository.record([event("hub.1.1")], {"hub": (1, 1)})
    repository.close()
    assert len(synced) >= 2


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_folder_that_seems_to_be_another_users(tmp_path: Path) -> None:
    with library(tmp_path) as opened:
        record(opened, event("hub.1.1"))
    for path in (tmp_path, *tmp_path.rglob("*")):
        os.chown(path, 65534, 65534)
    with library(tmp_path) as opened:
        record(opened, event("hub.1.2"))
        assert asyncio.run(Packer(tmp_path).pack())
