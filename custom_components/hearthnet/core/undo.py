"""Undo: the actions that put back what an intent changed. Pure.

They are proposals like any other. What somebody else has changed since is left
alone and named.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from .devices import House, Values
from .effects import same_value
from .intents import Action
from .messages import Message
from .paths import device_path
from .reasons import Outcome
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
        now, before = house.read(device_id).values, first[device_id]
        changed = {
            name: value
            for name, value in before.items()
            if not same_value(name, value, now.get(name))
        }
        if not changed:
            continue
        if view.version(device_path(device_id)) not in (None, receipt.id):
            skipped.append(device_id)
            continue
        actions.extend(
            Action(
                targets=(device_id,),
                operation=operation,
                parameters=parameters,
                why=f"undo of {receipt.intent}",
            )
            for operation, parameters in ways_back(device, changed, before)
        )
    return Undo(tuple(actions), tuple(skipped))
