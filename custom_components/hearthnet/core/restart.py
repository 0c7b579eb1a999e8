"""What a new boot finds left over, and drops: nothing is re-run (invariant 4)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from .intents import Request
from .lasting import Lasting
from .leftovers import Dropped
from .messages import Json, MessageType
from .node import Node, Record
from .reasons import Reason
from .recovery import Past, read_past
from .state import State


@dataclass(frozen=True, kw_only=True)
class Startup:
    """What an earlier boot left, read from the journal before the hub starts."""

    past: Past
    records: tuple[Record, ...]
    """Those of the journal's records that matter still, oldest first."""

    @classmethod
    def read(cls, node: Node) -> "Startup":
        """Read the journal. Blocks; call it in an executor.

        Raises:
            JournalError: it is damaged.
        """
        lasting = Lasting()
        past = read_past(lasting.watching(node.history()))
        return cls(past=past, records=lasting.records)


@dataclass(frozen=True)
class Restart:
    """The digest of a start."""

    dropped: tuple[Dropped, ...] = ()

    @property
    def sentence(self) -> str:
        """The digest in one sentence."""
        if not self.dropped:
            return "Nothing was open; nothing was re-run."
        return f"Dropped {len(self.dropped)} open requests; nothing was re-run."


def recover(
    node: Node, state: State, before: Iterable[Record], now: datetime | None
) -> Restart:
    """Close what earlier boots left open, with one event that names it all.

    `now` is None while the wall clock is not trusted: no deferred plan is judged.
    """
    intents: dict[str, Record] = {}
    for record in before:
        message = record.message
        if message.type is MessageType.INTENT:
            intents[message.id] = record
        elif message.type is MessageType.RESOLUTION and message.cause == message.intent:
            intents.pop(message.intent or "", None)
        elif message.type is MessageType.RECOVERY:
            intents.clear()  # an earlier start has told of them
    tasks = state.open_tasks()
    missed = [plan for plan in state.deferred() if plan.missed(now)] if now else []
    dropped = tuple(
        Dropped(
            intent=intent,
            text=str(record.message.body.get("text", "")),
            open_tasks=sum(task.intent == intent for task in tasks),
            request=_request(record.message.body),
        )
        for intent, record in intents.items()
    ) + tuple(
        Dropped(
            intent=plan.id,
            text=plan.request.text,
            open_tasks=0,
            request=plan.request,
            due=plan.due,
        )
        for plan in missed
    )
    restart = Restart(dropped)
    if dropped or tasks:
        writes: dict[str, Json] = {task.path: None for task in tasks}
        writes |= {plan.path: None for plan in missed}
        node.emit(
            sender="rupert",
            to="rupert",
            type=MessageType.RECOVERY,
            content=restart.sentence,
            base_commit=node.view.commit,
            body={
                "reason": Reason.RESTARTED,
                "dropped": [one.as_dict() for one in dropped],
            },
            writes=writes,
        )
    return restart


def _request(body: Mapping[str, Any]) -> Request | None:
    """Return what an intent asked for; None where it has another shape."""
    try:
        return Request.from_dict(body)
    except (KeyError, TypeError, ValueError, AttributeError):
        return None
