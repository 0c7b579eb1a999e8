"""How a recipe names one thing on a screen, and one screen.

Exact texts only: no pattern, no index and no coordinate, because each of these
goes on matching something after an update of the app, only not the same thing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
import re
import unicodedata

from ..messages import Json
from .denied import why_denied
from .part import Part

type Arguments = Mapping[str, Json]
"""Values of a capability's parameters."""

SLOT = re.compile(r"\{([a-z][a-z0-9_]{0,39})\}")
"""Where a selector takes the value of a parameter."""
PACKAGE = re.compile(r"[A-Za-z]\w*(\.[A-Za-z]\w*)+", re.ASCII)

_MAX_LABELS = 100
_MAX_DEPTH = 3


@dataclass(frozen=True, kw_only=True)
class Selector:
    """One node: all that is given must hold, each with one of its texts."""

    ids: tuple[str, ...] = ()
    """Resource ids; without a package they are the screen's own."""
    texts: tuple[str, ...] = ()
    descriptions: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    child_of: "Selector | None" = None
    """The node lies somewhere inside this one."""
    has: "Selector | None" = None
    """This one lies inside the node, and no smaller node that fits is around it."""

    @classmethod
    def read(cls, part: Part, slots: Iterable[str] = (), depth: int = 0) -> "Selector":
        """Read a selector; `slots` are the parameters that it may name.

        Raises:
            RecipeError: it is wrong, or names no text at all.
        """
        if depth > _MAX_DEPTH:
            raise part.error("nested too deeply")
        fields = part.fields(optional=_NAMES)
        if not fields.keys() & {"id", "text", "desc", "has"}:
            raise part.error("needs id, text, desc or has")
        known = frozenset(slots)

        def inner(name: str) -> "Selector | None":
            if name not in fields:
                return None
            return cls.read(fields[name], known, depth + 1)

        return cls(
            ids=_slotted(fields.get("id"), known),
            texts=_slotted(fields.get("text"), known),
            descriptions=_slotted(fields.get("desc"), known),
            classes=_slotted(fields.get("class"), known),
            child_of=inner("child_of"),
            has=inner("has"),
        )

    def data(self) -> Json:
        """Return the JSON form."""
        data: dict[str, Json] = {
            name: list(texts)
            for name, texts in (
                ("id", self.ids),
                ("text", self.texts),
                ("desc", self.descriptions),
                ("class", self.classes),
            )
            if texts
        }
        if self.child_of:
            data["child_of"] = self.child_of.data()
        if self.has:
            data["has"] = self.has.data()
        return data

    def fill(self, arguments: Arguments) -> "Selector":
        """Return the selector with values in the place of parameters."""
        return Selector(
            ids=_filled(self.ids, arguments),
            texts=_filled(self.texts, arguments),
            descriptions=_filled(self.descriptions, arguments),
            classes=_filled(self.classes, arguments),
            child_of=self.child_of and self.child_of.fill(arguments),
            has=self.has and self.has.fill(arguments),
        )

    def __str__(self) -> str:
        named = (
            ("id", self.ids),
            ("text", self.texts),
            ("desc", self.descriptions),
            ("class", self.classes),
        )
        parts = [f"{name} {' or '.join(texts)}" for name, texts in named if texts]
        if self.child_of:
            parts.append(f"inside ({self.child_of})")
        if self.has:
            parts.append(f"around ({self.has})")
        return ", ".join(parts)


_NAMES = ("id", "text", "desc", "class", "child_of", "has")


@dataclass(frozen=True, kw_only=True)
class Screen:
    """A screen of an app: shown when every selector matches exactly one node."""

    package: str
    all: tuple[Selector, ...]

    @classmethod
    def read(cls, part: Part, app: str) -> "Screen":
        """Read a screen; it belongs to `app` unless it says otherwise."""
        fields = part.fields(required=("all",), optional=("package",))
        package = read_package(fields["package"]) if "package" in fields else app
        return cls(
            package=package,
            all=tuple(Selector.read(item) for item in fields["all"].items(1, 10)),
        )

    def data(self) -> Json:
        """Return the JSON form."""
        return {"package": self.package, "all": [item.data() for item in self.all]}


@dataclass(frozen=True, kw_only=True)
class Interrupt:
    """Something known that may stand in front of the app."""

    name: str
    package: str
    has: Selector
    back: bool = False
    """True: the back key closes it. False: a person has to deal with it."""
    most: int = field(default=1)
    """How often the back key is tried in one run."""

    @classmethod
    def read(cls, part: Part, app: str) -> "Interrupt":
        """Read an interrupt of `app`'s screens or of another package's."""
        fields = part.fields(
            required=("name", "has", "do"), optional=("package", "max")
        )
        back = fields["do"].choice("fail", "back") == "back"
        package = app
        if "package" in fields:
            # To recognize a dialog is harmless, to press a key in it is not.
            package = fields["package"].text(PACKAGE, "a package")
            if back:
                package = read_package(fields["package"])
        return cls(
            name=fields["name"].text(),
            package=package,
            has=Selector.read(fields["has"]),
            back=back,
            most=fields["max"].integer(1, 3) if "max" in fields else 1,
        )

    def data(self) -> Json:
        """Return the JSON form."""
        return {
            "name": self.name,
            "package": self.package,
            "has": self.has.data(),
            "do": "back" if self.back else "fail",
            "max": self.most,
        }


def read_package(part: Part) -> str:
    """Return a package that a recipe may drive.

    Raises:
        RecipeError: it is no package, or is denied in code.
    """
    package = part.text(PACKAGE, "a package")
    if why := why_denied(package):
        raise part.error(f"{package} is {why}; recipes never drive it")
    return package


def plain(text: str) -> str:
    """Return a text as it is compared: composed, single blanks, no direction marks.

    Apps put no-break spaces before units and marks around numbers, which an
    author does not see.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFC", text.translate(_MARKS))
    return " ".join(text.split())


_MARKS = dict.fromkeys(map(ord, "\u200b\u200e\u200f\u2066\u2067\u2068\u2069\ufeff"))


def read_labels(part: Part) -> tuple[str, ...]:
    """Return the texts of a label: one, several, or some for each language."""
    data = part.data
    if isinstance(data, dict):
        parts = list(part.entries(_MAX_LABELS).values())
        labels = [label for item in parts for label in read_labels(item)]
    elif isinstance(data, list):
        labels = [plain(item.text()) for item in part.items(1, _MAX_LABELS)]
    else:
        labels = [plain(part.text())]
    if not labels or "" in labels:
        raise part.error("an empty text would match what has none")
    return tuple(dict.fromkeys(labels))


def _slotted(part: Part | None, slots: frozenset[str]) -> tuple[str, ...]:
    """Read labels and check that what stands in braces is a known parameter."""
    if part is None:
        return ()
    labels = read_labels(part)
    for label in labels:
        for name in SLOT.findall(label):
            if name not in slots:
                raise part.error(f"{{{name}}} is no parameter here")
    return labels


def _filled(labels: tuple[str, ...], arguments: Arguments) -> tuple[str, ...]:
    # Not str.format: it reaches into attributes, and trips over other braces.
    return tuple(
        SLOT.sub(lambda match: str(arguments[match[1]]), label) for label in labels
    )
