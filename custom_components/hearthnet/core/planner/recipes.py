"""The planner for what phones control: a recipe's own sentences, and its name.

Sentences are matched exactly, small things aside, as a playbook's are; whatever
else is said of an appliance is for the planners after this one.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress

from ..devices import House
from ..effects import STATE
from ..intents import Action, Plan, PlanKind, Request
from ..phone.capabilities import Capability
from ..phone.recipe import Recipe
from ..phone.recipes import Placed, Recipes
from ..reasons import Reason
from . import Situation
from .phrases import Phrase, PhraseError, normalize

_SWITCHING = {
    "on": (
        "(turn|switch) on [the|my] NAME",
        "(turn|switch) [the|my] NAME on",
        "(schalte|schalt|mach|mache) [den|die|das] NAME (ein|an)",
        "[den|die|das] NAME (einschalten|anschalten|anmachen)",
        "(allume|allumer) [le|la|l] NAME",
        "(enciende|encender|prende) [el|la] NAME",
        "(打开|开启)NAME",
        "把NAME打开",
    ),
    "off": (
        "(turn|switch) off [the|my] NAME",
        "(turn|switch) [the|my] NAME off",
        "(schalte|schalt|mach|mache) [den|die|das] NAME aus",
        "[den|die|das] NAME (ausschalten|ausmachen)",
        "(éteins|éteindre) [le|la|l] NAME",
        "(apaga|apagar) [el|la] NAME",
        "(关掉|关闭|关上)NAME",
        "把NAME(关掉|关闭|关上)",
    ),
}
"""By the state that is wanted, how people ask for it."""
_ASKING = (
    "is [the|my] NAME (on|off|still on)",
    "what is [the] (state|status) of [the|my] NAME",
    "ist [der|die|das] NAME [noch] (an|aus|ein|eingeschaltet|ausgeschaltet)",
    "läuft [der|die|das] NAME [noch]",
    "[est ce que] [le|la|l] NAME est [encore] (allumé|allumée|éteint|éteinte)",
    "está (encendido|encendida|apagado|apagada) [el|la] NAME",
    "[el|la] NAME está (encendido|encendida|apagado|apagada)",
    "NAME(开着吗|关着吗|开了吗|关了吗|是开着的吗|是关着的吗)",
)
"""How people ask about it."""


class RecipePlanner:
    """Takes a request that a recipe has a sentence for."""

    def __init__(self, recipes: Recipes) -> None:
        """Take the recipes of this home."""
        self._recipes = recipes
        self._sentences: list[tuple[Phrase, bool, Placed, str | None]] = [
            (phrase, own, placed, capability.name)
            for placed in recipes
            for capability in placed.recipe.capabilities.values()
            if not capability.parameters
            for phrase, own in _phrases(placed.recipe, capability)
        ]
        self._sentences += (
            (phrase, own, placed, None)
            for placed in recipes
            for phrase, own in _named(placed.recipe, _ASKING)
        )

    async def plan(self, request: Request, situation: Situation) -> Plan | None:
        """Return the plan; a sentence that fits two appliances asks which."""
        plain = normalize(request.text)
        found = {
            (placed.id, operation): placed
            for phrase, own, placed, operation in self._sentences
            if phrase.match(plain) is not None
            and (own or not self._otherwise(placed, situation.house))
        }
        if not found:
            return None
        if len(found) > 1:
            near = tuple(sorted({placed.recipe.name for placed in found.values()}))
            return Plan(
                kind=PlanKind.UNCLEAR,
                reason=Reason.AMBIGUOUS,
                near=near,
                source="recipe",
            )
        (((target, operation), placed),) = found.items()
        if operation is None:
            return Plan(kind=PlanKind.QUESTION, asked=(target,), source="recipe")
        why = f"recipe {placed.recipe.device}"
        action = Action(targets=(target,), operation=operation, why=why)
        return Plan(kind=PlanKind.COMMAND, actions=(action,), source="recipe")

    def _otherwise(self, placed: Placed, house: House) -> bool:
        """Tell whether Home Assistant reaches what is meant by itself."""
        mine, name = house.device(placed.id), normalize(placed.recipe.name)
        return mine is not None and any(
            device.key == mine.key or normalize(device.name) == name
            for device in house.devices()
            if device.id not in self._recipes.by_device
        )


def _phrases(recipe: Recipe, capability: Capability) -> Iterator[tuple[Phrase, bool]]:
    """Yield the phrases of a capability, each with whether the recipe has it itself."""
    for texts in capability.phrases.values():
        yield from ((Phrase.read(text), True) for text in texts)
    for title in capability.title.values():
        yield from _read(_plain(title), own=True)
    wanted = dict(capability.operation(recipe.values).effects({}, {})).get(STATE)
    if isinstance(wanted, str):
        yield from _named(recipe, _SWITCHING.get(wanted, ()))


def _named(recipe: Recipe, templates: Iterable[str]) -> Iterator[tuple[Phrase, bool]]:
    """Yield templates with each name of an appliance; Home Assistant's come first."""
    for template in templates:
        for name in (recipe.name, *recipe.aliases):
            if normalize(name):
                yield from _read(template.replace("NAME", _plain(name)), own=False)


def _read(text: str, *, own: bool) -> Iterator[tuple[Phrase, bool]]:
    """Yield what a title or name makes a phrase of; some are too long for one."""
    with suppress(PhraseError):
        yield Phrase.read(text), own


def _plain(text: str) -> str:
    """Return a text that says nothing in the language of phrases."""
    return "".join(" " if char in "[](){}|" else char for char in text)
