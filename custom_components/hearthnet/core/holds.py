"""Holds: what somebody wanted and got, kept from weaker wishes for a while.

A hold lies on one attribute of one device. It is made from a receipt, never
from a grant, so an action cannot make its own lease stale.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum, StrEnum
from typing import Any

from .clock import from_text, to_text
from .devices import Principal
from .effects import TOLERANCE, Effect, contradicts
from .messages import Json, MalformedError


class SourceClass(IntEnum):
    """Whose wish it is, by evidence; the higher is the stronger."""

    AGENT = 1
    """An agent's own initiative."""
    SCHEDULE = 2
    AUTOMATION = 3
    STANDING = 4
    """What a person asked for ahead: "from nine on", "when I leave"."""
    PERSON = 5
    """What a person asks for now."""
    SAFETY = 6
    """An automation that the owner listed as such."""


type Range = tuple[float | None, float | None]
"""From and to, both included; None is open."""

PERSONS = frozenset({SourceClass.PERSON, SourceClass.STANDING})


class Kind(StrEnum):
    """What a hold does."""

    HOLD = "hold"
    """Keeps weaker sources, and equal ones as the policy orders them, off."""
    QUIET = "quiet"
    """After a switch was pressed: keeps schedules and agents off, nobody else."""


@dataclass(frozen=True, kw_only=True)
class Hold:
    """One attribute of one device, held until a moment."""

    id: str
    device: str
    """`Device.key`."""
    attribute: str
    value: Json
    """The value that was seen."""
    source: SourceClass
    principal: Principal
    since: datetime
    ends_at: datetime
    kind: Kind = Kind.HOLD
    within: Range | None = None
    """The range that the person named; whatever lies in it is as good."""
    members: tuple[str, ...] = ()
    """Keys of a group's members: they are held with it."""
    intent: str | None = None
    event: str = ""
    """The receipt or observation that made it."""

    @property
    def path(self) -> str:
        """The path of the hold in the record."""
        return f"holds/{self.id}.json"

    def is_live(self, now: datetime | None) -> bool:
        """Tell whether it still holds; always, when the clock is not trusted."""
        return now is None or now < self.ends_at

    def against(self, effect: Effect) -> bool:
        """Tell whether an effect would change the value that was seen.

        A range does not excuse it: "below 60 %" is no leave for a schedule to
        dim a lamp from 55 to 20 %.
        """
        if effect.device != self.device and effect.device not in self.members:
            return False
        return contradicts(effect, self.attribute, self.value)

    def broken_by(self, effect: Effect) -> bool:
        """Tell whether a change leaves what the person wanted, a range included."""
        if self.within is not None and effect.attribute == self.attribute:
            named = effect.device == self.device or effect.device in self.members
            return named and not _lies_in(self.attribute, effect.value, self.within)
        return self.against(effect)

    def as_dict(self) -> dict[str, Json]:
        """Return the JSON form in which the record keeps it."""
        return {
            "id": self.id,
            "kind": self.kind.value,
            "device": self.device,
            "attribute": self.attribute,
            "value": self.value,
            "within": None if self.within is None else list(self.within),
            "members": list(self.members),
            "source": self.source.name.lower(),
            "principal": self.principal.as_dict(),
            "intent": self.intent,
            "event": self.event,
            "since": to_text(self.since),
            "ends_at": to_text(self.ends_at),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Hold":
        """Read the JSON form; MalformedError when it has another shape."""
        try:
            within = data["within"]
            return cls(
                id=str(data["id"]),
                kind=Kind(data["kind"]),
                device=str(data["device"]),
                attribute=str(data["attribute"]),
                value=data["value"],
                within=None if within is None else (within[0], within[1]),
                members=tuple(str(member) for member in data["members"]),
                source=SourceClass[data["source"].upper()],
                principal=Principal.from_dict(data["principal"]),
                intent=data["intent"],
                event=str(data["event"]),
                since=from_text(data["since"]),
                ends_at=from_text(data["ends_at"]),
            )
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            raise MalformedError(f"not a hold: {error!r}") from None


def _lies_in(attribute: str, value: Json, within: Range) -> bool:
    """Tell whether a number lies in a range, within the attribute's tolerance."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    low, high = within
    slack = TOLERANCE.get(attribute, 0.0)
    return (low is None or value >= low - slack) and (
        high is None or value <= high + slack
    )
