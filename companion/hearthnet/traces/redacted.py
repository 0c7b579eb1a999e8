"""A trace without names and words, that plays as before. Pure.

Rules keep their ids, for decisions cite them; comments and reasons of a policy go.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
import json
import re
from typing import Any

from hearthnet.redact import WORDS

from . import redacted_recipes
from .trace import Trace

_WHY = re.compile(r"(\bwhy:\s*).*")
_WORDS = ("text", "why", "detail", "area")
_PERSON = {"kind", "id", "name", "role"}


def redacted(trace: Trace) -> Trace:
    """Put marks for names, places and words; the same mark for the same text."""
    data = json.loads(trace.encode())
    marks: dict[str, str] = {}
    for text, mark in _found(data):
        if text and text not in WORDS:
            marks.setdefault(text, mark)
    # The longest first: a name may be part of another.
    inside = re.compile(
        "|".join(
            rf"(?<!\w){re.escape(text)}(?!\w)"
            for text in sorted(marks, key=len, reverse=True)
        )
        or r"(?!)"
    )

    def line(text: str) -> str:
        return inside.sub(lambda found: marks[found[0]], text)

    def policy(lines: list[str]) -> list[str]:
        kept = [text for text in lines if not text.lstrip().startswith("#")]
        return [line(_WHY.sub(r"\1words", text.partition(" #")[0])) for text in kept]

    for step in data["steps"]:
        if "policy" in step:
            step["policy"] = policy(step["policy"])
    data["policy"] = policy(data["policy"])
    for of_node in data.get("recipes", {}).values():
        of_node[:] = map(redacted_recipes.redacted, of_node)
    decisions = [line(text) for text in data.pop("decisions")]
    data = _whole(data, marks, keep={"policy"})
    made = Trace.decode(json.dumps({**data, "decisions": decisions}))
    return replace(made, title="redacted")


def _found(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the texts that tell something about somebody, with their marks."""
    for index, (node, of_node) in enumerate(data.get("recipes", {}).items(), 1):
        phone = node if node in WORDS else f"phone{index}"
        yield node, phone
        for place, recipe in enumerate(of_node, 1):
            yield from _appliance(recipe, node, phone, place)
    # By name: decisions stand in that order, and shall when it is gone.
    for index, device in enumerate(sorted(data["devices"], key=_name), 1):
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
    for index, name in enumerate(data["home"] or (), 1):
        yield name, f"Somebody {index}"
    yield from _said(data)


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


def _said(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield who came with what words."""
    for number, item in enumerate((*data["steps"], *data["state"].values()), 1):
        for place, told in enumerate(_objects(item)):
            mark = f"{number}.{place}" if place else str(number)
            if told.keys() >= _PERSON and told["kind"] != "system":
                yield told["id"], f"p{mark}"
                yield told["name"], f"Person {mark}"
            for name in _WORDS:
                if isinstance(text := told.get(name), str):
                    yield text, f"words {mark}"
            near = told.get("near")
            for index, text in enumerate(near if isinstance(near, list) else ()):
                yield text, f"near {mark}.{index}"


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """Yield all objects in a value, itself first."""
    if isinstance(value, dict):
        yield value
        for item in value.values():
            yield from _objects(item)
    elif isinstance(value, list):
        for item in value:
            yield from _objects(item)


def _whole(value: Any, marks: Mapping[str, str], keep: set[str]) -> Any:
    """Replace every text, and every key, that has a mark."""
    if isinstance(value, str):
        return marks.get(value, value)
    if isinstance(value, list):
        return [_whole(item, marks, keep) for item in value]
    if isinstance(value, dict):
        return {
            marks.get(key, key): item if key in keep else _whole(item, marks, keep)
            for key, item in value.items()
        }
    return value
