"""From a recipe's YAML to the JSON that a phone runs. Hub only: needs PyYAML."""

from collections.abc import Mapping
import math

import yaml

from ..messages import Json
from .part import Path, RecipeError, path_text
from .recipe import Recipe
from .recipes import Recipes

MAX_CHARACTERS = 64_000
MAX_PIECES = 10_000
"""Most values in a text; anchors can make a short text endless."""


class RecipeFileError(ValueError):
    """A recipe's file is wrong; `line` counts from 1."""

    def __init__(self, line: int, field: str, text: str) -> None:
        """Name the line, the field if it is known, and why in words."""
        place = f"line {line}, {field}" if field else f"line {line}"
        super().__init__(f"{place}: {text}")
        self.line = line
        self.field = field
        self.text = text


def compile_recipe(text: str) -> Recipe:
    """Read and check a recipe's YAML.

    Raises:
        RecipeFileError: naming the first line and field that is wrong.
    """
    if len(text) > MAX_CHARACTERS:
        raise RecipeFileError(1, "", f"longer than {MAX_CHARACTERS} characters")
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise RecipeFileError(line, "", f"not YAML: {error.problem}") from None
    except yaml.YAMLError as error:
        raise RecipeFileError(1, "", f"not YAML: {error}") from None
    except RecursionError:
        raise RecipeFileError(1, "", "nested too deeply") from None
    if root is None:
        raise RecipeFileError(1, "", "empty")
    tree = _Tree()
    data = tree.data(root)
    try:
        return Recipe.read(data)
    except RecipeError as error:
        line = tree.line(error.path)
        raise RecipeFileError(line, path_text(error.path), error.text) from None


def compile_all(
    texts: Mapping[str, Mapping[str, str]],
) -> tuple[Recipes, list[str]]:
    """Compile the recipes of a home: phone's node to name of a file to its text.

    Returns:
        The good ones, and what is wrong with the others: file, line, field, remedy.
    """
    recipes, mistakes = Recipes(), []
    for node, files in sorted(texts.items()):
        for name, text in sorted(files.items()):
            problem: str | None
            try:
                problem = recipes.put(node, compile_recipe(text))
            except RecipeFileError as error:
                problem = str(error)
            if problem is not None:
                mistakes.append(f"{node}/{name}, {problem}")
    return recipes, mistakes


class _Tree:
    """Turns the parser's nodes into plain data and remembers their lines."""

    def __init__(self) -> None:
        self._lines: dict[Path, int] = {}

    def line(self, path: Path) -> int:
        """Return the line of a place, or of the closest one around it."""
        while path not in self._lines:
            path = path[:-1]
        return self._lines[path]

    def data(self, node: yaml.Node, path: Path = ()) -> Json:
        """Return a node's value; RecipeFileError when it is no plain data."""
        line = node.start_mark.line + 1
        self._lines.setdefault(path, line)
        if len(path) > 20 or len(self._lines) > MAX_PIECES:
            raise RecipeFileError(line, path_text(path), "nested too deeply or endless")
        if not node.tag.startswith("tag:yaml.org,2002:"):
            raise RecipeFileError(line, path_text(path), f"{node.tag} is not supported")
        if isinstance(node, yaml.SequenceNode):
            return [self.data(item, (*path, i)) for i, item in enumerate(node.value)]
        if isinstance(node, yaml.ScalarNode):
            return _scalar(node)
        assert isinstance(node, yaml.MappingNode)
        fields: dict[str, Json] = {}
        for key, value in node.value:
            line, name = key.start_mark.line + 1, key.value
            if not isinstance(name, str):
                raise RecipeFileError(line, path_text(path), "a name must be a text")
            place = (*path, name)
            if name in fields:
                raise RecipeFileError(line, path_text(place), "given twice")
            # A block's value starts a line below its name; people look for the name.
            self._lines[place] = line
            fields[name] = self.data(value, place)
        return fields


def _scalar(node: yaml.ScalarNode) -> Json:
    """Return a scalar as YAML 1.2 has it.

    YAML 1.1, which PyYAML speaks, reads `off` as false and `22:30` as 1350.
    """
    raw: str = node.value
    if node.style is not None:
        return raw
    if raw in {"", "~", "null"}:
        return None
    if raw in {"true", "false"}:
        return raw == "true"
    for kind in (int, float):
        try:
            number = kind(raw)
        except ValueError:
            continue
        if math.isfinite(number):
            return number
    return raw
