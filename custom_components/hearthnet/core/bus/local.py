"""Delivery between the agents of one node: a function call."""

from collections.abc import Callable

from ..node import Record
from . import BROADCAST, Handler


class LocalBus:
    """Reaches the agents of this node.

    Nothing is synced first: sender and receiver die together, and what leaves
    the node or moves a device is synced by whoever does that.
    """

    def __init__(self, node: str | None = None) -> None:
        """Start with nobody attached; what is sent to `node` is meant for all."""
        self._node = node
        self._handlers: dict[str, Handler] = {}

    def attach(self, agent: str, handler: Handler) -> Callable[[], None]:
        """Deliver messages for `agent` to `handler`; returns how to detach.

        Raises:
            ValueError: the name is taken.
        """
        if agent in self._handlers:
            raise ValueError(f"agent {agent!r} is attached already")
        self._handlers[agent] = handler

        def detach() -> None:
            self._handlers.pop(agent, None)

        return detach

    def send(self, record: Record) -> bool:
        """Deliver a message; False when nobody of that name is attached."""
        to, sender = record.message.to, record.message.sender
        if to in (BROADCAST, self._node):
            for name, each in tuple(self._handlers.items()):
                if name != sender:
                    each(record)
            return True
        addressed = self._handlers.get(to)
        if addressed is not None:
            addressed(record)
        return addressed is not None
