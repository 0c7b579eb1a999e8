"""A node's events: numbered, signed, journalled, folded and told."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
import os
from pathlib import Path
from typing import Any

import pytest

from hearthnet.core.clock import ManualClock
from hearthnet.core.journal import KEEP_SECONDS, JournalError
from hearthnet.core.keys import SigningKey
from hearthnet.core.messages import (
    MalformedError,
    Message,
    MessageType,
)
from hearthnet.core.node import Node, Record
from hearthnet.core.paths import device_path

KEY = SigningKey(bytes(range(32)))
LAMP = device_path("lamp")


async def inline[T](function: Callable[[], T]) -> T:
    return function()


def opened(folder: Path, clock: ManualClock | None = None, **options: Any) -> Node:
    return Node(
        name=options.pop("name", "hub"),
        folder=folder,
        key=KEY,
        clock=clock or ManualClock(),
        run=inline,
        **options,
    )


def say(node: Node, content: str = "Something was seen.", **fields: Any) -> Record:
    fields = {"type": MessageType.OBSERVATION, **fields}
    return node.emit(sender="jeeves", to="rupert", content=content, **fields)


async def test_first_boot_says_hello(tmp_path: Path) -> None:
    node = opened(tmp_path, about={"version": "1"})
    await node.sync()
    (hello,) = node.history()
    assert hello.message.id == "hub.1.1"
    assert hello.message.type is MessageType.HELLO
    assert hello.message.body["ended"] == [0, 0]
    assert node.view.get("nodes/hub.json") == {
        "boot": 1,
        "key": KEY.public.text,
        "version": "1",
    }
    assert hello.signature
    assert KEY.public.verifies(hello.data, hello.signature)


async def test_next_boot_folds_the_journal_and_names_its_end(tmp_path: Path) -> None:
    node = opened(tmp_path)
    say(node, writes={LAMP: {"on": True}})
    say(node, writes={"holds/a.json": {"x": 1}})
    await node.close()
    node = opened(tmp_path)
    assert node.boot == 2
    assert node.view.get(LAMP) == {"on": True}
    assert node.view.version("holds/a.json") == "hub.1.3"
    await node.sync()
    assert list(node.history())[-1].message.body["ended"] == [1, 3]
    # A boot that ended before its hello was written leaves no gap behind.
    await node.close()
    (tmp_path / "2.log").write_bytes(b"")
    node = opened(tmp_path)
    await node.sync()
    assert node.position == (3, 1)
    assert list(node.history())[-1].message.body["ended"] == [1, 3]


async def test_peers_that_have_seen_more_raise_the_boot(tmp_path: Path) -> None:
    node = opened(tmp_path, seen=7)
    assert node.boot == 8
    say(node)
    assert not await node.raise_boot(8, 2)
    assert await node.raise_boot(8, 3)
    assert node.position == (9, 1)
    assert not await node.raise_boot(9)
    assert await node.raise_boot(12, 50)
    await node.sync()
    assert [str(r.message.event) for r in node.history()] == [
        "hub.8.1",
        "hub.8.2",
        "hub.9.1",
        "hub.13.1",
    ]
    assert list(node.history())[-1].message.body["ended"] == [9, 1]


async def test_all_is_signed_over_the_bytes_sent(tmp_path: Path) -> None:
    node = opened(tmp_path)
    for record in (say(node, type=MessageType.GRANT), say(node), node.hello):
        assert record.signature
        assert KEY.public.verifies(record.data, record.signature)
        assert not KEY.public.verifies(record.data + b" ", record.signature)
        assert Message.decode(record.data) == record.message


async def test_all_fields_reach_the_wire(tmp_path: Path) -> None:
    clock = ManualClock()
    node = opened(tmp_path, clock)
    record = say(
        node,
        cause="hub.1.1",
        intent="hub.1.1",
        task="hub.1.1",
        lease="hub.1.1",
        expires_at=clock.now() + timedelta(seconds=9),
        base_commit="c" * 40,
        body={"a": [1, None, "ü"]},
        writes={LAMP: 1},
    )
    await node.sync()
    assert list(node.history())[-1] == record
    assert record.message.body == {"a": [1, None, "ü"]}
    assert record.message.at == clock.now()


async def test_a_sentence_is_cut_and_half_characters_are_replaced(
    tmp_path: Path,
) -> None:
    """Both come of the names of devices; neither may keep an event off the record."""
    node = opened(tmp_path)
    record = say(node, content="\ud800" + "x" * 3000, body={"\udfff": ["\ud800"]})
    assert record.message.content == "?" + "x" * 1999
    assert record.message.body == {"?": ["?"]}


async def test_a_message_that_breaks_the_schema_is_not_emitted(tmp_path: Path) -> None:
    node = opened(tmp_path)
    for fields in (
        {"content": ""},
        {"cause": "nonsense"},
        {"writes": {"../etc/passwd": 1}},
        {"writes": {"nodes/phone.json": 1}},
        {"body": {"n": float("nan")}},
        {"body": {"n": "x" * 300_000}},
    ):
        with pytest.raises(ValueError):  # noqa: PT011 - Malformed or plain
            say(node, **fields)
    assert node.position == (1, 1)
    with pytest.raises(MalformedError):
        say(node, content="")


async def test_subscribers_are_told_and_cannot_break_an_emit(tmp_path: Path) -> None:
    node = opened(tmp_path)
    told: list[str] = []

    def broken(record: Record) -> None:
        raise RuntimeError(record.message.id)

    node.subscribe(broken)
    end = node.subscribe(lambda record: told.append(record.message.id))
    say(node)
    end()
    say(node)
    assert told == ["hub.1.2"]
    assert node.position == (1, 3)


async def test_the_record_is_detached_from_the_callers_objects(tmp_path: Path) -> None:
    node = opened(tmp_path)
    value = {"on": True}
    say(node, writes={LAMP: value})
    value["on"] = False
    assert node.view.get(LAMP) == {"on": True}


async def test_purged_node_starts_from_its_checkpoint(tmp_path: Path) -> None:
    clock = ManualClock()
    node = opened(tmp_path, clock)
    say(node, writes={LAMP: {"on": True}, "holds/a.json": 1})
    await node.close()
    node = opened(tmp_path, clock)
    say(node, writes={"holds/a.json": None})
    await node.purge((1, 2))
    old = clock.now().timestamp() - KEEP_SECONDS - 1
    os.utime(tmp_path / "1.log", (old, old))
    await node.purge((1, 1))
    assert node.journal.first == (1, 1)
    await node.purge((1, 2))
    assert node.journal.first == (2, 1)
    # A checkpoint must not tell of what a power cut would lose.
    checkpoint = node.journal.checkpoint()
    assert checkpoint
    assert checkpoint["position"]["hub"] == list(node.journal.synced) == [2, 2]
    say(node, writes={"holds/b.json": 2})
    view = node.view.snapshot()
    await node.close()
    node = opened(tmp_path, clock)
    assert node.boot == 3
    assert node.view.get(LAMP) == {"on": True}
    assert node.view.version(LAMP) == "hub.1.2"
    assert node.view.version("holds/a.json") == "hub.2.2"
    assert node.view.paths("holds/") == ["holds/b.json"]
    del view["paths"]["nodes/hub.json"], view["position"]["hub"]
    again = node.view.snapshot()
    del again["paths"]["nodes/hub.json"], again["position"]["hub"]
    assert again == view


def note_written(folder: Path, now: float) -> None:
    """Give what the machine's clock has dated, in the future, the time it is here."""
    for path in folder.glob("*.log"):
        if path.stat().st_mtime > now:
            os.utime(path, (now, now))


async def test_a_node_that_runs_for_months_keeps_a_week(tmp_path: Path) -> None:
    clock = ManualClock(datetime(2020, 1, 1, tzinfo=UTC))
    node = opened(tmp_path, clock)
    for day in range(60):
        say(node, writes={LAMP: {"day": day}})
        await node.sync()
        note_written(tmp_path, clock.now().timestamp())
        clock.advance(86400)
        await node.purge(node.position)
    assert node.journal.count((0, 0)) == 7
    await node.close()
    node = opened(tmp_path, clock)
    assert node.boot == 2
    assert node.hello.message.body["ended"] == [1, 61]
    assert node.view.get(LAMP) == {"day": 59}


async def test_a_journal_of_another_schema_does_not_open(tmp_path: Path) -> None:
    node = opened(tmp_path)
    node.journal.append(b"{}", None)
    await node.close()
    for _ in range(2):  # the second time too: the first let go of its lock
        with pytest.raises(JournalError, match=r"1\.2"):
            opened(tmp_path)
