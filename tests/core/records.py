"""Helpers: events, journals and what the git program says of a repository."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
import json
import os
from pathlib import Path
import subprocess
from typing import Any

from hearthnet.core.clock import ManualClock
from hearthnet.core.journal import Entry
from hearthnet.core.keys import SigningKey
from hearthnet.core.librarian.library import Library
from hearthnet.core.librarian.record import Event
from hearthnet.core.messages import EventId, Message, MessageType
from hearthnet.core.node import Node, Record

KEY = SigningKey(bytes(range(32)))
OTHER_KEY = SigningKey(bytes(range(1, 33)))
MOMENT = datetime(2026, 11, 30, 12, tzinfo=UTC)


async def inline[T](function: Callable[[], T]) -> T:
    """Run disk work at once."""
    return function()


def make_node(folder: Path, **options: Any) -> Node:
    """Open a node whose disk work happens at once."""
    options = {
        "name": "hub",
        "key": KEY,
        "clock": ManualClock(),
        "run": inline,
        **options,
    }
    return Node(folder=folder, **options)


def say(node: Node, content: str = "Something was seen.", **fields: Any) -> Record:
    """Emit an observation, or whatever `fields` make of it."""
    fields = {"sender": "jeeves", "to": "rupert", **fields}
    fields.setdefault("type", MessageType.OBSERVATION)
    return node.emit(content=content, **fields)


def message(event: str, **fields: Any) -> Message:
    """Make a message."""
    defaults: dict[str, Any] = {
        "sender": "jeeves",
        "to": "all",
        "type": MessageType.OBSERVATION,
        "at": MOMENT,
        "content": "Something was seen.",
    }
    return Message(id=event, **{**defaults, **fields})


def event(name: str, *, signature: bytes | None = None, **fields: Any) -> Event:
    """Make an event as the intake accepts it."""
    made = message(name, **fields)
    return Event(made.event, made.encode(), signature, made)


def entry(name: str, *, key: SigningKey | None = None, **fields: Any) -> Entry:
    """Make a journal's record."""
    made = message(name, **fields)
    data = made.encode()
    return Entry(*made.event.position, data, key.sign(data) if key else None)


def hello(name: str, ended: list[int], **fields: Any) -> Entry:
    """Make a boot's first record."""
    body = {"ended": ended, "key": KEY.public.text}
    return entry(name, type=MessageType.HELLO, body=body, **fields)


@contextmanager
def library(folder: Path, **options: Any) -> Iterator[Library]:
    """Open a librarian without a transport."""
    opened = Library(folder, ManualClock(), **options)
    try:
        yield opened
    finally:
        opened.close()


def git(repository: Path, *arguments: str, data: str | None = None) -> str:
    """Run the git program, the witness; return what it prints."""
    result = subprocess.run(
        ["git", "-C", str(repository), *arguments],
        check=True,
        capture_output=True,
        text=True,
        input=data,
        env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "LC_ALL": "C"},
    )
    return result.stdout


def fsck(repository: Path) -> None:
    """Let git check everything; dangling objects of aborted batches are fine."""
    git(repository, "fsck", "--full", "--strict", "--no-dangling")


def recorded(repository: Path) -> list[tuple[EventId, str]]:
    """Return what git log tells: each event and its message, oldest first."""
    text = git(
        repository,
        *("log", "--reverse", "--format=%(trailers:key=Event,valueonly)%x00%b%x01"),
    )
    commits = []
    for part in text.split("\x01")[:-1]:
        name, _, body = part.partition("\0")
        if name.strip():
            commits.append((EventId.parse(name.strip()), body.split("\n")[0]))
    return commits


def check_gapless(repository: Path) -> dict[tuple[str, int], int]:
    """Check that per node and boot the events are 1 to k; return each k."""
    ends: dict[tuple[str, int], int] = {}
    for name, _ in recorded(repository):
        boot = (name.node, name.boot)
        assert name.seq == ends.get(boot, 0) + 1, f"{name} follows {ends.get(boot)}"
        assert all(b <= name.boot for n, b in ends if n == name.node)
        ends[boot] = name.seq
    acked = json.loads(git(repository, "show", "HEAD:acked.json"))
    for node, (boot, seq) in acked.items():
        assert max(b for n, b in ends if n == node) == boot
        assert ends[node, boot] == seq
    assert set(acked) == {node for node, _ in ends}
    return ends


def journaled(folder: Path) -> dict[tuple[int, int], str]:
    """Return what a journal's files hold, by place; a line cut off counts as none."""
    found = {}
    for path in folder.glob("*.log"):
        boot, first = (*map(int, path.stem.split(".")), 1)[:2]
        lines = path.read_bytes().split(b"\n")[:-1]
        for seq, line in enumerate(lines, first):
            found[boot, seq] = line.decode().split(" ", 2)[2]
    return found


def check_complete(repository: Path, node: Node) -> None:
    """Check that git has exactly what the journal has, byte for byte."""
    journal = [
        (EventId(node.name, *e.position), e.data.decode())
        for e in node.journal.history()
    ]
    assert [r for r in recorded(repository) if r[0].node == node.name] == journal
