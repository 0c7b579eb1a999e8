"""Answering a phone that does not find what to tap: a model may say which it is.

It is asked only for a live lease that carries `vision`, once, and while the policy
in force still allows it. What it says is one number among the phone's own candidates;
the phone checks that again, and the goal on the screen decides as ever.
"""

from collections.abc import Callable, Mapping
from datetime import timedelta
import logging

from ..leases import Lease
from ..messages import Json, MessageType
from ..node import Node, Record
from ..phone.capabilities import VISION
from ..phone.choice import Question
from ..planner.choice import Chooser
from ..planner.errors import PlannerError
from ..reasons import Reason
from .manager import ROOT

_LOGGER = logging.getLogger(__name__)


class Choosing:
    """The hub's part of a choice."""

    def __init__(
        self,
        node: Node,
        send: Callable[[Record], object],
        *,
        leases: Mapping[str, Lease],
        allowed: Callable[[Lease], bool],
        chooser: Chooser,
    ) -> None:
        """Take who is asked.

        Args:
            node: the hub.
            send: delivers the answer.
            leases: the live ones, by id.
            allowed: tells whether the policy in force still lets a model be asked.
            chooser: the model.
        """
        self._node = node
        self._send = send
        self._leases = leases
        self._allowed = allowed
        self._chooser = chooser
        self._asked: set[str] = set()
        """Live leases under which a question came."""

    async def answer(self, phone: str, question: Question) -> None:
        """Ask, put the choice on record and tell the phone."""
        self._asked &= self._leases.keys()
        lease = self._leases.get(question.lease)
        if lease is None or lease.grantee != phone or lease.id in self._asked:
            _LOGGER.warning("%s asks under no lease that stands", phone)
            return
        self._asked.add(lease.id)
        number, reason = await self._choose(lease, question)
        told = reason or ("none of them" if number is None else f"number {number}")
        body: dict[str, Json] = {
            "choice": number,
            "of": len(question.candidates),
            "digest": question.digest,
            "model": self._chooser.name,
            "reason": reason,
            "lease": lease.id,
            "operation": lease.operation,
        }
        record = self._node.emit(
            sender=ROOT,
            to=phone,
            type=MessageType.RESOLUTION,
            content=f"{self._chooser.name} on what {lease.operation} taps: {told}.",
            cause=question.execute,
            intent=lease.intent,
            base_commit=self._node.view.commit,
            expires_at=self._node.clock.now() + timedelta(seconds=VISION),
            body=body,
        )
        self._send(record)

    async def _choose(
        self, lease: Lease, question: Question
    ) -> tuple[int | None, Reason | None]:
        if not lease.vision or not self._allowed(lease):
            return None, Reason.POLICY_DENIED
        try:
            return await self._chooser.choose(question), None
        except PlannerError as error:
            _LOGGER.info("Nothing was chosen: %s", error)
            return None, error.reason
