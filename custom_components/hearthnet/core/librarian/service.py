"""The librarian as a process: frames in, frames out, one writer thread."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import partial
import logging
from pathlib import Path
import sys
from typing import Any

from ..clock import Clock, SystemClock
from ..keys import VerifyKey
from ..killpoint import killpoint
from . import BlockedError, LibrarianError, wire
from .answers import Answers
from .library import Library
from .packing import ENOUGH, TOO_MANY, Packer, count_loose
from .record import Event

_LOGGER = logging.getLogger(__name__)

BATCH = 64
RETRY_SECONDS = 5.0
"""Pause after a failed write, such as on a full disk."""
QUIET_SECONDS = 5.0
"""Pause after the last write before its objects are packed."""
MAX_NOTICES = 20

type Send = Callable[[bytes], None]


class Service:
    """Takes frames, answers with frames; knows nothing of pipes or brokers."""

    def __init__(self, folder: Path, send: Send, clock: Clock | None = None) -> None:
        """Serve the repository in `folder`; `send` takes what goes out."""
        self._folder = folder
        self._send = send
        self._clock = clock or SystemClock()
        self._writer = ThreadPoolExecutor(1, "dewey-writer")
        self._reader = ThreadPoolExecutor(1, "dewey-reader")
        self._library: Library | None = None
        self._answers: Answers | None = None
        self._packer = Packer(folder)
        self._queue: list[Event] = []
        self._wake = asyncio.Event()
        self._closing = False
        self._loose = 0
        self._problem: str | None = None
        self._notices: list[str] = []
        self._background: set[asyncio.Task[None]] = set()
        self._packing: asyncio.Task[None] | None = None
        self._quiet: asyncio.TimerHandle | None = None

    async def open(self) -> None:
        """Open the repository and tell where it stands.

        Raises:
            LibrarianError: it cannot be opened.
        """
        self._library = library = await self._in(
            self._writer, partial(Library, self._folder, self._clock)
        )
        self._answers = await self._in(self._reader, partial(Answers, self._folder))
        self._loose = await self._in(self._reader, partial(count_loose, self._folder))
        self._notices.extend(library.repository.healed)
        recent = await self._in(self._writer, library.recent)
        self._tell_health()
        self._tell_head(recent)
        self._consider_packing()

    def receive(self, frame: wire.Frame) -> None:
        """Take a frame; never blocks or raises on what is in it."""
        try:
            match frame["kind"]:
                case "log":
                    self._log(frame)
                case "keys":
                    self._keys(frame["keys"])
                case "query":
                    ask = partial(self._ask, frame["what"], frame["args"])
                    self._spawn(self._query(frame["number"], ask))
                case kind:
                    self._notice(f"unknown frame {kind[:40]!r}")
        except (KeyError, TypeError, ValueError) as error:
            self._notice(f"malformed frame: {error!r}")

    async def run(self) -> None:
        """Record what was accepted, until closed and nothing is left.

        Raises:
            BlockedError: opening the repository anew may help.
        """
        while True:
            self._wake.clear()
            if not self._queue:
                if self._closing:
                    return
                await self._wake.wait()
                continue
            try:
                await self._write()
            except BlockedError:
                raise
            except LibrarianError as error:
                self._set_problem(str(error))
                if self._closing:
                    return
                await asyncio.sleep(RETRY_SECONDS)

    def stop(self) -> None:
        """Let `run` return once the queue is empty."""
        self._closing = True
        self._wake.set()

    async def close(self) -> None:
        """Answer what was asked and let go of the repository."""
        if self._quiet:
            self._quiet.cancel()
        if self._packing:
            self._packing.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)
        if self._answers:
            await self._in(self._reader, self._answers.close)
        if self._library:
            await self._in(self._writer, self._library.close)
        self._writer.shutdown()
        self._reader.shutdown()

    # Frames

    def _log(self, frame: wire.Frame) -> None:
        assert self._library
        node = frame["node"]
        offer = self._library.intake.offer(
            node,
            wire.to_entries(frame["records"]),
            trusted=frame["trusted"] is True,
            oldest=frame.get("oldest") is True,
        )
        self._queue.extend(offer.accepted)
        self._wake.set()
        for notice in offer.notices:
            self._notice(notice)
        if offer.forged:
            self._notice(f"a record that claims to be {node}'s is not signed by it")
        if offer.gap_after is not None:
            self._send(wire.pack("gap", node=node, after=list(offer.gap_after)))

    def _keys(self, keys: dict[str, list[str]]) -> None:
        assert self._library
        for node, texts in dict(keys).items():
            for text in texts:
                self._library.intake.learn(node, VerifyKey.from_text(text))

    def _ask(self, what: str, args: dict[str, Any]) -> Any:
        assert self._answers
        return self._answers.ask(what, args)

    async def _query(self, number: int, ask: Callable[[], Any]) -> None:
        try:
            line = await self._in(
                self._reader, lambda: wire.pack("answer", number=number, result=ask())
            )
        except LibrarianError as error:
            line = wire.pack("answer", number=number, error=str(error))
        except Exception as error:
            # Who gets no answer takes the librarian for silent, and asks no more.
            _LOGGER.exception("A question could not be answered")
            text = f"{type(error).__name__}: {error}"
            line = wire.pack("answer", number=number, error=text)
        self._send(line)

    # Recording

    async def _write(self) -> None:
        assert self._library
        batch = self._queue[:BATCH]
        commits = await self._in(self._writer, partial(self._library.write, batch))
        del self._queue[: len(batch)]
        self._loose += sum(3 + 4 * len(event.writes) for event in batch)
        self._set_problem(None)
        self._tell_head(commits)
        killpoint()
        self._consider_packing()

    def _tell_head(self, commits: dict[str, str]) -> None:
        assert self._library
        self._send(
            wire.pack(
                "head",
                repository=self._library.repository.id,
                commit=self._library.repository.tip,
                nodes={n: list(p) for n, p in self._library.durable.items()},
                commits=commits,
            )
        )

    # Health

    def _notice(self, text: str) -> None:
        _LOGGER.warning("%s", text)
        self._notices = [*self._notices, text][-MAX_NOTICES:]
        self._tell_health()

    def _set_problem(self, problem: str | None) -> None:
        if problem != self._problem:
            self._problem = problem
            self._tell_health()

    def _tell_health(self) -> None:
        problem = self._problem or self._packer.problem
        self._send(wire.pack("health", problem=problem, notices=self._notices))

    # Packing

    def _consider_packing(self) -> None:
        if self._quiet:
            self._quiet.cancel()
            self._quiet = None
        if self._loose >= TOO_MANY:
            self._start_packing()
        elif self._loose >= ENOUGH:
            loop = asyncio.get_running_loop()
            self._quiet = loop.call_later(QUIET_SECONDS, self._start_packing)

    def _start_packing(self) -> None:
        if self._packing is None and not self._closing:
            self._packing = self._spawn(self._pack())

    async def _pack(self) -> None:
        before = self._packer.problem
        try:
            await self._packer.pack()
            self._loose = await self._in(
                self._reader, partial(count_loose, self._folder)
            )
        finally:
            self._packing = None
        if self._packer.problem:
            # Try again only after as much again, not after every batch.
            self._loose = 0
        if self._packer.problem != before:
            self._tell_health()

    # Plumbing

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.ensure_future(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)
        return task

    async def _in[T](self, thread: ThreadPoolExecutor, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(thread, work)


async def serve_stdio(folder: Path) -> None:
    """Serve over standard input and output until the input ends.

    Raises:
        LibrarianError: the repository cannot be opened or written.
    """
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=wire.MAX_FRAME)
    await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer
    )
    output, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, sys.stdout.buffer)
    service = Service(folder, output.write)
    running: asyncio.Task[None] | None = None
    try:
        await service.open()
        running = asyncio.ensure_future(service.run())
        reading = asyncio.ensure_future(_feed(reader, service))
        await asyncio.wait((running, reading), return_when=asyncio.FIRST_COMPLETED)
        reading.cancel()
        service.stop()
        await running
    finally:
        await service.close()
        output.close()


async def _feed(reader: asyncio.StreamReader, service: Service) -> None:
    while line := await reader.readline():
        try:
            service.receive(wire.unpack(line))
        except ValueError:
            _LOGGER.exception("Not a frame")
