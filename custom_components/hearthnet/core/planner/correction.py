"""“No, the floor lamp”: what the sentence before moved goes back, and that one moves.

Whoever says so wants both. Only the sentence right before is taken back, and of it
only what the new plan does not touch and nobody has changed since.
"""

from dataclasses import replace

from ..intents import Plan, PlanKind, Request
from . import Planner, Situation
from .undo import Receipts, UndoPlanner
from .words.follow import corrected


class CorrectionPlanner:
    """Plans what is said instead of the sentence before."""

    def __init__(self, planner: Planner, undo: UndoPlanner, receipts: Receipts) -> None:
        """Take the planner of sentences, and who knows the way back."""
        self._planner = planner
        self._undo = undo
        self._receipts = receipts

    async def plan(self, request: Request, situation: Situation) -> Plan | None:
        """Return the plan of a sentence; a correction's with the way back."""
        plan = await self._planner.plan(request, situation)
        if plan is None or plan.kind is not PlanKind.COMMAND or plan.due is not None:
            return plan
        if not plan.actions or corrected(request.text) is None:
            return plan
        receipts = self._receipts.last_receipts(request.principal)
        if not receipts or not self._were_of(receipts[-1].intent, request):
            return plan
        meant = {target for action in plan.actions for target in action.targets}
        back = self._undo.back(receipts, situation.house)
        # Behind the others, which name one another by their places.
        also = [one for one in back.actions if meant.isdisjoint(one.targets)]
        return replace(plan, actions=(*plan.actions, *also))

    def _were_of(self, intent: str | None, request: Request) -> bool:
        """Tell whether an intent was the sentence before this one."""
        said = [text for who, text in request.turns if who == "user"]
        record = self._receipts.event(intent) if intent else None
        return (
            bool(said)
            and record is not None
            and (record.message.body.get("text") == said[-1])
        )
