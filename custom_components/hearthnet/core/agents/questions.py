"""Rupert's questions to people: asked, answered once, or visibly over."""

import asyncio
from datetime import datetime, timedelta

from ..approvals import Approval
from ..clock import Clock, to_text
from ..confirmations import APPROVERS, LIFE, Confirmations, Pending
from ..devices import Principal
from ..intents import Action, Origin, Request
from ..messages import Message, MessageType
from ..node import Node
from .base import Spawn
from .issuer import Open
from .manager import ROOT


class Questions:
    """Keeps the open questions and records how each ends."""

    def __init__(self, node: Node, spawn: Spawn, clock: Clock) -> None:
        """Start with none."""
        self._node = node
        self._spawn = spawn
        self._clock = clock
        self._open = Confirmations()

    @property
    def standing(self) -> tuple[Pending, ...]:
        """The questions that stand, oldest first."""
        return self._open.standing(self._clock.boottime())

    def ask(self, question: Message, task: Open, request: Request) -> None:
        """Keep a `confirmation_request` until it is answered or over."""
        if task.compiled is None or task.binding is None:
            raise ValueError(f"{question.id} asks about nothing")
        assignment = task.assignment
        pending = Pending(
            id=question.id,
            intent=question.intent,
            task=question.task,
            sentence=question.content,
            binding=task.binding,
            request=request,
            action=Action(
                targets=(assignment.device,),
                operation=assignment.operation,
                parameters=task.compiled.parameters,
                ranges=assignment.ranges,
                why=request.text,
            ),
            until=self._clock.boottime() + LIFE,
            expires_at=self._clock.now() + timedelta(seconds=LIFE),
        )
        for replaced in self._open.add(pending):
            self._end(replaced, "superseded", "A newer wish replaced the question.")
        self._spawn(self._lapse(LIFE))

    def supersede(self, target: tuple[str, ...]) -> None:
        """End questions about devices that something else is granted for."""
        replaced = self._open.touching(target)
        self._open.drop(replaced)
        for pending in replaced:
            self._end(pending, "superseded", "A newer wish replaced the question.")

    def answer(
        self,
        question: str,
        principal: Principal,
        origin: Origin,
        *,
        approve: bool,
        until: datetime | None = None,
    ) -> Pending | None:
        """Take a person's answer; None when the question does not stand.

        With `until` the person agrees to the same again as long as that.

        Raises:
            PermissionError: this person, or this way in, may not answer.
            ValueError: nobody can agree until then; the question stands.
        """
        if origin is not Origin.APP and origin is not Origin.CHAT:
            raise PermissionError("only a signed-in person may answer")
        if principal.role not in APPROVERS:
            raise PermissionError(f"a {principal.role} may not answer")
        asked = next((p for p in self.standing if p.id == question), None)
        if asked is None:
            return None
        approval = None
        if approve and until is not None:
            approval = Approval.of(
                asked.id, asked.binding, principal, since=self._clock.now(), until=until
            )
        pending = self._open.take(question, self._clock.boottime())
        if pending is not None:
            word = "approved" if approve else "rejected"
            told = f"{principal.name} {word} it."
            self._end(pending, word, told, principal, approval)
        return pending

    async def _lapse(self, seconds: float) -> None:
        """End what nobody answered in time."""
        await asyncio.sleep(seconds)
        for pending in self._open.over(self._clock.boottime()):
            self._end(pending, "expired", "Nobody answered in time.")

    def _end(
        self,
        pending: Pending,
        answer: str,
        content: str,
        principal: Principal | None = None,
        approval: Approval | None = None,
    ) -> None:
        self._node.emit(
            sender=ROOT,
            to=ROOT,
            type=MessageType.CONFIRMATION,
            content=content,
            cause=pending.id,
            intent=pending.intent,
            task=pending.task,
            base_commit=self._node.view.commit,
            body={
                "answer": answer,
                "principal": principal.as_dict() if principal else None,
                "binding": pending.binding.as_dict(),
                "until": to_text(approval.until) if approval else None,
            },
            writes={approval.path: approval.as_dict()} if approval else {},
        )
