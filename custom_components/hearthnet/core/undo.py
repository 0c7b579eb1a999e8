"""Undo and restore: the actions that put devices back to how they were. Pure.

They are proposals like any other. An undo leaves alone, and names, what somebody
else has changed since; a restore names what it cannot put back.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .devices import Device, House, Values
from .effects import same_value
from .intents import Action
from .messages import Message
from .paths import device_path
from .reasons import Outcome, Reason
from .restore import ways_back
from .view import View

UNDO = "undo"
"""What the record calls the planner of an undo."""
UNDOABLE = frozenset({Outcome.CHANGED, Outcome.RUNNING, Outcome.PARTIAL})


@dataclass(frozen=True)
class Undo:
    """What undoing an intent would do."""

    actions: tuple[Action, ...]
    skipped: tuple[str, ...]
    """Ids of devices that others have changed since."""


def undo_of(receipts: Iterable[Message], house: House, view: View) -> Undo:
    """Return how to undo what some receipts (oldest first) say was done.

    A device is skipped if its values were last written by another event than
    the newest of these receipts. One that is as it was before needs nothing.
    """
    first: dict[str, Values] = {}
    last: dict[str, Message] = {}
    for receipt in receipts:
        for device_id, outcome in receipt.body["members"].items():
            if Outcome(outcome) in UNDOABLE and device_id in receipt.body["before"]:
                first.setdefault(device_id, receipt.body["before"][device_id])
                last[device_id] = receipt
    actions: list[Action] = []
    skipped: list[str] = []
    for device_id, receipt in last.items():
        if (device := house.device(device_id)) is None:
            continue
        before = first[device_id]
        changed = _changed(house, device_id, before)
        if not changed:
            continue
        if view.version(device_path(device_id)) not in (None, receipt.id):
            skipped.append(device_id)
            continue
        actions += _back(device, changed, before, f"undo of {receipt.intent}")
    return Undo(tuple(actions), tuple(skipped))


@dataclass(frozen=True)
class Restore:
    """What putting devices back would do."""

    actions: tuple[Action, ...]
    left: tuple[tuple[str, Reason], ...]
    """Ids of devices that cannot be put back, each with why."""


def restore_of(
    devices: Iterable[str], past: Mapping[str, Values], house: House, why: str
) -> Restore:
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
            back = _back(device, changed, before, why)
            actions += back
            if not back:
                left.append((device_id, Reason.NO_WAY_BACK))
    return Restore(tuple(actions), tuple(left))


def _changed(house: House, device_id: str, before: Values) -> Values:
    """Return those of a device's former values that are others now."""
    now = house.read(device_id).values
    return {
        name: value
        for name, value in before.items()
        if not same_value(name, value, now.get(name))
    }


def _back(device: Device, changed: Values, before: Values, why: str) -> list[Action]:
    return [
        Action(
            targets=(device.id,), operation=operation, parameters=parameters, why=why
        )
        for operation, parameters in ways_back(device, changed, before)
    ]
