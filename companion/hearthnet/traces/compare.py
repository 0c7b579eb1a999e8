"""What a played trace came to, against what it says, in words."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

from hearthnet.core.policy.load import load

from .chains import differences
from .play import Played, play
from .player import Anew
from .shape import TraceError
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
        played = self.played
        persisted = (
            "" if played.persisted is None else f", {played.persisted:,} of them in Git"
        )
        yield (
            f"{self.trace.title}: {len(played.records):,} events in"
            f" {self.seconds:.1f} s{persisted}; {len(played.decisions)} lines of"
            f" decisions, {self.changed} differ; {len(played.broken)} properties broken"
        )
        yield from (f"  {line}" for line in (*self.diff, *self.played.broken))


def compare(
    path: Path,
    policy: Path | None = None,
    anew: Anew | None = None,
    *,
    over_broker: bool = False,
) -> Comparison:
    """Play a trace's file; with `policy` as if that had been in force all along.

    With `anew` as if that had planned what people say; `over_broker` see `play`.

    Raises:
        OSError, TraceError, PolicyError: a file cannot be read.
        MosquittoError: there is no broker to start.
    """
    trace = Trace.load(path)
    course = trace
    if policy is not None:
        text = _policy(policy)
        course = trace.with_policy(text)
    start = perf_counter()
    try:
        played = play(course, anew, over_broker=over_broker)
    except TraceError as error:
        raise TraceError(f"{path}: {error}") from error
    return Comparison(
        trace=trace,
        played=played,
        diff=differences(trace.decisions, played.decisions),
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
