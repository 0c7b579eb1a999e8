"""How fast a chat is written to, and what its messages are taken for."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from custom_components.hearthnet.channels.inbox import OLDEST, is_old, words
from custom_components.hearthnet.channels.pace import APART, MOST, WITHIN, Pace

NOW = datetime(2026, 11, 30, 12, 0, 0, 400_000, tzinfo=UTC)


def test_one_a_second_and_twenty_a_minute() -> None:
    pace, now, sent = Pace(), 1000.0, []
    for _ in range(3 * MOST):
        now += pace.wait(now)
        pace.sent(now)
        sent.append(now)
    assert sent[:3] == [1000.0, 1000.0 + APART, 1000.0 + 2 * APART]
    for first, last in zip(sent, sent[MOST:], strict=False):
        assert last - first >= WITHIN


def test_a_flood_is_waited_out() -> None:
    pace = Pace()
    pace.hold(1030.0)
    pace.hold(1010.0)
    assert pace.wait(1000.0) == 30.0
    assert pace.wait(1040.0) == 0.0


BOT = {"bot": {"username": "hearth_bot"}}


@pytest.mark.parametrize(
    ("data", "asked"),
    [
        ({"text": "turn on the lamp"}, "turn on the lamp"),
        ({"text": "@hearth_bot turn on the lamp"}, "turn on the lamp"),
        ({"text": "@Hearth_Bot: lamp"}, "lamp"),
        ({"text": "@hearth_bots lamp"}, "@hearth_bots lamp"),
        ({"text": None}, ""),
        ({"command": "/ask", "args": ["lamp", "on"]}, "lamp on"),
        ({"command": "/ask@HEARTH_BOT", "args": ["lamp"]}, "lamp"),
        ({"command": "/ask@other", "args": ["lamp"]}, None),
        ({"command": "/start", "args": ["lamp"]}, ""),
        ({"command": "/weather", "args": []}, None),
    ],
)
def test_words(data: dict[str, Any], asked: str | None) -> None:
    assert words(BOT | data) == asked


@pytest.mark.parametrize(
    ("age", "listening", "old"),
    [
        (timedelta(0), timedelta(0), False),
        # Telegram tells whole seconds, so the start's own second counts.
        (timedelta(seconds=0.4), timedelta(0), False),
        (timedelta(seconds=1), timedelta(0), True),
        (timedelta(seconds=1), timedelta(hours=1), False),
        (OLDEST + timedelta(seconds=1), timedelta(hours=1), True),
        (timedelta(0), None, True),
    ],
)
def test_is_old(age: timedelta, listening: timedelta | None, old: bool) -> None:
    assert is_old(NOW - age, listening, NOW) is old
