"""What a phone's node tells the hub of its phone; telemetry, so it is not recorded."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Self, TypeGuard

from ..clock import from_text, to_text
from ..messages import Json
from ..reasons import Reason

KIND = "phone"
"""The kind of frame that carries it."""


_NUMBERS = ("battery", "temperature", "light")
_VECTORS = ("gyroscope", "accelerometer")
_FLAGS = ("charging", "screen", "locked")
_TEXT = 255
"""Characters of the longest state that Home Assistant takes."""
_MOST = 1e12
"""More than any sensor says."""
_LONG = 10 * 365 * 86400.0
"""Seconds; no app was read before."""


@dataclass(frozen=True, kw_only=True)
class PhoneReport:
    """A phone as its node knows it."""

    values: Mapping[str, Json] = field(default_factory=dict)
    """What the sensors say, by name; what is not known is not in it."""
    problem: Reason | None = None
    """Why the phone cannot be reached."""
    apps: Mapping[str, Reason] = field(default_factory=dict)
    """By appliance, why its app could not be read or used the last time."""
    ages: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """By appliance and attribute, how many seconds ago its app showed it."""
    fingerprint: str = ""
    """Of the key that the phone has to allow, as its dialog shows it."""
    camera: bool = False
    """Whether its camera can be asked for a picture."""
    ahead: float = 0.0
    """Seconds by which its node's clock was ahead of the hub's when this came."""

    def as_dict(self, now: datetime) -> dict[str, Json]:
        """Return the frame's fields; `now` is by the node's clock."""
        return {
            "now": to_text(now),
            "values": dict(self.values),
            "problem": self.problem,
            "apps": dict(self.apps),
            "ages": {name: dict[str, Json](ages) for name, ages in self.ages.items()},
            "fingerprint": self.fingerprint,
            "camera": self.camera,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], now: datetime) -> Self:
        """Read a frame's fields; `now` is by the hub's clock.

        Raises:
            KeyError, TypeError, ValueError: they are malformed.
        """
        problem = data["problem"]
        # A phone that is not updated yet tells neither ages nor its time.
        told = data.get("now")
        return cls(
            values={n: v for n, v in dict(data["values"]).items() if _is_told(n, v)},
            problem=None if problem is None else Reason(problem),
            apps={str(name): Reason(code) for name, code in data["apps"].items()},
            ages={
                str(name): {str(n): _age(age) for n, age in ages.items()}
                for name, ages in data.get("ages", {}).items()
            },
            fingerprint=str(data["fingerprint"])[:_TEXT],
            camera=data["camera"] is True,
            ahead=(from_text(told) - now).total_seconds() if told else 0.0,
        )


def _is_told(name: str, value: object) -> bool:
    """Tell whether a sensor's value is one that Home Assistant can show."""
    if name in _NUMBERS:
        return _is_number(value)
    if name in _VECTORS:
        return (
            isinstance(value, list) and len(value) == 3 and all(map(_is_number, value))
        )
    if name in _FLAGS:
        return isinstance(value, bool)
    return name == "app" and isinstance(value, str) and len(value) <= _TEXT


def _is_number(value: object) -> TypeGuard[int | float]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) < _MOST  # false for NaN, too


def _age(value: object) -> float:
    """Read an age in seconds; ValueError when it is none."""
    if not _is_number(value) or not 0 <= value <= _LONG:
        raise ValueError(f"not an age: {value!r}"[:80])
    return float(value)
