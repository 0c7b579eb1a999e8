"""What the gate has to know of earlier boots, read out of the node's journal."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from .messages import MessageType
from .node import Record
from .reasons import Reason

KEPT = 1024
"""How many executes and grants of the past are remembered, as evidence."""


@dataclass
class Past:
    """What earlier boots of this node granted, executed and left open."""

    executes: dict[str, Record] = field(default_factory=dict)
    """Lease id to its `execute`."""
    open: dict[str, Record] = field(default_factory=dict)
    """Execute id to the `execute`s that have neither receipt nor refusal."""
    grants: dict[str, Record] = field(default_factory=dict)
    """Lease id to its grant; a phone's journal holds none."""
    revoked: dict[str, str] = field(default_factory=dict)
    """Lease id to the revocation."""


def read_past(records: Iterable[Record]) -> Past:
    """Fold the journal. Pure but long: run it where blocking is allowed."""
    past = Past()
    for record in records:
        message = record.message
        lease = message.lease
        if message.type is MessageType.EXECUTE and lease is not None:
            past.open[message.id] = record
            _keep(past.executes, lease, record)
        elif message.type is MessageType.RECEIPT:
            past.open.pop(message.cause or "", None)
        elif message.type is MessageType.REFUSAL:
            past.open.pop(message.body.get("execute", ""), None)
            if lease is not None and message.body.get("reason") == Reason.REVOKED:
                _keep(past.revoked, lease, message.id)
        elif message.type is MessageType.GRANT:
            _keep(past.grants, message.id, record)
        elif message.type is MessageType.REVOCATION and lease is not None:
            _keep(past.revoked, lease, message.id)
    return past


def _keep[T](kept: dict[str, T], key: str, value: T) -> None:
    kept[key] = value
    if len(kept) > KEPT:
        del kept[next(iter(kept))]
