"""“In five minutes, turn off the light”: the sentence without its time, kept for later.

Any planner then plans the rest as if it were said when it is due.
"""

from dataclasses import replace
import re
import unicodedata

from ..intents import Plan, PlanKind, Request
from . import Planner, Situation
from .words.fold import fold, phrases
from .words.times import CLOCKS, DELAYS, LASTING, NAMED_TIMES, TOMORROW, Later, later

_PREPOSITION = re.compile(
    r"(?:(?<!\w)(?:at|by|until|till|um|bis|vers|jusqu a|hasta|sobre|hacia|a|en)|直?到)"
    r"(?: las?)? ?$"
)
_POSTPOSITION = re.compile(" ?为止")
_KEEP = phrases(
    """
    keep, leave, halt, halte, lass, lasse, behalte, garde, laisse, maintiens
    manten, mantiene, deja, 保持, 维持
    """
)
"""What is kept until ten is not turned around at ten."""
_LOOSE = re.compile(r"^\W+|[^\w.?!]+$")
_KEPT = frozenset("?%¿:")


class LaterPlanner:
    """Plans what is to be done later; everything else it leaves to the next."""

    def __init__(self, planner: Planner) -> None:
        """Take the planner of sentences about now."""
        self._planner = planner

    async def plan(self, request: Request, situation: Situation) -> Plan | None:
        """Return the plan of the rest, with the time it is for."""
        when = later(request.text, situation.now)
        if when is None or (when.due is None and when.until is None):
            return await self._planner.plan(request, situation)
        rest = without_time(request.text)
        if rest is None:
            return await self._planner.plan(request, situation)
        plan = await self._planner.plan(replace(request, text=rest), situation)
        if plan is None or plan.kind is not PlanKind.COMMAND:
            # Nothing in the rest; the whole may make sense to somebody.
            return plan or await self._planner.plan(request, situation)
        return timed(plan, when, rest)


def timed(plan: Plan, when: Later, said: str) -> Plan:
    """Return a plan for the time that a sentence names; `said` are its words."""
    plan = replace(plan, by_clock=when.by_clock)
    if when.until is not None:
        # A routine, or what is to stay within a range, only stops being kept.
        keeps = bool(_KEEP.search(fold(said)))
        ranged = any(action.ranges for action in plan.actions)
        reverts = not (keeps or ranged or plan.standing)
        return replace(plan, standing=True, until=when.until, reverts=reverts)
    return replace(plan, due=when.due)


def without_time(text: str) -> str | None:
    """Return a sentence without the words that say when; None if none are found."""
    plain = _aligned(text)
    spans = list(_spans(plain))
    if not spans:
        return None
    if (tomorrow := TOMORROW.search(plain)) is not None:
        spans.append(tomorrow.span())
    kept, position = [], 0
    for start, end in sorted(spans):
        kept.append(text[position : max(start, position)])
        position = max(end, position)
    rest = " ".join("".join([*kept, text[position:]]).split())
    return _LOOSE.sub("", rest) or None


def _spans(plain: str) -> list[tuple[int, int]]:
    for pattern in (*DELAYS, *LASTING):
        if (match := pattern.search(plain)) is not None:
            return [match.span()]
    for named, _ in NAMED_TIMES:
        if (match := named.search(plain)) is not None:
            return [_with_preposition(plain, *match.span())]
    for clock in CLOCKS:
        if (match := clock.search(plain)) is not None:
            parts = match.groupdict().keys() & {"half", "hour"}
            start = min(match.start(part) for part in parts if match[part])
            return [_with_preposition(plain, start, match.end())]
    return []


def _with_preposition(plain: str, start: int, end: int) -> tuple[int, int]:
    before = _PREPOSITION.search(plain[:start])
    after = _POSTPOSITION.match(plain, end)
    return (before.start() if before else start), (after.end() if after else end)


def _aligned(text: str) -> str:
    """Fold a text letter by letter, so that places in it are places in the text."""
    return "".join(map(_letter, text))


def _letter(letter: str) -> str:
    bare = "".join(
        c
        for c in unicodedata.normalize("NFKD", letter).casefold()
        if not unicodedata.combining(c)
    )
    if not bare or not (bare[0].isalnum() or bare[0] in _KEPT):
        return " "
    return bare[0]
