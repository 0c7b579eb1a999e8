"""What is claimed, each with the command that shows it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from . import about, shown
from .shown import Brief, Ran

SHIPPED = "companion/hearthnet/traces/shipped"
TRACES = [
    f"{SHIPPED}/{path.name}"
    for path in sorted((Path(__file__).parents[3] / SHIPPED).glob("*.json"))
]
CAUTIOUS = "custom_components/hearthnet/core/policy/presets/cautious.yaml"
JSON = "JSON"
"""Stands in a command for the file that it writes its figures to."""


@dataclass(frozen=True)
class Part:
    """One claim and the command that shows it."""

    name: str
    title: str
    about: str
    """What is done and compared, in Markdown."""
    command: tuple[str, ...]
    """The program is of `.venv-core`, or has its path from the tree's root."""
    show: Callable[[Ran], Iterator[str]]
    """The lines of Markdown that tell it."""
    brief: Callable[[Ran], Iterator[Brief]]
    """Its rows in the table on top."""


PARTS = (
    Part(
        "replay",
        "Traces of a real Home Assistant, played with the real core",
        about.REPLAY,
        ("hearthnet", "replay", *TRACES),
        shown.text,
        shown.replayed,
    ),
    Part(
        "what-if",
        "The scenes, had the cautious policy been in force",
        about.WHAT_IF,
        ("hearthnet", "replay", f"{SHIPPED}/scenes.json", "--policy", CAUTIOUS),
        shown.what_if,
        shown.differing,
    ),
    Part(
        "audit",
        "Tampering with a record: each kind is found, at the right commit",
        about.AUDIT,
        ("python", "-m", "pytest", "-vv", "tests/companion/test_audit.py"),
        shown.passed,
        shown.found,
    ),
    Part(
        "table1",
        "The paper's table",
        about.TABLE1,
        ("hearthnet", "table1", "--runs", "20", "--json", JSON),
        shown.table1,
        shown.in_paper,
    ),
    Part(
        "sentences",
        "Home Assistant's sample sentences: questions are no commands",
        about.SENTENCES,
        (
            *(".venv/bin/python", "-m", "tests.integration.planner.samples"),
            *("--json", JSON),
        ),
        shown.sentences,
        shown.understood,
    ),
    Part(
        "mutations",
        "Each safeguard taken away in turn",
        about.MUTATIONS,
        ("python", "-m", "script.lib.mutations", "--json", JSON),
        shown.mutations,
        shown.caught,
    ),
    Part(
        "bench",
        "The design's targets",
        about.BENCH,
        (
            *("hearthnet", "bench"),
            *("gate", "intent", "broker", "loop", "record", "timeline", "planner"),
            *("verdicts", "kills", "--commands", "5000", "--kills", "20"),
            *("--json", JSON),
        ),
        shown.bench,
        shown.targets,
    ),
    Part(
        "faults",
        "A home whose every part is killed again and again",
        about.FAULTS,
        ("python", "-m", "tests.faults", "--kills", "30"),
        shown.text,
        shown.survived,
    ),
    Part(
        "scale",
        "Much of everything: agents, devices, events",
        about.SCALE,
        ("hearthnet", "bench", "scale", "--events", "50000", "--json", JSON),
        shown.bench,
        shown.scaled,
    ),
)
"""All together in a quarter of an hour."""

LONG = (
    *(
        Part(
            f"events-{events}",
            f"A record of {events:,} events",
            about.SCALE,
            ("hearthnet", "bench", "scale", "--events", f"{events}", "--json", JSON),
            shown.bench,
            shown.scaled,
        )
        for events in (100_000, 300_000, 1_000_000)
    ),
    *(
        Part(
            f"faults-{seed}",
            f"{kills} kills of a home's parts, seed {seed}",
            about.FAULTS,
            (
                "python",
                "-m",
                "tests.faults",
                "--kills",
                f"{kills}",
                "--seed",
                f"{seed}",
            ),
            shown.text,
            shown.survived,
        )
        for kills, seed in ((250, 2), (220, 3), (220, 4), (200, 5), (220, 6))
    ),
)
"""Each by itself, for hours if need be."""
