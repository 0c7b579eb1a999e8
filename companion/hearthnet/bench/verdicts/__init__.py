"""Whether anything is refused or accepted wrongly: 64 agents, 1,000 devices.

The real hub and 64 real gates, one beside the hub and 63 on nodes of their own with
wires that take their time, are played by `generator`; `judge` compares each verdict
with `oracle`, which replays the total order of all that happened. Time is virtual.
"""

from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from hearthnet.bench.rows import Row, Scale

from .arena import Played, play
from .generator import moves, setting

AGENTS = 64
DEVICES = 1000
MEMORY = Path("/dev/shm")  # noqa: S108 - a folder of our own in it
"""Where no disk has to be waited for: what is measured here is no time."""


def rows(scale: Scale) -> list[Row]:
    """Play so many commands and compare."""
    commands = scale.of(scale.commands, min(scale.commands, 600))
    start = perf_counter()
    played = measure(commands, scale.seed)
    tally = played.tally
    size = f"{AGENTS} agents, {DEVICES:,} devices, {commands:,} commands"
    numbers = {
        **tally.as_dict(),
        "commands": commands,
        "seed": scale.seed,
        "events": played.events,
        "virtual_seconds": round(played.seconds),
        "real_seconds": round(perf_counter() - start),
        "unseen": len(played.unseen),
        "faults": len(played.faults),
    }
    good = tally.executed
    return [
        Row(
            what=f"wrong refusals / acceptances, {size}",
            target="0 / 0",
            measured=f"{tally.wrong_refusals} / {tally.wrong_acceptances}",
            met=not (
                tally.wrong_refusals
                or tally.wrong_acceptances
                or tally.other_reasons
                or played.unseen
                or played.faults
            ),
            exact=True,
            numbers=numbers,
            note="; ".join(_notes(played)),
        ),
        Row(
            what="conflicts with stronger holds that were found",
            target=f"{tally.conflicts} of {tally.conflicts}",
            measured=f"{tally.conflicts_found} of {tally.conflicts}",
            met=tally.conflicts_found == tally.conflicts,
            exact=True,
        ),
        Row(
            what="for contrast: good commands that “base is HEAD” refuses",
            target="",
            measured=f"{100 * tally.naive_refusals / max(1, good):.1f} % of {good:,}",
            met=None,
        ),
    ]


def measure(
    commands: int, seed: int, *, agents: int = AGENTS, devices: int = DEVICES
) -> Played:
    """Play so many wishes, and what happens around them."""
    home = setting(seed, agents=agents, devices=devices)
    where = MEMORY if MEMORY.is_dir() else None
    with TemporaryDirectory(prefix="hearthnet-bench-", dir=where) as folder:
        return play(home, moves(home, seed, commands), Path(folder), seed)


def _notes(played: Played) -> list[str]:
    tally = played.tally
    return [
        f"{tally.decisions:,} decisions of the root, {tally.uses:,} uses at gates",
        f"{played.seconds / 3600:.1f} virtual hours",
        f"{tally.other_reasons} refused rightly but for another first reason",
        f"{tally.on_their_way} good uses while news of the hub were on their way",
        f"{len(played.unseen)} devices recorded wrongly in the end",
        f"{len(played.faults)} faults logged",
        *tally.wrong[:3],
    ]
