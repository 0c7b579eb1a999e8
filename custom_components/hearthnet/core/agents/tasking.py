"""From an action of a plan to the task that a manager gets."""

from collections.abc import Collection, Iterable
from datetime import datetime

from ..assignment import Assignment
from ..devices import Device, House
from ..holds import SourceClass
from ..intents import Action, Origin, Request
from ..policy.model import Policy
from ..tasks import Scope, Task
from ..view import View


def source_of(request: Request, policy: Policy) -> SourceClass:
    """Return the strength of a wish, by evidence of the transport alone."""
    match request.origin:
        case Origin.AUTOMATION if request.principal.id in policy.safety_automations:
            return SourceClass.SAFETY
        case Origin.AUTOMATION:
            return SourceClass.AUTOMATION
        case Origin.SCHEDULE:
            return SourceClass.SCHEDULE
        case Origin.AGENT:
            return SourceClass.AGENT
    return SourceClass.PERSON


def assignment_of(
    task_id: str,
    intent: str,
    action: Action,
    device: Device,
    house: House,
    request: Request,
    *,
    source: SourceClass,
    standing: bool = False,
    until: datetime | None = None,
    lease: float | None = None,
) -> Assignment:
    """Make the task of one action; its scope is exactly what it moves.

    `lease` is the life in seconds of a lease that is wanted without the act.
    """
    devices = frozenset(_leaves(device, house))
    scope = Scope(
        devices=devices, operations=frozenset({action.operation}), count=len(devices)
    )
    task = Task(
        id=task_id,
        intent=intent,
        manager=device.manager,
        goal=f"{action.operation} on {device.name}: {action.why or request.text}"[:300],
        scope=scope,
    )
    return Assignment(
        task=task,
        device=device.id,
        operation=action.operation,
        parameters=action.parameters,
        relative=action.relative,
        ranges=action.ranges,
        principal=request.principal,
        origin=request.origin,
        source=source,
        standing=standing,
        until=until,
        ttl=lease,
    )


def reads_of(
    view: View, paths: Iterable[str], grounded: int, own: Collection[str]
) -> dict[str, str | None]:
    """Return the versions of paths as they were when the plan was grounded.

    A path written since by others gets None: the version that was read is
    gone from the view, and any stands for “not the newest”. `own` are the events
    that the intent itself has led to.
    """
    return {
        path: version if version in own or view.order_of(path) <= grounded else None
        for path, version in view.reads(paths).items()
    }


def _leaves(device: Device, house: House) -> Iterable[str]:
    """Go through a group's members, or give the device itself."""
    seen, waiting = set[str](), [device]
    while waiting:
        found = waiting.pop()
        if found.id in seen:  # a group may, by mistake, contain itself
            continue
        seen.add(found.id)
        if not found.members:
            yield found.id
        members = map(house.device, (*found.members, *found.moves))
        waiting.extend(member for member in members if member is not None)
