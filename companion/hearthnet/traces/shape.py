"""The shape of a trace's JSON, checked before anything is made of it. Pure.

A trace is written by hand, sent by strangers and damaged on the way. What is wrong is
named with its place; nothing of a trace that has another shape is played.
"""

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
import json
from math import isfinite
from typing import Any

from hearthnet.core.approvals import Approval
from hearthnet.core.deferred import Deferred
from hearthnet.core.holds import Hold
from hearthnet.core.intents import Origin, PlanKind
from hearthnet.core.messages import NAME, is_path
from hearthnet.core.reasons import Outcome, Reason
from hearthnet.core.status import Cause

FORMAT = "hearthnet-trace/1"

type Check = Callable[[Any, str], None]
"""Takes a value and its place; raises TraceError naming the place."""

LONGEST = 366 * 86_400.0
"""Seconds after the start at which a step may come."""
RACE = 1.0
"""Seconds in which a lease comes to its gate, even on a busy machine."""
_YEARS = range(2000, 2100)
_KEPT: Mapping[str, Callable[[Any], object]] = {
    "approvals": Approval.from_dict,
    "deferred": Deferred.from_dict,
    "holds": Hold.from_dict,
    "settings": dict,
}
"""Folders of the record that a trace begins with, and how they are read."""


class TraceError(ValueError):
    """A trace breaks its format; the text names the place."""


def loaded(text: str) -> dict[str, Any]:
    """Return the JSON object of a trace that has the right shape, or TraceError."""
    try:
        data = json.loads(text, parse_constant=_no_constant)
        # JSON can escape half of a character, which nothing could write again.
        json.dumps(data, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise TraceError(f"not JSON: {error}") from None
    if not isinstance(data, dict):
        raise TraceError("not a JSON object")
    _TRACE(data, "")
    _known_devices(data)
    at = 0.0
    for number, step in enumerate(data["steps"]):
        if step["at"] < at:
            raise TraceError(f"steps[{number}].at: before that of the step before it")
        at = step["at"]
    return data


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number")


def _known_devices(data: Mapping[str, Any]) -> None:
    known: set[str] = set()
    for number, device in enumerate(data["devices"]):
        if device["id"] in known:
            raise TraceError(f"devices[{number}].id: {device['id']!r} is there twice")
        known.add(device["id"])
    for number, step in enumerate(data["steps"]):
        about = (
            step["do"] in ("change", "unseen", "away", "back") and "node" not in step
        )
        if about and step.get("device") not in known:
            raise TraceError(f"steps[{number}].device: not one of the devices")


# What values may be


def _text(value: Any, place: str) -> None:
    if not isinstance(value, str):
        raise TraceError(f"{place}: expected a text")


def _flag(value: Any, place: str) -> None:
    if not isinstance(value, bool):
        raise TraceError(f"{place}: expected true or false")


def _number(low: float | None = None, high: float | None = None) -> Check:
    def check(value: Any, place: str) -> None:
        fine = isinstance(value, int | float) and not isinstance(value, bool)
        # No float is as large as some numbers that JSON can write.
        if not fine or abs(value) > 1e300 or not isfinite(value):
            raise TraceError(f"{place}: expected a number")
        if (low is not None and value < low) or (high is not None and value > high):
            raise TraceError(f"{place}: expected a number from {low} to {high}")

    return check


def _index(value: Any, place: str) -> None:
    _number(0)(value, place)
    if not isinstance(value, int):
        raise TraceError(f"{place}: expected a whole number")


def _json(value: Any, place: str) -> None:
    match value:
        case dict():
            for name, item in value.items():
                _json(item, f"{place}.{name}")
        case list():
            for number, item in enumerate(value):
                _json(item, f"{place}[{number}]")
        case int() | float():
            if not isinstance(value, bool):
                _number()(value, place)


def _one_of(words: Collection[str]) -> Check:
    def check(value: Any, place: str) -> None:
        if not isinstance(value, str) or value not in words:
            raise TraceError(f"{place}: expected one of {', '.join(sorted(words))}")

    return check


def _id(value: Any, place: str) -> None:
    """Check a device's id, which is part of a path in the record."""
    if not isinstance(value, str) or not is_path(value) or "/" in value:
        raise TraceError(f"{place}: expected letters, digits, _, - and .")


def _node(value: Any, place: str) -> None:
    if not isinstance(value, str) or not NAME.fullmatch(value):
        raise TraceError(f"{place}: expected a node's name, such as darcy")


def _entity_id(value: Any, place: str) -> None:
    domain, dot, name = value.partition(".") if isinstance(value, str) else ("", "", "")
    if not (NAME.fullmatch(domain) and dot and name):
        raise TraceError(f"{place}: expected an entity's id, such as light.desk")


def _moment(value: Any, place: str) -> None:
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise TraceError(f"{place}: expected a moment in ISO 8601") from None
    if moment.tzinfo is None or moment.year not in _YEARS:
        raise TraceError(f"{place}: expected a moment of this century with its zone")


def _range(value: Any, place: str) -> None:
    _all(_or_null(_number()))(value, place)
    if len(value) != 2:
        raise TraceError(f"{place}: expected the lowest and the highest value")


def _or_null(check: Check) -> Check:
    return lambda value, place: None if value is None else check(value, place)


def _all(check: Check) -> Check:
    def every(value: Any, place: str) -> None:
        if not isinstance(value, list):
            raise TraceError(f"{place}: expected a list")
        for number, item in enumerate(value):
            check(item, f"{place}[{number}]")

    return every


def _one(check: Check) -> Check:
    def single(value: Any, place: str) -> None:
        _all(check)(value, place)
        if len(value) != 1:
            raise TraceError(f"{place}: expected exactly one")

    return single


def _map(check: Check, key: Check = _text) -> Check:
    def every(value: Any, place: str) -> None:
        if not isinstance(value, dict):
            raise TraceError(f"{place}: expected an object")
        for name, item in value.items():
            key(name, f"{place}.{name[:40]}")
            check(item, f"{place}.{name[:40]}")

    return every


def _object(needed: Mapping[str, Check], **optional: Check) -> Check:
    known = {**needed, **optional}

    def check(value: Any, place: str) -> None:
        if not isinstance(value, dict):
            raise TraceError(f"{place or 'the trace'}: expected an object")
        dot = f"{place}." if place else ""
        for name in needed:
            if name not in value:
                raise TraceError(f"{dot}{name}: missing")
        for name, item in value.items():
            if name not in known:
                raise TraceError(f"{dot}{name[:40]}: unknown")
            known[name](item, f"{dot}{name}")

    return check


def _state(value: Any, place: str) -> None:
    """Check what the record holds in the beginning, as the hub will read it."""
    _map(_json)(value, place)
    for path, item in value.items():
        folder = path.partition("/")[0]
        if not is_path(path) or folder not in _KEPT or folder == path:
            raise TraceError(f"{place}.{path[:40]}: not in {', '.join(sorted(_KEPT))}")
        try:
            if item is not None:
                _KEPT[folder](item)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise TraceError(f"{place}.{path}: {error}") from None


# The trace

_SECONDS = _number(0, LONGEST)
_TEXTS = _all(_text)
_VALUES = _map(_json)
_PRINCIPAL = _object(dict.fromkeys(("kind", "id", "name", "role"), _text))
_ACTION = _object(
    {"targets": _all(_id), "operation": _text},
    parameters=_VALUES,
    relative=_map(_number()),
    ranges=_map(_range),
    after=_or_null(_index),
    why=_text,
)
_DROPPED = _object(
    {"device": _text, "operation": _text, "outcome": _one_of([*Outcome])},
    reason=_or_null(_one_of([*Reason])),
    evidence=_all(_object({"text": _text}, code=_or_null(_one_of([*Reason])))),
)
_PLAN = _object(
    {"kind": _one_of([*PlanKind])},
    actions=_all(_ACTION),
    asked=_all(_id),
    reason=_or_null(_one_of([*Reason])),
    near=_TEXTS,
    standing=_flag,
    until=_or_null(_moment),
    due=_or_null(_moment),
    source=_text,
    dropped=_all(_DROPPED),
)
_WISH: dict[str, Check] = {
    "text": _text,
    "origin": _one_of([*Origin]),
    "language": _text,
    "area": _or_null(_text),
    "deadline": _SECONDS,
}
_BY: dict[str, Check] = {"principal": _PRINCIPAL}
_ABOUT: dict[str, Check] = {"device": _id}
_AT: dict[str, Check] = {"node": _node}
_FIELDS: Mapping[str, Mapping[str, Check]] = {
    "ask": _BY,
    "propose": {**_BY, "actions": _one(_ACTION)},
    "lease": {
        **_BY,
        "actions": _one(
            _object({"targets": _one(_id), "operation": _text}, parameters=_VALUES)
        ),
    },
    "use": {**_BY, "lease": _text},
    "revoke": {**_BY, "lease": _text},
    "answer": {**_BY, "of": _text, "approve": _flag},
    "withdraw": {**_BY, "of": _text},
    "cancel": {**_BY, "of": _text},
    "change": {**_ABOUT, "values": _VALUES, "cause": _one_of([*Cause])},
    "unseen": {**_ABOUT, "values": _VALUES},
    "away": {},
    "back": {},
    "policy": {**_BY, "policy": _TEXTS},
    "enable": {**_BY, "enabled": _flag},
    "release": {**_BY, **_ABOUT, "attribute": _text},
    "restart": {},
    "crash": {},
    "end": {},
}
_OPTIONAL: Mapping[str, Mapping[str, Check]] = {
    "ask": {**_WISH, "think": _SECONDS, "plan": _or_null(_PLAN)},
    "propose": _WISH,
    "lease": {**_WISH, "ttl": _SECONDS},
    "use": _WISH,
    "answer": {**_WISH, "until": _or_null(_moment)},
    "change": {"principal": _or_null(_PRINCIPAL), "detail": _text, "race": _text},
    "away": {**_ABOUT, **_AT},
    "back": {**_ABOUT, **_AT},
    "restart": _AT,
    "crash": _AT,
}
STEPS = tuple(_FIELDS)
"""What a step may do: each is a method of `play.Player`."""


def _step(value: Any, place: str) -> None:
    do = str(value.get("do")) if isinstance(value, dict) else ""
    _one_of(STEPS)(do, f"{place}.do")
    shape = _object(
        {"at": _SECONDS, "do": _text, **_FIELDS[do]},
        name=_text,
        **_OPTIONAL.get(do, {}),
    )
    shape(value, place)


_DEVICE = _object(
    {"id": _id, "entity_id": _entity_id, "name": _text, "values": _VALUES},
    **dict.fromkeys(("area", "floor", "device_class", "risk"), _or_null(_text)),
    **dict.fromkeys(("labels", "aliases"), _TEXTS),
    **dict.fromkeys(("members", "moves"), _all(_id)),
    physical=_or_null(_id),
    manager=_node,
    features=_or_null(_TEXTS),
    assumed_state=_flag,
    away=_flag,
    answers=_all(
        _object(
            {}, seconds=_SECONDS, values=_VALUES, fails=_one_of([*Outcome]), text=_text
        )
    ),
)
_TRACE = _object(
    {
        "format": _one_of([FORMAT]),
        "title": _text,
        "start": _moment,
        "home": _or_null(_TEXTS),
        "left_out": _index,
        "policy": _TEXTS,
        "devices": _all(_DEVICE),
        "state": _state,
        "steps": _all(_step),
        "decisions": _TEXTS,
    },
    recipes=_map(_all(_map(_json)), _node),
)
