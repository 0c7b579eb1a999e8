"""What a recipe reads off a screen, and how that becomes a value.

A text that the recipe does not know is an error and never a guess.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
import re

from ..messages import Json
from .part import Part
from .selectors import Selector, read_labels

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_NUMBER = re.compile(r"-?\d{1,9}(?:[.,]\d{1,6})?")
_ATTRIBUTES = ("text", "desc", "checked", "selected", "enabled")
_SET, _CLEAR = "set", "clear"
_ANY = {"min": 0, "max": 0}


class UnmappedError(ValueError):
    """A screen shows a text that the recipe does not know.

    It does not say which: screens are private, and this goes into the record.
    """


@dataclass(frozen=True, kw_only=True)
class Shown:
    """One value as an app shows it. Exactly one of three kinds.

    A *map* gives each of its texts a name, a *flag* is true or false, a
    *number* stands between a text before and a text after it.
    """

    node: Selector
    attribute: str
    """Which attribute of the node holds the text."""
    kind: str
    texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of a map: name to texts; of a flag: `set` and `clear` to texts."""
    before: tuple[str, ...] = ("",)
    after: tuple[str, ...] = ("",)
    minimum: float = 0
    maximum: float = 0
    means: str = ""
    """The control attribute of the device that this is (`state`, `volume_level`)."""
    scale: float = 1
    """What a number is multiplied with to become the control attribute's."""

    @classmethod
    def read(cls, name: str, part: Part) -> "Shown":
        """Read a value called `name`.

        Raises:
            RecipeError: it is wrong, or one text stands for two values.
        """
        if not _NAME.fullmatch(name):
            raise part.error("expected a name of small letters, digits and _")
        kinds = ("map", "flag", "number")
        fields = part.fields(
            required=("node",), optional=(*kinds, "attr", "attribute", "scale")
        )
        if len(given := [kind for kind in kinds if kind in fields]) != 1:
            raise part.error("needs exactly one of map, flag and number")
        (kind,) = given
        if "scale" in fields and kind != "number":
            raise fields["scale"].error("only a number has a scale")
        attr, means, scale = (fields.get(n) for n in ("attr", "attribute", "scale"))
        numbers = fields[kind] if kind == "number" else Part(_ANY)
        limits = numbers.fields(("min", "max"), ("before", "after"))
        low = limits["min"].number(-1e9, 1e9)
        return cls(
            node=Selector.read(fields["node"]),
            attribute=attr.choice(*_ATTRIBUTES) if attr else "text",
            kind=kind,
            texts={} if kind == "number" else _texts(fields[kind], kind),
            before=read_labels(limits["before"]) if "before" in limits else ("",),
            after=read_labels(limits["after"]) if "after" in limits else ("",),
            minimum=low,
            maximum=limits["max"].number(low, 1e9),
            means=means.text(_NAME, "a name") if means else name,
            scale=scale.number(1e-6, 1e6) if scale else 1,
        )

    def data(self) -> Json:
        """Return the JSON form."""
        data: dict[str, Json] = {
            "node": self.node.data(),
            "attr": self.attribute,
            "attribute": self.means,
        }
        if self.kind != "number":
            data[self.kind] = {name: list(texts) for name, texts in self.texts.items()}
            return data
        number: dict[str, Json] = {"min": self.minimum, "max": self.maximum}
        if self.before != ("",):
            number["before"] = list(self.before)
        if self.after != ("",):
            number["after"] = list(self.after)
        return data | {"number": number, "scale": self.scale}

    def value(self, text: str) -> Json:
        """Return what a text on the screen means.

        Raises:
            UnmappedError: the recipe does not know the text.
        """
        if self.kind == "number":
            return self._number(text)
        for name, texts in self.texts.items():
            if text in texts:
                return name == _SET if self.kind == "flag" else name
        raise UnmappedError(f"{len(text)} letters that are not in the recipe")

    def problem(self, value: Json) -> str | None:
        """Return why the screen can never show a value, None if it can."""
        if self.kind == "flag":
            return None if isinstance(value, bool) else "expected true or false"
        if self.kind == "map":
            known = isinstance(value, str) and value in self.texts
            return None if known else f"expected {' or '.join(self.texts)}"
        if isinstance(value, bool) or not isinstance(value, int | float):
            return "expected a number"
        inside = self.minimum <= value <= self.maximum
        return None if inside else f"outside {self.minimum:g} to {self.maximum:g}"

    def outward(self, value: Json) -> Json:
        """Return a value in the unit of the control attribute."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return value
        return value if self.scale == 1 else round(value * self.scale, 6)

    def _number(self, text: str) -> int | float:
        for before in self.before:
            for after in self.after:
                inner = text[len(before) : len(text) - len(after)]
                whole = text == before + inner + after
                if whole and _NUMBER.fullmatch(inner.strip()):
                    number = _parsed(inner)
                    if self.minimum <= number <= self.maximum:
                        return number
        raise UnmappedError(f"{len(text)} letters that are no number it knows")


def _parsed(text: str) -> int | float:
    if "." in text or "," in text:
        return float(text.replace(",", "."))
    return int(text)


def _texts(part: Part, kind: str) -> dict[str, tuple[str, ...]]:
    if kind == "flag":
        entries = part.fields(required=(_SET, _CLEAR))
    elif not (entries := part.entries()):
        raise part.error("needs a value")
    texts: dict[str, tuple[str, ...]] = {}
    seen: dict[str, str] = {}
    for name, item in entries.items():
        texts[name] = read_labels(item)
        for text in texts[name]:
            if text in seen:
                raise item.error(f"{text!r} stands for {seen[text]} already")
            seen[text] = name
    return texts
