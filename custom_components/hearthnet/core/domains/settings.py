"""Numbers, choices, texts and times: helpers, and settings that devices offer.

The state of a number is a number here, not its text. What is chosen shows as
`option` and what is written as `value`, not as state: a free text must not be taken
for a state such as `on`.
"""

from datetime import date, time

from ..devices import Values
from ..effects import STATE
from ..messages import Json
from ..operations import Operation, Parameter, Parameters
from .shapes import TEXT, Pairs, to_attributes


def _number(domain: str) -> Operation:
    return Operation(
        name=f"{domain}.set_value",
        parameters={"value": Parameter(minimum=-1e9, maximum=1e9)},
        required=frozenset({"value"}),
        effects=to_attributes(value=STATE),
    )


def _choice(domain: str) -> Operation:
    return Operation(
        name=f"{domain}.select_option",
        parameters={"option": TEXT},
        required=frozenset({"option"}),
        effects=to_attributes(option="option"),
    )


def _text(domain: str) -> Operation:
    return Operation(
        name=f"{domain}.set_value",
        parameters={"value": TEXT},
        required=frozenset({"value"}),
        effects=to_attributes(value="value"),
    )


def _set_datetime(parameters: Parameters, _values: Values) -> Pairs:
    return tuple(
        (name, _shown(name, parameters[name]))
        for name in ("date", "time")
        if name in parameters
    )


def _shown(name: str, value: Json) -> Json:
    """Return a date or time as the helper shows it; what is none stays as it is."""
    kind = date if name == "date" else time
    try:
        return kind.fromisoformat(str(value)).isoformat()
    except ValueError:
        return value


ROWS = (
    Operation(
        name="input_datetime.set_datetime",
        # In ISO 8601; a helper has one of them, or both.
        parameters={"date": TEXT, "time": TEXT},
        effects=_set_datetime,
    ),
    _number("input_number"),
    _number("number"),
    _choice("input_select"),
    _choice("select"),
    _text("input_text"),
    _text("text"),
)
