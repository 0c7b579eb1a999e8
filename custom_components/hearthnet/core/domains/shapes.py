"""Shapes that the rows of several domains share."""

from ..devices import Values
from ..effects import STATE
from ..messages import Json
from ..operations import EffectsOf, Parameter, Parameters

type Pairs = tuple[tuple[str, Json], ...]

PERCENT = Parameter(minimum=0, maximum=100, unit=" %")
POSITIVE_PERCENT = Parameter(minimum=1, maximum=100, unit=" %")
"""For values whose zero is another operation: 0 % brightness is `turn_off`."""
TEXT = Parameter(text=True)
FLAG = Parameter(boolean=True)


def to_state(state: str, **attributes: str) -> EffectsOf:
    """Return effects that set the state, and an attribute for each parameter.

    Args:
        state: the state the device shall have.
        attributes: parameter's name to the attribute that shows it.
    """

    def effects(parameters: Parameters, _values: Values) -> Pairs:
        shown = attributes_of(parameters, attributes)
        return ((STATE, state), *shown)

    return effects


def to_attributes(**attributes: str) -> EffectsOf:
    """Return effects that set one attribute for each parameter named."""

    def effects(parameters: Parameters, _values: Values) -> Pairs:
        return attributes_of(parameters, attributes)

    return effects


def attributes_of(parameters: Parameters, attributes: dict[str, str]) -> Pairs:
    """Return (attribute, value) of each parameter that is given."""
    return tuple(
        (attribute, parameters[name])
        for name, attribute in attributes.items()
        if name in parameters
    )


def no_effects(_parameters: Parameters, _values: Values) -> Pairs:
    """Return no effects: where a stopped blind stands is not known before.

    Nothing can be read back then, and the outcome is `unverified`.
    """
    return ()
