"""How messages reach agents: in this process, or over a broker.

One protocol, so that agents do not know where their peers run.
"""

from collections.abc import Callable
from typing import Protocol

from ..node import Record

type Handler = Callable[[Record], None]
"""Takes a message addressed to the agent; must not block or wait."""

BROADCAST = "all"
"""The address of every agent."""


class Bus(Protocol):
    """Live delivery. Never stores, never re-sends (invariant 4)."""

    def attach(self, agent: str, handler: Handler) -> Callable[[], None]:
        """Deliver messages for `agent` to `handler`; returns how to detach."""

    def send(self, record: Record) -> bool:
        """Deliver a message; False when nobody of that name is reachable."""
