"""How holds come and go: from receipts, and from changes outside HearthNet."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from .devices import Principal, Values
from .effects import Effect
from .holds import Hold, SourceClass
from .messages import Json
from .policy.model import Policy


class Cause(StrEnum):
    """Who or what changed a device outside HearthNet; never guessed."""

    PERSON = "person"
    AUTOMATION = "automation"
    DEVICE_OR_SWITCH = "device_or_switch"
    RECONNECT = "reconnect"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Ended:
    """A hold that is over before its time, and why."""

    hold: Hold
    why: str


@dataclass(frozen=True, kw_only=True)
class HoldChange:
    """What an event does to the holds."""

    ended: tuple[Ended, ...] = ()
    made: tuple[Hold, ...] = ()
    broken: tuple[Hold, ...] = ()
    """Held still, though the device now shows another value: for the guard."""

    def writes(self) -> dict[str, Json]:
        """Return what the event writes: path to the hold, None where one ends."""
        gone: dict[str, Json] = {ended.hold.path: None for ended in self.ended}
        return gone | {hold.path: hold.as_dict() for hold in self.made}


type Range = tuple[float | None, float | None]


def ends_at(
    source: SourceClass,
    now: datetime,
    now_local: datetime,
    policy: Policy,
    stated: datetime | None = None,
) -> datetime | None:
    """Return when a new hold ends; None when the source leaves no hold.

    Args:
        source: whose wish it is.
        now: the time, aware.
        now_local: the same moment in the home's zone, for midnight.
        policy: how long each source holds.
        stated: the end that the person named, if one was named.
    """
    raise NotImplementedError


def holds_from_receipt(
    event: str,
    effects: Iterable[Effect],
    seen: Mapping[str, Values],
    source: SourceClass,
    principal: Principal,
    now: datetime,
    ends: datetime | None,
    holds: Iterable[Hold],
    policy: Policy,
    *,
    intent: str | None = None,
    ranges: Mapping[str, Range] | None = None,
    members: Mapping[str, tuple[str, ...]] | None = None,
) -> HoldChange:
    """Return what a receipt `changed` or `already_so` does to the holds.

    Args:
        event: id of the receipt.
        effects: the effects that were reached.
        seen: by device key, the values read back.
        source: whose wish it was.
        principal: who wished it.
        now: the time, aware.
        ends: when new holds end (`ends_at`), None for none.
        holds: the holds in force.
        policy: says in which order persons stand.
        intent: the intent it belongs to.
        ranges: by attribute, the range that the person named.
        members: by a group's key, the keys of its members.
    """
    raise NotImplementedError


def on_observation(
    event: str,
    cause: Cause,
    effects: Iterable[Effect],
    holds: Iterable[Hold],
    now: datetime,
    policy: Policy,
    *,
    principal: Principal | None = None,
    entities: Mapping[str, str] | None = None,
) -> HoldChange:
    """Return what a change outside HearthNet does to the holds.

    Args:
        event: id of the observation.
        cause: who or what made the change.
        effects: the attributes that changed, with their new values.
        holds: the holds in force.
        now: the time, aware.
        policy: lengths of holds and of the cool-down, order of persons.
        principal: the person; needed when the cause is one.
        entities: by device key, its entity id, for `switches_as_persons`.
    """
    raise NotImplementedError
