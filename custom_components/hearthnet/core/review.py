"""What only a person can decide: nobody knows whether something was done.

It is kept on record until the person has decided, or the manager that fell silent
says after all what came of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .intents import Action, Request
from .messages import Json, MalformedError

FOLDER = "reviews"


@dataclass(frozen=True, kw_only=True)
class Review:
    """One action whose end nobody knows."""

    id: str
    """The id of the message that made it."""
    intent: str
    task: str
    manager: str
    device: str
    """The device's name, as people know it."""
    request: Request
    action: Action

    @property
    def path(self) -> str:
        """The path of the review in the record."""
        return f"{FOLDER}/{self.id}.json"

    def as_dict(self) -> dict[str, Json]:
        """Return the JSON form in which the record keeps it."""
        return {
            "id": self.id,
            "intent": self.intent,
            "task": self.task,
            "manager": self.manager,
            "device": self.device,
            "request": self.request.as_dict(),
            "action": self.action.as_dict(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Review":
        """Read the JSON form; MalformedError when it has another shape."""
        try:
            return cls(
                id=str(data["id"]),
                intent=str(data["intent"]),
                task=str(data["task"]),
                manager=str(data["manager"]),
                device=str(data["device"]),
                request=Request.from_dict(data["request"]),
                action=Action.from_dict(data["action"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise MalformedError(f"not a review: {error!r}") from None
