"""Numbers, choices and texts: helpers, and settings that devices offer.

The state of a number is a number here, not its text. What is chosen shows as
`option` and what is written as `value`, not as state: a free text must not be taken
for a state such as `on`.
"""

from ..effects import STATE
from ..operations import Operation, Parameter
from .shapes import TEXT, to_attributes


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


ROWS = (
    _number("input_number"),
    _number("number"),
    _choice("input_select"),
    _choice("select"),
    _text("input_text"),
    _text("text"),
)
