"""An assignment: what a `task` message gives a manager to do.

The task is what the record keeps (its scope and state); the assignment is the
task together with the one action it asks for.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from .confirmations import Binding
from .devices import Principal
from .holds import SourceClass
from .intents import Origin
from .messages import Json, MalformedError, Message
from .tasks import Task


@dataclass(frozen=True, kw_only=True)
class Assignment:
    """One operation on one device or group, for one principal."""

    task: Task
    device: str
    """Id of the device or group that was named."""
    operation: str
    parameters: Mapping[str, Json] = field(default_factory=dict)
    relative: Mapping[str, float] = field(default_factory=dict)
    ranges: Mapping[str, tuple[float | None, float | None]] = field(
        default_factory=dict
    )
    principal: Principal
    origin: Origin
    source: SourceClass
    """Whose wish it is at this moment."""
    standing: bool = False
    """What it leaves is held as a standing wish, weaker than a word said later."""
    until: datetime | None = None
    """End of the hold that it leaves, if the intent names one."""
    reads: Mapping[str, str | None] = field(default_factory=dict)
    """Versions at grounding: what the plan was made on."""
    ttl: float | None = None
    """Only the lease is wanted, not yet the act, and for so many seconds."""
    use: str | None = None
    """An existing lease to be used; nothing is proposed then."""
    approved: Binding | None = None
    """What a person has agreed to, if one was asked."""

    @property
    def leaves(self) -> SourceClass:
        """The class of the holds that it leaves."""
        if self.standing and self.source is SourceClass.PERSON:
            return SourceClass.STANDING
        return self.source

    def body(self) -> dict[str, Any]:
        """Return the body of the task message for the manager.

        It holds what a manager needs. Whose wish it is stays with the root,
        which never reads it back from a manager.
        """
        return {
            "task": self.task.as_dict(),
            "device": self.device,
            "targets": sorted(self.task.scope.devices),
            "operation": self.operation,
            "parameters": dict(self.parameters),
            "relative": dict(self.relative),
            "lease_only": self.ttl is not None,
            "use": self.use,
            "principal": self.principal.as_dict(),
            "origin": self.origin.value,
            "source": self.source.name.lower(),
        }


@dataclass(frozen=True, kw_only=True)
class Order:
    """An assignment as its manager receives it."""

    id: str
    intent: str | None
    device: str
    operation: str
    parameters: Mapping[str, Json]
    relative: Mapping[str, float]
    lease_only: bool
    use: str | None

    @classmethod
    def from_message(cls, message: Message) -> "Order":
        """Read a task message; MalformedError when a field is missing."""
        body = message.body
        try:
            return cls(
                id=message.id,
                intent=message.intent,
                device=str(body["device"]),
                operation=str(body["operation"]),
                parameters=dict(body["parameters"]),
                relative={k: float(v) for k, v in body["relative"].items()},
                lease_only=bool(body["lease_only"]),
                use=body["use"],
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise MalformedError(f"body: not a task: {error!r}") from None
