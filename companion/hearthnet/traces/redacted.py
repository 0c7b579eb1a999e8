"""A trace without names and words, that plays as before. Pure.

Every text goes that is not HearthNet's or Home Assistant's own. Rules keep their ids,
for decisions cite them; comments and reasons of a policy go.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
import json
import re
from typing import Any

from hearthnet.core.messages import Json
from hearthnet.core.policy.load import read
from hearthnet.core.policy.parse_conditions import WEEKDAYS
from hearthnet.core.policy.spots import Spot
from hearthnet.redact import is_plain

from . import redacted_recipes
from .chains import without_events
from .trace import Trace

_CLOSED = frozenset(
    {
        *("format", "start", "do", "kind", "fails", "outcome", "reason", "code"),
        *("origin", "cause", "language", "policy"),
    }
)
"""Fields of a trace whose texts are from a list of HearthNet's."""
_KNOWN = frozenset({"operation", "attribute", "device_class", "features"})
"""Fields whose texts are Home Assistant's, or an appliance's, which has a mark."""
_RULED = frozenset(
    {
        *("id", "effect", "domain", "device_class", "weekday", "time", "risk"),
        *("role", "roles", "origin", "evidence_from", "evidence_below", "persons"),
        *("unclassified_switches", "when_unrecorded"),
    }
)
"""Fields of a policy whose texts are from a list."""
_NAMED = frozenset({"operations", "manager"})
"""Fields of a policy whose texts are known, or an appliance's or a phone's."""
_PRESENCE = ("somebody", "nobody")


def redacted(trace: Trace) -> Trace:
    """Put marks for names, places and words; the same mark for the same text.

    Raises:
        PolicyError: a policy in it cannot be read.
    """
    data = json.loads(trace.encode())
    marks: dict[str, str] = {}
    for text, mark in (*_phones(data), *_devices(data["devices"])):
        if text and not is_plain(text):
            marks.setdefault(text, mark)
    for number, name in enumerate(data["home"] or (), 1):
        marks.setdefault(name, f"Somebody {number}")
    policies = [data, *(step for step in data["steps"] if "policy" in step)]
    for one in policies:
        one["policy"] = _plain(read("\n".join(one["policy"]) + "\n"))
    decisions = data.pop("decisions")
    _mark([data["steps"], data["devices"], data["state"]], marks, _CLOSED | _KNOWN)
    for one in policies:
        _mark(one["policy"], marks, _RULED | _NAMED)
        # What is JSON is YAML too.
        ruled = _whole(one["policy"], marks, _RULED)
        one["policy"] = json.dumps(ruled, ensure_ascii=False, indent=1).splitlines()
    for of_node in data.get("recipes", {}).values():
        of_node[:] = map(redacted_recipes.redacted, of_node)
    data = _whole(data, marks, _CLOSED)
    line = _liner(marks)
    made = Trace.decode(json.dumps({**data, "decisions": [*map(line, decisions)]}))
    return replace(made, title="redacted")


def _phones(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the names of phones and of what they drive, with their marks."""
    recipes: Mapping[str, Any] = data.get("recipes", {})
    things = (*data["devices"], *data["steps"])
    named = (one.get("manager") or one.get("node") for one in things)
    nodes = dict.fromkeys((*recipes, *(name for name in named if name)))
    for index, node in enumerate(nodes, 1):
        phone = node if is_plain(node) else f"phone{index}"
        yield node, phone
        for place, recipe in enumerate(recipes.get(node, ()), 1):
            yield from _appliance(recipe, node, phone, place)


def _devices(devices: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield what tells something about a device, with its mark."""
    # By name: decisions stand in that order, and shall when it is gone.
    for index, device in enumerate(sorted(devices, key=_name), 1):
        number = f"{index:03}"
        domain = device["entity_id"].partition(".")[0]
        yield device["id"], f"d{number}"
        yield device["entity_id"], f"{domain}.d{number}"
        yield device["name"], f"Device {number}"
        for name in ("area", "floor"):
            if name in device:
                yield device[name], f"{name.title()} of {number}"
        for kind in ("labels", "aliases"):
            for place, text in enumerate(device.get(kind, ())):
                yield text, f"{kind} {number}.{place}"


def _appliance(
    recipe: Mapping[str, Any], node: str, phone: str, number: int
) -> Iterator[tuple[str, str]]:
    """Yield the names of what a phone drives; its id is made of two of them."""
    device, mark = recipe["device"], f"appliance{number}"
    domain = next(iter(recipe["capabilities"])).partition(".")[0]
    yield device, mark
    yield f"{node}.{device}", f"{phone}.{mark}"
    yield f"{domain}.{device}", f"{domain}.{mark}"
    for index, text in enumerate(redacted_recipes.options(recipe), 1):
        if text != domain:  # it is part of every operation's name
            yield text, f"option{number}_{index}"


def _name(device: Mapping[str, Any]) -> str:
    return f"{device['name']}:"


def _plain(spot: Spot) -> Json:
    """Return a policy's values, without its reasons."""
    match spot.value:
        case list():
            return [_plain(item) for item in spot.value]
        case dict():
            items = spot.value.items()
            return {n: "words" if n == "why" else _plain(item) for n, item in items}
    return spot.value


def _mark(value: Any, marks: dict[str, str], closed: frozenset[str]) -> None:
    """Give a mark to every text that may tell something about somebody."""
    for field, text in _texts(value, ""):
        known = field in closed or is_plain(text) or text in (*WEEKDAYS, *_PRESENCE)
        if text and not known and text not in marks:
            mark = len(marks) + 1
            domain, dot, _ = text.partition(".")
            entity = dot and re.fullmatch(r"[a-z0-9_]+\.[a-z0-9_]+", text)
            marks[text] = f"{domain}.x{mark}" if entity else f"words {mark}"


def _texts(value: Any, field: str) -> Iterator[tuple[str, str]]:
    """Yield the texts in a value with the field that they stand in."""
    if isinstance(value, str):
        yield field, value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _texts(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item, field)


def _whole(
    value: Any, marks: Mapping[str, str], closed: frozenset[str], field: str = ""
) -> Any:
    """Replace every text, and every key, that has a mark."""
    if field in closed:
        return value
    if isinstance(value, str):
        return marks.get(value, value)
    if isinstance(value, list):
        return [_whole(item, marks, closed, field) for item in value]
    if isinstance(value, dict):
        return {
            marks.get(name, name): _whole(item, marks, closed, name)
            for name, item in value.items()
        }
    return value


def _liner(marks: Mapping[str, str]) -> Any:
    """Return what puts marks into a line of decisions."""
    told: dict[str, str] = {}
    for text, mark in marks.items():
        # As decisions write it: in JSON, or with its events left out.
        for form in (text, json.dumps(text, ensure_ascii=False)[1:-1]):
            told |= {form: mark, without_events(form): mark}
    inside = re.compile(
        "|".join(
            # The longest first: a name may be part of another.
            rf"(?<!\w){re.escape(text)}(?!\w)"
            for text in sorted(told, key=len, reverse=True)
        )
        or r"(?!)"
    )
    return lambda line: inside.sub(lambda found: told[found[0]], line)
