"""What is new between two statuses."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hearthnet.core.news import AgentLost, HoldEnded, news
from hearthnet.core.status import AgentStatus, HoldStatus, HubStatus, QuestionStatus

NOW = datetime(2026, 11, 30, 18, tzinfo=UTC)
ANNA = HoldStatus(
    id="hub.1.9-0",
    device="desk",
    attribute="state",
    value="on",
    source="person",
    principal="Anna",
    intent="hub.1.5",
    since=NOW - timedelta(minutes=30),
    ends_at=NOW + timedelta(minutes=1),
)
LEVEL = replace(ANNA, id="hub.1.9-1", attribute="brightness_pct", value=40)
STATUS = HubStatus(boot=1, open=True, enabled=True)


def status(*holds: HoldStatus) -> HubStatus:
    return replace(STATUS, holds=holds)


def test_nothing_is_new() -> None:
    assert list(news(status(ANNA), status(ANNA), NOW)) == []


def test_holds_of_a_device_end_together() -> None:
    after = NOW + timedelta(minutes=1)
    assert list(news(status(ANNA, LEVEL), status(), after)) == [
        HoldEnded(
            device="desk",
            attributes=("state", "brightness_pct"),
            principal="Anna",
            expired=True,
        )
    ]


def test_a_hold_that_ends_early_has_not_expired() -> None:
    (ended,) = news(status(ANNA, LEVEL), status(ANNA), NOW)
    assert ended == HoldEnded(
        device="desk", attributes=("brightness_pct",), principal="Anna", expired=False
    )


def test_a_renewed_hold_has_not_ended() -> None:
    """Also where another's wish takes its place: somebody holds it still."""
    renewed = replace(ANNA, id="hub.1.20-0", principal="Ben")
    assert list(news(status(ANNA), status(renewed), NOW)) == []


def test_holds_of_two_people_are_told_apart() -> None:
    ben = replace(LEVEL, principal="Ben")
    assert [
        item.principal
        for item in news(status(ANNA, ben), status(), NOW)
        if isinstance(item, HoldEnded)
    ] == ["Anna", "Ben"]


def test_an_agent_is_lost_once() -> None:
    on, off = (
        AgentStatus(name="darcy", online=True),
        AgentStatus(name="darcy", online=False),
    )
    there, gone = replace(STATUS, agents=(on,)), replace(STATUS, agents=(off,))
    assert list(news(there, gone, NOW)) == [AgentLost(name="darcy")]
    assert list(news(gone, gone, NOW)) == []
    assert list(news(gone, there, NOW)) == []
    assert list(news(STATUS, gone, NOW)) == []


def test_a_question_is_new_once() -> None:
    question = QuestionStatus(
        id="hub.1.30",
        sentence="Unlock the door?",
        principal="Anna",
        target=("door",),
        operation="lock.unlock",
        parameters={},
        shown={"door": {"state": "locked"}},
        expires_at=NOW,
        intent="hub.1.20",
        again=False,
    )
    asked = replace(STATUS, questions=(question,))
    assert list(news(STATUS, asked, NOW)) == [question]
    assert list(news(asked, asked, NOW)) == []
