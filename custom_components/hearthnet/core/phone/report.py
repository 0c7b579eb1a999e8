"""What a phone's node tells the hub of its phone; telemetry, so it is not recorded."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Self

from ..clock import from_text, to_text
from ..messages import Json
from ..reasons import Reason

KIND = "phone"
"""The kind of frame that carries it."""


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
            values=dict(data["values"]),
            problem=None if problem is None else Reason(problem),
            apps={str(name): Reason(code) for name, code in data["apps"].items()},
            ages={
                str(name): {str(n): float(age) for n, age in ages.items()}
                for name, ages in data.get("ages", {}).items()
            },
            fingerprint=str(data["fingerprint"]),
            camera=data["camera"] is True,
            ahead=(from_text(told) - now).total_seconds() if told else 0.0,
        )
