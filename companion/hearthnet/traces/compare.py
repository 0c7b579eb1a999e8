"""What a played trace came to, against what it says, in words."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

from hearthnet.core.policy.load import load

from .differing import Differing, blocks, differing
from .offline import offline
from .play import Played, play
from .player import Anew
from .shape import TraceError
from .trace import Trace


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """One trace, played."""

    trace: Trace
    played: Played
    diff: Differing
    """How the decisions differ."""
    seconds: float
    """How long playing took."""

    def told(self) -> Iterator[str]:
        """Yield the lines that people read."""
        played = self.played
        persisted = (
            "" if played.persisted is None else f", {played.persisted:,} of them in Git"
        )
        yield (
            f"{self.trace.title}: {len(played.records):,} events in"
            f" {self.seconds:.1f} s{persisted}; {len(played.decisions)} lines of"
            f" decisions, {self.diff.changed} differ;"
            f" {len(played.broken)} properties broken"
        )
        differences = self.diff.told(len(blocks(self.trace.decisions)))
        yield from (f"  {line}" for line in (*differences, *self.played.broken))


def compare(
    path: Path,
    policy: Path | None = None,
    anew: Anew | None = None,
    *,
    without_model: bool = False,
    over_broker: bool = False,
) -> Comparison:
    """Play a trace's file; with `policy` as if that had been in force all along.

    With `anew` as if that had planned what people say, `without_model` as if no
    model had answered; `over_broker` see `play`.

    Raises:
        OSError, TraceError, PolicyError: a file cannot be read.
        MosquittoError: there is no broker to start.
    """
    trace = Trace.load(path)
    course = offline(trace) if without_model else trace
    if policy is not None:
        text = _policy(policy)
        course = course.with_policy(text)
    start = perf_counter()
    try:
        played = play(course, anew, over_broker=over_broker)
    except TraceError as error:
        raise TraceError(f"{path}: {error}") from error
    return Comparison(
        trace=trace,
        played=played,
        diff=differing(trace.decisions, played.decisions),
        seconds=perf_counter() - start,
    )


def _policy(path: Path) -> str:
    try:
        text = path.read_text("utf-8")
        load(text, None)
    except UnicodeDecodeError:
        raise TraceError(f"{path}: not UTF-8") from None
    except ValueError as error:
        raise TraceError(f"{path}: {error}") from error
    return text


def accept(path: Path) -> None:
    """Write what a trace leads to into it, to be compared with from now on."""
    trace = Trace.load(path)
    decisions = tuple(play(trace).decisions)
    path.write_text(replace(trace, decisions=decisions).encode(), "utf-8")
