"""What a recipe looks like to people: switches, numbers, choices, buttons, values.

Each capability is shown once, and each value once: a value that a control sets is
that control's.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..messages import Json
from .capabilities import Capability
from .recipe import Recipe
from .values import Shown

ON: tuple[Json, ...] = ("on", True)
_OFF: tuple[Json, ...] = ("off", False)


@dataclass(frozen=True, kw_only=True)
class Switch:
    """Two capabilities that set one attribute to on and off, or true and false."""

    attribute: str
    on: str
    off: str


@dataclass(frozen=True, kw_only=True)
class Number:
    """A capability that sets one attribute to a number."""

    attribute: str
    operation: str
    parameter: str
    minimum: float
    maximum: float
    unit: str | None
    scale: float
    """What the parameter is multiplied with to become the attribute's value."""


@dataclass(frozen=True, kw_only=True)
class Select:
    """A capability that sets one attribute to one of a few texts."""

    attribute: str
    operation: str
    parameter: str
    options: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Button:
    """A capability without parameters that is half of no switch."""

    operation: str
    title: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Value:
    """A value that can only be read."""

    attribute: str
    shown: Shown


type Control = Switch | Number | Select | Button | Value


def controls_of(recipe: Recipe) -> Iterator[Control]:
    """Yield what a recipe is shown as. What takes several parameters is left out."""
    plain = {
        name: _effect(recipe, capability)
        for name, capability in recipe.capabilities.items()
        if not capability.parameters
    }
    set_, paired = set[str](), set[str]()
    for switch in _switches(plain):
        paired |= {switch.on, switch.off}
        set_.add(switch.attribute)
        yield switch
    for capability in recipe.capabilities.values():
        control = _adjusted(recipe, capability)
        if control is not None and control.attribute not in set_:
            set_.add(control.attribute)
            yield control
    for name in plain:
        if name not in paired:
            yield Button(operation=name, title=recipe.capabilities[name].title)
    for shown in recipe.values.values():
        if shown.means not in set_:
            yield Value(attribute=shown.means, shown=shown)


def _effect(
    recipe: Recipe, capability: Capability, **arguments: Json
) -> tuple[tuple[str, Json], ...]:
    return capability.operation(recipe.values).effects(arguments, {})


def _switches(
    plain: Mapping[str, tuple[tuple[str, Json], ...]],
) -> Iterator[Switch]:
    """Yield the pairs; the first capability of each kind counts."""
    found: dict[tuple[str, bool], str] = {}
    for name, effects in plain.items():
        if len(effects) == 1:
            ((attribute, value),) = effects
            if isinstance(value, str | bool) and value in (*ON, *_OFF):
                found.setdefault((attribute, value in ON), name)
    for (attribute, on), name in found.items():
        if on and (off := found.get((attribute, False))) is not None:
            yield Switch(attribute=attribute, on=name, off=off)


def _adjusted(recipe: Recipe, capability: Capability) -> Number | Select | None:
    """Return what a capability with one parameter and one effect is shown as."""
    if len(capability.parameters) != 1:
        return None
    ((name, parameter),) = capability.parameters.items()
    if parameter.choices is not None:
        effects = _effect(recipe, capability, **{name: parameter.choices[0]})
        if len(effects) != 1 or effects[0][1] != parameter.choices[0]:
            return None
        return Select(
            attribute=effects[0][0],
            operation=capability.name,
            parameter=name,
            options=parameter.choices,
        )
    effects = _effect(recipe, capability, **{name: 1000})
    if len(effects) != 1 or not isinstance(value := effects[0][1], int | float):
        return None
    assert parameter.minimum is not None
    assert parameter.maximum is not None
    return Number(
        attribute=effects[0][0],
        operation=capability.name,
        parameter=name,
        minimum=parameter.minimum,
        maximum=parameter.maximum,
        unit=parameter.unit,
        scale=value / 1000,
    )
