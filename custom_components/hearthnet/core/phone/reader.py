"""Reading capabilities out of a recipe, with all that can be checked beforehand."""

from collections.abc import Mapping
from dataclasses import dataclass
import re

from ..messages import Json
from ..operations import Parameter, Risk
from ..planner.phrases import Phrase, PhraseError
from .capabilities import SLOT_ONLY, Capability, Look, Repeat, Step
from .part import Part
from .selectors import SLOT, Screen, Selector
from .values import Shown

_NAME = re.compile(r"[a-z][a-z0-9_]{0,29}\.[a-z][a-z0-9_]{0,39}")
_PARAMETER = re.compile(r"[a-z][a-z0-9_]{0,39}")


@dataclass(frozen=True)
class Reader:
    """Reads capabilities against the screens and values of their recipe."""

    screens: Mapping[str, Screen]
    shown: Mapping[str, Shown]

    def capability(self, name: str, part: Part) -> Capability:
        """Read one capability.

        Raises:
            RecipeError: it is wrong.
        """
        if not _NAME.fullmatch(name):
            raise part.error("expected a name such as tv.power_off")
        fields = part.fields(
            optional=(
                *("title", "phrases", "risk", "params", "goal", "blind"),
                *("effect", "absolute", "steps", "repeat", "within", "stable"),
            )
        )
        parameters = _parameters(fields.get("params"))
        goal = self._goal(fields.get("goal"), parameters)
        effect = _effect(fields.get("effect"), parameters)
        blind = "blind" in fields and fields["blind"].flag()
        if bool(goal) == blind:
            raise part.error("needs either a goal, or blind: true with its effect")
        if blind != bool(effect):
            raise part.error("effect goes with blind: true, and only with it")
        used = {m[1] for v in (*goal.values(), *effect.values()) if (m := _slot(v))}
        if idle := parameters.keys() - used:
            raise part.error(f"{min(idle)} changes neither goal nor effect")
        absolute = fields["absolute"].flag() if "absolute" in fields else bool(goal)
        way, act = self._course(part, fields, parameters, goal)
        capability = Capability(
            name=name,
            title=_title(fields.get("title"), name),
            phrases=_phrases(fields.get("phrases"), parameters),
            risk=Risk(fields["risk"].choice(*Risk))
            if "risk" in fields
            else Risk.NORMAL,
            parameters=parameters,
            way=way,
            act=act,
            goal=goal,
            effect=effect,
            absolute=absolute,
            within=fields["within"].number(0.5, 20) if "within" in fields else 8,
            stable=fields["stable"].number(0, 5) if "stable" in fields else 0,
        )
        if capability.vision and (blind or capability.risk is Risk.CONFIRM):
            text = "vision needs a goal that shows a wrong choice, and no risk: confirm"
            raise part.error(text)
        return capability

    def look(self, part: Part) -> Look:
        """Read how the values are read."""
        fields = part.fields(("screen",), ("values", "steps", "every"))
        way = self._steps(fields["steps"], {}) if "steps" in fields else ()
        if any(step.vision for step in way):
            raise fields["steps"].error("reading never asks a model; leave vision out")
        screen = self._screen(fields["screen"])
        self._connected(part, way, screen)
        names = tuple(self.shown)
        if "values" in fields:
            names = tuple(self._value(item) for item in fields["values"].items(1))
        return Look(
            screen=screen,
            values=names,
            way=way,
            every=fields["every"].number(60, 86400) if "every" in fields else None,
        )

    def _course(
        self,
        part: Part,
        fields: Mapping[str, Part],
        parameters: Mapping[str, Parameter],
        goal: Mapping[str, Json],
    ) -> tuple[tuple[Step, ...], Step | Repeat]:
        """Return the way to the screen of the act, and the act."""
        steps = self._steps(fields["steps"], parameters) if "steps" in fields else ()
        if "repeat" in fields:
            act: Step | Repeat = self._repeat(fields["repeat"], parameters, goal)
            way = steps
        elif not steps:
            raise part.error("needs steps or repeat")
        elif steps[-1].opens:
            raise fields["steps"].error("the last step acts, so it opens nothing")
        else:
            way, act = steps[:-1], steps[-1]
        self._connected(part, way, act.screen)
        return way, act

    def _connected(self, part: Part, way: tuple[Step, ...], last: str) -> None:
        """Check that each step leads to the next one's screen."""
        nexts = [*(step.screen for step in way), last][1:]
        for step, screen in zip(way, nexts, strict=True):
            if step.opens is None:
                raise part.error(f"the step before {screen} must say opens: {screen}")
            if step.opens != screen:
                raise part.error(f"a step opens {step.opens}, the next is on {screen}")

    def _steps(
        self, part: Part, parameters: Mapping[str, Parameter]
    ) -> tuple[Step, ...]:
        steps = []
        for item in part.items(1, 8):
            fields = item.fields(("screen", "tap"), ("opens", "vision"))
            opens = self._screen(fields["opens"]) if "opens" in fields else None
            tap = Selector.read(fields["tap"], parameters)
            steps.append(
                Step(
                    screen=self._screen(fields["screen"]),
                    tap=tap,
                    opens=opens,
                    vision="vision" in fields and fields["vision"].flag(),
                )
            )
        return tuple(steps)

    def _repeat(
        self,
        part: Part,
        parameters: Mapping[str, Parameter],
        goal: Mapping[str, Json],
    ) -> Repeat:
        fields = part.fields(("screen", "if_less", "if_more", "max_taps"))
        numbers = [self.shown[name].kind == "number" for name in goal]
        if numbers != [True]:
            raise part.error("repeat needs a goal of one number")
        return Repeat(
            screen=self._screen(fields["screen"]),
            less=Selector.read(fields["if_less"], parameters),
            more=Selector.read(fields["if_more"], parameters),
            most=fields["max_taps"].integer(1, 50),
        )

    def _goal(
        self, part: Part | None, parameters: Mapping[str, Parameter]
    ) -> dict[str, Json]:
        goal: dict[str, Json] = {}
        for name, item in part.entries().items() if part else ():
            if name not in self.shown:
                raise item.error(
                    f"no value of this name; known: {', '.join(self.shown)}"
                )
            goal[name] = value = item.scalar()
            for possible in _possible(item, value, parameters):
                if problem := self.shown[name].problem(possible):
                    raise item.error(f"{name} never shows {possible!r}: {problem}")
        return goal

    def _screen(self, part: Part) -> str:
        return part.choice(*self.screens)

    def _value(self, part: Part) -> str:
        return part.choice(*self.shown)


def _parameters(part: Part | None) -> dict[str, Parameter]:
    parameters: dict[str, Parameter] = {}
    for name, item in part.entries(5).items() if part else ():
        if not _PARAMETER.fullmatch(name):
            raise item.error("expected a name of small letters, digits and _")
        fields = item.fields(optional=("enum", "int"))
        if "enum" in fields and "int" not in fields:
            choices = tuple(choice.text() for choice in fields["enum"].items(1))
            parameters[name] = Parameter(choices=choices)
        elif "int" in fields and "enum" not in fields:
            limits = fields["int"].fields(("min", "max"), ("unit",))
            low = limits["min"].integer(-(10**6), 10**6)
            parameters[name] = Parameter(
                minimum=low,
                maximum=limits["max"].integer(low, 10**6),
                unit=limits["unit"].text() if "unit" in limits else None,
            )
        else:
            raise item.error("needs enum or int")
    return parameters


def _possible(
    part: Part, value: Json, parameters: Mapping[str, Parameter]
) -> tuple[Json, ...]:
    """Return the values that a goal or effect may take: its extremes or choices."""
    if (match := _slot(value)) is None:
        if isinstance(value, str) and SLOT.search(value):
            raise part.error("a parameter stands alone here")
        return (value,)
    if (parameter := parameters.get(match[1])) is None:
        raise part.error(f"{{{match[1]}}} is no parameter here")
    return parameter.choices or (parameter.minimum, parameter.maximum)


def _slot(value: Json) -> re.Match[str] | None:
    return SLOT_ONLY.fullmatch(value) if isinstance(value, str) else None


def _effect(part: Part | None, parameters: Mapping[str, Parameter]) -> dict[str, Json]:
    effect: dict[str, Json] = {}
    for name, item in part.entries(5).items() if part else ():
        if not _PARAMETER.fullmatch(name):
            raise item.error("expected a control attribute, such as source")
        effect[name] = item.scalar()
        _possible(item, effect[name], parameters)
    return effect


def _title(part: Part | None, name: str) -> dict[str, str]:
    if part is None:
        return {"en": name.partition(".")[2].replace("_", " ").capitalize()}
    if isinstance(part.data, str):
        return {"en": part.text()}
    return {language: item.text() for language, item in part.entries(50).items()}


def _phrases(
    part: Part | None, parameters: Mapping[str, Parameter]
) -> dict[str, tuple[str, ...]]:
    if part is None:
        return {}
    phrases = {
        language: tuple(_phrase(one) for one in item.items(0, 20))
        for language, item in part.entries(50).items()
    }
    if phrases and parameters:
        raise part.error("a sentence cannot give a parameter; leave phrases out")
    return phrases


def _phrase(part: Part) -> str:
    text = part.text()
    if "{" in text:
        raise part.error("there is nothing in braces here")
    try:
        Phrase.read(text)
    except PhraseError as error:
        raise part.error(str(error)) from None
    return text
