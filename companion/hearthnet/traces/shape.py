"""The shape of a trace's JSON, checked before anything is made of it. Pure.

A trace is written by hand, sent by strangers and damaged on the way. What is wrong is
named with its place; nothing of a trace that has another shape is played.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
import json
from typing import Any

import voluptuous as vol

from hearthnet.core.approvals import Approval
from hearthnet.core.deferred import Deferred
from hearthnet.core.holds import Hold
from hearthnet.core.intents import Origin, PlanKind
from hearthnet.core.messages import NAME, is_path
from hearthnet.core.phone.part import path_text
from hearthnet.core.reasons import Outcome, Reason
from hearthnet.core.status import Cause

FORMAT = "hearthnet-trace/1"

LONGEST = 366 * 86_400.0
"""Seconds after the start at which a step may come."""
RACE = 1.0
"""Seconds in which a lease comes to its gate, even on a busy machine."""
_YEARS = range(2000, 2100)
_DEEPEST = 50
"""Lists and objects in one another; what reads them later calls itself for each."""
_LARGEST = 1e300
"""No float is as large as some numbers that JSON can write."""
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
        data = json.loads(text)
        # JSON can escape half of a character, which nothing could write again.
        json.dumps(data, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise TraceError(f"not JSON: {error}") from None
    try:
        checked: dict[str, Any] = _TRACE(data)
    except vol.MultipleInvalid as wrong:
        first = min(wrong.errors, key=_path)
        place = path_text(_path(first)) or "the trace"
        raise TraceError(f"{place}: {first.msg}") from None
    return checked


def _path(error: vol.Invalid) -> tuple[str | int, ...]:
    """Return the place. Sort by it: voluptuous names missing fields in any order."""
    return tuple(p if isinstance(p, int) else str(p)[:40] for p in error.path)


# What values may be


def _usable(data: Any) -> Any:
    """Check that nothing in it is nested without end, or a number that is none."""
    level: list[tuple[list[Any], Any]] = [([], data)]
    for _ in range(_DEEPEST):
        inner = []
        for path, value in level:
            match value:
                case dict():
                    inner += [([*path, name], item) for name, item in value.items()]
                case list():
                    inner += [([*path, at], item) for at, item in enumerate(value)]
                case int() | float() if not abs(value) <= _LARGEST:
                    raise vol.Invalid(f"expected a number up to {_LARGEST}", path)
        level = inner
    if level:
        raise vol.Invalid("nested too deeply", level[0][0][:4])
    return data


def _text(fits: Callable[[str], object], what: str) -> Callable[[Any], str]:
    def check(value: Any) -> str:
        if not isinstance(value, str) or not fits(value):
            raise vol.Invalid(f"expected {what}")
        return value

    return check


def _is_entity_id(text: str) -> bool:
    domain, dot, name = text.partition(".")
    return bool(NAME.fullmatch(domain) and dot and name)


def _number(value: Any) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise vol.Invalid("expected a number")
    return value


def _moment(value: Any) -> str:
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise vol.Invalid("expected a moment in ISO 8601") from None
    if moment.tzinfo is None or moment.year not in _YEARS:
        raise vol.Invalid("expected a moment of this century with its zone")
    return str(value)


def _state(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Check what the record holds in the beginning, as the hub will read it."""
    for path, item in value.items():
        folder, slash, _ = path.partition("/")
        if not is_path(path) or folder not in _KEPT or not slash:
            raise vol.Invalid(f"not in {', '.join(_KEPT)}", [path])
        try:
            if item is not None:
                _KEPT[folder](item)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise vol.Invalid(str(error), [path]) from None
    return value


def _step(value: Any) -> Any:
    return STEPS[_DO(value)["do"]](value)


def _consistent(trace: Mapping[str, Any]) -> Mapping[str, Any]:
    """Check what one place of a trace says of another."""
    known: set[str] = set()
    for number, device in enumerate(trace["devices"]):
        if device["id"] in known:
            twice = f"{device['id']!r} is there twice"
            raise vol.Invalid(twice, ["devices", number, "id"])
        known.add(device["id"])
    at = 0.0
    for number, step in enumerate(trace["steps"]):
        if step["at"] < at:
            before = "before that of the step before it"
            raise vol.Invalid(before, ["steps", number, "at"])
        at = step["at"]
        about = step["do"] in ("change", "unseen", "away", "back")
        if about and "node" not in step and step.get("device") not in known:
            raise vol.Invalid("not one of the devices", ["steps", number, "device"])
    return trace


# The trace; a field whose name stands alone may be left out

_ID = _text(
    lambda text: is_path(text) and "/" not in text, "letters, digits, _, - and ."
)
_NODE = _text(NAME.fullmatch, "a node's name, such as darcy")
_ENTITY_ID = _text(_is_entity_id, "an entity's id, such as light.desk")
_SECONDS = vol.All(_number, vol.Range(0, LONGEST))
_INDEX = vol.All(_number, int, vol.Range(0))
_RANGE = vol.All([vol.Any(_number, None)], vol.Length(2, 2, "expected two values"))
_OUTCOME = vol.In([*map(str, Outcome)])
_REASON = vol.Any(vol.In([*map(str, Reason)]), None)
_PRINCIPAL = {vol.Required(name): str for name in ("kind", "id", "name", "role")}
_ACTION = {
    vol.Required("targets"): [_ID],
    vol.Required("operation"): str,
    "parameters": dict,
    "relative": {str: _number},
    "ranges": {str: _RANGE},
    "after": vol.Any(_INDEX, None),
    "why": str,
}
_PLAN = {
    vol.Required("kind"): vol.In([*map(str, PlanKind)]),
    "actions": [_ACTION],
    "asked": [_ID],
    "reason": _REASON,
    "near": [str],
    "standing": bool,
    "reverts": bool,
    "until": vol.Any(_moment, None),
    "due": vol.Any(_moment, None),
    "source": str,
    "calls": _INDEX,
    "dropped": [
        {
            vol.Required("device"): str,
            vol.Required("operation"): str,
            vol.Required("outcome"): _OUTCOME,
            "reason": _REASON,
            "evidence": [{vol.Required("text"): str, "code": _REASON}],
        }
    ],
}
_WISH = {
    "text": str,
    "origin": vol.In([*map(str, Origin)]),
    "language": str,
    "area": vol.Any(str, None),
    "deadline": _SECONDS,
}
_BY = {vol.Required("principal"): _PRINCIPAL}
_OF = {**_BY, vol.Required("of"): str}
_LEASE = {**_BY, vol.Required("lease"): str}
_DEVICE = {vol.Required("device"): _ID}
_NEW = {**_DEVICE, vol.Required("values"): dict}
_WHERE = {"device": _ID, "node": _NODE}
_ONE = vol.Length(1, 1, "expected exactly one")
_LEASED = {
    vol.Required("targets"): vol.All([_ID], _ONE),
    vol.Required("operation"): str,
    "parameters": dict,
}
_FIELDS: Mapping[str, Mapping[Any, Any]] = {
    "ask": {**_BY, **_WISH, "think": _SECONDS, "plan": vol.Any(_PLAN, None)},
    "propose": {**_BY, **_WISH, vol.Required("actions"): vol.All([_ACTION], _ONE)},
    "lease": {
        **_BY,
        **_WISH,
        vol.Required("actions"): vol.All([_LEASED], _ONE),
        "ttl": _SECONDS,
    },
    "use": {**_LEASE, **_WISH},
    "revoke": _LEASE,
    "answer": {
        **_OF,
        **_WISH,
        "device": _ID,
        vol.Required("approve"): bool,
        "until": vol.Any(_moment, None),
    },
    "withdraw": {**_OF, "device": _ID},
    "cancel": _OF,
    "change": {
        **_NEW,
        vol.Required("cause"): vol.In([*map(str, Cause)]),
        "principal": vol.Any(_PRINCIPAL, None),
        "detail": str,
        # Which message of which step it raced with; one needs the other.
        vol.Inclusive("race", "race"): str,
        vol.Inclusive("after", "race"): vol.In(["proposal", "grant"]),
    },
    "unseen": _NEW,
    "away": _WHERE,
    "back": _WHERE,
    "policy": {**_BY, vol.Required("policy"): [str]},
    "enable": {**_BY, vol.Required("enabled"): bool},
    "release": {**_BY, **_DEVICE, vol.Required("attribute"): str},
    "restart": {"node": _NODE},
    "crash": {"node": _NODE},
    "end": {},
}
_COMMON = {vol.Required("at"): _SECONDS, vol.Required("do"): str, "name": str}
STEPS = {do: vol.Schema({**_COMMON, **fields}) for do, fields in _FIELDS.items()}
"""What a step may do and its shape: each is a method of `play.Player`."""
_DO = vol.Schema({vol.Required("do"): vol.In(STEPS)}, extra=vol.ALLOW_EXTRA)
_DEVICES: list[Mapping[Any, Any]] = [
    {
        vol.Required("id"): _ID,
        vol.Required("entity_id"): _ENTITY_ID,
        vol.Required("name"): str,
        vol.Required("values"): dict,
        **dict.fromkeys(("area", "floor", "device_class", "risk"), vol.Any(str, None)),
        "labels": [str],
        "aliases": [str],
        "members": [_ID],
        "moves": [_ID],
        "physical": vol.Any(_ID, None),
        "manager": _NODE,
        "features": vol.Any([str], None),
        "assumed_state": bool,
        "away": bool,
        "answers": [
            {"seconds": _SECONDS, "values": dict, "fails": _OUTCOME, "text": str}
        ],
    }
]
_TRACE = vol.Schema(
    vol.All(
        _usable,
        {
            vol.Required("format"): vol.In([FORMAT]),
            vol.Required("title"): str,
            vol.Required("start"): _moment,
            vol.Required("home"): vol.Any([str], None),
            vol.Required("left_out"): _INDEX,
            vol.Required("policy"): [str],
            vol.Required("devices"): _DEVICES,
            vol.Required("state"): vol.All(dict, _state),
            vol.Required("steps"): [_step],
            vol.Required("decisions"): [str],
            "recipes": {_NODE: [dict]},
        },
        _consistent,
    )
)
