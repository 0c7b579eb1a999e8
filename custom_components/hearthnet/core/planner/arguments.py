"""The parameters of a planned action: their names, shapes and bounds."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
import json
import math
import re

from ..devices import Device
from ..messages import Json
from ..operations import Operation, Parameter, check_parameters
from ..reasons import Reason
from .clean import clean
from .faults import Fault, Place, as_json

_NUMERIC = re.compile(r"-?(0|[1-9]\d{0,8})(\.\d{1,6})?")
_BYTE = r"(0|[1-9]\d{0,2})"
_LISTED = re.compile(rf"true|false|\[ ?{_BYTE}( ?, ?{_BYTE}){{0,7}} ?\]")
_NAME = 40
_WIDEST = 1e6
"""Largest change that is passed on; the device's limits are met later."""


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """The parameters of an action."""

    parameters: Mapping[str, Json]
    relative: Mapping[str, float]
    """Parameter to a difference, to be resolved on a fresh read."""


def read_arguments(
    place: Place, raw: Mapping[str, object], device: Device, operation: Operation
) -> Arguments | Fault:
    """Return the parameters of an action, or the first thing wrong with them."""
    parameters = _pairs(raw.get("args"), "value")
    if parameters is None:
        return place.fault(".args", None, "a list of {name, value}")
    parameters = {
        name: _coerced(operation.parameters.get(name), value)
        for name, value in parameters.items()
    }
    relative = _relative(place, raw, operation, parameters)
    if isinstance(relative, Fault):
        return relative
    for name in (*parameters, *relative):
        if fault := unsupported(place, device, name, f".args.{clean(name, _NAME)}"):
            return fault
    # A difference counts as given; any value within bounds stands in for it.
    stand_ins = {name: operation.parameters[name].minimum or 0 for name in relative}
    if problem := check_parameters(operation, {**parameters, **stand_ins}):
        field = problem.field or ""
        value = parameters.get(field)
        return place.fault(f".args.{clean(field, _NAME)}", value, problem.text)
    return Arguments(parameters=parameters, relative=relative)


def unsupported(place: Place, device: Device, name: str, field: str) -> Fault | None:
    """Return a fault when the device itself lacks an operation or parameter."""
    if not device.features or name in device.features:
        return None
    can = f"what this device can: {', '.join(sorted(device.features))}"
    return place.fault(field, name, can, Reason.UNKNOWN_OPERATION)


def _relative(
    place: Place,
    raw: Mapping[str, object],
    operation: Operation,
    parameters: Mapping[str, Json],
) -> dict[str, float] | Fault:
    given = _pairs(raw.get("relative"), "by")
    if given is None:
        return place.fault(".relative", None, "a list of {name, by}")
    relative: dict[str, float] = {}
    for name, by in given.items():
        field = f".relative.{clean(name, _NAME)}"
        spec = operation.parameters.get(name)
        if spec is None or not _is_numeric(spec) or name in parameters:
            return place.fault(field, by, _can_change(operation))
        if isinstance(by, bool) or not isinstance(by, int | float):
            return place.fault(field, by, "a number")
        if not math.isfinite(by) or abs(by) > _WIDEST:
            return place.fault(field, by, "a smaller number")
        relative[name] = float(by)
    return relative


def _pairs(value: object, key: str) -> dict[str, Json] | None:
    """Return parameters by name, from pairs or, as small models write, an object."""
    items: Iterable[tuple[object, object]]
    if value is None:
        return {}
    if isinstance(value, Mapping):
        items = value.items()
    elif isinstance(value, list) and all(isinstance(item, Mapping) for item in value):
        items = [(item.get("name"), item.get(key)) for item in value]
    else:
        return None
    return {str(name): as_json(content) for name, content in items}


def _coerced(spec: Parameter | None, value: Json) -> Json:
    """Return what was written as text (“30”, “true”, “[255, 0, 0]”) as what it is.

    Signed numbers stay text: `+10` may mean ten more, and that is said otherwise.
    """
    if spec is None or spec.text or spec.choices or not isinstance(value, str):
        return value
    if not (_NUMERIC.fullmatch(value) or _LISTED.fullmatch(value)):
        return value
    meant: Json = json.loads(value)
    return meant


def _is_numeric(spec: Parameter) -> bool:
    return not (spec.text or spec.boolean or spec.choices or spec.length)


def _can_change(operation: Operation) -> str:
    names = [n for n, spec in operation.parameters.items() if _is_numeric(spec)]
    return f"one of {', '.join(names) or 'none'}, and not in args too"
