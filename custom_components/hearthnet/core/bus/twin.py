"""Two processes with one name: which one may go on.

It happens when a machine is cloned or restored while the old one still runs.
The lower boot stops; of equal ones both do, for nobody can tell who is right.
Nobody counts up against a process that lives.
"""

import asyncio
from enum import Enum, auto

from ..node import Node
from .presence import Status

ANSWER_SECONDS = 5.0
"""How long a later boot gets to show that it lives."""


class Verdict(Enum):
    """What a status that carries this node's name asks for."""

    NOTHING = auto()
    SAY_AGAIN = auto()
    """What is said in the node's name is not true: say what is."""
    ASK = auto()
    """It may live: say something, and see whether it answers."""
    OUTLIVE = auto()
    """It is over, and this disk does not know it: go on with a later boot."""
    STOP = auto()


class Twin:
    """Watches what is said in this node's name."""

    def __init__(self) -> None:
        """Know of no other process."""
        self.seen = 0
        """The highest boot that another process of this name had."""
        self.fenced: str | None = None
        """Why this process may not go on, in words."""
        self.zombie: str | None = None
        """Another process that has to stop, in words."""

    def look(self, own: Status, other: Status, *, retained: bool) -> Verdict:
        """Judge a status that carries this node's name."""
        if other.instance == own.instance:
            # The will of a lost connection comes after the new one's first word.
            return Verdict.NOTHING if other.online else Verdict.SAY_AGAIN
        live = other.online and not retained
        if other.boot < own.boot:
            if live:
                self.zombie = f"another {own.node}, of boot {other.boot}, is running"
            # Also after a will that was late: the broker keeps it for who comes next.
            return Verdict.NOTHING if retained else Verdict.SAY_AGAIN
        if live:
            self.fenced = (
                f"another {own.node} is running, with boot {other.boot};"
                f" this one has boot {own.boot}"
            )
            return Verdict.STOP
        self.seen = max(self.seen, other.boot)
        return Verdict.ASK if other.online else Verdict.OUTLIVE

    async def outlive(self, node: Node, patience: float) -> None:
        """Go on after a boot that this disk does not know, unless it lives."""
        await asyncio.sleep(patience)
        boot, seq = node.position
        if not self.fenced and self.seen >= boot:
            await node.raise_boot(self.seen, seq + 1)
