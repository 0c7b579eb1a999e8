"""Intents and their actions while they run; nothing here outlives the process."""

import asyncio
from dataclasses import dataclass, field
from datetime import datetime

from ..confirmations import Binding
from ..holds import SourceClass
from ..intents import Action, Request, Step


@dataclass(eq=False)
class Job:
    """One action on one device or group, on its way."""

    index: int
    """Index of the plan's action that it belongs to."""
    action: Action
    device: str
    manager: str = ""
    task: str = ""
    """The last task that was made of it."""
    done: asyncio.Event = field(default_factory=asyncio.Event)
    steps: tuple[Step, ...] = ()


@dataclass(eq=False)
class Intent:
    """An intent while it runs."""

    id: str
    at: datetime
    request: Request
    source: SourceClass
    deadline: float
    """Boot time."""
    grounded: int
    """The moment of the hub's view that the plan was made on."""
    standing: bool = False
    until: datetime | None = None
    lease: float | None = None
    """Only leases are wanted, of this life in seconds."""
    approved: Binding | None = None
    """What a person agreed to, if this intent comes of a question."""
    receipts: set[str] = field(default_factory=set)
    """Its own receipts: what they wrote does not make its later steps stale."""
