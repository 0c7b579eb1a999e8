"""Time, passed in wherever it is needed so that a trace replays exactly."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
import time
from typing import Protocol

type Zone = Callable[[], tzinfo]
"""The home's time zone as it is now: its owner may correct it at any time."""


class Clock(Protocol):
    """A wall clock and a clock that counts through suspend."""

    def now(self) -> datetime:
        """Return the wall-clock time, aware, in UTC."""

    def boottime(self) -> float:
        """Return seconds since some fixed moment; never goes back or stops."""


class SystemClock:
    """The machine's own clocks.

    CLOCK_BOOTTIME, unlike CLOCK_MONOTONIC, counts while a phone sleeps, so a
    lease cannot outlive a suspend (clock_gettime(2)).
    """

    def now(self) -> datetime:
        """Return the wall-clock time, aware, in UTC."""
        return datetime.now(UTC)

    def boottime(self) -> float:
        """Return seconds since the machine booted, suspend included."""
        if hasattr(time, "CLOCK_BOOTTIME"):
            return time.clock_gettime(time.CLOCK_BOOTTIME)
        return time.monotonic()


@dataclass
class ManualClock:
    """A clock that moves only when told, for tests, benches and replay."""

    wall: datetime = field(
        default_factory=lambda: datetime(2026, 11, 30, 12, tzinfo=UTC)
    )
    seconds: float = 0.0

    def now(self) -> datetime:
        """Return the set wall-clock time."""
        return self.wall

    def boottime(self) -> float:
        """Return the set boot time in seconds."""
        return self.seconds

    def advance(self, seconds: float) -> None:
        """Let both clocks run on by `seconds`."""
        self.wall += timedelta(seconds=seconds)
        self.seconds += seconds


def to_text(moment: datetime) -> str:
    """Write a moment as the messages carry it: UTC, milliseconds, `Z`."""
    text = moment.astimezone(UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


def from_text(text: str) -> datetime:
    """Read a moment written by `to_text`.

    Raises:
        ValueError: the text is no aware ISO 8601 moment.
    """
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"time without zone: {text!r}")
    return moment.astimezone(UTC)
