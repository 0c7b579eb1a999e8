"""Changes made outside HearthNet, put on record with what they do to holds."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from .agents.base import Spawn
from .devices import Device, Principal, Values
from .effects import Effect
from .gate import Gate
from .hold_index import HOLDS
from .holding import on_observation
from .holds import Hold
from .journal import JournalError
from .messages import EventId, Json, Message, MessageType
from .news import HoldBroken
from .node import Node, Record
from .paths import device_path
from .policy.model import Policy
from .shadow import differs, shadow
from .state import State
from .status import Cause, HoldStatus

_WORDS = {
    Cause.PERSON: "by {who}",
    Cause.VOICE: "by voice",
    Cause.AUTOMATION: "by the automation {who}",
    Cause.DEVICE: "at the device or its switch",
    Cause.RECONNECT: "seen as it came back",
    Cause.OWN: "as we asked, but late",
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
    execute: str | None = None
    """What it is a late effect of, if it is one."""
    intent: str | None = None
    """The intent that this belonged to."""


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
        content=f"{device.name}: {changes}, {_WORDS[cause].format(who=who)}.",
        cause=observed.execute,
        intent=observed.intent,
        base_commit=node.view.commit,
        body=body,
        writes={path: shadow(device, observed.values), **change.writes()},
    )


class Observations:
    """Takes changes made outside HearthNet and puts them on record in order."""

    def __init__(
        self,
        node: Node,
        sender: str,
        spawn: Spawn,
        *,
        state: State,
        gate: Gate,
        held: Callable[[], None],
        broken: Callable[[HoldBroken], None],
    ) -> None:
        """Speak in the name of `sender`, the manager of the devices.

        `held` is told when a change has made holds, `broken` of one against holds.
        """
        self._node = node
        self._sender = sender
        self._spawn = spawn
        self._state = state
        self._gate = gate
        self._held = held
        self._broken = broken

    def take(self, observed: Observed) -> None:
        """Record a change; what is no news is dropped.

        While an actuation of ours runs on the device, it waits for the receipt.
        """
        if self._gate.busy(observed.device.id) is None:
            self._record(observed)
        else:
            self._spawn(self._later(observed))

    def heard(self, device: Device, told: Message) -> None:
        """Take a change that another node saw on its own device, and put on record.

        Nobody knows who made it, so holds stay; whoever holds something hears of it.
        """
        effects = [
            Effect(device.key, attribute, value)
            for attribute, value in told.body.get("changed", {}).items()
        ]
        holds = self._state.holds_on({device.key}, None)
        change = on_observation(
            told.id,
            Cause.UNKNOWN,
            effects,
            holds=holds,
            now=self._node.clock.now(),
            policy=self._state.in_force.policy,
        )
        if change.broken:
            self._broken(
                HoldBroken(
                    event=told.id,
                    device=device,
                    values=told.body["values"],
                    cause=Cause.UNKNOWN,
                    principal=None,
                    holds=tuple(map(HoldStatus.of, change.broken)),
                )
            )

    async def _later(self, observed: Observed) -> None:
        await self._gate.wait_idle(observed.device.id)
        self._record(observed)

    def _record(self, observed: Observed) -> None:
        before = self._node.view.order_in(HOLDS)
        holds = self._state.holds_on({observed.device.key}, None)
        with suppress(JournalError):  # the gate refuses everything meanwhile
            record = observe(
                self._node,
                self._sender,
                observed,
                holds=holds,
                policy=self._state.in_force.policy,
                now=self._node.clock.now(),
            )
            if self._node.view.order_in(HOLDS) != before:
                self._held()
            if record is not None and (ids := record.message.body["broken"]):
                self._broken(
                    HoldBroken(
                        event=record.message.id,
                        device=observed.device,
                        values=observed.values,
                        cause=observed.cause,
                        principal=observed.principal,
                        holds=tuple(HoldStatus.of(h) for h in holds if h.id in ids),
                    )
                )
