"""Reads the text of a policy; the only module that needs PyYAML."""

from collections.abc import Iterator, Mapping
import math
from pathlib import Path

import yaml

from ..domains import OPERATIONS
from ..operations import Operation
from .model import Policy
from .parse import parse
from .spots import Mistake, PolicyError, Scalar, Spot

PRESETS = ("balanced", "cautious", "relaxed")
MAX_CHARACTERS = 100_000
"""Longest text: it travels in one message."""
MAX_SPOTS = 20_000
"""Most values in a text; anchors can make a short text endless."""
MAX_DEPTH = 10
"""Deepest nesting of a text."""

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The fast one where it was built: a policy is read in Home Assistant's loop."""


def load(text: str, operations: Mapping[str, Operation] | None = OPERATIONS) -> Policy:
    """Read a policy, whole or not at all.

    Args:
        text: the YAML text.
        operations: those of the home, recipes' too: a rule may name no other. None:
            not checked, for a text that was accepted before. Recipes come and go;
            a rule about what is not there fits nothing until it is back.

    Raises:
        PolicyError: naming line, field and remedy of each mistake.
    """
    return parse(read(text), operations)


def read(text: str) -> Spot:
    """Return a YAML text as plain values that know their line.

    Raises:
        PolicyError: the text is no plain YAML, naming the line.
    """
    if len(text) > MAX_CHARACTERS:
        raise PolicyError([Mistake(1, "text", f"longer than {MAX_CHARACTERS} letters")])
    try:
        _check_depth(text)
        node = yaml.compose(text, Loader=_LOADER)
    except UnicodeEncodeError as error:
        line = 1 + text.count("\n", 0, error.start)
        raise PolicyError([Mistake(line, "text", "not Unicode")]) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = 1 if mark is None else mark.line + 1
        what = error.problem or error.context or "not YAML"
        raise PolicyError([Mistake(line, "text", f"not YAML: {what}")]) from None
    except yaml.YAMLError as error:
        line = 1 + text.count("\n", 0, getattr(error, "position", 0))
        what = getattr(error, "reason", "not YAML")
        raise PolicyError([Mistake(line, "text", f"not YAML: {what}")]) from None
    if node is None:
        raise PolicyError([Mistake(1, "text", "empty; start from a preset")])
    return _Tree().spot(node)


def preset(name: str) -> str:
    """Return the text of a shipped policy, one of `PRESETS`.

    Raises:
        KeyError: there is no preset of that name.
    """
    if name not in PRESETS:
        raise KeyError(name)
    return (Path(__file__).parent / "presets" / f"{name}.yaml").read_text("utf-8")


def _check_depth(text: str) -> None:
    """Refuse what is nested too deeply, before it is composed.

    Composing calls itself for each level, in C without a limit: forty thousand
    hyphens end the process, and with it Home Assistant.
    """
    depth = 0
    for event in yaml.parse(text, Loader=_LOADER):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_DEPTH:
            line = 1 if event.start_mark is None else event.start_mark.line + 1
            raise PolicyError([Mistake(line, "text", "nested too deeply or endless")])


class _Tree:
    """Turns the parser's nodes into plain values that know their line."""

    def __init__(self) -> None:
        self._left = MAX_SPOTS

    def spot(self, node: yaml.Node, depth: int = 0) -> Spot:
        """Return a node as a spot; PolicyError when it is no plain data."""
        line = node.start_mark.line + 1
        self._left -= 1
        if depth > MAX_DEPTH or self._left < 0:
            raise PolicyError([Mistake(line, "text", "nested too deeply or endless")])
        if not node.tag.startswith("tag:yaml.org,2002:"):
            text = f"{node.tag} is not supported; write the value itself"
            raise PolicyError([Mistake(line, "text", text)])
        if isinstance(node, yaml.MappingNode):
            return Spot(line, dict(self._pairs(node, depth)))
        if isinstance(node, yaml.SequenceNode):
            return Spot(line, [self.spot(item, depth + 1) for item in node.value])
        plain = isinstance(node, yaml.ScalarNode) and not node.style
        return Spot(line, _scalar(node.value) if plain else node.value)

    def _pairs(self, node: yaml.MappingNode, depth: int) -> Iterator[tuple[str, Spot]]:
        met: dict[str, int] = {}
        for key, value in node.value:
            line, name = key.start_mark.line + 1, key.value
            if not isinstance(name, str):
                raise PolicyError([Mistake(line, "text", "a name must be a text")])
            if name in met:
                text = f"given twice; it is in line {met[name]} too"
                raise PolicyError([Mistake(line, name, text)])
            met[name] = line
            spot = self.spot(value, depth + 1)
            # A block's value starts a line below its name; people look for the name.
            yield name, Spot(line, spot.value)


def _scalar(raw: str) -> Scalar:
    """Return an unquoted value as YAML 1.2 has it.

    YAML 1.1, which PyYAML speaks, reads `off` as false and `22:30` as 1350.
    """
    if raw in {"", "~", "null"}:
        return None
    if raw in {"true", "false"}:
        return raw == "true"
    try:
        return int(raw)
    except ValueError:
        pass
    try:
        number = float(raw)
    except ValueError:
        return raw
    return number if math.isfinite(number) else raw
