"""What a bench hands over: rows of a table, and how large it is to be."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from hearthnet.core.messages import Json


class UnavailableError(Exception):
    """Something that a measurement needs is not on this machine."""


@dataclass(frozen=True, kw_only=True)
class Scale:
    """How much to do."""

    quick: bool = False
    """A look in less than a minute; the numbers are rough."""
    commands: int = 20_000
    """Commands that are judged against the oracle."""
    events: int = 100_000
    """Events in the record whose timeline is asked for."""
    kills: int = 40
    seed: int = 1

    def of(self, full: int, quick: int) -> int:
        """Return a count that this scale calls for."""
        return quick if self.quick else full


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of the table."""

    what: str
    target: str
    """In words; empty where the design sets none."""
    measured: str
    met: bool | None
    """None: there is no target, or it could not be measured."""
    exact: bool = False
    """A property and no time: missing it is a fault on any machine."""
    numbers: Mapping[str, Json] = field(default_factory=dict)
    """All that was measured, for the JSON file."""
    note: str = ""

    def as_dict(self) -> dict[str, Json]:
        """Return the JSON form."""
        return {
            "what": self.what,
            "target": self.target,
            "measured": self.measured,
            "met": self.met,
            "exact": self.exact,
            "numbers": dict(self.numbers),
            "note": self.note,
        }


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the value that `percent` of the values do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]


def percentiles(values: Sequence[float]) -> dict[str, Json]:
    """Return the usual percentiles and the largest value, rounded."""
    return {
        **{f"p{p:g}": round(percentile(values, p), 3) for p in (50, 95, 99)},
        "max": round(max(values), 3),
    }


_HEADINGS = ("what", "target", "measured", "met?")


def table(rows: Iterable[Row]) -> str:
    """Return the rows as a table of text, notes below it."""
    rows = list(rows)
    lines = [_HEADINGS, *((r.what, r.target, r.measured, _met(r)) for r in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    texts = [
        " | ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]
    texts.insert(1, "-|-".join("-" * width for width in widths))
    texts += [f"{row.what}: {row.note}" for row in rows if row.note]
    return "\n".join(texts) + "\n"


def _met(row: Row) -> str:
    return {True: "yes", False: "NO", None: "-"}[row.met]
