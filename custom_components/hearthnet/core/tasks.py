"""Tasks: parts of an intent, each with a scope that no manager can leave."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from .messages import Json, MalformedError
from .operations import Problem
from .reasons import Reason


class TaskState(StrEnum):
    """Where a task stands."""

    OPEN = "open"
    BLOCKED = "blocked"
    """Waits for a retry, a person or a device."""
    DONE = "done"
    DROPPED = "dropped"


@dataclass(frozen=True, kw_only=True)
class Scope:
    """What proposals for a task may name."""

    devices: frozenset[str]
    """Device ids."""
    operations: frozenset[str]
    """Operation names."""
    count: int
    """How many devices one action may move at most."""

    def admits(self, operation: str, targets: Iterable[str]) -> Problem | None:
        """Return why an action lies outside the scope, or None.

        Args:
            operation: the operation's name.
            targets: ids of every device that it moves, members of a group too.
        """
        named = set(targets)
        if operation not in self.operations:
            text = f"{operation} is not part of this task"
            return Problem(Reason.OUT_OF_SCOPE, text, "operation")
        if strange := sorted(named - self.devices):
            text = f"{strange[0]} is not part of this task"
            return Problem(Reason.OUT_OF_SCOPE, text, "target")
        if not 0 < len(named) <= self.count:
            text = f"{len(named)} devices; this task may move 1 to {self.count}"
            return Problem(Reason.OUT_OF_SCOPE, text, "target")
        return None

    def as_dict(self) -> dict[str, Json]:
        """Return the JSON form, in a fixed order."""
        return {
            "devices": list[Json](sorted(self.devices)),
            "operations": list[Json](sorted(self.operations)),
            "count": self.count,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Scope":
        """Read the JSON form; KeyError or TypeError when it has another shape."""
        return cls(
            devices=frozenset(_texts(data["devices"])),
            operations=frozenset(_texts(data["operations"])),
            count=int(data["count"]),
        )


@dataclass(frozen=True, kw_only=True)
class Task:
    """A part of an intent, given to one manager."""

    id: str
    """The id of the message that made it."""
    intent: str
    manager: str
    goal: str
    """One sentence; data, never a command."""
    scope: Scope
    state: TaskState = TaskState.OPEN
    reason: str | None = None
    """Why it is blocked or was dropped."""

    @property
    def path(self) -> str:
        """The path of the task in the record."""
        return f"tasks/{self.id}.json"

    def as_dict(self) -> dict[str, Json]:
        """Return the JSON form in which the record keeps it."""
        return {
            "id": self.id,
            "intent": self.intent,
            "manager": self.manager,
            "goal": self.goal,
            "scope": self.scope.as_dict(),
            "state": self.state.value,
            "reason": self.reason,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Task":
        """Read the JSON form; MalformedError when it has another shape."""
        try:
            reason = data["reason"]
            return cls(
                id=str(data["id"]),
                intent=str(data["intent"]),
                manager=str(data["manager"]),
                goal=str(data["goal"]),
                scope=Scope.from_dict(data["scope"]),
                state=TaskState(data["state"]),
                reason=None if reason is None else str(reason),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise MalformedError(f"not a task: {error!r}") from None


def _texts(data: object) -> list[str]:
    if not isinstance(data, list) or not all(isinstance(item, str) for item in data):
        raise TypeError(f"expected a list of texts, got {str(data)[:40]!r}")
    return data
