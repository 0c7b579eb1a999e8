"""The page docs/evidence.md: a table on top, the parts, and the long runs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
import re

from .parts import JSON, LONG, Part
from .shown import Brief, Ran, met, table

NO_FIGURES = (KeyError, TypeError, IndexError, AttributeError, ValueError)
"""What telling of figures raises that are not there."""
QUARTER = 15 * 60.0
"""Seconds in which all parts together are promised to end, on two cores."""
TAIL = 30
"""Lines that are shown of what a part said that did not come to its figures."""
_ABOUT = """\
# Evidence

Written by `script/proof --write`; no figure in here was typed. Each stands under the
command that made it, with `.venv-core/bin` in the `PATH` and FILE for any file;
`script/setup` makes all that they need. What holds on any machine (wrong verdicts,
losses, tampering) makes a part fail; times are those of this machine, and one that
misses its target is marked. Larger records and longer campaigns of faults are at the
end, under [long runs](#long-runs).
"""
_LONG = "## Long runs"
_ABOUT_LONG = f"""\
{_LONG}

Too long for the quarter of an hour. `script/proof --long NAME --write` runs one anew
and replaces its section; each has a date, commit and machine of its own. NAME is one of
{", ".join(f"`{part.name}`" for part in LONG)}.
"""


@dataclass(frozen=True)
class Where:
    """When, on what and of which tree something was run."""

    when: str
    commit: str
    machine: str

    def __str__(self) -> str:
        """Say it in a line."""
        return f"{self.when}, commit {self.commit}; {self.machine}"


@dataclass(frozen=True)
class Section:
    """What is told of a part."""

    title: str
    text: str
    briefs: Sequence[Brief]
    failed: bool


def section(part: Part, ran: Ran, where: Where | None = None) -> Section:
    """Tell of a part; a long one stands by itself and says where it was run."""
    command = " ".join("FILE" if word == JSON else word for word in part.command)
    lines = [f"{'##' if where is None else '###'} {part.title}", "", part.about, ""]
    lines += [f"    {command}", ""]
    if where is not None:
        lines += [f"{where}.", ""]
    if ran.status != 0:
        lines += [f"**Failed** with status {ran.status}.", ""]
    briefs = [Brief(part.title, "failed", met=False)]
    try:
        lines += part.show(ran)
        whole = True
        if ran.status == 0:
            briefs = list(part.brief(ran))
    except NO_FIGURES:
        # It did not come to its figures; what it said is all there is.
        lines += ["```text", *ran.output.strip().splitlines()[-TAIL:], "```"]
        whole = False
    lines += ["", f"Took {_took(ran.seconds)}.", ""]
    failed = ran.status != 0 or not whole
    return Section(part.title, "\n".join(lines), briefs, failed)


def page(sections: Sequence[Section], where: Where, seconds: float | None) -> str:
    """Return the page without its long runs; `seconds` of all parts together."""
    failed = [one.title for one in sections if one.failed]
    verdict = f"Failed: {'; '.join(failed)}." if failed else "All parts hold."
    rows = [
        (f"[{brief.claim}](#{anchor(one.title)})", brief.figure, met(brief.met))
        for one in sections
        for brief in one.briefs
    ]
    if seconds is not None:
        took = f"{seconds / 60:.0f} minutes"
        claim = "all of it in less than 15 minutes on two cores"
        rows.append((claim, took, met(seconds < QUARTER)))
    short = ["## In short", "", *table(("claim", "figure", "met"), rows), ""]
    return "\n".join(
        [_ABOUT, f"{where}. {verdict}", "", *short, *(one.text for one in sections)]
    )


def long_runs(text: str) -> dict[str, str]:
    """Return the sections of long runs that a page has, by title."""
    _, _, after = text.partition(f"\n{_LONG}\n")
    parts = re.split(r"^### ", after, flags=re.MULTILINE)[1:]
    return {one.partition("\n")[0]: f"### {one.rstrip()}\n" for one in parts}


def with_long_runs(text: str, runs: Mapping[str, str]) -> str:
    """Return a page with these long runs in place of those that it has."""
    before, _, _ = text.partition(f"\n{_LONG}\n")
    known = [part.title for part in LONG]
    titles = sorted(runs, key=lambda title: (_place(known, title), title))
    ordered: Iterable[str] = (runs[title] for title in titles)
    return "\n".join([before.rstrip() + "\n", _ABOUT_LONG, *ordered])


def anchor(title: str) -> str:
    """Return what a heading is linked by, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def _place(known: Sequence[str], title: str) -> int:
    return known.index(title) if title in known else len(known)


def _took(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 600 else f"{seconds / 60:.0f} minutes"
