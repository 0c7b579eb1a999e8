"""What the record keeps of a device: its values, or that nobody knows them.

The path is `paths.device_path(device.id)`. Whoever reads a device writes it, so
a successful read of any kind ends an `unknown`.
"""

from collections.abc import Mapping

from .devices import Device, Values
from .messages import Json

_UNKNOWN = "unknown"


def known(device: Device, kept: Json, values: Values) -> Values:
    """Return what is known of a device after a read.

    Of one that is read in parts the others stay, unless they were in doubt.
    """
    if not device.partial or not isinstance(kept, Mapping) or _UNKNOWN in kept:
        return values
    before = kept.get("values")
    return {**before, **values} if isinstance(before, Mapping) else values


def shadow(device: Device, values: Values) -> dict[str, Json]:
    """Return what the record keeps of a device that was read."""
    return {
        "entity_id": device.entity_id,
        "name": device.name,
        "values": dict(values),
    }


def last_name(kept: Json, device_id: str) -> str:
    """Return what a device is called that may be gone by now."""
    name = kept.get("name") if isinstance(kept, Mapping) else None
    return name if isinstance(name, str) else device_id


def doubtful(kept: Json, execute: str) -> dict[str, Json]:
    """Return a shadow after an execute whose outcome nobody knows.

    The values stay as they were read last.
    """
    return {**(kept if isinstance(kept, dict) else {}), _UNKNOWN: execute}


def doubt(kept: Json) -> str | None:
    """Return the execute whose outcome nobody knows, None when it is known."""
    execute = kept.get(_UNKNOWN) if isinstance(kept, Mapping) else None
    return execute if isinstance(execute, str) else None


def differs(kept: Json, values: Values) -> bool:
    """Tell whether a read has news: only then a version may move."""
    if not isinstance(kept, Mapping) or _UNKNOWN in kept:
        return True
    return kept.get("values") != dict(values)
