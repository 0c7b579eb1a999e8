"""What a campaign did, and what has become of the home: Git is the witness."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
import json
from pathlib import Path
from typing import Any

from hearthnet.core.segment import segments
from tests.core.records import check_gapless, fsck, recorded

from .world import MANAGERS, World

PRESENCE = 10.0
"""Seconds after which everybody must be seen as he is."""


@dataclass(kw_only=True)
class Outcome:
    """What a campaign did and found."""

    kills: Counter[str] = field(default_factory=Counter)
    """kill -9 by victim; at a numbered point with a `@` behind the name."""
    cuts: int = 0
    repeated: int = 0
    """Payloads that were sent a second time, late and out of order."""
    jumps: int = 0
    """Starts with a clock that was wrong."""
    dropped: int = 0
    """Bytes that were written, not synced, and taken away after a kill."""
    presence: list[float] = field(default_factory=list)
    """Seconds until everybody was seen, each time it was waited for."""
    acts: Counter[str] = field(default_factory=Counter)
    """Commands that lamps got, by manager."""
    events: int = 0
    intents: int = 0
    dropped_intents: int = 0
    """Those that a start of the hub found open, and dropped."""
    faults: list[str] = field(default_factory=list)
    """What must not happen on any machine."""

    @property
    def late(self) -> bool:
        """Whether somebody was not seen in time, as on a busy machine."""
        return max(self.presence, default=0.0) > PRESENCE

    def text(self) -> str:
        """Return it in words."""
        total = self.kills.total()
        parts = ", ".join(f"{n} {name}" for name, n in sorted(self.kills.items()))
        slow = max(self.presence, default=0.0)
        done = (
            f"{total} kill -9 ({parts}), {self.cuts} cuts, {self.repeated} repeats, "
            f"{self.jumps} wrong clocks, {self.dropped} unsynced bytes dropped"
        )
        seen = (
            f"presence right after {slow:.1f} s at most "
            f"({len(self.presence)} times waited for; {PRESENCE:g} s are wanted)"
        )
        acts = ", ".join(f"{n} {name}" for name, n in sorted(self.acts.items()))
        compared = (
            f"{self.acts.total()} acts ({acts}) and {self.events} events compared; of"
            f" {self.intents} intents {self.dropped_intents} dropped by a restart, the"
            " others ended"
        )
        return "\n".join((done, compared, seen, *(self.faults or ["no fault"])))


def compare(folder: Path, outcome: Outcome) -> None:
    """Compare the lamps, the journals and Git; note in `outcome` what is wrong."""
    record = folder / "record"
    fsck(record)
    check_gapless(record)
    events = {str(name): text for name, text in recorded(record)}
    for name in ("hub", "phone"):
        for event, text in _journal(folder / name, name).items():
            if events.get(event) != text:
                outcome.faults.append(f"{event} is not in Git as it is in the journal")
    messages = {name: json.loads(text) for name, text in events.items()}
    outcome.events = len(events)
    _compare_acts(World(folder / "acts"), messages, outcome)
    _compare_intents(messages, outcome)
    for path in sorted(folder.glob("*.err")):
        if (at := (log := path.read_text()).find("Traceback")) >= 0:
            outcome.faults.append(f"{path.stem} broke: {log[at : at + 2000]}")


def _compare_acts(
    world: World, messages: Mapping[str, Mapping[str, Any]], outcome: Outcome
) -> None:
    """See that each act had a lease of its own, and that each lease was used once."""
    faults, acts = outcome.faults, world.acts()
    executes = {n: m for n, m in messages.items() if m["type"] == "execute"}
    grants = {n for n, m in messages.items() if m["type"] == "grant"}
    uses = Counter(message["lease"] for message in executes.values())
    faults += [f"{lease} was used {n} times" for lease, n in uses.items() if n > 1]
    faults += [f"{lease} was never granted" for lease in uses.keys() - grants]
    times = Counter((act.execute, act.lamp) for act in acts)
    faults += [f"{what} was done {n} times" for what, n in times.items() if n > 1]
    faults += [
        f"{act} has no execute on record"
        for act in acts
        if executes.get(act.execute, {}).get("lease") != act.lease
    ]
    outcome.acts = Counter(MANAGERS[act.lamp] for act in acts)
    if not acts:
        faults.append("nothing was done: there was no load")


def _compare_intents(
    messages: Mapping[str, Mapping[str, Any]], outcome: Outcome
) -> None:
    """See that each intent has one end on record."""
    intents = {n for n, m in messages.items() if m["type"] == "intent"}
    ended = {
        m["intent"]
        for m in messages.values()
        if m["type"] == "resolution" and m.get("cause") == m.get("intent")
    }
    dropped = {
        one["intent"]
        for m in messages.values()
        if m["type"] == "recovery"
        for one in m["body"].get("dropped", ())
    }
    outcome.intents, outcome.dropped_intents = len(intents), len(dropped)
    outcome.faults += [f"{n} has no end" for n in intents - ended - dropped]
    outcome.faults += [f"{n} has two ends" for n in ended & dropped]


def _journal(folder: Path, node: str) -> dict[str, str]:
    """Return each event of a journal that is kept whole."""
    return {
        f"{node}.{one.boot}.{seq}": line.split(" ", 2)[2]
        for one in segments(folder)
        for seq, line in enumerate(
            (folder / one.name).read_text("utf-8").splitlines(), one.first
        )
    }
