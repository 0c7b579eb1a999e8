"""Plays a trace: the real core over a simulated house, on a clock that leaps.

No model, no device and no waiting: a recorded day takes seconds, and the same trace
leads to the same every time.
"""

from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from hearthnet.core.bus.broker import Broker
from hearthnet.core.node import Record
from hearthnet.mosquitto import mosquitto
from hearthnet.virtual import VirtualClock, run

from . import properties
from .chains import chains
from .home import KEYS, Wires
from .player import Anew, Player
from .trace import Trace
from .traffic import Traffic

MEMORY = Path("/dev/shm")  # noqa: S108 - a folder of our own in it
PREFIX = "hearthnet/replay"


@dataclass(frozen=True, kw_only=True)
class Played:
    """What a trace led to."""

    records: list[Record]
    decisions: list[str]
    broken: list[str]
    """Safety properties that did not hold."""
    persisted: int | None = None
    """How many of the records a librarian has put into Git; None without one."""
    seconds: dict[str, float] = field(default_factory=dict)
    """By the steps' names: how long an intent took until all its receipts were in."""


def play(
    trace: Trace, anew: Anew | None = None, *, over_broker: bool = False
) -> Played:
    """Play a trace from beginning to end.

    `anew` plans what people say in place of the recorded plans. `over_broker` starts
    a Mosquitto and has a librarian behind it record what is said.

    Raises:
        TraceError: a step cannot be carried out.
        MosquittoError: there is no broker to start.
    """
    clock, traffic = VirtualClock(start=trace.start), Traffic()
    where = MEMORY if MEMORY.is_dir() else None
    with ExitStack() as stack:
        folder = Path(
            stack.enter_context(
                TemporaryDirectory(prefix="hearthnet-replay-", dir=where)
            )
        )
        wires = None
        if over_broker:
            port = stack.enter_context(mosquitto(folder))
            broker = Broker(host="127.0.0.1", port=port, prefix=PREFIX)
            wires = Wires(broker, traffic, folder)
        player = Player(trace, folder, clock, anew=anew, wires=wires)
        run(player.play(), clock, traffic)
        broken = [
            *properties.of_messages(player.records, KEYS, trace.state),
            *properties.of_acts(player.records, player.house),
        ]
        persisted = None
        if wires is not None:
            broken += properties.of_record(wires.record, KEYS)
            lost = properties.missing(player.records, wires.record)
            broken += (f"{event} is not in Git" for event in lost)
            persisted = len(player.records) - len(lost)
    names = {device.id: device.name for device in trace.devices}
    return Played(
        records=player.records,
        decisions=chains([r.message for r in player.records], names),
        broken=broken,
        persisted=persisted,
        seconds=player.seconds,
    )
