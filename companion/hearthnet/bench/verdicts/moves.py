"""What people, automations, devices and accidents do, by the second.

Plain data, made by `generator` and played by `arena`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Who:
    """Somebody who wants things, and the way they come in."""

    kind: str
    id: str
    role: str
    origin: str


@dataclass(frozen=True, kw_only=True)
class Move:
    """Something that happens at a moment."""

    at: float
    """Seconds since the start."""


@dataclass(frozen=True, kw_only=True)
class Wish(Move):
    """Somebody wants one operation on one device or group."""

    number: int
    who: Who
    device: str
    operation: str
    parameters: Mapping[str, Any]
    think: float = 0.0
    """Seconds that a planner takes; meanwhile the world goes on."""
    deadline: float = 120.0
    standing: bool = False
    lease: float | None = None
    """Only a lease is wanted, of this life in seconds."""

    @property
    def words(self) -> str:
        """The text of the intent."""
        return f"wish {self.number}"


@dataclass(frozen=True, kw_only=True)
class Misuse(Move):
    """A lease of a wish is taken to a gate once more, or changed."""

    wish: int
    how: str
    """What is wrong with it; see `HOWS`."""


HOWS = (
    *("replay", "use", "grantee", "target", "operation", "parameters", "forged"),
    *("early", "stray"),
)
"""`use` is no misuse: a lease that was asked for alone is used. `early` comes with
a lease that nobody has; `stray` proposes something else than the task."""


@dataclass(frozen=True, kw_only=True)
class Change(Move):
    """A device is changed past HearthNet; the report of it comes later."""

    device: str
    values: Mapping[str, Any]
    cause: str
    who: Who | None = None
    report: float = 0.0
    """Seconds until anybody can know."""


@dataclass(frozen=True, kw_only=True)
class Away(Move):
    """A device is unreachable for a while, and may come back as something else."""

    device: str
    seconds: float
    values: Mapping[str, Any] | None = None


@dataclass(frozen=True, kw_only=True)
class Fault(Move):
    """The next act on a device goes wrong."""

    device: str
    how: str
    """`before` or `after`: the adapter breaks before or after the effect; `deaf`."""


@dataclass(frozen=True, kw_only=True)
class Edit(Move):
    """The owner puts another policy into force."""

    policy: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Reboot(Move):
    """A node is killed and starts again."""

    node: str


@dataclass(frozen=True, kw_only=True)
class Revoke(Move):
    """Somebody takes a lease back, or all."""

    wish: int | None


@dataclass(frozen=True, kw_only=True)
class Release(Move):
    """Somebody releases all that is held on a device."""

    device: str
