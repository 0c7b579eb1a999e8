"""What is wrong with an answer, so that a machine can repair it."""

from collections.abc import Mapping
from dataclasses import dataclass
import math
import re

from ..messages import Json
from ..reasons import Reason
from .clean import clean

_HARMLESS = re.compile(r"[a-z0-9_.]{1,40}")


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One thing that is wrong with an answer."""

    field: str
    """Such as `actions[2].args.brightness_pct`."""
    value: Json
    allowed: str
    reason: Reason = Reason.MALFORMED

    def as_dict(self) -> dict[str, Json]:
        """Return the JSON form that the model gets."""
        return {"field": self.field, "value": self.value, "allowed": self.allowed}


@dataclass(frozen=True)
class Place:
    """Where in the answer an action stands, to name it in faults."""

    position: int

    def fault(
        self,
        field: str,
        value: object,
        allowed: str,
        reason: Reason = Reason.BAD_PARAMETER,
    ) -> Fault:
        """Return a fault of the action's `field` (with its dot)."""
        return Fault(
            field=f"actions[{self.position}]{field}",
            value=short(value),
            allowed=allowed,
            reason=reason,
        )


def as_json(value: object) -> Json:
    """Return a value as flat JSON data; what is none becomes its text."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list):
        return [as_json(item) for item in value[:16]]
    return "an object" if isinstance(value, Mapping) else str(value)[:100]


def short(value: object) -> Json:
    """Return a wrong value, short enough to be sent back."""
    flat = as_json(value)
    return clean(flat, 60) if isinstance(flat, str) else flat


def word(value: object) -> str:
    """Return a word of the model's if it can be no sentence, else `?`."""
    if isinstance(value, str) and _HARMLESS.fullmatch(value):
        return value
    return "?"
