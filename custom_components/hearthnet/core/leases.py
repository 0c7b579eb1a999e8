"""Leases: signed, short-lived, single-use permissions to move named devices.

A lease *is* the signed `grant` message; this module gives its body a type.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
import math
from typing import Any

from .devices import Principal
from .messages import EventId, Json, MalformedError, Message, MessageType

MAX_TTL = 60.0
"""Longest life of a lease in seconds: bounds what a cut-off gate cannot know."""
DEFAULT_TTL = 30.0
DRIFT = 0.05
"""How much faster the hub's clock may run than a grantee's, as a share of ttl."""


@dataclass(frozen=True, kw_only=True)
class Bound:
    """What one parameter may be: exactly a value, within a range, or in a set."""

    exact: Json = None
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[Json, ...] | None = None

    def admits(self, value: Json) -> bool:
        """Tell whether a value lies inside; a bool is never a number."""
        if isinstance(value, float) and not math.isfinite(value):
            return False
        if self.choices is not None:
            return any(_identical(value, choice) for choice in self.choices)
        if self.minimum is not None or self.maximum is not None:
            return (
                isinstance(value, int | float)
                and not isinstance(value, bool)
                and (self.minimum is None or value >= self.minimum)
                and (self.maximum is None or value <= self.maximum)
            )
        return _identical(value, self.exact)

    def as_dict(self) -> dict[str, Json]:
        """Return the JSON form that a grant carries."""
        if self.choices is not None:
            return {"in": list(self.choices)}
        if self.minimum is not None or self.maximum is not None:
            return {"range": [self.minimum, self.maximum]}
        return {"exact": self.exact}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Bound":
        """Read the JSON form; MalformedError when it has another shape."""
        match data:
            case {"exact": value, **rest} if not rest:
                return cls(exact=value)
            case {"range": [low, high], **rest} if not rest:
                if all(x is None or type(x) in (int, float) for x in (low, high)):
                    return cls(minimum=low, maximum=high)
            case {"in": [*choices], **rest} if not rest:
                return cls(choices=tuple(choices))
        raise MalformedError(f"envelope: not a bound: {str(data)[:80]}")


def _identical(a: Json, b: Json) -> bool:
    """Compare JSON values; True is not 1, and in no list either."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_identical, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_identical(a[k], b[k]) for k in a)
    return a == b


@dataclass(frozen=True, kw_only=True)
class Lease:
    """The body of a grant, with the ids and times of its message."""

    id: str
    cause: str
    """The proposal it answers."""
    intent: str | None
    task: str | None
    grantee: str
    principal: Principal
    target: tuple[str, ...]
    """Device ids: one device, or all members of a group at once."""
    operation: str
    envelope: Mapping[str, Bound]
    reads: Mapping[str, str | None]
    """Path of the record to the version that the decision rests on."""
    policy_version: str | None
    """Event id of the policy in force (path `policy.yaml`)."""
    policy_commit: str | None
    base_commit: str | None
    ttl: float
    expires_at: datetime
    justification: str
    recipe: str | None = None
    """Digest of the recipe it allows; phones only."""
    vision: bool = False
    """True: where the recipe's selectors fail, a model may be asked; phones only."""

    @property
    def boot(self) -> int:
        """The hub boot that issued it: the fencing number."""
        return EventId.parse(self.id).boot

    def body(self) -> dict[str, Json]:
        """Return the body of the grant that carries this lease."""
        body: dict[str, Json] = {
            "grantee": self.grantee,
            "principal": self.principal.as_dict(),
            "target": list(self.target),
            "operation": self.operation,
            "envelope": {k: v.as_dict() for k, v in self.envelope.items()},
            "reads": dict(self.reads),
            "policy_version": self.policy_version,
            "policy_commit": self.policy_commit,
            "ttl": self.ttl,
            "justification": self.justification,
        }
        if self.recipe is not None:
            body["recipe"] = self.recipe
        if self.vision:
            body["vision"] = True
        return body

    @classmethod
    def from_message(cls, message: Message) -> "Lease":
        """Read the lease out of a grant.

        Raises:
            MalformedError: the message is no grant or its body lacks a field.
        """
        if message.type is not MessageType.GRANT:
            raise MalformedError(f"type: a {message.type} is no grant")
        if message.cause is None or message.expires_at is None:
            raise MalformedError("cause, expires_at: a grant needs both")
        body = message.body
        try:
            lease = cls(
                id=message.id,
                cause=message.cause,
                intent=message.intent,
                task=message.task,
                grantee=_text(body["grantee"]),
                principal=Principal.from_dict(body["principal"]),
                target=tuple(_text(t) for t in body["target"]),
                operation=_text(body["operation"]),
                envelope={k: Bound.from_dict(v) for k, v in body["envelope"].items()},
                reads={k: _version(v) for k, v in body["reads"].items()},
                policy_version=_version(body["policy_version"]),
                policy_commit=body["policy_commit"],
                base_commit=message.base_commit,
                ttl=float(body["ttl"]),
                expires_at=message.expires_at,
                justification=_text(body["justification"]),
                recipe=body.get("recipe"),
                vision=body.get("vision") is True,
            )
        except MalformedError:
            raise
        except (
            KeyError,
            TypeError,
            ValueError,
            AttributeError,
            OverflowError,
        ) as error:
            raise MalformedError(f"body: not a lease: {error!r}") from None
        if not lease.target or not 0 < lease.ttl <= MAX_TTL:
            raise MalformedError("body: target empty or ttl outside (0, 60]")
        return lease


def _version(value: object) -> str | None:
    return None if value is None else str(EventId.parse(_text(value)))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise MalformedError(f"body: expected a text, got {str(value)[:40]!r}")
    return value
