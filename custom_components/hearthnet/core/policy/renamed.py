"""A policy's text with another name in it: what is around the name stays as it is.

People write comments and order into their policy; it is not written anew. Pure.
"""

from collections.abc import Iterator
import json

import yaml

_PLACES = frozenset({"area", "floor", "label", "device"})
"""Fields that hold names of one kind; every other one holds entity ids."""
_TEXTS = frozenset({"id", "name", "why"})
"""Fields that hold words of the owner's, which may be anything."""


def renamed(text: str, kind: str, old: str, new: str) -> str:
    """Return the text with one name in place of another.

    Args:
        text: a policy that loads.
        kind: what the name is of: `entity`, `device`, `area`, `floor` or `label`.
        old: the name as the text has it.
        new: what it is called now.
    """
    for start, end in sorted(_spans(text, kind, old), reverse=True):
        text = f"{text[:start]}{json.dumps(new, ensure_ascii=False)}{text[end:]}"
    return text


def _spans(text: str, kind: str, old: str) -> Iterator[tuple[int, int]]:
    for field, node in _scalars(yaml.compose(text, Loader=yaml.SafeLoader), ""):
        named = field == kind if kind in _PLACES else field not in _PLACES | _TEXTS
        if named and node.value == old:
            yield node.start_mark.index, node.end_mark.index


def _scalars(node: yaml.Node | None, field: str) -> Iterator[tuple[str, yaml.Node]]:
    """Go through the values of a text, each with the field it stands in."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield from _scalars(value, str(key.value))
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _scalars(item, field)
    elif node is not None:
        yield field, node
