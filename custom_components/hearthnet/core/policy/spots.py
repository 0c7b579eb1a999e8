"""Values of a text that know their line, and how to take them apart.

A reader notes every mistake and goes on, so that one look at the text shows all
of them; whoever asks for a result gets it only when there was none.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
import re

type Scalar = bool | int | float | str | None

_ENTITY = re.compile(r"[a-z0-9_]+\.[a-z0-9_]+")


@dataclass(frozen=True)
class Spot:
    """A value and the line it stands in, from 1."""

    line: int
    value: "Scalar | list[Spot] | dict[str, Spot]"


@dataclass(frozen=True, order=True)
class Mistake:
    """One thing wrong with the text."""

    line: int
    field: str
    text: str
    """What is wrong and how to put it right."""

    def __str__(self) -> str:
        """Write it as people read it."""
        return f"line {self.line}: {self.field}: {self.text}"


class PolicyError(ValueError):
    """A policy that does not load, with every mistake found in it."""

    def __init__(self, mistakes: Iterable[Mistake]) -> None:
        """Take the mistakes, at least one."""
        self.mistakes = tuple(sorted(mistakes))
        super().__init__("\n".join(map(str, self.mistakes)))


class Reader:
    """Takes spots apart and notes what is wrong with them."""

    def __init__(self) -> None:
        """Start without mistakes."""
        self.mistakes: list[Mistake] = []

    def note(self, spot: Spot, field: str, text: str) -> None:
        """Note a mistake."""
        self.mistakes.append(Mistake(spot.line, field or "policy", text))

    def fields(self, spot: Spot, field: str, known: Sequence[str]) -> dict[str, Spot]:
        """Return the named values of a mapping, without those not known."""
        if not isinstance(spot.value, dict):
            self.note(spot, field, f"expected names and values, such as {known[0]}:")
            return {}
        for name, inner in spot.value.items():
            if name not in known:
                path = join(field, name)
                self.note(inner, path, f"unknown; {nearest(name, known)}")
        return {name: inner for name, inner in spot.value.items() if name in known}

    def mapping(self, spot: Spot, field: str) -> Mapping[str, Spot]:
        """Return a mapping of any names."""
        if isinstance(spot.value, dict):
            return spot.value
        self.note(spot, field, "expected names and values")
        return {}

    def items(self, spot: Spot, field: str) -> list[Spot]:
        """Return the items of a list."""
        if isinstance(spot.value, list):
            return spot.value
        self.note(spot, field, "expected a list, each item after a dash")
        return []

    def text(self, spot: Spot, field: str) -> str:
        """Return a text that is not empty."""
        if isinstance(spot.value, str) and spot.value:
            return spot.value
        self.note(spot, field, "expected a text; put it in quotes")
        return ""

    def texts(
        self, spot: Spot, field: str, known: Collection[str] | None = None
    ) -> list[str]:
        """Return one text or a list of texts, none of them unknown."""
        spots = spot.value if isinstance(spot.value, list) else [spot]
        if not spots:
            self.note(spot, field, "empty; leave it out or name something")
        found: list[str] = []
        for one in spots:
            text = self.text(one, field)
            if text and known is not None and text not in known:
                self.note(one, field, f"{text!r} is unknown; {nearest(text, known)}")
            elif text:
                found.append(text)
        return found

    def entities(self, spot: Spot, field: str) -> frozenset[str]:
        """Return entity ids: one, or a list."""
        found = self.texts(spot, field)
        for text in found:
            if not _ENTITY.fullmatch(text):
                self.note(spot, field, f"{text!r} is no entity id such as light.desk")
        return frozenset(found)

    def choice(self, spot: Spot, field: str, known: Collection[str]) -> str | None:
        """Return one of a few texts, None when it is another."""
        if isinstance(spot.value, str) and spot.value in known:
            return spot.value
        self.note(
            spot, field, f"{spot.value!r} is unknown; {nearest(spot.value, known)}"
        )
        return None

    def number(
        self, spot: Spot, field: str, low: float = 0, high: float = 1e9
    ) -> float | None:
        """Return a number from `low` to `high`, None when it is none."""
        value = spot.value
        if (
            isinstance(value, int | float)
            and not isinstance(value, bool)
            and low <= value <= high
        ):
            return value
        self.note(spot, field, f"expected a number from {low:g} to {high:g}")
        return None

    def whole(self, spot: Spot, field: str, low: int, high: int) -> int | None:
        """Return a whole number from `low` to `high`, None when it is none."""
        if type(spot.value) is int and low <= spot.value <= high:
            return spot.value
        self.note(spot, field, f"expected a whole number from {low} to {high}")
        return None


def join(field: str, name: str) -> str:
    """Return the name of a field inside another."""
    return f"{field}.{name}" if field else name


def nearest(found: object, known: Collection[str]) -> str:
    """Say what was probably meant, or what there is."""
    if close := get_close_matches(str(found), known, n=1):
        return f"did you mean {close[0]}?"
    if len(known) > 12:
        return "see docs/operations.md"
    return "known are " + ", ".join(sorted(known))
