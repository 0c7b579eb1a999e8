"""Undo and restore: the actions that put devices back to how they were. Pure.

They are proposals like any other. What is left alone is named with why: what
somebody else has changed since, what has no way back, what is gone.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from .devices import Device, House, Values
from .effects import STATE, same_value
from .intents import Action, Evidence, Step
from .messages import Message
from .paths import device_path
from .reasons import Outcome, Reason
from .restore import restorable, ways_back
from .shadow import last_name
from .view import View

UNDO = "undo"
"""What the record calls the planner of an undo."""
UNDOABLE = frozenset(
    {Outcome.CHANGED, Outcome.RUNNING, Outcome.PARTIAL, Outcome.UNVERIFIED}
)

type Cause = Callable[[str], str | None]
"""The execute that an observation of ours is a late effect of, by the event's id."""
_TEXTS: Mapping[Reason, str] = {
    Reason.CHANGED_SINCE: "somebody else has changed it since",
    Reason.NOT_RECORDED: "nothing is on record of how it was then",
    Reason.NO_WAY_BACK: "nothing gives it the values that it had",
    Reason.UNKNOWN_TARGET: "it is gone",
}


@dataclass(frozen=True)
class Back:
    """What putting devices back would do."""

    actions: tuple[Action, ...]
    left: tuple[tuple[str, Reason], ...]
    """Ids of devices that are left alone, each with why."""


def undo_of(
    receipts: Iterable[Message], house: House, view: View, late_effect_of: Cause
) -> Back:
    """Return how to undo what some receipts (oldest first) say was done.

    A device is left alone if its values were last written by another event than
    the newest of these receipts or a late effect of what that one told. One that
    is as it was before needs nothing.
    """
    first: dict[str, Values] = {}
    last: dict[str, Message] = {}
    for receipt in receipts:
        for device_id, outcome in receipt.body["members"].items():
            if Outcome(outcome) in UNDOABLE and device_id in receipt.body["before"]:
                first.setdefault(device_id, receipt.body["before"][device_id])
                last[device_id] = receipt
    actions: list[Action] = []
    left: list[tuple[str, Reason]] = []
    for device_id, receipt in last.items():
        before, device = first[device_id], house.device(device_id)
        if device is None:
            left.append((device_id, Reason.UNKNOWN_TARGET))
        elif not restorable(device):
            left.append((device_id, Reason.NO_WAY_BACK))
        elif changed := _changed(house, device_id, before):
            writer = view.version(device_path(device_id))
            ours = writer in (None, receipt.id) or (
                late_effect_of(writer) == receipt.cause
            )
            if not ours:
                left.append((device_id, Reason.CHANGED_SINCE))
            elif back := _back(
                house, device, changed, before, f"undo of {receipt.intent}"
            ):
                actions += back
            else:
                left.append((device_id, Reason.NO_WAY_BACK))
    return Back(tuple(actions), tuple(left))


def restore_of(
    devices: Iterable[str], past: Mapping[str, Values], house: House, why: str
) -> Back:
    """Return how to give devices the values that they had.

    Args:
        devices: ids of those that are meant.
        past: the values by device id, as far as they are known.
        house: the devices as they are now.
        why: the reason that the actions carry.
    """
    actions: list[Action] = []
    left: list[tuple[str, Reason]] = []
    for device_id in devices:
        device, before = house.device(device_id), past.get(device_id)
        if device is None:
            left.append((device_id, Reason.UNKNOWN_TARGET))
        elif before is None:
            left.append((device_id, Reason.NOT_RECORDED))
        elif changed := _changed(house, device_id, before):
            back = _back(house, device, changed, before, why)
            actions += back
            if not back:
                left.append((device_id, Reason.NO_WAY_BACK))
    return Back(tuple(actions), tuple(left))


def left_alone(back: Back, source: str, house: House, view: View) -> tuple[Step, ...]:
    """Return the steps that tell of the devices that are left alone."""
    return tuple(_left(d, reason, source, house, view) for d, reason in back.left)


def _left(
    device_id: str, reason: Reason, source: str, house: House, view: View
) -> Step:
    device, event = house.device(device_id), None
    if reason is Reason.CHANGED_SINCE:
        event = view.version(device_path(device_id))
    evidence = Evidence(
        code=reason,
        text=_TEXTS[reason],
        event=event,
        commit=view.commit_of(event) if event else None,
    )
    return Step(
        device=device_id,
        entity_id=device.entity_id if device else "",
        name=device.name
        if device
        else last_name(view.get(device_path(device_id)), device_id),
        operation=source,
        parameters={},
        outcome=Outcome.REFUSED,
        reason=reason,
        evidence=(evidence,),
    )


def _changed(house: House, device_id: str, before: Values) -> Values:
    """Return those of a device's former values that are others now.

    States are compared to the letter: off may do for a player that shall be idle, but
    one that was idle was not off.
    """
    now = house.read(device_id).values
    return {
        name: value
        for name, value in before.items()
        if (
            value != now.get(name)
            if name == STATE
            else not same_value(name, value, now.get(name))
        )
    }


def _back(
    house: House, device: Device, changed: Values, before: Values, why: str
) -> list[Action]:
    now = house.read(device.id).values
    return [
        Action(
            targets=(device.id,), operation=operation, parameters=parameters, why=why
        )
        for operation, parameters in ways_back(device, changed, before, now)
    ]
