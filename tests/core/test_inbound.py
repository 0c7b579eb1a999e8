"""What is taken of a delivery, and what is thrown away: one rule a row."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from hearthnet.core.bus.broker import Topics
from hearthnet.core.bus.envelope import pack, seal
from hearthnet.core.bus.inbound import (
    KEPT,
    SKEW,
    Again,
    Fault,
    Framed,
    Heard,
    Inbound,
    Rejected,
)
from hearthnet.core.clock import ManualClock
from hearthnet.core.keys import SigningKey
from tests.core.bus_home import KEYS, PREFIX, public
from tests.core.records import message

TOPICS = Topics(PREFIX)
INBOX = TOPICS.inbox("hub", "phone")
PHONE, STRANGER = KEYS["phone"], KEYS["stranger"]
OWNERS = {"darcy": "phone", "rupert": "hub"}

type Examine = Callable[..., Any]


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def examine(clock: ManualClock) -> Examine:
    inbound = Inbound(TOPICS, public, clock, lambda _node, _data: None, OWNERS.get)

    def one(
        event: str = "phone.1.5",
        *,
        topic: str = INBOX,
        key: SigningKey = PHONE,
        retained: bool = False,
        **fields: Any,
    ) -> Any:
        sent = message(event, **{"sender": "darcy", "to": "rupert", **fields})
        data = sent.encode()
        payload = seal(data, key.sign(data))
        return inbound.examine(topic, payload, retained=retained)

    return one


def fault(found: Any) -> Fault | None:
    return found.fault if isinstance(found, Rejected) else None


def test_what_is_its_senders_is_heard(examine: Examine) -> None:
    assert isinstance(examine(), Heard)


@pytest.mark.parametrize("complete", [False, True])
def test_a_stranger_is_no_fault_before_the_hub_has_named_all(
    complete: bool, clock: ManualClock
) -> None:
    """A librarian may say hello to a phone that has not heard of it yet."""
    inbound = Inbound(
        TOPICS, public, clock, lambda _node, _data: None, complete=lambda: complete
    )
    data = message("stranger.1.1", sender="stranger", to="all").encode()
    topic = TOPICS.broadcast("stranger")
    found = inbound.examine(topic, seal(data, STRANGER.sign(data)), retained=False)
    assert fault(found) is (Fault.FORGED if complete else None)
    assert not isinstance(found, Heard)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"retained": True}, Fault.RETAINED),
        ({"key": STRANGER}, Fault.FORGED),
        ({"topic": TOPICS.inbox("hub", "stranger"), "key": STRANGER}, Fault.FORGED),
        ({"topic": f"{PREFIX}/inbox/hub"}, Fault.MISPLACED),
        ({"event": "hub.1.5"}, Fault.MISPLACED),
        ({"sender": "rupert"}, Fault.MISPLACED),
    ],
)
def test_what_is_not_is_thrown_away(
    examine: Examine, fields: dict[str, Any], expected: Fault
) -> None:
    assert fault(examine(**fields)) is expected


def test_a_duplicate_is_known_by_its_bytes(examine: Examine) -> None:
    assert isinstance(examine(), Heard)
    assert isinstance(examine(), Again)
    assert fault(examine(content="Something else.")) is Fault.REPLAYED


def test_what_is_late_is_not_obeyed(examine: Examine, clock: ManualClock) -> None:
    """Two machines' clocks may differ a little; what is old is old."""
    now = clock.now()
    in_time, late = now - SKEW, now - SKEW - timedelta(seconds=1)
    assert isinstance(examine("phone.1.5", expires_at=in_time), Heard)
    assert fault(examine("phone.1.6", expires_at=late)) is Fault.EXPIRED


def test_nothing_older_than_what_was_forgotten(examine: Examine) -> None:
    for number in range(2, KEPT + 3):
        assert isinstance(examine(f"phone.2.{number}"), Heard)
    assert fault(examine("phone.2.1")) is Fault.REPLAYED
    assert fault(examine("phone.2.2")) is Fault.REPLAYED
    assert fault(examine("phone.1.9")) is Fault.REPLAYED, "of an earlier boot"
    assert isinstance(examine("phone.2.3"), Again)


@pytest.mark.parametrize(("node", "taken"), [("phone", True), ("hub", False)])
def test_a_frame_is_of_whom_the_topic_names(
    clock: ManualClock, node: str, taken: bool
) -> None:
    inbound = Inbound(TOPICS, public, clock, lambda _node, _data: None)
    data = pack("log", node=node, records=[])
    found = inbound.examine(
        TOPICS.log("phone"), seal(data, PHONE.sign(data)), retained=False
    )
    assert isinstance(found, Framed if taken else Rejected)
