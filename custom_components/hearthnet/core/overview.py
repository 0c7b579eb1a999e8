"""What happens and how things stand, told to whoever shows it."""

from collections.abc import Callable

from .devices import Principal
from .intents import Request, Result, Step
from .messages import Message, MessageType
from .news import Finished, HoldBroken, PlanFailed
from .node import Node, Record
from .status import Decision

SHOWN = frozenset(
    {
        *(MessageType.TASK, MessageType.GRANT, MessageType.RESOLUTION),
        *(MessageType.RECEIPT, MessageType.REFUSAL, MessageType.DENIAL),
        *(MessageType.CONFIRMATION_REQUEST, MessageType.CONFIRMATION),
        *(MessageType.OBSERVATION, MessageType.ALERT),
    }
)
"""Messages after which entities may show something else."""

type Told = Decision | Finished | HoldBroken | PlanFailed
"""What is news when it happens; the rest is found between two statuses."""
type Listener = Callable[[Told | None], None]
"""Told of what happens, and with None that the status has changed."""


class Overview:
    """Follows a node's events for its listeners."""

    def __init__(self, node: Node) -> None:
        """Follow `node` from now on."""
        self._listeners: list[Listener] = []
        self.last: Decision | None = None
        """The last decision of this boot."""
        node.subscribe(self._noted)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` from now on; return what ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def decided(
        self, answer: Message, steps: tuple[Step, ...], principal: Principal
    ) -> None:
        """Tell the listeners of a decision, once a step."""
        for step in steps:
            self.last = Decision(
                event=answer.id,
                intent=answer.intent,
                at=answer.at,
                step=step,
                principal=principal.name,
            )
            self.tell(self.last)

    def finished(self, request: Request, result: Result) -> None:
        """Tell the listeners of the end of an intent."""
        self.tell(
            Finished(
                intent=result.intent,
                text=request.text,
                principal=request.principal.name,
                kind=result.kind,
                complete=result.complete,
                reason=result.reason,
                outcomes=tuple(step.outcome for step in result.steps),
            )
        )

    def changed(self) -> None:
        """Tell the listeners that the status has changed."""
        self.tell(None)

    def tell(self, told: Told | None) -> None:
        """Tell the listeners what has happened."""
        for listener in tuple(self._listeners):
            listener(told)

    def _noted(self, record: Record) -> None:
        if record.message.type in SHOWN:
            self.changed()
