"""Changes made outside HearthNet, put on record with what they do to holds."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from .devices import Device, Principal, Values
from .effects import Effect
from .holding import on_observation
from .holds import Hold
from .messages import EventId, Json, MessageType
from .node import Node, Record
from .paths import device_path
from .policy.model import Policy
from .shadow import differs, shadow
from .status import Cause

_WORDS = {
    Cause.PERSON: "by {who}",
    Cause.VOICE: "by voice",
    Cause.AUTOMATION: "by the automation {who}",
    Cause.DEVICE: "at the device or its switch",
    Cause.RECONNECT: "seen as it came back",
    Cause.UNKNOWN: "by an unknown cause",
}


@dataclass(frozen=True, kw_only=True)
class Observed:
    """A device's values as they were found, and who is known to have set them."""

    device: Device
    values: Values
    cause: Cause
    principal: Principal | None = None
    detail: str = ""
    """Name of the automation, for people."""


def observe(
    node: Node,
    sender: str,
    observed: Observed,
    *,
    holds: Iterable[Hold],
    policy: Policy,
    now: datetime,
) -> Record | None:
    """Put a change on record; None when it is no news.

    A device that is seen for the first time has come back, whatever the cause:
    nobody knows what it was before.
    """
    device = observed.device
    path = device_path(device.id)
    kept = node.view.get(path)
    if not differs(kept, observed.values):
        return None
    before = kept.get("values") if isinstance(kept, dict) else None
    known = before if isinstance(before, dict) else None
    cause = observed.cause if known is not None else Cause.RECONNECT
    effects = [
        Effect(device.key, attribute, value)
        for attribute, value in observed.values.items()
        if known is not None and known.get(attribute) != value
    ]
    boot, seq = node.position
    change = on_observation(
        str(EventId(node.name, boot, seq + 1)),
        cause,
        effects,
        holds=holds,
        now=now,
        policy=policy,
        principal=observed.principal,
        entity_id=device.entity_id,
    )
    who = observed.detail or (observed.principal.name if observed.principal else "")
    changes = ", ".join(f"{e.attribute} {e.value}" for e in effects) or "first seen"
    body: dict[str, Json] = {
        "device": device.id,
        "cause": cause,
        "detail": observed.detail,
        "principal": observed.principal.as_dict() if observed.principal else None,
        "values": dict(observed.values),
        "broken": [hold.id for hold in change.broken],
        "ended": [{"hold": e.hold.id, "why": e.why} for e in change.ended],
    }
    return node.emit(
        sender=sender,
        to="rupert",
        type=MessageType.OBSERVATION,
        content=f"{device.name}: {changes}, {_WORDS[cause].format(who=who)}."[:2000],
        base_commit=node.view.commit,
        body=body,
        writes={path: shadow(device, observed.values), **change.writes()},
    )
