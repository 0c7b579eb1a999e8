"""A screen as `uiautomator dump` gives it, and finding one node on it.

The dump comes from whatever app is in front, so it is untrusted: no entities,
no unbounded sizes, and its texts are only ever compared.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
import re
from xml.parsers import expat

from hearthnet.core.phone.selectors import Screen, Selector, plain
from hearthnet.core.reasons import Reason

from .stops import Stop

MAX_BYTES = 4 * 1024 * 1024
MAX_NODES = 20_000
MAX_DEPTH = 200

_LABELS = ("text", "content-desc")
_BOUNDS = re.compile(r"\[(-?\d{1,6}),(-?\d{1,6})\]\[(-?\d{1,6}),(-?\d{1,6})\]")


@dataclass(eq=False, slots=True)
class Node:
    """One view. Attributes keep uiautomator's names; labels are as compared."""

    attributes: Mapping[str, str]
    parent: "Node | None" = None
    children: "list[Node]" = field(default_factory=list)

    def get(self, name: str) -> str:
        """Return an attribute; empty when it has none."""
        return self.attributes.get(name, "")

    @property
    def package(self) -> str:
        """The app it belongs to."""
        return self.attributes.get("package", "")

    @property
    def clickable(self) -> bool:
        """Tell whether it takes taps itself."""
        return self.attributes.get("clickable") == "true"

    @property
    def enabled(self) -> bool:
        """Tell whether it does anything when tapped."""
        return self.attributes.get("enabled") == "true"

    @property
    def bounds(self) -> tuple[int, int, int, int] | None:
        """Its left, top, right and bottom edge in pixels, None when unreadable."""
        match = _BOUNDS.fullmatch(self.attributes.get("bounds", ""))
        if match is None:
            return None
        left, top, right, bottom = map(int, match.groups())
        return (left, top, right, bottom) if left < right and top < bottom else None

    def holds(self, x: int, y: int) -> bool:
        """Tell whether a point lies on it."""
        if (bounds := self.bounds) is None:
            return False
        left, top, right, bottom = bounds
        return left <= x < right and top <= y < bottom

    def ancestors(self) -> "Iterator[Node]":
        """Go up from its parent to the root."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    def walk(self) -> "Iterator[Node]":
        """Go through it and all below it, in the order of drawing."""
        pending = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(node.children))


class Tree:
    """A parsed dump."""

    def __init__(self, xml: bytes, frame: str = "") -> None:
        """Parse a dump; `frame` is `facts.frame` from right before it.

        Raises:
            Stop: `ui_unreadable`, it is no dump or is made to do harm.
        """
        self.rotation = 0
        """Quarter turns of the display."""
        self.frame = frame
        self.nodes: list[Node] = []
        self._open: list[Node] = []
        self._root = False
        if len(xml) > MAX_BYTES:
            raise Stop(Reason.UI_UNREADABLE, f"a dump of {len(xml)} bytes")
        parser = expat.ParserCreate("utf-8")
        parser.StartDoctypeDeclHandler = _refuse
        parser.EntityDeclHandler = _refuse
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        try:
            parser.Parse(xml, True)
        except expat.ExpatError as error:
            raise Stop(Reason.UI_UNREADABLE, f"a broken dump: {error}") from None

    @property
    def packages(self) -> frozenset[str]:
        """All apps that the screen shows."""
        return frozenset(node.package for node in self.nodes)

    def find(self, selector: Selector, package: str) -> list[Node]:
        """Return all nodes of an app that a selector matches."""
        wanted = _wanted(selector, package)
        found = [
            node
            for node in self.nodes
            if node.package == package
            and all(node.get(name) in labels for name, labels in wanted)
        ]
        if selector.has and found:
            fitting = set(found)
            inner = self.find(selector.has, package)
            around = (_first(node.ancestors(), fitting) for node in inner)
            found = [node for node in dict.fromkeys(around) if node is not None]
        if selector.child_of and found:
            outer = self.one(selector.child_of, package)
            found = [node for node in found if outer in node.ancestors()]
        return found

    def one(self, selector: Selector, package: str) -> Node:
        """Return the only node that a selector matches.

        Raises:
            Stop: `node_not_found` or `ambiguous_match`.
        """
        found = self.find(selector, package)
        if not found:
            raise Stop(Reason.NODE_NOT_FOUND, f"not on the screen: {selector}")
        if len(found) > 1:
            text = f"{len(found)} times on the screen: {selector}"
            raise Stop(Reason.AMBIGUOUS_MATCH, text)
        return found[0]

    def require(self, screen: Screen) -> None:
        """Check that this is a screen.

        Raises:
            Stop: what the screen should show is not there, or twice.
        """
        for selector in screen.all:
            self.one(selector, screen.package)

    def point(self, node: Node, size: tuple[int, int]) -> tuple[int, int]:
        """Return where to tap a node, for a display of `size` held upright.

        Its own middle: Android hands a touch there to the node, or up to the
        clickable row around it.

        Raises:
            Stop: it is disabled, not wholly on the display, or covered.
        """
        takers = [one for one in (node, *node.ancestors()) if one.clickable]
        if not node.enabled or (takers and not takers[0].enabled):
            raise Stop(Reason.NODE_DISABLED, f"disabled: {_named(node)}")
        width, height = reversed(size) if self.rotation % 2 else size
        bounds = node.bounds
        if bounds is None or not _inside(bounds, width, height):
            text = f"outside the display: {_named(node)} {node.get('bounds')}"
            raise Stop(Reason.NODE_OFF_SCREEN, text)
        x, y = (bounds[0] + bounds[2]) // 2, (bounds[1] + bounds[3]) // 2
        top = None
        for other in self.nodes:
            if other.clickable and other.holds(x, y):
                top = other
        if top is not None and top is not node and top not in node.ancestors():
            text = f"{_named(node)} is covered by {_named(top)}"
            raise Stop(Reason.NODE_COVERED, text)
        return x, y

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "hierarchy" and not self.nodes:
            self._root = True
            rotation = attributes.get("rotation", "0")
            self.rotation = int(rotation) if rotation in {"0", "1", "2", "3"} else 0
            return
        if not self._root:
            raise Stop(Reason.UI_UNREADABLE, "no dump of a screen")
        if len(self.nodes) >= MAX_NODES or len(self._open) >= MAX_DEPTH:
            raise Stop(Reason.UI_UNREADABLE, "a dump without end")
        for label in _LABELS:
            attributes[label] = plain(attributes.get(label, ""))
        if attributes.get("password") == "true":
            attributes["text"] = ""
        parent = self._open[-1] if self._open else None
        node = Node(attributes, parent)
        if parent:
            parent.children.append(node)
        self.nodes.append(node)
        self._open.append(node)

    def _end(self, name: str) -> None:
        if name != "hierarchy":
            self._open.pop()


def _refuse(*_: object) -> None:
    raise Stop(Reason.UI_UNREADABLE, "a dump with a document type")


def _wanted(selector: Selector, package: str) -> list[tuple[str, frozenset[str]]]:
    """Return which attributes a selector wants, and what they may be."""
    # Compose's test tags have no package in front.
    full = (i if ":" in i else f"{package}:id/{i}" for i in selector.ids)
    wanted = (
        ("resource-id", frozenset(full).union(selector.ids)),
        ("text", frozenset(selector.texts)),
        ("content-desc", frozenset(selector.descriptions)),
        ("class", frozenset(selector.classes)),
    )
    return [(name, labels) for name, labels in wanted if labels]


def _first(nodes: Iterable[Node], among: set[Node]) -> Node | None:
    return next((node for node in nodes if node in among), None)


def _inside(bounds: tuple[int, int, int, int], width: int, height: int) -> bool:
    left, top, right, bottom = bounds
    return left >= 0 and top >= 0 and right <= width and bottom <= height


def _named(node: Node) -> str:
    """Describe a node without telling what it shows: screens hold private texts."""
    name = node.get("resource-id") or node.get("class") or "a view"
    return name[:100]
