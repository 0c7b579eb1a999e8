"""Times of day: over midnight, on weekdays, and when the clocks change."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given, settings, strategies as st
import pytest

from hearthnet.core.policy.evaluate import evaluate
from hearthnet.core.policy.load import load
from hearthnet.core.policy.match import in_window
from hearthnet.core.policy.model import Decision, Usage, Window

from .homes import RADIO, request
from .rules import DAYS, at, policy, text

BERLIN = ZoneInfo("Europe/Berlin")
NIGHT = Window(start=time(22), end=time(7))


@pytest.mark.parametrize(
    ("clock", "inside"),
    [
        ("21:59:59", False),
        ("22:00:00", True),
        ("23:59:59", True),
        ("00:00:00", True),
        ("06:59:59", True),
        ("07:00:00", False),
        ("12:00:00", False),
    ],
)
def test_a_window_over_midnight(clock: str, inside: bool) -> None:
    now = datetime.fromisoformat(f"2026-11-30T{clock}+01:00")
    assert in_window(NIGHT, frozenset(), now) is inside


def test_the_end_of_the_day_is_a_minute_past_the_last() -> None:
    evening = Window(start=time(18), end=None)
    last = datetime(2026, 11, 30, 23, 59, 59, 999999, tzinfo=UTC)
    assert in_window(evening, frozenset(), last)
    assert not in_window(evening, frozenset(), last + timedelta(microseconds=1))


def test_a_night_belongs_to_the_day_it_starts_on() -> None:
    friday = datetime(2026, 12, 4, 23, tzinfo=UTC)
    assert friday.weekday() == 4
    fridays = frozenset({4})
    assert in_window(NIGHT, fridays, friday)
    assert in_window(NIGHT, fridays, friday + timedelta(hours=7))
    assert not in_window(NIGHT, fridays, friday + timedelta(hours=8))
    assert not in_window(NIGHT, fridays, friday - timedelta(hours=20))
    assert in_window(None, fridays, friday)
    assert not in_window(None, fridays, friday + timedelta(hours=7))


def test_an_hour_that_comes_twice_counts_twice() -> None:
    window = Window(start=time(2), end=time(3))
    start = datetime(2026, 10, 25, tzinfo=UTC)
    inside = [
        minute
        for minute in range(240)
        if in_window(
            window,
            frozenset(),
            (start + timedelta(minutes=minute)).astimezone(BERLIN),
        )
    ]
    # 2:00 CEST is 0:00 UTC, 3:00 CET is 2:00 UTC.
    assert inside == list(range(120))


def test_a_window_in_the_hour_that_is_skipped_does_not_come() -> None:
    window = Window(start=time(2), end=time(3))
    start = datetime(2026, 3, 28, 23, tzinfo=UTC)
    assert not any(
        in_window(
            window,
            frozenset(),
            (start + timedelta(minutes=minute)).astimezone(BERLIN),
        )
        for minute in range(180)
    )


def test_quiet_hours_follow_the_wall_when_the_clocks_change() -> None:
    noon = time(12, tzinfo=BERLIN)
    for day, hours in ((date(2026, 3, 28), 8), (date(2026, 10, 24), 10)):
        start = datetime.combine(day, noon).astimezone(UTC)
        quiet = sum(
            in_window(
                NIGHT,
                frozenset(),
                (start + timedelta(minutes=minute)).astimezone(BERLIN),
            )
            for minute in range(24 * 60)
        )
        assert quiet == hours * 60


MINUTES = st.integers(0, 1439).map(lambda m: f"{m // 60:02}:{m % 60:02}")


@settings(deadline=None)
@given(
    MINUTES,
    MINUTES | st.just("24:00"),
    st.lists(st.sampled_from(DAYS), min_size=1, unique=True),
    st.datetimes(timezones=st.just(BERLIN)),
)
def test_agrees_with_counting_the_minutes(
    start: str, end: str, days: list[str], now: datetime
) -> None:
    if start == end:
        return
    window = Window(
        start=time.fromisoformat(start),
        end=None if end == "24:00" else time.fromisoformat(end),
    )
    written = {"time": f"{start}-{end}", "weekday": days}
    found = in_window(window, frozenset(map(DAYS.index, days)), now)
    assert found == at(written, now)


@settings(deadline=None)
@given(st.datetimes(timezones=st.just(BERLIN)))
def test_without_a_trusted_clock_the_strictest_time_counts(now: datetime) -> None:
    """A limit that lies in the night holds by day as well, while nobody knows."""
    limit = {
        "effect": "limit",
        "bounds": {"volume_level": {"max": 0.3}},
        "conditions": {"time": "22:00-07:00"},
    }
    loaded = load(text(policy([{"effect": "allow"}, limit])))
    asked = request("media_player.volume_set", RADIO, volume_level=0.5)
    known = evaluate(loaded, asked, now, Usage())
    unsure = evaluate(loaded, asked, None, Usage())
    assert unsure.bounds["volume_level"].maximum == 0.3
    assert unsure.decision is Decision.DENY
    night = now.hour >= 22 or now.hour < 7
    assert known.decision is (Decision.DENY if night else Decision.ALLOW)
