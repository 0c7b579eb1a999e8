"""How the outcome of each kind of part is told: in full, and in the table on top."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
import os.path
import re
from typing import Any, NamedTuple

from script.lib.mutants import CORE

EXCERPT = 25
"""Lines of a long text that are shown."""
REPLAYED = re.compile(
    r"(?P<events>[\d,]+) events in .* s, (?P<kept>[\d,]+) of them in Git; "
    r"(?P<lines>\d+) lines of decisions, "
    r"(?P<differ>\d+) differ; (?P<broken>\d+) properties broken"
)


_VERDICTS = "wrong refusals / acceptances, "


@dataclass(frozen=True)
class Ran:
    """What came of a part's command."""

    status: int
    output: str
    told: Any
    """The JSON that it wrote; None without."""
    seconds: float


class Brief(NamedTuple):
    """A row of the table on top."""

    claim: str
    figure: str
    met: bool | None
    """None: nothing was promised."""


def table(heading: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """Return a table in Markdown."""
    names = list(heading)
    for row in (names, ["---"] * len(names), *rows):
        yield f"| {' | '.join(row)} |"


def met(answer: bool | None) -> str:
    """Say whether a target was met."""
    return {True: "yes", False: "**no**", None: ""}[answer]


def text(ran: Ran) -> Iterator[str]:
    """Tell what it said."""
    yield "```text"
    yield ran.output.strip()
    yield "```"


# Replays


def replayed(ran: Ran) -> Iterator[Brief]:
    """Sum the days up; a difference is a fault."""
    days = _days(ran)
    total = {name: sum(int(day[name]) for day in days) for name in REPLAYED.groupindex}
    figure = (
        f"{len(days)} traces, {total['lines']} lines of decisions: {total['differ']}"
        f" differ, {total['broken']} properties broken; {total['kept']} of"
        f" {total['events']} events in Git"
    )
    good = not (total["differ"] or total["broken"])
    good = good and total["kept"] == total["events"]
    yield Brief("recorded days are decided again as they were", figure, good)


def what_if(ran: Ran) -> Iterator[str]:
    """Tell the sum, and the beginning of what differs."""
    first, *diff = ran.output.strip().splitlines()
    yield f"{first}. The difference begins:"
    yield ""
    yield "```diff"
    yield from (line.removeprefix("  ") for line in diff[:EXCERPT])
    yield "```"
    if (more := len(diff) - EXCERPT) > 0:
        yield ""
        yield f"{more} lines more; the command shows them."


def differing(ran: Ran) -> Iterator[Brief]:
    """Tell how much another policy would have changed."""
    (day,) = _days(ran)
    figure = (
        f"{day['differ']} of {day['lines']} lines of decisions would differ,"
        f" {day['broken']} properties broken"
    )
    yield Brief(
        "what another policy would have decided is shown",
        figure,
        day["differ"] != "0" and day["broken"] == "0",
    )


def _days(ran: Ran) -> list[re.Match[str]]:
    days = list(REPLAYED.finditer(ran.output))
    if not days:
        raise ValueError("no day was replayed")
    return days


# Tests of pytest, told with `-vv`


def passed(ran: Ran) -> Iterator[str]:
    """Name each test that passed: what is tried is the claim."""
    names: dict[str, list[str]] = {}
    for name, case in _tests(ran):
        cases = names.setdefault(name.removeprefix("test_").replace("_", " "), [])
        if case:
            cases.append(re.sub(r"^\w*\d-", "", case).replace("_", " "))
    for name, cases in names.items():
        yield f"- {name}{': ' if cases else ''}{', '.join(cases)}"
    yield ""
    yield f"{len(_tests(ran))} tests passed."


def found(ran: Ran) -> Iterator[Brief]:
    """Count them."""
    yield Brief(
        "tampering with a record is found, at the right commit",
        f"{len(_tests(ran))} tests with sound, altered and damaged records pass",
        ran.status == 0,
    )


def _tests(ran: Ran) -> list[tuple[str, str]]:
    tests = re.findall(r"::(test_\w+)(?:\[(.+)\])? PASSED", ran.output)
    if not tests:
        raise ValueError("no test passed")
    return tests


# The paper's table


def table1(ran: Ran) -> Iterator[str]:
    """Repeat the table and what it was compared with."""
    yield from table(("scene", "metric", "paper", "here"), ran.told["table"])
    yield ""
    yield f"{len(ran.told['runs'])} runs. " + " ".join(ran.told["source"].split())


def in_paper(ran: Ran) -> Iterator[Brief]:
    """Tell the table's counts in a line."""
    counts = "; ".join(
        f"{metric.lower()} {here} (paper: {paper})"
        for _, metric, paper, here in ran.told["table"][:-3]
    )
    yield Brief(
        "the paper's table, from live runs",
        f"{len(ran.told['runs'])} runs: {counts}",
        ran.status == 0,
    )


# Mutations


def mutations(ran: Ran) -> Iterator[str]:
    """Name the safeguards, by file; those that nobody would miss stand in bold."""
    files: dict[str, list[str]] = {}
    for one in ran.told:
        name = one["safeguard"] if one["caught"] else f"**{one['safeguard']}**"
        files.setdefault(os.path.normpath(CORE / one["file"]), []).append(name)
    caught = sum(one["caught"] for one in ran.told)
    yield f"{caught} of {len(ran.told)} are noticed by tests."
    yield ""
    rows = (
        (f"`{file.removeprefix(f'{CORE}/')}`", "; ".join(names))
        for file, names in sorted(files.items())
    )
    yield from table(("in", "safeguards"), rows)


def caught(ran: Ran) -> Iterator[Brief]:
    """Count them."""
    count = sum(one["caught"] for one in ran.told)
    yield Brief(
        "no safeguard can be taken away unnoticed",
        f"{count} of {len(ran.told)} turn tests red",
        count == len(ran.told),
    )


# The bench


def bench(ran: Ran) -> Iterator[str]:
    """Repeat the bench's table, with its notes."""
    rows = ran.told["rows"]
    yield from table(
        ("what", "target", "measured", "met"),
        ((r["what"], r["target"], r["measured"], met(r["met"])) for r in rows),
    )
    notes = [f"- {row['what']}: {row['note']}" for row in rows if row["note"]]
    if notes:
        yield ""
        yield from notes


def targets(ran: Ran) -> Iterator[Brief]:
    """Count what was met, name what was not; tell verdicts and memory."""
    rows = ran.told["rows"]
    judged = [row for row in rows if row["met"] is not None]
    missed = [row for row in judged if not row["met"]]
    figure = f"{len(judged) - len(missed)} of {len(judged)}"
    if missed:
        figure += "; missed: " + "; ".join(
            f"{row['what']} ({row['measured']}; target {row['target']})"
            for row in missed
        )
    yield Brief("the design's targets are met", figure, not missed)
    verdicts = _row(rows, _VERDICTS)
    yield Brief(
        "nothing is refused or accepted wrongly, by an oracle that shares no code",
        f"{verdicts['measured']} wrong: {verdicts['what'].removeprefix(_VERDICTS)}",
        verdicts["met"],
    )
    memory = _row(rows, "memory of each process")
    yield Brief("memory of each process", memory["measured"], None)


def scaled(ran: Ran) -> Iterator[Brief]:
    """Tell the grid's verdicts and what became of the long record."""
    rows = ran.told["rows"]
    grid = [row["met"] for row in rows if " agents, " in row["what"]]
    audit = _row(rows, "audit, ")
    yield Brief(
        "the same with 4, 16, 64 agents and 10, 100, 1,000 devices",
        f"{sum(grid)} of {len(grid)} sizes without a wrong verdict",
        all(grid),
    )
    yield Brief(
        "a long record is sound from end to end",
        f"{audit['what'].removeprefix('audit, ')}: {audit['measured']}",
        audit["met"],
    )


def _row(rows: list[dict[str, Any]], start: str) -> dict[str, Any]:
    """Return the row whose name begins so.

    Raises:
        ValueError: there is none.
    """
    for row in rows:
        if row["what"].startswith(start):
            return row
    raise ValueError(f"no row {start!r}")


# Faults


def survived(ran: Ran) -> Iterator[Brief]:
    """Tell how often it was killed, and what came of it."""
    lines = ran.output.strip().splitlines()
    kills, *_ = lines[0].partition(" (")
    yield Brief(
        "a home of processes that are killed loses nothing and does nothing twice",
        f"{kills}: {lines[-1]}",
        ran.status == 0,
    )


# Sentences


def sentences(ran: Ran) -> Iterator[str]:
    """Tell for each language how many questions were known as such."""
    yield from table(
        ("language", "questions", "known by code alone", "commands", "taken for one"),
        (
            (
                language,
                f"{one['questions']:,}",
                f"{_share(one):.0f} %",
                f"{one['commands']:,}",
                f"{len(one['mistaken'])}",
            )
            for language, one in ran.told.items()
        ),
    )


def understood(ran: Ran) -> Iterator[Brief]:
    """Tell it for all languages together."""
    told = ran.told.values()
    mistaken = sum(len(one["mistaken"]) for one in told)
    commands = sum(one["commands"] for one in told)
    shares = [_share(one) for one in told]
    yield Brief(
        "no command is taken for a question",
        f"{mistaken} of {commands:,} sample commands; of the questions "
        f"{min(shares):.0f} to {max(shares):.0f} % are known by code alone",
        not mistaken,
    )


def _share(one: dict[str, Any]) -> float:
    return 100 * float(one["recognized"]) / float(one["questions"])
