"""What a played trace came to, against what it says, in words."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

from hearthnet.core.policy.load import load

from .chains import differences
from .play import Anew, Played, play
from .trace import Trace


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """One trace, played."""

    trace: Trace
    played: Played
    diff: list[str]
    """How the decisions differ, as a unified diff."""
    seconds: float
    """How long playing took."""

    @property
    def changed(self) -> int:
        """How many lines of decisions differ."""
        return sum(line[0] in "+-" for line in self.diff[2:])

    def told(self) -> Iterator[str]:
        """Yield the lines that people read."""
        yield (
            f"{self.trace.title}: {len(self.played.records):,} events in"
            f" {self.seconds:.1f} s; {len(self.played.decisions)} lines of decisions,"
            f" {self.changed} differ; {len(self.played.broken)} properties broken"
        )
        yield from (f"  {line}" for line in (*self.diff, *self.played.broken))


def compare(
    path: Path, policy: Path | None = None, anew: Anew | None = None
) -> Comparison:
    """Play a trace's file; with `policy` as if that had been in force all along.

    With `anew` as if that had planned what people say.

    Raises:
        OSError, TraceError, PolicyError: a file cannot be read.
    """
    trace = Trace.load(path)
    start = perf_counter()
    if policy is None:
        played = play(trace, anew)
    else:
        text = policy.read_text("utf-8")
        load(text, None)
        played = play(trace.with_policy(text), anew)
    return Comparison(
        trace=trace,
        played=played,
        diff=differences(trace.decisions, played.decisions),
        seconds=perf_counter() - start,
    )


def accept(path: Path) -> None:
    """Write what a trace leads to into it, to be compared with from now on."""
    trace = Trace.load(path)
    decisions = tuple(play(trace).decisions)
    path.write_text(replace(trace, decisions=decisions).encode(), "utf-8")
