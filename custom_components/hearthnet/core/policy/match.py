"""Whether a rule counts for a request: yes, no, or not known.

What is not known (the time while the clock is not trusted, who is at home, the
brightness a lamp will pick itself) is decided strictly: a rule that narrows
counts, a rule that opens does not.
"""

from collections.abc import Iterable
from datetime import datetime, time, timedelta

from ..devices import Device
from ..leases import Bound
from ..operations import Operation
from .bounds import FAMILIES, picks_itself
from .model import (
    Conditions,
    Exclusion,
    Operations,
    Request,
    Rule,
    RuleEffect,
    Subjects,
    Target,
    Targets,
    Usage,
    Window,
)

type Truth = bool | None
"""None is "not known"."""


def counts(
    rule: Rule,
    request: Request,
    target: Target,
    now_local: datetime | None,
    usage: Usage,
) -> Truth:
    """Tell whether a rule counts for one target of a request."""
    if not _subjects(rule.subjects, request):
        return False
    if not covers(rule.operations, request.operation):
        return False
    if not _targets(rule, request, target):
        return False
    opens = rule.effect is RuleEffect.ALLOW
    return conditions(rule.conditions, request, target, now_local, usage, opens=opens)


def in_window(
    window: Window | None, weekdays: frozenset[int], now_local: datetime
) -> bool:
    """Tell whether a moment lies in a window that starts on one of the weekdays.

    The clock on the wall counts: in the hour that comes twice in autumn a window
    holds twice, and one that lies in the hour skipped in spring does not come.
    """
    day = now_local
    if window is not None:
        now = now_local.time()
        end = time.max if window.end is None else window.end
        if window.start <= end:
            if not (window.start <= now and (window.end is None or now < end)):
                return False
        elif now < end:
            day -= timedelta(days=1)
        elif now < window.start:
            return False
    return not weekdays or day.weekday() in weekdays


def conditions(
    wanted: Conditions,
    request: Request,
    target: Target,
    now_local: datetime | None,
    usage: Usage,
    *,
    opens: bool,
) -> Truth:
    """Tell whether all conditions hold.

    Args:
        wanted: the conditions of a rule.
        request: who wants what.
        target: the device in question.
        now_local: the home's time; None when the clock is not trusted.
        usage: what was granted before.
        opens: the rule allows, so each value must lie inside, not just one.
    """
    low, high = wanted.evidence_from, wanted.evidence_below
    if low is not None and request.evidence < low:
        return False
    if high is not None and request.evidence >= high:
        return False
    if not _frequency(wanted, request, target, usage):
        return False
    truths = [
        _values(name, bound, request, target, opens=opens)
        for name, bound in wanted.values.items()
    ]
    truths += (_time(wanted, now_local), _presence(wanted, request.home))
    if False in truths:
        return False
    return None if None in truths else True


def _subjects(subjects: Subjects, request: Request) -> bool:
    principal = request.principal
    return (
        _fits(subjects.managers, request.manager)
        and _fits(subjects.roles, principal.role)
        and _fits(subjects.origins, request.origin)
        and _fits(subjects.principals, principal.id)
    )


def _fits(listed: frozenset[str], *values: str | None) -> bool:
    """Tell whether a list is empty or has one of the values."""
    return not listed or not listed.isdisjoint(values)


def covers(operations: Operations, operation: Operation) -> bool:
    """Tell whether an operation is one of those that a rule names."""
    if not (operations.names or operations.domains or operations.risks):
        return True
    return (
        operation.name in operations.names
        or operation.domain in operations.domains
        or operation.risk in operations.risks
    )


def _targets(rule: Rule, request: Request, target: Target) -> bool:
    """Tell whether a rule is about a target.

    A rule that opens must fit the device itself, by its own id or by that of
    the group that was named; one that narrows may fit it by any of its names.
    What an opening rule leaves out by any name is left out.
    """
    faces = _faces(target)
    exclusions = [e for e in rule.exceptions if _exclusion_applies(e, request)]
    if rule.effect is RuleEffect.ALLOW:
        return _fit(rule.targets, target.device, target.group) and not any(
            _fit(exclusion.targets, face, target.group)
            for exclusion in exclusions
            for face in faces
        )
    return any(
        _fit(rule.targets, face, target.group)
        and not any(_fit(exclusion.targets, face) for exclusion in exclusions)
        for face in faces
    )


def _faces(target: Target) -> Iterable[Device]:
    """Return every device record under which a target may be known."""
    group = () if target.group is None else (target.group,)
    return (target.device, *group, *target.aliases)


def _exclusion_applies(exclusion: Exclusion, request: Request) -> bool:
    return _subjects(exclusion.subjects, request) and covers(
        exclusion.operations, request.operation
    )


def _fit(targets: Targets, device: Device, group: Device | None = None) -> bool:
    """Tell whether a device fits; who names a group by its id names its members."""
    named = (device,) if group is None else (device, group)
    return (
        _fits(targets.entities, *(one.entity_id for one in named))
        and _fits(targets.devices, *(one.id for one in named))
        and _fits(targets.areas, device.area)
        and _fits(targets.floors, device.floor)
        and _fits(targets.labels, *device.labels)
        and _fits(targets.domains, device.domain)
        and _fits(targets.device_classes, device.device_class)
    )


def _frequency(
    wanted: Conditions, request: Request, target: Target, usage: Usage
) -> bool:
    if (most := wanted.more_devices_than) is not None:
        now = {one.device.key for one in request.targets}
        if usage.devices + len(now) <= most:
            return False
    if (rate := wanted.more_often_than) is not None:
        ages = usage.ages.get(target.device.key, ())
        if sum(age < rate.seconds for age in ages) < rate.times:
            return False
    return True


def _values(
    name: str, bound: Bound, request: Request, target: Target, *, opens: bool
) -> Truth:
    parameters = request.parameters
    named = [n for n in FAMILIES.get(name, (name,)) if n in parameters]
    if not named:
        unknown = picks_itself(request.operation, name, target.device)
        return None if unknown else False
    inside = [bound.admits(parameters[n]) for n in named]
    return all(inside) if opens else any(inside)


def _time(wanted: Conditions, now_local: datetime | None) -> Truth:
    if wanted.window is None and not wanted.weekdays:
        return True
    if now_local is None:
        return None
    return in_window(wanted.window, wanted.weekdays, now_local)


def _presence(wanted: Conditions, home: frozenset[str] | None) -> Truth:
    if wanted.somebody_home is None and not wanted.persons_home:
        return True
    if home is None:
        return None
    if wanted.somebody_home is not None and wanted.somebody_home != bool(home):
        return False
    return _fits(wanted.persons_home, *home)
