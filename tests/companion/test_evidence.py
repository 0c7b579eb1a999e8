"""Measured figures stand in docs/evidence.md; other pages may only cite them.

A figure is a number in digits with a unit of share, time, size, rate or money, one of
many things, or one with thousands. Limits, defaults, sizes of a set-up and examples are
no measurements: they stand below, page by page, with their reason. (Pages write small
limits in words; whoever measures writes digits.)
"""

from pathlib import Path
import re

import pytest

ROOT = Path(__file__).parents[2]
EVIDENCE = ROOT / "docs/evidence.md"
PAGES = {
    **{page.stem: page for page in sorted(ROOT.glob("docs/*.md")) if page != EVIDENCE},
    **{name: ROOT / name for name in ("README.md", "CONTRIBUTING.md")},
    "companion/README.md": ROOT / "companion/README.md",
}
UNIT = (
    r"(?:%|[nmµ]s|s|sec|seconds?|min|minutes?|h|hours?|days?|times|fold|[kKMGT]i?B"
    r"|bytes?|tokens?|dollars?|cents?|events?|questions|sentences|commands|requests"
    r"|tests|runs|kills|mutations|safeguards|decisions|conflicts|lines)(?!\w)"
)
FIGURE = re.compile(
    rf"\$ ?\d[\d.,]*\d|(?<![\w.:/§-])\d[\d.,]*[ -]?{UNIT}"
    r"|(?<![\w.,])\d{1,3}(?:,\d{3})+(?![\w,])|\b\d+ (?:of|out of) \d+\b|\b\d+/\d+\b"
)
LIMITS = {
    "acceptance": {
        "100 questions": "how many the named test asks",
        "1,000": "devices of the named test's home",
    },
    "actions": {"24 hours": "how far back an undo looks"},
    "architecture": {"60 s": "a lease's longest life"},
    "bench": {
        "1,000": "devices of the simulated home",
        "100,000 events": "default of --events",
        "100,000": "default of --events",
        "20,000": "default of --commands",
        "100 ms": "what is put on a disk's sync",
        "5 ms": "what is put on a disk's sync",
        "1 ms": "how often the ticker ticks",
        "0.6 s": "profile of the model",
        "120 tokens": "profile of the model",
        "90 tokens": "assumed length of an answer",
    },
    "broker": {
        "30 s": "how often a node says that it is there",
        "75 s": "without a sign, then it is given up",
    },
    "devices": {
        "10 seconds": "after which a call is not waited for",
        "55 %": "example of rounding",
        "54.9 %": "example of rounding",
    },
    "entities": {
        "60 times": "cap of requests a minute",
        "20 requests": "cap of requests a minute",
    },
    "leases": {
        "60 s": "a lease's longest life",
        "5 %": "allowance for clocks that drift",
    },
    "models": {
        "20 seconds": "after which AI Task is given up",
        "0.8 seconds": "of silence, then a word in between",
        "1,000": "providers' own least size for a cache",
        "4,000 tokens": "providers' own least size for a cache",
        "40,000": "cap of tokens a sentence",
        "2,000,000": "cap of tokens a day",
        "3,600": "cap of seconds a day",
    },
    "operations": {
        # How long a read-back may take; test_operations_table.py compares the table.
        **dict.fromkeys(("2 s", "3 s", "5 s", "10 s", "30 s"), "deadline"),
        "10 %": "example of a relative wish",
        "50 %": "example of a fan's steps",
        "66 %": "example of a fan's steps",
    },
    "phone": {
        "7 days": "Android's own limit",
        "5 seconds": "default of dump_seconds and quiet_seconds",
        "15 seconds": "after which a run or a model is given up",
        "60 seconds": "a lease's longest life",
        "12 minutes": "example of an answer",
    },
    "policy": {
        **dict.fromkeys(("70 %", "60 %", "30 %"), "bound of a preset"),
        "50 %": "example of a rule",
        "80 %": "example of a rule",
        "60 requests": "cap of requests a minute",
        "30 minutes": "default of a hold",
    },
    "record": {
        "7 days": "how long the journal keeps",
        "60 %": "example of a commit",
    },
    "second-machine": {"100 MiB": "free space below which nothing is recorded"},
    "traces": {"150 seconds": "that a day goes on after its last step"},
}
"""What is no measurement, and why."""


def figures(text: str) -> set[str]:
    """Return the figures of a page; the addresses of its links are none."""
    return set(FIGURE.findall(re.sub(r"\]\([^)]*\)", "]", text)))


@pytest.mark.parametrize("name", PAGES)
def test_no_page_states_a_figure_of_its_own(name: str) -> None:
    stated = figures(PAGES[name].read_text("utf-8"))
    limits = LIMITS.get(name, {}).keys()
    assert stated - limits <= figures(EVIDENCE.read_text("utf-8"))
    assert limits <= stated, "what is not on the page any more is no limit of it"


@pytest.mark.parametrize(
    "claim",
    [
        *("takes 3 s", "97 % covered", "in 161 minutes", "1,239 events a second"),
        *(
            "5,000 commands",
            "82 MB",
            "569 bytes",
            "2788 tokens",
            "$0.0032",
            "about $3.5",
        ),
        *("0.0038 ms", "a 3-fold gain", "35 tests", "154 of 154", "100/100", "12.5%"),
    ],
)
def test_what_counts_as_a_figure(claim: str) -> None:
    assert figures(f"It is so: {claim}, measured.")
