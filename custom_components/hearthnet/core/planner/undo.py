"""“Undo that”: known words in a few languages, answered from receipts."""

from collections.abc import Callable, Sequence

from ..devices import Principal
from ..intents import Plan, PlanKind, Request
from ..messages import Message
from ..reasons import Reason
from ..undo import undo_of
from ..view import View
from . import Situation
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

type Receipts = Callable[[Principal], Sequence[Message]]
"""The receipts of the newest intent of a principal that moved something."""


class UndoPlanner:
    """Plans the way back from what its asker wanted last."""

    def __init__(self, view: View, receipts: Receipts) -> None:
        """Take where values and receipts are."""
        self._view = view
        self._receipts = receipts
        self._phrases = tuple(map(Phrase.read, SENTENCES))

    async def plan(self, request: Request, situation: Situation) -> Plan | None:
        """Return the inverse actions, or None when the words are no undo."""
        words = normalize(request.text)
        if all(phrase.match(words) is None for phrase in self._phrases):
            return None
        undo = undo_of(self._receipts(request.principal), situation.house, self._view)
        if not undo.actions and not undo.skipped:
            return Plan(
                kind=PlanKind.UNCLEAR, reason=Reason.NOTHING_TO_UNDO, source="undo"
            )
        return Plan(
            kind=PlanKind.COMMAND,
            actions=undo.actions,
            skipped=undo.skipped,
            source="undo",
        )
