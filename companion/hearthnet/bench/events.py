"""Events as a home of 1,000 devices makes them, for benches of the record."""

import asyncio

from hearthnet.core.messages import Json, MessageType
from hearthnet.core.node import Node
from hearthnet.core.paths import device_path

from .home import Dewey

DEVICES = [f"{n * 2654435761 % 2**128:032x}" for n in range(1000)]
_KINDS = tuple(MessageType)[:6]
_AHEAD = 2000
"""How many events may wait for the record: more would only fill the memory."""


def device_of(number: int) -> str:
    """Return the device that an event is about."""
    return DEVICES[number * 7919 % len(DEVICES)]


def emit(node: Node, number: int) -> None:
    """Emit one of the seven events of an intent; the seventh changes a device."""
    intent = f"hub.1.{number - number % 7 + 2}"
    device = device_of(number)
    kind, writes = MessageType.RECEIPT, dict[str, Json]()
    if number % 7 == 6:
        values: Json = {"state": "on", "brightness_pct": number % 100}
        writes = {device_path(device): {"entity_id": "light.a", "values": values}}
    else:
        kind = _KINDS[number % 7]
    node.emit(
        sender="jeeves",
        to="rupert",
        type=kind,
        content=f"Turn on the reading lamp {number % 100} to {number % 101} %.",
        intent=intent,
        task=intent,
        cause=intent,
        body={
            "target": [device],
            "operation": "light.turn_on",
            "parameters": {"brightness_pct": number % 101},
            "principal": {"kind": "user", "id": "0123456789abcdef"},
        },
        writes=writes,
    )


async def record(node: Node, dewey: Dewey, count: int) -> None:
    """Emit `count` events as fast as the record takes them; all are durable then."""
    for number in range(count):
        emit(node, number)
        if number % 10 == 9:
            await dewey.durable(behind=_AHEAD)
            await asyncio.sleep(0)
    await dewey.durable()
