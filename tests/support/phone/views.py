"""Views of a simulated screen, as uiautomator writes them and touches hit them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from xml.sax.saxutils import quoteattr

WIDTH, HEIGHT = 1080, 2400

type Bounds = tuple[int, int, int, int]


@dataclass(eq=False)
class View:
    """One view; what is tapped is the last drawn one that takes taps."""

    cls: str = "android.view.View"
    id: str = ""
    text: str = ""
    desc: str = ""
    bounds: Bounds = (0, 0, WIDTH, HEIGHT)
    on_tap: Callable[[], None] | None = None
    enabled: bool = True
    checked: bool | None = None
    password: bool = False
    children: "list[View]" = field(default_factory=list)

    def walk(self) -> "Iterator[View]":
        """Go through it and all below it, in the order of drawing."""
        yield self
        for child in self.children:
            yield from child.walk()

    def hit(self, x: int, y: int) -> "View | None":
        """Return what a touch reaches."""
        found = None
        for view in self.walk():
            left, top, right, bottom = view.bounds
            if view.on_tap and left <= x < right and top <= y < bottom:
                found = view
        return found


def text(id_: str, shown: str, bounds: Bounds) -> View:
    """Return a label."""
    return View("android.widget.TextView", id_, shown, bounds=bounds)


def button(
    id_: str, bounds: Bounds, on_tap: Callable[[], None], shown: str = ""
) -> View:
    """Return something to tap."""
    return View("android.widget.Button", id_, shown, bounds=bounds, on_tap=on_tap)


def dump(root: View, package: str, rotation: int = 0) -> bytes:
    """Return what `uiautomator dump` writes."""
    out = ["<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"]
    out.append(f'<hierarchy rotation="{rotation}">')

    def write(view: View, index: int) -> None:
        left, top, right, bottom = view.bounds
        attributes = {
            "index": str(index),
            "text": view.text,
            "resource-id": view.id,
            "class": view.cls,
            "package": package,
            "content-desc": view.desc,
            "checkable": _flag(view.checked is not None),
            "checked": _flag(bool(view.checked)),
            "clickable": _flag(view.on_tap is not None),
            "enabled": _flag(view.enabled),
            "focusable": _flag(view.on_tap is not None),
            "focused": "false",
            "scrollable": "false",
            "long-clickable": "false",
            "password": _flag(view.password),
            "selected": "false",
            "bounds": f"[{left},{top}][{right},{bottom}]",
        }
        written = " ".join(f"{name}={quoteattr(v)}" for name, v in attributes.items())
        out.append(f"<node {written}>")
        for i, child in enumerate(view.children):
            write(child, i)
        out.append("</node>")

    write(root, 0)
    out.append("</hierarchy>")
    return "".join(out).encode()


def _flag(value: bool) -> str:
    return "true" if value else "false"
