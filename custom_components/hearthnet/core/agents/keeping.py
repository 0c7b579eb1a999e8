"""What a receipt keeps: from what was done for whom to the holds that it leaves."""

from collections.abc import Iterable
from datetime import datetime

from ..assignment import Assignment
from ..compile import Compiled
from ..devices import Device, Values
from ..holding import HoldChange, ends_at, holds_from_receipt
from ..holds import Hold
from ..messages import Json, Message
from ..policy.model import Policy
from ..reasons import DONE, Outcome


def kept_by(
    receipt: Message,
    assignment: Assignment,
    compiled: Compiled,
    *,
    now: datetime,
    now_local: datetime,
    holds: Iterable[Hold],
    policy: Policy,
) -> HoldChange:
    """Return what a receipt does to the holds. Pure.

    Args:
        receipt: what was read back of each target.
        assignment: for whom it was done, and until when.
        compiled: what it was to make true.
        now: the time, aware.
        now_local: the same moment in the home's zone, for midnight.
        holds: those that lie on the targets.
        policy: how long each source holds.
    """
    members = receipt.body["members"]
    seen: dict[str, Values] = {}
    wished: dict[str, dict[str, Json]] = {}
    for effect in compiled.effects:
        wished.setdefault(effect.device, {})[effect.attribute] = effect.value
    for target in compiled.targets:
        device, outcome = target.device, Outcome(members[target.device.id])
        travels = _travels(outcome, compiled, device)
        if outcome in DONE or travels:
            # What still moves is held at where it goes, not at where it was seen.
            seen[device.key] = (
                wished.get(device.key, {})
                if travels
                else receipt.body["values"].get(device.id, {})
            )
    return holds_from_receipt(
        receipt.id,
        [effect for effect in compiled.effects if effect.device in seen],
        seen,
        source=assignment.source,
        leaves=assignment.leaves,
        principal=assignment.principal,
        now=now,
        ends=ends_at(assignment.leaves, now, now_local, policy, assignment.until),
        holds=holds,
        policy=policy,
        intent=assignment.task.intent,
        ranges=assignment.ranges,
        members=compiled.members,
    )


def _travels(outcome: Outcome, compiled: Compiled, device: Device) -> bool:
    """Tell whether a device is on its way, though it may not show it before the end."""
    if outcome is Outcome.RUNNING:
        return True
    silent = outcome is Outcome.UNVERIFIED and not device.assumed_state
    return silent and compiled.operation.moves
