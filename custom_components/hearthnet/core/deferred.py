"""What is to be done later: kept on record, verified anew when it is due.

A deferred plan keeps the words and the actions, no permission. It fires as a new
intent, at most once: the event that makes the intent also takes the plan off the
record.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

from .clock import from_text, to_text
from .devices import Principal
from .intents import Action, Request, Waiting
from .messages import Json, MalformedError

GRACE = timedelta(minutes=5)
"""How late a plan may fire; after a longer absence it is dropped and reported."""


@dataclass(frozen=True, kw_only=True)
class Deferred:
    """A plan that waits for its time."""

    id: str
    """The id of the intent that made it."""
    due: datetime
    wall: datetime | None = None
    """What the home's clock shows then, without a zone, if that is how it was said."""
    request: Request
    actions: tuple[Action, ...]
    reverts: bool = False
    """True when the actions were done at once, and are undone when it is due."""

    @property
    def path(self) -> str:
        """The path of the plan in the record."""
        return f"deferred/{self.id}.json"

    @property
    def waiting(self) -> Waiting:
        """The plan as it is told."""
        return Waiting(id=self.id, text=self.request.text, due=self.due)

    @property
    def devices(self) -> tuple[str, ...]:
        """Ids of the devices that it is about."""
        named = (device for action in self.actions for device in action.targets)
        return tuple(dict.fromkeys(named))

    def concerns(self, principal: Principal) -> bool:
        """Tell whether somebody may know of it and cancel it."""
        return principal.decides or self.request.principal.is_same_as(principal)

    def in_zone(self, zone: tzinfo) -> "Deferred":
        """Return the plan as it is due where clocks are set by `zone`."""
        if self.wall is None:
            return self
        return replace(self, due=self.wall.replace(tzinfo=zone).astimezone(UTC))

    def missed(self, now: datetime) -> bool:
        """Tell whether its time is over for good."""
        return now > self.due + GRACE

    def as_dict(self) -> dict[str, Json]:
        """Return the JSON form in which the record keeps it."""
        return {
            "id": self.id,
            "due": to_text(self.due),
            "wall": self.wall.isoformat() if self.wall else None,
            **self.request.as_dict(),
            "reverts": self.reverts,
            "actions": [action.as_dict() for action in self.actions],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Deferred":
        """Read the JSON form; MalformedError when it has another shape."""
        try:
            wall = data.get("wall")
            return cls(
                id=str(data["id"]),
                due=from_text(data["due"]),
                wall=datetime.fromisoformat(wall) if wall else None,
                request=Request.from_dict(data),
                actions=tuple(map(Action.from_dict, data["actions"])),
                reverts=bool(data.get("reverts", False)),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise MalformedError(f"not a deferred plan: {error!r}") from None
