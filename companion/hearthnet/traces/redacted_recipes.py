"""Recipes without what is on a phone's screens. Pure.

Nothing is driven when a trace is played: of a recipe only its operations count.
"""

from collections.abc import Iterator, Mapping
import re
from typing import Any

_SLOT = re.compile(r"\{[a-z0-9_]+\}")
_ON_SCREEN = ("app", "screens", "interrupts", "values", "read")
_PACKAGE = "com.example.app"


def redacted(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """Return a recipe of the same operations, in marks."""
    marks: dict[str, str] = {}
    made = {
        name: _blank(value, marks) if name in _ON_SCREEN else value
        for name, value in recipe.items()
    }
    made["capabilities"] = {
        name: {
            **{
                key: value if key == "params" else _blank(value, marks)
                for key, value in capability.items()
            },
            "title": {"en": name},
            "phrases": {},
        }
        for name, capability in recipe["capabilities"].items()
    }
    return {**made, "aliases": []}


def options(recipe: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a person can choose among: names of stations, lists, inputs."""
    for capability in recipe["capabilities"].values():
        for parameter in capability["params"].values():
            yield from parameter.get("enum", ())


def _blank(value: Any, marks: dict[str, str]) -> Any:
    """Put marks for the texts that a screen shows, and for the app's names.

    Those stand in lists; a single text is the recipe's own word for something.
    """
    if isinstance(value, list):
        return [
            _mark(item, marks) if isinstance(item, str) else _blank(item, marks)
            for item in value
        ]
    if isinstance(value, Mapping):
        made: dict[str, Any] = {
            # The values that are read are named, and are no texts of a screen.
            key: item
            if key == "values" and isinstance(item, list)
            else _blank(item, marks)
            for key, item in value.items()
        }
        if "package" in made:
            made["package"] = _PACKAGE
        if "activity" in made:
            made["activity"] = ".Activity"
        if "has" in made and "name" in made:
            made["name"] = _mark(made["name"], marks)
        return made
    return value


def _mark(text: str, marks: dict[str, str]) -> str:
    """Return a text's mark; a parameter's place in it stays."""
    slots = "".join(_SLOT.findall(text))
    return marks.setdefault(text, f"w{len(marks) + 1}{slots}")
