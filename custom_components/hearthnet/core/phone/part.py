"""Reading untrusted data piece by piece, with errors that name the place."""

from collections.abc import Iterable
from difflib import get_close_matches
import math
import re

from ..messages import Json

type Path = tuple[str | int, ...]

MAX_TEXT = 200


class RecipeError(ValueError):
    """A recipe is wrong: where, and in words for a person why."""

    def __init__(self, path: Path, text: str) -> None:
        """Name the place by its keys and positions."""
        super().__init__(f"{path_text(path)}: {text}" if path else text)
        self.path = path
        self.text = text


def path_text(path: Path) -> str:
    """Write a place as a person would: `interrupts[0].has`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}"
    return text.removeprefix(".")


class Part:
    """A piece of a recipe and where it stands."""

    def __init__(self, data: object, path: Path = ()) -> None:
        """Take data of any shape; the reading methods say what it should be."""
        self.data = data
        self.path = path

    def error(self, text: str) -> RecipeError:
        """Return an error about this piece."""
        return RecipeError(self.path, text)

    def fields(
        self, required: Iterable[str] = (), optional: Iterable[str] = ()
    ) -> "dict[str, Part]":
        """Return the pieces of a mapping with a fixed set of keys."""
        needed, known = set(required), {*required, *optional}
        found = self.entries()
        for key in found.keys() - known:
            near = get_close_matches(key, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"known: {_list(known)}"
            raise found[key].error(f"unknown field; {hint}")
        if missing := needed - found.keys():
            raise self.error(f"{_list(missing)} missing")
        return found

    def entries(self, most: int = 100) -> "dict[str, Part]":
        """Return the pieces of a mapping with free keys."""
        if not isinstance(self.data, dict):
            raise self.error(f"expected fields, got {_shown(self.data)}")
        if len(self.data) > most:
            raise self.error(f"more than {most} entries")
        return {key: Part(data, (*self.path, key)) for key, data in self.data.items()}

    def items(self, least: int = 0, most: int = 100) -> "list[Part]":
        """Return the pieces of a list."""
        if not isinstance(self.data, list):
            raise self.error(f"expected a list, got {_shown(self.data)}")
        if not least <= len(self.data) <= most:
            raise self.error(f"expected {least} to {most} items")
        return [Part(data, (*self.path, i)) for i, data in enumerate(self.data)]

    def text(self, pattern: re.Pattern[str] | None = None, what: str = "") -> str:
        """Return a text; `what` says in words what `pattern` wants."""
        if not isinstance(self.data, str):
            hint = f"; {_QUOTE}" if isinstance(self.data, bool | int | float) else ""
            raise self.error(f"expected a text, got {_shown(self.data)}{hint}")
        if len(self.data) > MAX_TEXT:
            raise self.error(f"longer than {MAX_TEXT} characters")
        if pattern and not pattern.fullmatch(self.data):
            raise self.error(f"expected {what}, got {_shown(self.data)}")
        return self.data

    def choice(self, *choices: str) -> str:
        """Return one of a few texts."""
        if (text := self.text()) not in choices:
            raise self.error(f"expected {' or '.join(choices)}, got {_shown(text)}")
        return text

    def number(self, low: float, high: float) -> int | float:
        """Return a finite number within a range."""
        data = self.data
        if (
            isinstance(data, bool)
            or not isinstance(data, int | float)
            or not math.isfinite(data)
            or not low <= data <= high
        ):
            text = f"expected a number from {low:g} to {high:g}, got {_shown(data)}"
            raise self.error(text)
        return data

    def integer(self, low: int, high: int) -> int:
        """Return a whole number within a range."""
        number = self.number(low, high)
        if not isinstance(number, int):
            raise self.error(f"expected a whole number, got {_shown(number)}")
        return number

    def flag(self) -> bool:
        """Return a truth value."""
        if not isinstance(self.data, bool):
            raise self.error(f"expected true or false, got {_shown(self.data)}")
        return self.data

    def scalar(self) -> Json:
        """Return a text, a finite number or a truth value."""
        if isinstance(self.data, bool):
            return self.data
        if isinstance(self.data, int | float):
            return self.number(-1e9, 1e9)
        return self.text()


_QUOTE = 'put it in "quotes"'


def _shown(data: object) -> str:
    if isinstance(data, dict | list):
        return "a list" if isinstance(data, list) else "fields"
    return "nothing" if data is None else repr(data)[:60]


def _list(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
