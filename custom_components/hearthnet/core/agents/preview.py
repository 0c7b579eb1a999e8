"""What a plan shows before or without being carried out: verdicts and readings.

Nothing is recorded here and nothing moves.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ..devices import Device, House
from ..holds import SourceClass
from ..intents import Action, Answer, Evidence, Plan, Request, Step
from ..operations import Problem
from ..reasons import Outcome, Reason
from ..relative import resolve
from .steps import refused
from .tasking import assignment_of, source_of
from .verifier import Verifier


def look(asked: Iterable[str], house: House) -> Iterator[Answer]:
    """Read devices for an answer: live values, with their age."""
    for device_id in asked:
        if (device := house.device(device_id)) is not None:
            reading = house.read(device_id)
            yield Answer(
                device=device.id,
                entity_id=device.entity_id,
                name=device.name,
                available=reading.available,
                values=reading.values,
                since=reading.since,
                seen=reading.seen,
            )


def preview(
    request: Request, plan: Plan, verifier: Verifier, house: House
) -> tuple[Step, ...]:
    """Return the verdict on every step of a plan, as things stand."""
    source = source_of(request, verifier.in_force.policy)
    return tuple(
        _verdict(request, action, device_id, source, verifier, house)
        for action in plan.actions
        for device_id in action.targets
    )


def _verdict(
    request: Request,
    action: Action,
    device_id: str,
    source: SourceClass,
    verifier: Verifier,
    house: House,
) -> Step:
    parameters = dict(action.parameters)
    device = house.device(device_id)
    row = house.operations.get(action.operation)
    problem: Problem | None = None
    if device is not None and row is not None:
        # As its manager will: of a group, what the group itself shows counts.
        values = house.read(device_id).values
        absolute = resolve(
            row, action.parameters, action.relative, values, device.limits
        )
        if isinstance(absolute, Problem):
            problem = absolute
        else:
            parameters = dict(absolute.parameters)

    def step(*evidence: Evidence) -> Step:
        return refused(
            device, device_id, action.operation, parameters, evidence, house=house
        )

    compiled = problem or verifier.compile(device_id, action.operation, parameters)
    if isinstance(compiled, Problem):
        return step(Evidence(code=compiled.reason, text=compiled.text))
    assignment = assignment_of(
        "dry.1.1",
        "dry.1.1",
        action,
        compiled.named,
        house,
        request,
        source=source,
    )
    ruling = verifier.rule(assignment, compiled)
    if (
        ruling.reason is Reason.CONFIRMATION_REQUIRED
        and (shown := verifier.as_wanted(compiled)) is not None
    ):
        return replace(
            step(), outcome=Outcome.ALREADY_SO, values=shown.get(device_id, {})
        )
    if ruling.evidence:
        return step(*ruling.evidence)
    # Last: what is forbidden stays so when the device is back.
    if device is not None and not _reachable(device, house):
        text = f"{device.name} is unavailable"
        return step(Evidence(code=Reason.UNREACHABLE, text=text))
    granted = step(Evidence(text="it would be granted"))
    return replace(granted, outcome=Outcome.PLANNED)


def _reachable(device: Device, house: House) -> bool:
    """Tell whether a device answers, or any member of a group."""
    return any(house.read(one).available for one in device.members or (device.id,))
