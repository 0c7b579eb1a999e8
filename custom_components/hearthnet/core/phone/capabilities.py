"""What a recipe's app can be made to do."""

from collections.abc import Mapping
from dataclasses import dataclass
import re

from ..effects import STATE
from ..messages import Json
from ..operations import (
    Operation,
    Parameter,
    Parameters,
    Problem,
    Risk,
    check_parameters,
)
from ..reasons import Reason
from .selectors import Selector
from .values import Shown

OVERHEAD = 25.0
"""Seconds that waking, unlocking, starting an app and reading screens may take."""
VISION = 15.0
"""Seconds that a model may take to choose among what a screen shows."""

SLOT_ONLY = re.compile(r"\{([a-z][a-z0-9_]{0,39})\}")
"""A goal's or effect's value that is an argument."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """One tap on one screen."""

    screen: str
    tap: Selector
    opens: str | None = None
    """The screen that it leads to. Such a step only navigates: it moves nothing."""
    vision: bool = False
    """Where the selector names no node, a model may be asked which one is meant."""

    def data(self) -> Json:
        """Return the JSON form."""
        data: dict[str, Json] = {"screen": self.screen, "tap": self.tap.data()}
        if self.opens:
            data["opens"] = self.opens
        if self.vision:
            data["vision"] = True
        return data


@dataclass(frozen=True, kw_only=True)
class Repeat:
    """A closed loop: one tap, look again, until the goal or the limit."""

    screen: str
    less: Selector
    """Tapped while the app shows less than the goal."""
    more: Selector
    most: int
    """How many taps at most."""

    def data(self) -> Json:
        """Return the JSON form."""
        return {
            "screen": self.screen,
            "if_less": self.less.data(),
            "if_more": self.more.data(),
            "max_taps": self.most,
        }


@dataclass(frozen=True, kw_only=True)
class Capability:
    """One operation. It acts once, at the end of its way through the screens."""

    name: str
    """`domain.action`."""
    title: Mapping[str, str]
    """Language to a short text for people."""
    phrases: Mapping[str, tuple[str, ...]]
    """Language to sentences that ask for it, written as a playbook's are."""
    risk: Risk
    parameters: Mapping[str, Parameter]
    way: tuple[Step, ...]
    """Steps that only navigate."""
    act: Step | Repeat
    goal: Mapping[str, Json]
    """Value to what it shall be, a parameter's name in braces for its value."""
    effect: Mapping[str, Json]
    """As `goal`, but by control attribute, and the app does not show it (blind)."""
    absolute: bool
    within: float
    """Seconds until the app must show the goal."""
    stable: float
    """Seconds for which it must go on showing it."""

    @property
    def blind(self) -> bool:
        """Tell whether the app shows nothing of the effect."""
        return not self.goal

    @property
    def vision(self) -> bool:
        """Tell whether a model may have to be asked on the way."""
        acts = [self.act] if isinstance(self.act, Step) else []
        return any(step.vision for step in (*self.way, *acts))

    @property
    def seconds(self) -> float:
        """How long a run may take at most."""
        sight = VISION if self.vision else 0.0
        return OVERHEAD + sight + self.within + self.stable

    def problem(self, arguments: Parameters) -> Problem | None:
        """Return what is wrong with arguments, None if they fit."""
        if problem := check_parameters(self.operation({}), arguments):
            return problem
        for name, value in arguments.items():
            if isinstance(value, float) and not value.is_integer():
                text = f"{name}: expected a whole number"
                return Problem(Reason.BAD_PARAMETER, text, name)
        return None

    def wanted(self, arguments: Parameters) -> dict[str, Json]:
        """Return the goal with the arguments in place, by value."""
        return {name: resolve(value, arguments) for name, value in self.goal.items()}

    def operation(self, shown: Mapping[str, Shown]) -> Operation:
        """Return the row of the operations table; `shown` are the recipe's values."""

        def effects(
            parameters: Parameters, _values: Mapping[str, Json]
        ) -> tuple[tuple[str, Json], ...]:
            seen = (
                (shown[name].means, shown[name].outward(value))
                for name, value in self.wanted(parameters).items()
            )
            unseen = (
                (name, resolve(value, parameters))
                for name, value in self.effect.items()
            )
            return (*seen, *unseen)

        return Operation(
            name=self.name,
            effects=effects,
            parameters=self.parameters,
            required=frozenset(self.parameters),
            risk=self.risk,
            deadline=self.seconds,
            reads_state=not self._turns_off(shown),
            absolute=self.absolute,
            exact=True,
        )

    def data(self) -> Json:
        """Return the JSON form."""
        data: dict[str, Json] = {
            "title": dict(self.title),
            "phrases": {name: list(texts) for name, texts in self.phrases.items()},
            "risk": self.risk.value,
            "params": {n: _parameter_data(p) for n, p in self.parameters.items()},
            "absolute": self.absolute,
            "within": self.within,
            "stable": self.stable,
        }
        if self.blind:
            data |= {"blind": True, "effect": dict(self.effect)}
        else:
            data["goal"] = dict(self.goal)
        steps = [step.data() for step in self.way]
        if isinstance(self.act, Repeat):
            data["repeat"] = self.act.data()
        else:
            steps.append(self.act.data())
        if steps:
            data["steps"] = steps
        return data

    def _turns_off(self, shown: Mapping[str, Shown]) -> bool:
        if self.effect.get(STATE) == "off":
            return True
        return any(
            value == "off" and name in shown and shown[name].means == STATE
            for name, value in self.goal.items()
        )


@dataclass(frozen=True, kw_only=True)
class Look:
    """How the app's values are read without changing anything."""

    screen: str
    values: tuple[str, ...]
    way: tuple[Step, ...] = ()
    every: float | None = None
    """Seconds between reads while nobody uses the phone; None: only on demand."""

    def data(self) -> Json:
        """Return the JSON form."""
        data: dict[str, Json] = {"screen": self.screen, "values": list(self.values)}
        if self.way:
            data["steps"] = [step.data() for step in self.way]
        if self.every is not None:
            data["every"] = self.every
        return data


def resolve(value: Json, arguments: Parameters) -> Json:
    """Return a goal's value: a constant, or the argument that it names."""
    if isinstance(value, str) and (match := SLOT_ONLY.fullmatch(value)):
        return arguments[match[1]]
    return value


def whole(arguments: Parameters) -> dict[str, Json]:
    """Return arguments with whole numbers as such: JSON may carry 20 as 20.0."""
    return {
        name: int(value) if isinstance(value, float) else value
        for name, value in arguments.items()
    }


def _parameter_data(parameter: Parameter) -> Json:
    if parameter.choices is not None:
        return {"enum": list(parameter.choices)}
    limits: dict[str, Json] = {"min": parameter.minimum, "max": parameter.maximum}
    if parameter.unit is not None:
        limits["unit"] = parameter.unit
    return {"int": limits}
