"""“Put the living room back to how it was at eight”: planned from the record."""

from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime
import re

from ..chronicle import Past
from ..devices import Device, House
from ..intents import Plan, PlanKind, Request
from ..reasons import Reason
from ..restore import restorable
from ..undo import left_alone, restore_of
from ..view import View
from . import Situation
from .words.fold import fold
from .words.times import earlier

SOURCE = "restore"

type StateAt = Callable[[Iterable[str], datetime], Awaitable[Past]]
"""How devices were at a moment; LookupError when nothing is on record of it."""

_SENTENCES = tuple(
    re.compile(pattern)
    for pattern in (
        (
            r"(?:put|set|bring|restore|return|turn) (?P<place>.+?)(?: back)? to"
            r" (?:how|what|the way) (?:it|they) (?:was|were|looked) (?P<when>.+)"
        ),
        r"restore (?P<place>.+?) (?:to|as of|from) (?P<when>.+)",
        (
            r"(?:stelle?|setze?|bringe?|mache?) (?P<place>.+?)(?: wieder)?(?: so)?"
            r"(?: her| ein| zuruck)? wie (?:es|sie|er) (?P<when>.+?) (?:war|waren)"
        ),
        (
            r"(?:stelle?|setze?|bringe?) (?P<place>.+?) (?:wieder )?auf den stand"
            r" (?:von|um) (?P<when>.+?)(?: zuruck)?"
        ),
        (
            r"(?:remets|remettez|retablis) (?P<place>.+?) comme"
            r" (?:il|elle|c|ils|elles) (?:etait|etaient) (?P<when>.+)"
        ),
        (
            r"(?:vuelve a poner|deja|pon|restaura|devuelve) (?P<place>.+?)"
            r"(?: otra vez)?(?: tal)? como estaban? (?P<when>.+)"
        ),
        (
            r"把?(?P<place>.+?)(?:恢复|还原|变回|改回)(?:到|成)?"
            r"(?P<when>.+?)(?:的|时)*(?:样子|状态|时候|情况)"
        ),
    )
)
_ARTICLE = re.compile(r"^(?:the|my|das|die|den|der|le|la|les|l|el|los|las) ")
_AT = ("", "at ", "um ", "a ", "a las ")
"""What makes a time of a bare number, in one language or another."""


class RestorePlanner:
    """Plans how to give the devices of a room, or one by name, what they had."""

    def __init__(self, view: View, state_at: StateAt) -> None:
        """Take where names and the past are told."""
        self._view = view
        self._state_at = state_at

    async def plan(self, request: Request, situation: Situation) -> Plan | None:
        """Return the plan, a question, or None when the words are about else."""
        words = fold(request.text).strip(" ?¿")
        match = next((m for p in _SENTENCES if (m := p.fullmatch(words))), None)
        if match is None:
            return None
        times = next(
            (
                found
                for at in _AT
                if (found := earlier(at + match["when"], situation.now))
            ),
            (),
        )
        devices = _placed(match["place"], situation.house)
        if not devices:
            return _unclear(Reason.UNKNOWN_TARGET)
        if not times:
            return _unclear(Reason.NOT_UNDERSTOOD)
        if len(times) > 1:
            return _unclear(
                Reason.AMBIGUOUS, *(f"{time:%H:%M}" for time in times[::-1])
            )
        try:
            past = await self._state_at(devices, times[0])
        except LookupError:
            return _unclear(Reason.NOT_RECORDED)
        return restoring(devices, past, situation.house, self._view)


def restoring(devices: Iterable[str], past: Past, house: House, view: View) -> Plan:
    """Return the plan that puts devices back, and what it cannot put back."""
    restore = restore_of(devices, past.values, house, f"restore as of {past.at}")
    return Plan(
        kind=PlanKind.COMMAND,
        actions=restore.actions,
        dropped=left_alone(restore, SOURCE, house, view),
        as_of=past.at,
        source=SOURCE,
    )


def in_place(devices: Iterable[Device]) -> tuple[str, ...]:
    """Return those devices of a place that can be put back at all; groups by members.

    What is in it and never has a way back, a button or a scene, is not named.
    """
    return tuple(d.id for d in devices if not d.members and restorable(d))


def _placed(said: str, house: House) -> tuple[str, ...]:
    """Return the devices of a room, floor or name."""
    name = fold(_ARTICLE.sub("", said)).strip()
    own = [d for d in house.devices() if _is(name, d.name, *d.aliases)]
    if own:
        return tuple(m for d in own for m in (d.members or (d.id,)))
    return in_place(d for d in house.devices() if _is(name, d.area, d.floor))


def _is(name: str, *names: str | None) -> bool:
    return any(fold(known).strip() == name for known in names if known)


def _unclear(reason: Reason, *near: str) -> Plan:
    return Plan(kind=PlanKind.UNCLEAR, reason=reason, near=near, source=SOURCE)
