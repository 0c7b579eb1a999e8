"""The hub's side: the librarian as a supervised child process.

Nothing here imports pygit2.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
import contextlib
from importlib.util import find_spec
import itertools
import logging
import os
from pathlib import Path
import random
import sys
from typing import Any

from ..journal import Entry
from ..node import Node
from ..status import LibrarianStatus
from . import LibrarianError, wire
from .feed import Feed, Head

_LOGGER = logging.getLogger(__name__)

FIRST_DELAY = 0.5
LONGEST_DELAY = 60.0
STEADY_SECONDS = 60.0
"""After so long without a crash the delay starts small again."""
STOP_SECONDS = 10.0
QUERY_SECONDS = 10.0
SILENT_SECONDS = 120.0
"""A librarian that owes an answer for so long is taken for frozen and restarted."""
_BIG = 128 * 1024
"""A line longer than this is parsed off the event loop."""
_NEEDED = ("pygit2", "cryptography")


class LibrarianProcess:
    """Starts the librarian, keeps it running, feeds it, and asks it."""

    def __init__(
        self,
        node: Node,
        folder: Path,
        *,
        on_change: Callable[[], None] = lambda: None,
        jitter: Callable[[], float] = random.random,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Prepare to record `node` in the repository `folder`; `run` starts it.

        `on_change` is called when `status` has something new to say.
        """
        self._node = node
        self._folder = folder
        self._on_change = on_change
        self._jitter = jitter
        self._environment = environment
        self.feed = Feed(node)
        self._process: asyncio.subprocess.Process | None = None
        self._stopping = asyncio.Event()
        self._keys: dict[str, list[str]] = {}
        self.on_other: Callable[[wire.Frame], None] = lambda _frame: None
        """Told of what concerns other nodes too: heads, health, their gaps."""
        self._numbers = itertools.count(1)
        self._questions: dict[int, asyncio.Future[Any]] = {}
        self._silent = False
        """A question was not answered in time, and nothing has come since."""
        self._problem: str | None = "starting"
        self.notices: tuple[str, ...] = ()
        """What the librarian wants a person to know, oldest first."""

    @property
    def status(self) -> LibrarianStatus:
        """How the record is doing."""
        head = self.feed.head
        return LibrarianStatus(
            connected=self.feed.connected,
            commit=head.commit if head else None,
            repository=head.repository if head else None,
            behind=self.feed.behind,
            problem=self._problem,
        )

    @property
    def away_since(self) -> float | None:
        """Boot time since which nothing gets recorded; None while it does."""
        return self.feed.away_since

    async def run(self) -> None:
        """Keep the librarian running until `stop`."""
        feeding = asyncio.ensure_future(self.feed.run())
        delay = FIRST_DELAY
        try:
            while not self._stopping.is_set():
                started = self._node.clock.boottime()
                await self._live()
                if self._node.clock.boottime() - started > STEADY_SECONDS:
                    delay = FIRST_DELAY
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(delay * (0.5 + self._jitter())):
                        await self._stopping.wait()
                delay = min(2 * delay, LONGEST_DELAY)
        finally:
            feeding.cancel()
            await asyncio.gather(feeding, return_exceptions=True)

    def stop(self) -> None:
        """Let `run` end once the librarian has written what it was sent."""
        self._stopping.set()
        if self._process and self._process.stdin:
            self._process.stdin.close()

    async def query(
        self, what: str, *, timeout: float = QUERY_SECONDS, **args: Any
    ) -> Any:
        """Ask the librarian; see `Answers` for the questions.

        Raises:
            LibrarianError: it is away, too slow, or has no answer.
        """
        if not self.feed.connected:
            raise LibrarianError("the librarian is away")
        if self._silent:
            # Whoever asks next shall not wait as long again.
            raise LibrarianError("the librarian does not answer")
        number = next(self._numbers)
        future = asyncio.get_running_loop().create_future()
        self._questions[number] = future
        try:
            self._write(wire.pack("query", number=number, what=what, args=args))
            async with asyncio.timeout(timeout):
                return await future
        except TimeoutError:
            self._silent = True
            raise LibrarianError(f"{what}: no answer in {timeout} s") from None
        finally:
            del self._questions[number]

    def enroll(self, node: str, key: str) -> None:
        """Let the librarian accept what is signed with a node's key."""
        self._keys[node] = [key]
        if self.feed.connected:
            self._write(wire.pack("keys", keys=self._keys))

    def forward(self, node: str, entries: Sequence[Entry], *, oldest: bool) -> None:
        """Pass on another node's records, which count only with its signature."""
        if self.feed.connected:
            self._write(_log(node, entries, trusted=False, oldest=oldest))

    # One life of the process

    async def _live(self) -> None:
        """Start the process and stay with it until it ends."""
        process = await self._start()
        if process is None:
            return
        self._process = process
        if self._stopping.is_set():
            self.stop()  # again: it came while there was no process to tell
        assert process.stderr
        errors = asyncio.ensure_future(self._read_errors(process.stderr))
        nonsense = ""
        try:
            await self._read(process)
        except (ValueError, KeyError, TypeError) as error:
            nonsense = f"it does not speak as expected: {error!r}"
        finally:
            self.feed.disconnect()
            await asyncio.shield(self._end(process))
            last = await errors
            self._process = None
            for future in self._questions.values():
                if not future.done():
                    future.set_exception(LibrarianError("the librarian is away"))
            if not self._stopping.is_set():
                ended = f"it ended with {process.returncode}"
                self._set_problem(nonsense or last or ended)

    async def _start(self) -> asyncio.subprocess.Process | None:
        folders = await asyncio.to_thread(_libraries)
        if isinstance(folders, str):
            self._set_problem(folders)
            return None
        try:
            return await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",  # its own folder is no place to import from
                str(Path(__file__).with_name("__main__.py")),
                f"--repository={self._folder}",
                *(f"--library={folder}" for folder in folders),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                limit=wire.MAX_FRAME,
                env={**os.environ, **(self._environment or {})},
            )
        except OSError as error:
            self._set_problem(f"it cannot be started: {error}")
            return None

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout
        if self._keys:
            self._write(wire.pack("keys", keys=self._keys))
        while line := await self._next(process.stdout):
            if len(line) > _BIG:
                frame = await asyncio.to_thread(wire.unpack, line)
            else:
                frame = wire.unpack(line)
            self._receive(frame)

    async def _next(self, stream: asyncio.StreamReader) -> bytes:
        """Return the next line, empty at the end.

        Raises:
            ValueError: none came for long although one is owed.
        """
        while True:
            try:
                async with asyncio.timeout(SILENT_SECONDS):
                    return await stream.readline()
            except TimeoutError:
                since = self.feed.away_since if self.feed.connected else None
                now = self._node.clock.boottime()
                if since is not None and now - since >= SILENT_SECONDS:
                    raise ValueError("it is silent") from None

    def _receive(self, frame: wire.Frame) -> None:
        self._silent = False
        match frame["kind"]:
            case "head":
                head = Head.from_dict(frame)
                if self.feed.connected:
                    self.feed.learn(head)
                else:
                    self.feed.connect(self._send, head)
                self._report()
            case "gap":
                if frame["node"] == self._node.name:
                    boot, seq = frame["after"]
                    self.feed.go_back((boot, seq))
                    return
            case "health":
                self.notices = tuple(frame["notices"])
                self._set_problem(frame["problem"])
            case "answer":
                self._answer(frame)
                return
        self.on_other(frame)

    def _answer(self, frame: wire.Frame) -> None:
        future = self._questions.get(frame["number"])
        if future is None or future.done():
            return
        if "error" in frame:
            future.set_exception(LibrarianError(frame["error"]))
        else:
            future.set_result(frame["result"])

    async def _read_errors(self, stream: asyncio.StreamReader) -> str:
        last = ""
        while line := await stream.readline():
            last = line.decode(errors="replace").strip() or last
            _LOGGER.warning("Dewey: %s", last)
        return last

    async def _end(self, process: asyncio.subprocess.Process) -> None:
        """Let the process finish; make it end when it does not."""
        assert process.stdin
        process.stdin.close()
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()

    def _send(self, entries: Sequence[Entry], oldest: bool) -> None:
        self._write(_log(self._node.name, entries, trusted=True, oldest=oldest))

    def _write(self, line: bytes) -> None:
        if self._process and self._process.stdin:
            self._process.stdin.write(line)

    def _set_problem(self, problem: str | None) -> None:
        if problem != self._problem:
            self._problem = problem
            self._report()

    def _report(self) -> None:
        try:
            self._on_change()
        except Exception:
            # Whoever shows the status must not be able to end the record.
            _LOGGER.exception("Telling of the librarian's status failed")


def _log(node: str, entries: Sequence[Entry], *, trusted: bool, oldest: bool) -> bytes:
    records = wire.from_entries(entries)
    return wire.pack("log", node=node, records=records, trusted=trusted, oldest=oldest)


def _libraries() -> list[str] | str:
    """Return where the packages that the librarian needs are; else what is missing.

    Finding a package does not import it. Home Assistant may keep packages in a
    folder that a child process does not look into by itself.
    """
    folders = dict[str, None]()
    for name in _NEEDED:
        spec = find_spec(name)
        if spec is None or spec.origin is None:
            return f"the package {name} is not installed"
        folders[str(Path(spec.origin).parents[1])] = None
    return list(folders)
