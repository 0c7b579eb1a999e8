"""What an appliance's app has shown when nobody had asked for a change."""

from ..agents.base import Agent
from ..devices import Device, Values
from ..messages import Json, MessageType
from ..paths import device_path
from ..shadow import differs, known, shadow
from ..status import Cause

_ROOT = "rupert"


def tell(manager: Agent, device: Device, values: Values) -> bool:
    """Put what was read on record, and tell the hub; False when it is no news.

    Raises:
        JournalError: the journal takes no more.
    """
    path = device_path(device.id)
    kept = manager.node.view.get(path)
    seen = known(device, kept, values)
    if not differs(kept, seen):
        return False
    before = kept.get("values") if isinstance(kept, dict) else None
    changed: dict[str, Json] = {}
    if isinstance(before, dict):
        # What is seen for the first time has not changed for all anybody knows.
        changed = {n: v for n, v in seen.items() if before.get(n, v) != v}
    told = ", ".join(f"{name} {value}" for name, value in values.items())
    manager.say(
        _ROOT,
        MessageType.OBSERVATION,
        f"{device.name}: {told}, as its app shows.",
        body={
            "device": device.id,
            "values": dict[str, Json](values),
            "changed": changed,
            "cause": Cause.RECONNECT if before is None else Cause.UNKNOWN,
            "detail": "",
        },
        writes={path: shadow(device, seen)},
    )
    return True
