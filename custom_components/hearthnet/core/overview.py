"""What happens and how things stand, told to whoever shows it."""

from collections.abc import Callable

from .devices import Principal
from .intents import Request, Result, Step
from .messages import Message, MessageType
from .news import Finished
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

type Listener = Callable[[Decision | Finished | None], None]
"""Told of each decision and end of an intent, and with None that the status changed."""


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
            self._tell(self.last)

    def finished(self, request: Request, result: Result) -> None:
        """Tell the listeners of the end of an intent."""
        self._tell(
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
        self._tell(None)

    def _noted(self, record: Record) -> None:
        if record.message.type in SHOWN:
            self.changed()

    def _tell(self, told: Decision | Finished | None) -> None:
        for listener in tuple(self._listeners):
            listener(told)
