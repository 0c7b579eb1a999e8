"""A node's journal reaches the librarian whole, over any connection."""

import asyncio
from collections.abc import Callable, Sequence
import errno
import os
from pathlib import Path

from hypothesis import given, settings, strategies as st
import pytest

from hearthnet.core.clock import ManualClock
from hearthnet.core.journal import KEEP_SECONDS, Entry
from hearthnet.core.librarian import feed as module
from hearthnet.core.librarian.feed import PURGE_SECONDS, Feed, Head
from hearthnet.core.librarian.intake import Intake
from hearthnet.core.librarian.record import Event
from hearthnet.core.messages import Position
from hearthnet.core.node import Node
from tests.core.records import make_node, say


class FarSide:
    """A librarian behind a connection that the test controls."""

    def __init__(self, feed: Feed) -> None:
        self.feed = feed
        self.intake = Intake({}, {}, ())
        self.accepted: list[Event] = []
        self.underway: list[tuple[Sequence[Entry], bool]] = []
        self.notices: list[str] = []

    def head(self) -> Head:
        return Head(
            repository="a" * 40,
            commit=f"{len(self.accepted):040d}",
            nodes=self.intake.last,
            commits={str(e.id): f"{n:040d}" for n, e in enumerate(self.accepted, 1)},
        )

    def connect(self) -> None:
        self.underway.clear()
        self.feed.connect(lambda *sent: self.underway.append(sent), self.head())

    def deliver(self, count: int = 1, *, answer: bool = True) -> None:
        for entries, oldest in self.underway[:count]:
            offer = self.intake.offer("hub", entries, trusted=True, oldest=oldest)
            self.accepted += offer.accepted
            self.notices += offer.notices
            if offer.gap_after:
                self.feed.go_back(offer.gap_after)
            elif answer:
                self.feed.learn(self.head())
        del self.underway[:count]


async def pump(feed: Feed) -> None:
    """Let the feed do all it can for now."""
    while await feed._step():
        pass


async def settle(feed: Feed, far: FarSide) -> None:
    """Let everything arrive."""
    await pump(feed)
    while far.underway:
        far.deliver()
        await pump(feed)


def ids(node: Node) -> list[str]:
    return [f"hub.{e.boot}.{e.seq}" for e in node.journal.history()]


async def test_sends_in_order_and_learns_what_is_durable(tmp_path: Path) -> None:
    node = make_node(tmp_path)
    feed = Feed(node)
    far = FarSide(feed)
    say(node)
    await pump(feed)
    assert not feed.connected
    assert feed.behind == 2
    far.connect()
    await settle(feed, far)
    assert feed.durable == (1, 2)
    assert feed.behind == 0
    assert node.view.commit == f"{2:040d}"
    assert node.view.commit_of("hub.1.1") == f"{1:040d}"
    assert far.notices == []


async def test_batches_are_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "WINDOW", 100)
    node = make_node(tmp_path)
    feed = Feed(node)
    far = FarSide(feed)
    far.connect()
    for _ in range(300):
        say(node)
    await pump(feed)
    assert [len(entries) for entries, _ in far.underway] == [64, 64]
    await settle(feed, far)
    for _ in range(5):
        say(node, body={"text": "x" * 100_000})
    await pump(feed)
    assert [len(entries) for entries, _ in far.underway] == [2, 2, 1]
    await settle(feed, far)
    assert [str(event.id) for event in far.accepted] == ids(node)


STEPS = st.lists(
    st.sampled_from(
        [
            "emit",
            "emit",
            "emit",
            "boot",
            "deliver",
            "drop",
            "unanswered",
            "disconnect",
            "connect",
            "pump",
        ]
    ),
    max_size=40,
)


@settings(max_examples=60, deadline=None)
@given(STEPS)
async def test_nothing_is_lost_or_doubled_whatever_the_connection_does(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str]
) -> None:
    node = make_node(tmp_path_factory.mktemp("node"))
    feed = Feed(node)
    far = FarSide(feed)
    for step in steps:
        match step:
            case "emit":
                say(node)
            case "boot":
                await node.raise_boot(node.boot + 1)
            case "deliver":
                far.deliver()
            case "drop":
                del far.underway[:1]
            case "unanswered":
                far.deliver(answer=False)
            case "disconnect":
                feed.disconnect()
            case "connect":
                far.connect()
            case "pump":
                await pump(feed)
        assert [str(event.id) for event in far.accepted] == ids(node)[
            : len(far.accepted)
        ]
    far.connect()
    await settle(feed, far)
    assert [str(event.id) for event in far.accepted] == ids(node)
    assert feed.durable == node.position
    assert feed.away_since is None
    assert far.notices == []
    await node.close()


async def test_a_librarian_that_went_back_is_refilled(tmp_path: Path) -> None:
    node = make_node(tmp_path)
    feed = Feed(node)
    far = FarSide(feed)
    far.connect()
    for _ in range(10):
        say(node)
    await settle(feed, far)
    for loss in (4, 0):
        del far.accepted[loss:]
        far.intake = Intake({"hub": (1, loss)} if loss else {}, {}, ())
        feed.learn(far.head())
        await settle(feed, far)
        assert [str(event.id) for event in far.accepted] == ids(node)
    assert far.notices == []
    told = [r.message.content for r in node.history() if r.message.type == "alert"]
    assert [text.partition(";")[0] for text in told] == [
        "The record went back to hub.1.4",
        "The record went back to hub.0.0",
    ]


async def test_a_node_that_went_back_starts_a_later_boot(tmp_path: Path) -> None:
    node = make_node(tmp_path)
    feed = Feed(node)
    far = FarSide(feed)
    far.intake = Intake({"hub": (1, 40)}, {}, ())
    say(node)
    far.connect()
    await settle(feed, far)
    assert node.position == (2, 1)
    assert feed.durable == (2, 1)
    assert "went back" in far.notices[0]


async def test_what_was_purged_is_said_to_be_lost(tmp_path: Path) -> None:
    clock = ManualClock()
    node = make_node(tmp_path, clock=clock)
    await node.close()
    old = clock.now().timestamp() - KEEP_SECONDS - 1
    os.utime(tmp_path / "1.log", (old, old))
    node = make_node(tmp_path, clock=clock)
    feed = Feed(node)
    far = FarSide(feed)
    far.connect()
    await settle(feed, far)
    assert (tmp_path / "1.log").exists()
    clock.advance(PURGE_SECONDS)
    await pump(feed)
    assert not (tmp_path / "1.log").exists()
    far.intake, far.accepted = Intake({}, {}, ()), []
    far.connect()
    await settle(feed, far)
    assert far.notices == ["hub: everything after 0.0 and before 2.1 is lost"]
    assert (
        [str(event.id) for event in far.accepted] == ids(node) == ["hub.2.1", "hub.2.2"]
    )


async def test_away_is_what_records_nothing(tmp_path: Path) -> None:
    clock = ManualClock()
    clock.advance(10)
    node = make_node(tmp_path, clock=clock)
    feed = Feed(node)
    far = FarSide(feed)

    def away() -> float | None:
        return feed.away_since

    assert away() == 10
    clock.advance(10)
    far.connect()
    assert away() is None
    await pump(feed)
    assert away() == 20  # from when it was sent until it is durable
    clock.advance(1)
    far.deliver()
    assert away() is None
    clock.advance(9)
    feed.disconnect()
    assert away() == 30
    clock.advance(10)
    feed.disconnect()
    assert away() == 30
    far.connect()
    assert away() is None
    # Reached, but it records nothing: a full disk is as good as away.
    say(node)
    await pump(feed)
    clock.advance(5)
    assert away() == 40


async def test_runs_on_its_own(tmp_path: Path) -> None:
    """From emit to durable with nobody stepping it; a failed journal is waited out."""
    node = make_node(tmp_path, run=asyncio.to_thread)
    feed = Feed(node)
    intake = Intake({}, {}, ())
    durable = asyncio.Event()

    def learn() -> None:
        last: dict[str, Position] = intake.last
        feed.learn(Head(repository="", commit="", nodes=last, commits={}))
        durable.set()

    def send(entries: Sequence[Entry], oldest: bool) -> None:
        intake.offer("hub", entries, trusted=True, oldest=oldest)
        asyncio.get_running_loop().call_soon(learn)

    running = asyncio.ensure_future(feed.run())
    feed.connect(send, Head(repository="", commit="", nodes={}, commits={}))
    for _ in range(3):
        say(node)
        while feed.durable < node.position:
            durable.clear()
            await durable.wait()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert not node._subscribers
    await node.close()


async def test_a_journal_that_cannot_be_written_is_waited_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed, broken = asyncio.Event(), True

    async def run[T](function: Callable[[], T]) -> T:
        if broken:
            failed.set()
            raise OSError(errno.ENOSPC, "No space left on device")
        return function()

    monkeypatch.setattr(module, "RETRY_SECONDS", 0.0)
    node = make_node(tmp_path, run=run)
    feed = Feed(node)
    sent = asyncio.Event()
    feed.connect(lambda *_: sent.set(), FarSide(feed).head())
    running = asyncio.ensure_future(feed.run())
    await failed.wait()
    assert not sent.is_set()
    broken = False
    assert await node.journal.probe()
    await sent.wait()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await node.close()


async def test_what_is_written_together_is_sent_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    enough, frames = asyncio.Event(), list[int]()
    whole = asyncio.Event()

    async def pause(_seconds: float) -> None:
        await enough.wait()

    def send(entries: Sequence[Entry], _oldest: bool) -> None:
        frames.append(len(entries))
        if sum(frames) == 21:
            whole.set()

    monkeypatch.setattr(asyncio, "sleep", pause)
    node = make_node(tmp_path)
    feed = Feed(node)
    feed.connect(send, FarSide(feed).head())
    running = asyncio.ensure_future(feed.run())
    for _ in range(20):
        say(node)
        await node.sync()
    enough.set()
    await whole.wait()
    assert len(frames) <= 2
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await node.close()
