"""What of the record somebody may read.

Those who live here may read everything about what they may see in Home Assistant.
A guest, a child and whoever nobody knows see their own intents whole; of others'
only what was done and what was seen, on entities they may see, and never who wanted
it, why, or in which words.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from .coordinator import HearthnetCoordinator
from .core.messages import MessageType
from .principal import Caller

SEEN: Final = frozenset({MessageType.RECEIPT, MessageType.OBSERVATION})
"""Of others' doings, what anybody in the room sees as well."""

type Row = Mapping[str, Any]


def reads_all(caller: Caller) -> bool:
    """Tell whether a caller may read the words of others."""
    return caller.principal.decides


async def async_readable(
    coordinator: HearthnetCoordinator, caller: Caller, rows: Iterable[Row]
) -> list[dict[str, Any]]:
    """Return the events that a caller may read, as far as they may be read."""
    whole = reads_all(caller)
    owners: dict[str | None, bool] = {None: False}
    readable = []
    for row in rows:
        intent: str | None = row["intent"] or (
            row["id"] if row["type"] == MessageType.INTENT else None
        )
        if not whole and intent not in owners:
            owners[intent] = await _is_own(coordinator, caller, intent)
        own = whole or owners[intent]
        if not _may_see(coordinator, caller, row["devices"]):
            continue
        if own:
            readable.append(dict(row))
        elif row["devices"] and row["type"] in SEEN:
            readable.append(_without_words(coordinator, row))
    return readable


async def _is_own(
    coordinator: HearthnetCoordinator, caller: Caller, intent: str | None
) -> bool:
    assert intent is not None
    asker = await coordinator.hub.chronicle.asker(intent)
    return asker is not None and asker.is_same_as(caller.principal)


def _may_see(
    coordinator: HearthnetCoordinator, caller: Caller, devices: Iterable[str]
) -> bool:
    """Tell whether all devices of an event may be seen; what is gone may not be."""
    house = coordinator.house
    whole = reads_all(caller)
    for device_id in devices:
        device = coordinator.home.device(device_id)
        entity_id = house.entity_id(device_id) or (device.entity_id if device else None)
        if entity_id is None:
            if not whole:
                return False
        elif not house.people.may_read(caller.principal, entity_id):
            return False
    return True


def _without_words(coordinator: HearthnetCoordinator, row: Row) -> dict[str, Any]:
    """Return an event with nothing in it of who wanted it and why."""
    devices = (coordinator.home.device(device_id) for device_id in row["devices"])
    names = ", ".join(device.name for device in devices if device is not None)
    hidden = dict.fromkeys(("intent", "task", "lease", "cause", "reason"))
    kept = {name: value for name, value in row.items() if name != "message"}
    return {**kept, **hidden, "content": names}
