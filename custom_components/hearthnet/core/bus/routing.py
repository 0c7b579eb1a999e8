"""One bus out of two: agents of this node first, then whoever is on another."""

from collections.abc import Callable

from ..messages import BROADCAST
from ..node import Record
from . import Bus, Handler
from .local import LocalBus


class RoutedBus:
    """Agents do not know where their peers run."""

    def __init__(self, local: LocalBus, remote: Bus | None) -> None:
        """Without a `remote` everybody is here."""
        self._local = local
        self._remote = remote

    def attach(self, agent: str, handler: Handler) -> Callable[[], None]:
        """Deliver messages for `agent` to `handler`, wherever they come from."""
        detach = [self._local.attach(agent, handler)]
        if self._remote is not None:
            detach.append(self._remote.attach(agent, handler))

        def detach_all() -> None:
            for one in detach:
                one()

        return detach_all

    def send(self, record: Record) -> bool:
        """Deliver a message; False when nobody of that name is reachable."""
        here = self._local.send(record)
        if self._remote is None or (here and record.message.to != BROADCAST):
            return here
        return self._remote.send(record) or here
