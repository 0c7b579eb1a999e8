"""Who holds what, found by going through all that happened to a device again.

The oracle's own reading of the rules. Imports nothing of HearthNet.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

CLASSES = ("agent", "schedule", "automation", "standing", "person", "safety")
"""Weakest first."""
PERSONS = ("person", "standing")


@dataclass(kw_only=True)
class Happened:
    """Something that makes or ends holds on one device."""

    n: int
    """Its place in the total order."""
    hub: tuple[int, int]
    """The hub's event that put it on record."""
    now: float
    kind: str
    """`got`, `switched` or `released`."""
    values: Mapping[str, Any]
    """What was reached, or shown by whoever changed it."""
    who: Mapping[str, str] = field(default_factory=dict)
    source: str = "person"
    leaves: str = "person"
    until: float | None = None
    """When what it leaves is over; None: it leaves nothing."""
    order: str = "newest"
    """Which of two persons counts."""
    roles: tuple[str, ...] = ()


@dataclass(kw_only=True)
class Held:
    """An attribute that is kept."""

    made: Happened
    attribute: str
    value: Any
    until: float
    quiet: bool = False
    ended: Happened | None = None

    def stands(self, now: float) -> bool:
        """Tell whether it holds at a moment."""
        return self.ended is None and now < self.until


def replay(happened: Iterable[Happened]) -> list[Held]:
    """Return every hold there ever was on a device, from all that happened to it."""
    held: list[Held] = []
    for one in happened:
        live = [hold for hold in held if hold.stands(one.now)]
        made = _made(one)
        for hold in live:
            if _ends(one, hold, made):
                hold.ended = one
        held.extend(made.values())
    return held


def _made(one: Happened) -> dict[str, Held]:
    if one.until is None or one.kind == "released":
        return {}
    return {
        attribute: Held(
            made=one,
            attribute=attribute,
            value=value,
            until=one.until,
            quiet=one.kind == "switched",
        )
        for attribute, value in one.values.items()
        if value is not None
    }


def _ends(one: Happened, hold: Held, made: dict[str, Held]) -> bool:
    if one.kind == "released":
        return hold.attribute in one.values and same(one.who, hold.made.who)
    struck = not hold.quiet and against(one.values, hold)
    if one.kind == "switched":
        return struck or (hold.quiet and hold.attribute in made)
    if not hold.quiet and same(one.who, hold.made.who) and hold.attribute in made:
        made[hold.attribute].until = max(made[hold.attribute].until, hold.until)
        return True
    answer = judge(hold, one.source, one.who, one.order, one.roles)
    return struck and answer in ("yields", "ask")


def against(wanted: Mapping[str, Any], hold: Held) -> bool:
    """Tell whether one of the values wanted would change what is held."""
    return any(_strikes(n, value, hold) for n, value in wanted.items())


def _strikes(attribute: str, value: Any, hold: Held) -> bool:
    held_off = hold.attribute == "state" and hold.value == "off"
    if attribute == "state" and value == "off":
        return not held_off
    if held_off:
        return True
    return attribute == hold.attribute and value != hold.value


def judge(
    hold: Held,
    source: str,
    who: Mapping[str, str],
    order: str,
    roles: tuple[str, ...],
) -> str:
    """Return what a hold in the way means: `free`, `yields`, `ask` or `refused`."""
    if hold.quiet:
        return "refused" if source in ("schedule", "agent") else "free"
    mine, theirs = CLASSES.index(source), CLASSES.index(hold.made.leaves)
    if mine != theirs:
        return "yields" if mine > theirs else "refused"
    if same(who, hold.made.who):
        return "yields"
    if source not in PERSONS:
        return "ask"
    if order == "role":
        ranks = [
            roles.index(w["role"]) if w["role"] in roles else len(roles)
            for w in (who, hold.made.who)
        ]
        return "refused" if ranks[0] > ranks[1] else "yields"
    return "yields"


def same(a: Mapping[str, str], b: Mapping[str, str]) -> bool:
    """Tell whether two are the same principal."""
    return bool(a) and bool(b) and (a["kind"], a["id"]) == (b["kind"], b["id"])
