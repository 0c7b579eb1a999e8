"""What a model may choose among when a selector names no node, and knowing it again.

Code narrows first: only what can be tapped in the recipe's own app, wholly on the
display, and that the recipe does not know as something else.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from hearthnet.core.phone.capabilities import Repeat, Step
from hearthnet.core.phone.choice import MOST, TEXT
from hearthnet.core.phone.recipe import Recipe
from hearthnet.core.phone.selectors import Selector
from hearthnet.core.reasons import Reason

from .stops import Stop
from .ui import Node, Tree

_MOST_TEXTS = 4


@dataclass(frozen=True)
class Candidate:
    """Something that may be meant. Two looks see the same one if they are equal."""

    shows: tuple[tuple[str, str], ...]
    """What it shows, by field."""
    bounds: tuple[int, int, int, int] | None
    node: Node = field(compare=False)


def candidates(
    tree: Tree, screen: str, recipe: Recipe, wanted: Selector, size: tuple[int, int]
) -> tuple[Candidate, ...]:
    """Return what on a screen may be what a selector wants.

    Where the selector fits several nodes, only these.
    """
    package = recipe.screens[screen].package
    among = _fitting(tree, wanted, package)
    if not among:
        others = _known(tree, recipe, wanted, package)
        clickable = (n for n in tree.nodes if n.package == package and n.clickable)
        among = [node for node in clickable if node not in others]
    return tuple(
        Candidate(_shows(node), node.bounds, node)
        for node in among
        if _tappable(tree, node, size)
    )


def again(chosen: Candidate, now: Iterable[Candidate]) -> Node:
    """Return the node that is the chosen one on a new look at the screen.

    Raises:
        Stop: it is not there any more, or not alone.
    """
    same = [one for one in now if one == chosen]
    if len(same) != 1:
        text = "what was chosen is not on the screen any more"
        raise Stop(Reason.NODE_NOT_FOUND, text)
    return same[0].node


def check_number(found: tuple[Candidate, ...], stop: Stop) -> None:
    """See that there is something to choose, and not too much.

    Raises:
        Stop: `stop`, with why nothing is asked.
    """
    if not 1 <= len(found) <= MOST:
        raise Stop(stop.reason, f"{stop.text}; {len(found)} others could be meant")


def _fitting(tree: Tree, wanted: Selector, package: str) -> list[Node]:
    try:
        return tree.find(wanted, package)
    except Stop:
        return []  # not even what should be around it is there


def _known(
    tree: Tree, recipe: Recipe, wanted: Selector, package: str
) -> frozenset[Node]:
    """Return the nodes that the recipe knows as something else."""
    known = (s for s in _taps(recipe) if s != wanted and _fixed(s))
    found = (_fitting(tree, selector, package) for selector in known)
    return frozenset(nodes[0] for nodes in found if len(nodes) == 1)


def _taps(recipe: Recipe) -> Iterable[Selector]:
    """Go through all that the recipe's capabilities tap."""
    for capability in recipe.capabilities.values():
        yield from (step.tap for step in capability.way)
        match capability.act:
            case Step(tap=tap):
                yield tap
            case Repeat(less=less, more=more):
                yield from (less, more)


def _fixed(selector: Selector) -> bool:
    """Tell whether a selector names the same whatever the parameters are."""
    return "{" not in str(selector)


def _tappable(tree: Tree, node: Node, size: tuple[int, int]) -> bool:
    try:
        tree.point(node, size)
    except Stop:
        return False
    return True


def _shows(node: Node) -> tuple[tuple[str, str], ...]:
    inside = [
        text
        for one in node.walk()
        if one is not node and (text := one.get("text") or one.get("content-desc"))
    ]
    fields = {
        "text": node.get("text"),
        "desc": node.get("content-desc"),
        "id": node.get("resource-id").rpartition("/")[2],
        "inside": ", ".join(inside[:_MOST_TEXTS]),
    }
    return tuple((name, text[:TEXT]) for name, text in fields.items() if text)
