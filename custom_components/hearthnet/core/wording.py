"""Values and wishes in words, in a table's language. Pure."""

from collections.abc import Mapping

from .devices import Values
from .domains import OPERATIONS
from .effects import STATE
from .messages import Json
from .operations import Operation
from .texts import Texts

POSITION = "current_position"
ANSWERED = (
    "brightness_pct",
    "current_temperature",
    "temperature",
    POSITION,
    "volume_level",
    "source",
    "media_title",
    "percentage",
    "humidity",
    "mode",
    "operation_mode",
    "fan_speed",
    "option",
    "value",
    "motion_detection",
)
"""What a question about a device is answered with, besides its state."""


_ENDS: Mapping[Json, str] = {0: "closed", 100: "open"}
"""Positions that people have words for."""


def attribute(texts: Texts, name: str, value: Json) -> str:
    """Tell the value of one control attribute."""
    if name == STATE:
        return texts.states.get(str(value), str(value))
    if isinstance(value, bool) and (phrases := texts.flags.get(name)) is not None:
        return phrases[0] if value else phrases[1]
    if name == "volume_level" and isinstance(value, int | float):
        value = value * 100
    if name == POSITION and value in _ENDS:
        return texts.states[_ENDS[value]]
    shown = _plain(value)
    if (phrase := texts.attributes.get(name)) is not None:
        return phrase.format(value=shown)
    return texts.other_attribute.format(attribute=name.replace("_", " "), value=shown)


def answered(values: Values) -> frozenset[str]:
    """Return of which attributes `state` tells the values."""
    return frozenset(n for n in (STATE, *ANSWERED) if values.get(n) is not None)


def state(texts: Texts, values: Values) -> str:
    """Tell a device's state with what people ask about it."""
    told = answered(values)
    shown = [attribute(texts, n, values[n]) for n in (STATE, *ANSWERED) if n in told]
    # One word for “closed, closed”.
    shown = list(dict.fromkeys(shown))
    return texts.comma.join(shown) or texts.states["unknown"]


def reached(
    texts: Texts,
    operation: str,
    parameters: Mapping[str, Json],
    values: Values,
    operations: Mapping[str, Operation] = OPERATIONS,
) -> str:
    """Tell the values seen of what an operation changes; empty if it shows none.

    `operations` are those that exist in the home.
    """
    row = operations.get(operation)
    effects = row.effects(parameters, values) if row else ()
    seen = {n: values[n] for n, _ in effects if values.get(n) is not None}
    if not seen and values.get(STATE) is not None:
        seen[STATE] = values[STATE]
    return _told(texts, seen)


def wanted(
    texts: Texts,
    operation: str,
    parameters: Mapping[str, Json],
    operations: Mapping[str, Operation] = OPERATIONS,
) -> str:
    """Tell what an operation was to bring about; `operations` see `reached`."""
    row = operations.get(operation)
    goal = dict(row.effects(parameters, {})) if row else {}
    told = _told(texts, {n: v for n, v in goal.items() if v is not None})
    return told or _named(texts, operation, parameters)


def _named(texts: Texts, operation: str, parameters: Mapping[str, Json]) -> str:
    """Name an operation with its parameters."""
    asked = [attribute(texts, name, value) for name, value in parameters.items()]
    return texts.comma.join([operation, *asked])


def _told(texts: Texts, values: Values) -> str:
    # “40 % open” says that it is open.
    names = [n for n in values if n != STATE or POSITION not in values]
    return texts.comma.join(attribute(texts, name, values[name]) for name in names)


def _plain(value: Json) -> str:
    """Write a value as people do: no trailing zeros, lists without brackets."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        if isinstance(value, list):
            return ", ".join(_plain(item) for item in value)
        return str(value)
    return f"{round(value, 1):g}" if abs(value) < 1000 else f"{value:.0f}"
