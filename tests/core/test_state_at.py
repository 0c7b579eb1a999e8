"""State at a time or commit: from Git, from what Git has not yet, and from neither."""

from datetime import timedelta
from pathlib import Path

import pytest

from hearthnet.core.chronicle import Chronicle, Past
from hearthnet.core.clock import ManualClock, from_text
from hearthnet.core.messages import Json, MessageType
from hearthnet.core.node import Node
from hearthnet.core.paths import device_path

from .records import make_node, say
from .test_chronicle import Library

MINUTE = timedelta(minutes=1)


def see(node: Node, device: str, **values: Json) -> None:
    """Record that a device was seen at some values, a minute after what was before."""
    clock = node.clock
    assert isinstance(clock, ManualClock)
    clock.advance(60)
    shadow: Json = {"entity_id": f"light.{device}", "name": device, "values": values}
    say(
        node,
        f"{device} was seen.",
        type=MessageType.OBSERVATION,
        body={"device": device},
        writes={device_path(device): shadow},
    )


@pytest.fixture
def told(tmp_path: Path) -> tuple[Node, Library, Chronicle]:
    """A record: a lamp at 10, 20 and 30, a minute apart, and a fan in between."""
    node = make_node(tmp_path / "journal")
    librarian = Library(tmp_path / "record", node)
    chronicle = Chronicle(node, librarian)
    see(node, "lamp", brightness_pct=10)
    see(node, "fan", percentage=50)
    see(node, "lamp", brightness_pct=20)
    see(node, "lamp", brightness_pct=30)
    return node, librarian, chronicle


def shown(past: Past, device: str = "lamp") -> Json:
    """Return the one value of a device; None when it is not known."""
    return next(iter(past.values.get(device, {}).values()), None)


@pytest.mark.parametrize("recorded", [1, 2, 3, 4, 5])
async def test_by_time(told: tuple[Node, Library, Chronicle], recorded: int) -> None:
    """However much of it Git has: what was so at that moment, to the second."""
    node, librarian, chronicle = told
    await node.sync()
    await librarian.take(recorded)
    now = node.clock.now()
    for minutes, lamp, fan in ((0, 30, 50), (1, 20, 50), (2, 10, 50), (3, 10, None)):
        past = await chronicle.state_at(("lamp", "fan"), now - minutes * MINUTE)
        assert (shown(past), shown(past, "fan")) == (lamp, fan)
        assert past.complete
        assert past.at == now - minutes * MINUTE
        second = timedelta(seconds=1)
        if minutes < 3:
            before = await chronicle.state_at(("lamp",), past.at - second)
            assert shown(before) == {30: 20, 20: 10, 10: 10}[lamp]
    with pytest.raises(LookupError):
        await chronicle.state_at(("lamp",), now - 10 * MINUTE)


async def test_by_commit(told: tuple[Node, Library, Chronicle]) -> None:
    """Right after it, whatever came later; a few letters are enough."""
    node, librarian, chronicle = told
    await node.sync()
    await librarian.take(5)
    rows = (await chronicle.timeline(device="lamp"))["events"]
    for row, value in zip(rows, (30, 20, 10), strict=True):
        past = await chronicle.state_at(("lamp",), commit=row["commit"][:10])
        assert shown(past) == value
        assert past.commit == row["commit"]
        assert past.at == from_text(row["at"])
    see(node, "lamp", brightness_pct=40)
    past = await chronicle.state_at(("lamp",), commit=rows[0]["commit"])
    assert shown(past) == 30
    with pytest.raises(LookupError):
        await chronicle.state_at(("lamp",), commit="0" * 40)


async def test_without_the_librarian(told: tuple[Node, Library, Chronicle]) -> None:
    """What is remembered is told, and that it may not be all."""
    node, librarian, chronicle = told
    await node.sync()
    await librarian.take(3)
    librarian.away = True
    past = await chronicle.state_at(("lamp", "fan"), node.clock.now() - MINUTE)
    assert (shown(past), past.complete, past.commit) == (20, False, None)
    with pytest.raises(LookupError):
        await chronicle.state_at(("lamp",), commit="abcdef0")


async def test_what_nobody_knows(told: tuple[Node, Library, Chronicle]) -> None:
    """The time to come; and a device after a command with no known end."""
    node, librarian, chronicle = told
    await node.sync()
    await librarian.take(5)
    with pytest.raises(LookupError):
        await chronicle.state_at(("lamp",), node.clock.now() + timedelta(seconds=1))
    doubtful: Json = {"values": {"brightness_pct": 30}, "unknown": "hub.1.9"}
    say(node, "Nobody knows.", writes={device_path("lamp"): doubtful})
    past = await chronicle.state_at(("lamp", "fan"), node.clock.now())
    assert (shown(past), shown(past, "fan")) == (None, 50)
    # Only what was asked for is told.
    assert past.values.keys() == {"fan"}
