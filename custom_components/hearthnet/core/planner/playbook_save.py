"""A playbook from what an intent did: its wishes that were read back as done."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
import json
import re
from typing import Any

from ..devices import House
from ..domains import OPERATIONS
from ..messages import Json, MessageType
from ..operations import Operation
from ..reasons import DONE, Outcome
from .playbook_file import load

_SYNTAX = re.compile(r"[()\[\]{}|]")


@dataclass(frozen=True, kw_only=True)
class Saved:
    """What can be saved of an intent."""

    text: str
    """What was said."""
    language: str
    steps: tuple[tuple[str, Mapping[str, Json], tuple[str, ...]], ...]
    """Operation, parameters and entity ids, in the order in which they were done."""
    left_out: tuple[str, ...]
    """Names of the devices whose steps were not read back as done."""


def saved_steps(events: Iterable[Mapping[str, Any]], house: House) -> Saved:
    """Read what an intent did out of its chain.

    Proposals have the parameters that were really used: relative wishes are
    absolute there, so that the playbook does the same again.

    Raises:
        LookupError: the events are no chain of an intent.
    """
    intent: Mapping[str, Any] | None = None
    proposed: dict[str, Mapping[str, Any]] = {}
    done: set[str] = set()
    for event in events:
        body = event["message"].get("body", {})
        match event["type"]:
            case MessageType.INTENT:
                intent = body
            case MessageType.PROPOSAL:
                proposed[event["task"]] = body
            case MessageType.RECEIPT if Outcome(event["outcome"]) in DONE:
                done.add(event["task"])
            case _:
                pass
    if intent is None:
        raise LookupError("no intent")
    steps: dict[tuple[str, str], list[str]] = {}
    left_out = []
    for task, body in proposed.items():
        if (device := house.device(body["device"])) is None or task not in done:
            left_out.append(device.name if device else body["device"])
            continue
        same = body["operation"], json.dumps(body["parameters"], sort_keys=True)
        steps.setdefault(same, []).append(device.entity_id)
    return Saved(
        text=intent["text"],
        language=intent["language"],
        steps=tuple(
            (operation, json.loads(parameters), tuple(entities))
            for (operation, parameters), entities in steps.items()
        ),
        left_out=tuple(left_out),
    )


def playbook_of(
    saved: Saved,
    *,
    name: str,
    sentence: str | None,
    origin: str,
    operations: Mapping[str, Operation] = OPERATIONS,
) -> str:
    """Return the text of the playbook, which loads.

    JSON is YAML, so names and values are written as such. In a sentence the marks of
    the phrase syntax mean nothing.

    Raises:
        PlaybookError: what was said can be no phrase.
    """
    language = saved.language.partition("-")[0]
    phrase = " ".join(_SYNTAX.sub(" ", sentence or saved.text).split())
    lines = [
        f"# Saved from {origin}.",
        f"name: {{{language}: {_json(name)}}}",
        "sentences:",
        f"  {language}:",
        f"    - {_json(phrase)}",
        "steps:",
    ]
    for operation, parameters, entities in saved.steps:
        lines.append(f"  - do: {operation}")
        if parameters:
            lines.append(f"    with: {_json(parameters)}")
        lines.append(f"    devices: {{entity: {_json(list(entities))}}}")
    text = "\n".join(lines) + "\n"
    load("saved", text, operations)
    return text


def _json(value: Json | Mapping[str, Json]) -> str:
    """Write JSON; characters that YAML takes for line ends or nothing are escaped."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in text)
