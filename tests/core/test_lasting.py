"""A start comes to the same with what lasts of a journal as with all of it."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from hearthnet.core import chronicle, lasting
from hearthnet.core.clock import ManualClock
from hearthnet.core.clock_trust import CONFIRMED, ClockTrust
from hearthnet.core.lasting import Lasting
from hearthnet.core.messages import MessageType
from hearthnet.core.node import Record
from hearthnet.core.recovery import read_past
from hearthnet.core.reservations import LoopWaiter, Reservations
from hearthnet.core.restart import recover
from hearthnet.core.state import State
from hearthnet.traces.play import play
from hearthnet.traces.trace import SHIPPED, Trace

from .records import event, make_node


class _Bare:
    """A node of which only the clock and the subscription matter."""

    def __init__(self) -> None:
        self.clock = ManualClock()

    def subscribe(self, _subscriber: object) -> None:
        return None


def newest(records: Iterable[Record]) -> object:
    trust = ClockTrust(_Bare())  # type: ignore[arg-type]
    for record in records:
        trust.learn(record.message)
    return trust._newest


def reserved(records: Sequence[Record]) -> list[str]:
    clock = ManualClock()
    found = Reservations(clock, LoopWaiter(clock))
    found.rebuild(records, local=(), key_of=lambda device: device)
    return [lease.id for lease in found.live()]


@pytest.mark.parametrize("name", ["scenes", "acceptance", "power_cut"])
def test_a_start_at_any_moment(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lasting, "RECENT", 5)
    records = play(Trace.load(SHIPPED / f"{name}.json")).records
    node = make_node(tmp_path / "journal")
    state = State(node.view)
    shorter = 0
    for end in range(1, len(records) + 1):
        whole = records[:end]
        watched = Lasting()
        past = read_past(watched.watching(whole))
        kept = watched.records
        assert past == read_past(whole)
        assert kept[-5:] == tuple(whole[-5:])
        assert newest(kept) == newest(whole)
        assert reserved(kept) == reserved(whole)
        dropped = recover(node, state, kept, None).dropped
        assert dropped == recover(node, state, whole, None).dropped
        shorter += len(whole) - len(kept)
    assert shorter > 100


def test_a_persons_word_on_the_clock_lasts() -> None:
    def at(number: int, hour: int, **fields: Any) -> Record:
        moment = ManualClock().now().replace(hour=hour)
        made = event(f"hub.1.{number}", at=moment, **fields).message
        assert made is not None
        return Record(made, made.encode(), None)

    said = {"type": MessageType.ALERT, "body": {CONFIRMED: True}}
    whole = [at(1, 23, type=MessageType.INTENT), at(2, 3), at(3, 4, **said), at(4, 5)]
    watched = Lasting()
    assert list(watched.watching(whole)) == whole
    assert newest(watched.records) == whole[-1].message.at
    watched._recent.clear()
    assert newest(watched.records) == whole[-1].message.at


def test_the_chronicle_gets_all_it_tells() -> None:
    assert lasting.RECENT > chronicle.RECENT
