"""The librarian as the hub's child: started, fed, asked, killed, started again."""

import ast
import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
import importlib.util
import os
from pathlib import Path
import shutil
import signal
import subprocess
import sys
from typing import Any

import pytest

import hearthnet.core
from hearthnet.core.clock import SystemClock
from hearthnet.core.librarian import LibrarianError, client
from hearthnet.core.librarian.client import LibrarianProcess
from hearthnet.core.messages import MessageType
from hearthnet.core.node import Node
from tests.core.records import (
    KEY,
    check_complete,
    check_gapless,
    entry,
    fsck,
    hello,
    say,
)

CORE = Path(hearthnet.core.__file__).parent


class Hub:
    """A node with its librarian."""

    def __init__(self, folder: Path, **options: Any) -> None:
        self.node = Node(
            name="hub", folder=folder / "journal", key=KEY, clock=SystemClock()
        )
        self._changed = asyncio.Event()
        self.process = LibrarianProcess(
            self.node,
            folder / "record",
            on_change=self._changed.set,
            jitter=lambda: 0.0,
            **options,
        )

    async def until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            self._changed.clear()
            await self._changed.wait()

    async def quiet(self) -> None:
        await self.until(lambda: self.process.feed.durable == self.node.position)

    def kill(self) -> None:
        assert self.process._process
        self.process._process.send_signal(signal.SIGKILL)


@asynccontextmanager
async def running(folder: Path, **options: Any) -> AsyncIterator[Hub]:
    hub = Hub(folder, **options)
    task = asyncio.ensure_future(hub.process.run())
    try:
        yield hub
    finally:
        hub.process.stop()
        await task
        await hub.node.close()


async def test_records_answers_and_stops(tmp_path: Path) -> None:
    async with running(tmp_path) as hub:
        assert hub.process.status.problem == "starting"
        with pytest.raises(LibrarianError, match="away"):
            await hub.process.query("timeline")
        records = [
            say(hub.node, type=MessageType.GRANT if n % 7 else MessageType.RECEIPT)
            for n in range(150)
        ]
        await hub.quiet()
        status = hub.process.status
        assert status.connected
        assert status.problem is None
        assert status.behind == 0
        assert hub.node.view.commit == status.commit
        rows = await hub.process.query("timeline", limit=2)
        assert [r["id"] for r in rows] == [r.message.id for r in records[:-3:-1]]
        assert not [r for r in rows if r["problem"]]
        assert hub.node.view.commit_of(rows[0]["id"]) == rows[0]["commit"]
        with pytest.raises(LibrarianError, match="no such question"):
            await hub.process.query("nonsense")
        # The account of 200 rows and more comes in one piece.
        big = await hub.process.query("timeline", limit=1000)
        assert len(big) == 151
        process = hub.process
    assert not process.feed.connected
    fsck(tmp_path / "record")
    assert check_gapless(tmp_path / "record") == {("hub", 1): 151}
    assert "pygit2" not in _modules_after("hearthnet.core.librarian.client")


def _modules_after(module: str) -> set[str]:
    """Return what importing a module loads, in a process of its own."""
    program = f"import sys, {module}; print(*sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    return set(result.stdout.split())


async def test_killed_while_it_records(tmp_path: Path) -> None:
    async with running(tmp_path) as hub:
        for _ in range(4):
            await hub.until(lambda: hub.process.feed.connected)
            for _ in range(100):
                say(hub.node)
            before = hub.process.feed.durable
            await hub.until(lambda b=before: hub.process.feed.durable > b)  # type: ignore[misc]
            hub.kill()
            await hub.until(lambda: not hub.process.feed.connected)
            assert hub.process.feed.away_since is not None
            assert hub.process.status.problem == "it ended with -9"
        await hub.quiet()
        check_complete(tmp_path / "record", hub.node)
    fsck(tmp_path / "record")
    check_gapless(tmp_path / "record")


@pytest.mark.parametrize("point", range(1, 18))
async def test_killed_at_each_point_of_its_first_batches(
    tmp_path: Path, point: int
) -> None:
    environment = {"HEARTHNET_KILL_AT": str(point)}
    async with running(tmp_path, environment=environment) as hub:
        for n in range(3):
            say(hub.node, f"Number {n}.", writes={"tasks/a.json": n})
        await hub.until(lambda: hub.process.status.problem == "it ended with -9")
        environment.clear()
        await hub.quiet()
        say(hub.node)
        await hub.quiet()
        check_complete(tmp_path / "record", hub.node)
    fsck(tmp_path / "record")
    assert check_gapless(tmp_path / "record") == {("hub", 1): 5}


async def test_a_question_that_gets_no_answer(tmp_path: Path) -> None:
    async with running(tmp_path) as hub:
        await hub.quiet()
        assert hub.process._process
        hub.process._process.send_signal(signal.SIGSTOP)
        asking = asyncio.ensure_future(hub.process.query("timeline"))
        with pytest.raises(LibrarianError, match="no answer in"):
            await hub.process.query("timeline", timeout=0.05)
        hub.kill()
        with pytest.raises(LibrarianError, match="away"):
            await asking
        assert not hub.process._questions
        await hub.until(lambda: hub.process.feed.connected)


async def test_other_nodes_records_are_passed_on(tmp_path: Path) -> None:
    phone = [hello("phone.1.1", [0, 0], key=KEY), entry("phone.1.2", key=KEY)]
    async with running(tmp_path) as hub:
        hub.process.enroll("phone", KEY.public.text)
        hub.process.forward("phone", phone, oldest=True)  # dropped: nobody there
        await hub.quiet()
        hub.process.forward("phone", phone, oldest=True)

        def recorded() -> bool:
            head = hub.process.feed.head
            return bool(head and head.nodes.get("phone") == (1, 2))

        await hub.until(recorded)
        # The keys are told to the next process too.
        hub.kill()
        await hub.until(lambda: not hub.process.feed.connected)
        await hub.until(lambda: hub.process.feed.connected)
        hub.process.forward("phone", [entry("phone.1.3", key=KEY)], oldest=False)
        await hub.until(lambda: hub.process.feed.head.nodes["phone"] == (1, 3))  # type: ignore[union-attr]


async def test_a_problem_at_start_is_told(tmp_path: Path) -> None:
    (tmp_path / "record").mkdir()
    (tmp_path / "record/.git").touch()
    async with running(tmp_path) as hub:
        await hub.until(lambda: "working copy" in (hub.process.status.problem or ""))
        (tmp_path / "record/.git").unlink()
        await hub.quiet()
        assert hub.process.status.problem is None


async def test_a_missing_package_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "_NEEDED", ("no_such_package",))
    async with running(tmp_path) as hub:
        await hub.until(
            lambda: (
                hub.process.status.problem
                == "the package no_such_package is not installed"
            )
        )
        monkeypatch.setattr(client, "_NEEDED", ("pygit2",))
        await hub.quiet()


def test_only_the_child_imports_pygit2() -> None:
    """By import, not by name: a crash in C must not reach Home Assistant."""
    allowed = {"reader.py", "repository.py"}
    found = set()
    for path in CORE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            if any(name.split(".")[0] == "pygit2" for name in names):
                found.add(path.relative_to(CORE / "librarian").as_posix())
    assert found == allowed
    assert "pygit2" not in _modules_after("hearthnet.core.librarian.client")
    assert "pygit2" in _modules_after("hearthnet.core.librarian.service")


async def test_from_an_install_by_hacs(tmp_path: Path) -> None:
    """Only the integration's folder exists, with modules named like Python's own."""
    folder = tmp_path / "custom_components/hearthnet"
    shutil.copytree(CORE, folder / "core", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "__init__.py").write_text("raise ImportError('not the integration')")
    for name in ("select", "calendar", "types", "logging"):
        (folder / f"{name}.py").write_text("raise ImportError('not this one')")
    runner = folder / "core/librarian/__main__.py"
    pygit2 = importlib.util.find_spec("pygit2")
    assert pygit2
    assert pygit2.origin
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-P", str(runner), f"--repository={tmp_path / 'record'}"),
        f"--library={Path(pygit2.origin).parents[1]}",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=folder,
    )
    output, errors = await process.communicate()
    assert (process.returncode, errors) == (0, b"")
    assert b'"kind":"head"' in output


async def test_nonsense_from_the_child_starts_it_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lives = ["print('nonsense')", "print('{}')", 'print(\'{"kind":"head"}\')']
    start = LibrarianProcess._start

    async def fake(self: LibrarianProcess) -> asyncio.subprocess.Process | None:
        if not lives:
            return await start(self)
        pipe = asyncio.subprocess.PIPE
        program = (sys.executable, "-c", lives.pop(0))
        return await asyncio.create_subprocess_exec(
            *program, stdin=pipe, stdout=pipe, stderr=pipe
        )

    monkeypatch.setattr(LibrarianProcess, "_start", fake)
    monkeypatch.setattr(client, "FIRST_DELAY", 0.01)
    async with running(tmp_path) as hub:
        await hub.until(
            lambda: "not speak as expected" in (hub.process.status.problem or "")
        )
        await hub.quiet()
        assert not lives


async def test_stopped_while_it_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = LibrarianProcess._start

    async def and_stop(self: LibrarianProcess) -> asyncio.subprocess.Process | None:
        process = await start(self)
        self.stop()
        return process

    monkeypatch.setattr(LibrarianProcess, "_start", and_stop)
    hub = Hub(tmp_path)
    async with asyncio.timeout(60):
        await hub.process.run()
    await hub.node.close()


async def test_a_listener_cannot_end_the_record(tmp_path: Path) -> None:
    async with running(tmp_path) as hub:

        def broken() -> None:
            hub._changed.set()
            raise RuntimeError("the page is broken")

        hub.process._on_change = broken
        await hub.quiet()
        say(hub.node)
        await hub.quiet()


async def test_a_frozen_librarian_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One question waits in vain, the next is answered at once; nothing is lost."""
    monkeypatch.setattr(client, "SILENT_SECONDS", 1.0)
    monkeypatch.setattr(client, "STOP_SECONDS", 0.1)
    async with running(tmp_path) as hub:
        await hub.quiet()
        assert hub.process._process
        frozen = hub.process._process.pid
        os.kill(frozen, signal.SIGSTOP)
        say(hub.node)
        await hub.node.sync()
        with pytest.raises(LibrarianError, match="no answer"):
            await hub.process.query("timeline", timeout=0.1)
        with pytest.raises(LibrarianError, match="does not answer"):
            await hub.process.query("timeline")
        async with asyncio.timeout(30):
            await hub.until(lambda: not hub.process.feed.connected)
            monkeypatch.undo()
            await hub.quiet()
        assert hub.process._process.pid != frozen
        assert await hub.process.query("timeline", limit=1)
    assert check_gapless(tmp_path / "record") == {("hub", 1): 2}
