"""Chains of decisions as lines of text, so that two runs can be compared. Pure.

No identifier, time or commit is in a line: those differ from run to run. Tasks of an
intent run side by side, so they stand in the order of what they are about.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
import json
import re
from typing import Any

from hearthnet.core.messages import Message, MessageType
from hearthnet.core.status import Cause

DEFERRED = "deferred/"
_EVENT = re.compile(r"\b[a-z][a-z0-9_-]*\.[0-9]+\.[0-9]+\b")


def chains(messages: Sequence[Message], names: Mapping[str, str]) -> list[str]:
    """Return the decisions of some events, one line each.

    `names` gives the devices' names by id.
    """
    lines: list[str] = []
    by_intent: dict[str, list[Message]] = {}
    for message in messages:
        if message.intent is not None:
            by_intent.setdefault(message.intent, []).append(message)
    for message in messages:
        if message.type is MessageType.INTENT:
            body = message.body
            who = body["principal"]["name"]
            words = without_events(body["text"])
            lines.append(f"{who}, {body['origin']}: {words}")
            lines += _intent(by_intent.get(message.id, ()), names)
        elif message.intent is None:
            lines += _outside(message, names)
    return lines


def ordered(messages: Iterable[Message]) -> list[Message]:
    """Return the events of several nodes in an order in which they can have happened.

    Each node's stay in their order, and each comes after its cause; besides, their
    times decide. In a record they stand in the order in which they came there.
    """
    waiting: dict[str, deque[Message]] = {}
    for message in messages:
        waiting.setdefault(message.event.node, deque()).append(message)
    missing = {message.id for each in waiting.values() for message in each}
    found: list[Message] = []
    while waiting:
        heads = [each[0] for each in waiting.values()]
        # With clocks that disagree, or a damaged record, causes may go in a circle.
        free = [head for head in heads if head.cause not in missing] or heads
        first = min(free, key=lambda message: message.at)
        found.append(first)
        missing.discard(first.id)
        node = first.event.node
        waiting[node].popleft()
        if not waiting[node]:
            del waiting[node]
    return found


def without_events(text: str) -> str:
    """Return a text without the ids of events in it."""
    return _EVENT.sub("...", text)


def _intent(events: Iterable[Message], names: Mapping[str, str]) -> Iterator[str]:
    tasks: dict[str, list[str]] = {}
    titles: dict[str, str] = {}
    ends = []
    for message in events:
        if message.type is MessageType.TASK:
            body = message.body
            about = names.get(body["device"], body["device"])
            titles[message.id] = f"  {about}: {body['operation']}{_given(body)}"
            tasks[message.id] = []
        elif message.task is not None and message.task in tasks:
            tasks[message.task] += _said(message, names)
        elif message.type is MessageType.RESOLUTION and message.cause == message.intent:
            ends.append(f"  end: {_end(message)}")
    for task in sorted(tasks, key=lambda task: (titles[task], tasks[task])):
        yield titles[task]
        yield from tasks[task]
    yield from ends


def _given(body: Mapping[str, Any]) -> str:
    given = {**body.get("parameters", {}), **body.get("relative", {})}
    return "".join(f" {name}={_json(value)}" for name, value in sorted(given.items()))


def _end(message: Message) -> str:
    body = message.body
    # What was for later and is called off or missed has none.
    outcomes = sorted(body.get("outcomes", {}).items())
    counts = ", ".join(f"{number} {word}" for word, number in outcomes)
    if any(
        value and path.startswith(DEFERRED) for path, value in message.writes.items()
    ):
        return f"{counts}, goes back later" if counts else "kept for later"
    return counts or str(body.get("reason") or body["kind"])


def _said(message: Message, names: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of a decision on a task."""
    body = message.body
    match message.type:
        case MessageType.PROPOSAL:
            yield f"    proposed{_given(body)}"
        case MessageType.GRANT:
            yield "    granted"
        case MessageType.DENIAL:
            yield f"    denied: {_because(body)}"
        case MessageType.REFUSAL:
            yield f"    refused: {_because(body)}"
        case MessageType.CONFIRMATION_REQUEST:
            yield f"    a person is asked: {_because(body)}"
        case MessageType.CONFIRMATION:
            yield f"    the answer: {body['answer']}"
        case MessageType.REVOCATION:
            yield "    revoked"
        case MessageType.RESOLUTION if body.get("reason"):
            yield f"    given up: {body['reason']}"
        case MessageType.RECEIPT:
            yield from _done(body, names)


def _done(body: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[str]:
    told = {names.get(one, one): one for one in body["members"]}
    for name, device in sorted(told.items()):
        seen = _json(body["values"].get(device, {}))
        yield f"    {body['members'][device]}: {name} {seen}"


def _because(body: Mapping[str, Any]) -> str:
    """Return the codes of a verdict, the decisive one first, with its rules."""
    found = []
    for item in body.get("evidence", ()):
        rule = f" ({item['rule']})" if item.get("rule") else ""
        found.append(f"{item.get('code', body.get('reason'))}{rule}")
    told = body.get("reason", body.get("outcome"))
    return ", ".join(dict.fromkeys(found)) or str(told)


def _outside(message: Message, names: Mapping[str, str]) -> Iterator[str]:
    body = message.body
    match message.type:
        case MessageType.OBSERVATION if "cause" in body:
            ends = len(body.get("broken", ())) + len(body.get("ended", ()))
            device = names.get(body["device"], body["device"])
            if body["cause"] == Cause.RECONNECT and not ends:
                return  # what was so before is no decision
            holds = f"; ends {ends} holds" if ends else ""
            yield f"{device}: {_json(body['values'])} by {body['cause']}{holds}"
        case MessageType.RECOVERY:
            yield f"restart: dropped {len(body.get('dropped', ()))}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
