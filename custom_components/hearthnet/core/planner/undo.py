"""“Undo that”, or an intent by its id: answered from receipts."""

from collections.abc import Sequence
import re
from typing import Protocol

from ..devices import House, Principal
from ..intents import Plan, PlanKind, Request
from ..messages import EventId, Message
from ..node import Record
from ..reasons import Reason
from ..status import Cause
from ..undo import UNDO, Back, left_alone, undo_of
from ..view import View
from . import Situation
from .deferrals import Plans, canceling, newest_of
from .phrases import Phrase, normalize

SENTENCES = (
    "undo [that|it|this] [please]",
    "(take|put|change) (that|it) back",
    "mach (das|es) [bitte] [wieder] rückgängig",
    "[bitte] rückgängig [machen]",
    "撤销 [刚才的操作]",
    "撤回",
    "恢复原状",
    "annule [ça|cela]",
    "deshaz (eso|lo)",
    "deshazlo",
)
RATHER_NOT = (
    "(actually|rather|better) (no|not)",
    "(doch|lieber|dann doch) [lieber] nicht",
    "(finalement|plutôt) (non|pas)",
    "mejor no",
    "还是(算了|不要了|别了)",
)
"""What undoes only the sentence right before: by itself it may mean anything."""
_BY_ID = re.compile(r"undo (?P<intent>\S+)")


class Receipts(Protocol):
    """Where receipts are found: the chronicle."""

    def last_receipts(self, principal: Principal) -> Sequence[Message]:
        """Return those of the newest intent of a principal that moved something."""

    async def receipts(self, intent: str) -> Sequence[Message]:
        """Return those of an intent."""

    def event(self, event_id: str) -> Record | None:
        """Return a recent event of this node."""

    async def asker(self, intent: str) -> Principal | None:
        """Return whose intent it was."""


def words_for(intent: str | None) -> str:
    """Return the words that undo an intent; None: the asker's last."""
    return "undo that" if intent is None else f"undo {intent}"


class UndoPlanner:
    """Plans the way back from what its asker wanted last, or from a named intent."""

    def __init__(self, view: View, receipts: Receipts, plans: Plans) -> None:
        """Take where values, receipts and plans for later are."""
        self._view = view
        self._receipts = receipts
        self._plans = plans
        self._phrases = tuple(map(Phrase.read, SENTENCES))
        self._rather_not = tuple(map(Phrase.read, RATHER_NOT))

    async def plan(self, request: Request, situation: Situation) -> Plan | None:
        """Return the inverse actions, or None when the words are no undo."""
        words = normalize(request.text)
        if (intent := _named(request.text)) is not None:
            receipts = await self._of(intent, request.principal)
        elif any(phrase.match(words) is not None for phrase in self._phrases) or (
            request.turns
            and any(phrase.match(words) is not None for phrase in self._rather_not)
        ):
            receipts = self._receipts.last_receipts(request.principal)
            plan = newest_of(self._plans(), request.principal)
            if plan is not None and not (receipts and _since(receipts, plan.id)):
                return canceling([plan])
        else:
            return None
        house = situation.house
        undo = self.back(receipts, house)
        if not undo.actions and not undo.left:
            return Plan(
                kind=PlanKind.UNCLEAR, reason=Reason.NOTHING_TO_UNDO, source=UNDO
            )
        return Plan(
            kind=PlanKind.COMMAND,
            actions=undo.actions,
            dropped=left_alone(undo, UNDO, house, self._view),
            source=UNDO,
        )

    def back(self, receipts: Sequence[Message], house: House) -> Back:
        """Return how to undo what some receipts, oldest first, say was done."""
        return undo_of(receipts, house, self._view, self._late_effect_of)

    def _late_effect_of(self, event_id: str) -> str | None:
        """Return the execute that an observed change is a late effect of."""
        record = self._receipts.event(event_id)
        if record is None or record.message.body.get("cause") != Cause.OWN:
            return None
        return record.message.cause

    async def _of(self, intent: str, principal: Principal) -> Sequence[Message]:
        """Return the receipts of an intent that a principal may undo."""
        if not principal.decides:
            asker = await self._receipts.asker(intent)
            if asker is None or not asker.is_same_as(principal):
                return ()
        return await self._receipts.receipts(intent)


def _since(receipts: Sequence[Message], plan: str) -> bool:
    """Tell whether receipts are of an intent that came after a plan for later."""
    intent = EventId.parse(receipts[-1].intent or receipts[-1].id)
    return intent.position >= EventId.parse(plan).position


def _named(text: str) -> str | None:
    """Return the id of the intent that a text names, None when it names none."""
    if (match := _BY_ID.fullmatch(text.strip())) is None:
        return None
    try:
        return str(EventId.parse(match["intent"]))
    except ValueError:
        return None
