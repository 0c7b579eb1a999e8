"""Answers of managers and the root, read as steps of a result."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..devices import Device, House
from ..intents import Evidence, Step
from ..messages import Json, Message, MessageType
from ..paths import device_path
from ..reasons import Outcome, Reason
from ..shadow import last_name
from ..view import View

_UNTOUCHED = (Outcome.REFUSED, Outcome.UNREACHABLE)
"""With these a receipt's first evidence is why nothing was done."""


def refused(
    device: Device | None,
    device_id: str,
    operation: str,
    parameters: Mapping[str, Json],
    evidence: tuple[Evidence, ...],
    *,
    event: str | None = None,
    lease: str | None = None,
    house: House | None = None,
) -> Step:
    """Return the step of an action that did not happen."""
    reason = evidence[0].code if evidence else None
    gone = reason is Reason.UNREACHABLE
    since = house.read(device_id).since if house is not None and gone else None
    return Step(
        device=device_id,
        entity_id=device.entity_id if device else "",
        name=device.name if device else device_id,
        operation=operation,
        parameters=parameters,
        outcome=Outcome.UNREACHABLE if gone else Outcome.REFUSED,
        reason=reason,
        evidence=evidence,
        since=since,
        lease=lease,
        event=event,
    )


def named(step: Step, view: View) -> Step:
    """Return a step that calls a device which is gone by the name that it had."""
    if step.name != step.device:
        return step
    return replace(step, name=last_name(view.get(device_path(step.device)), step.name))


def steps_of(
    message: Message,
    house: House,
    *,
    device: str,
    operation: str,
    parameters: Mapping[str, Json],
) -> tuple[Step, ...]:
    """Return the steps that a receipt, refusal, denial or grant stands for.

    A receipt has one for each device that was moved, anything else one for the
    device or group that was named. A script is one step: what it did to its members
    is not known.
    """
    body = message.body
    evidence = evidence_of(body.get("evidence", ()))
    if message.type is MessageType.RECEIPT:
        named = house.device(device)
        alone = named is not None and bool(named.moves)
        why = evidence[0].code if evidence else None
        return tuple(
            Step(
                device=member,
                entity_id=known.entity_id if known else "",
                name=known.name if known else member,
                operation=body["operation"],
                parameters=parameters,
                outcome=Outcome(outcome),
                reason=why if Outcome(outcome) in _UNTOUCHED else None,
                evidence=evidence,
                values=body["values"].get(member, {}),
                since=house.read(member).since,
                lease=message.lease,
                event=message.id,
            )
            for member, outcome in body["members"].items()
            for known in (house.device(member),)
            if member == device or not alone
        )
    granted = message.type is MessageType.GRANT
    step = refused(
        house.device(device),
        device,
        operation,
        parameters,
        evidence,
        event=message.id,
        lease=message.id if granted else message.lease,
        house=house,
    )
    if granted:
        step = replace(step, outcome=Outcome.GRANTED)
    elif message.type is MessageType.CONFIRMATION_REQUEST:
        step = replace(step, outcome=Outcome.WAITING)
    elif body.get("outcome") == Outcome.ALREADY_SO:
        shown = body["values"].get(device, next(iter(body["values"].values()), {}))
        step = replace(step, outcome=Outcome.ALREADY_SO, values=shown)
    return (step,)


def evidence_of(data: Sequence[Mapping[str, Any]]) -> tuple[Evidence, ...]:
    """Read the evidence that a message carries."""
    return tuple(
        Evidence(
            text=str(item["text"]),
            code=Reason(item["code"]) if "code" in item else None,
            event=item.get("event"),
            commit=item.get("commit"),
            lease=item.get("lease"),
            intent=item.get("intent"),
            rule=item.get("rule"),
            path=item.get("path"),
        )
        for item in data
    )
