"""Plays a trace: the real core over a simulated house, on a clock that leaps.

No model, no device and no waiting: a recorded day takes seconds, and the same trace
leads to the same every time.
"""

from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from hearthnet.core.bus.broker import Broker
from hearthnet.core.node import Record
from hearthnet.mosquitto import mosquitto
from hearthnet.virtual import VirtualClock, run

from . import properties
from .chains import chains, ordered
from .given import houses_of, recipes_of
from .home import Home
from .memory import MemoryBroker
from .player import BEFORE, Anew, Player, Recorded
from .trace import JEEVES, Trace
from .traffic import Traffic
from .wires import Wires

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
    start = trace.start - timedelta(seconds=BEFORE)
    clock, traffic = VirtualClock(start=start), Traffic()
    recipes = recipes_of(trace)
    houses = houses_of(trace, recipes)
    elsewhere = {name: house for name, house in houses.items() if name != JEEVES}
    records: list[Record] = []
    planner = Recorded(anew)
    where = MEMORY if MEMORY.is_dir() else None
    with ExitStack() as stack:
        made = TemporaryDirectory(prefix="hearthnet-replay-", dir=where)
        folder = Path(stack.enter_context(made))
        port = stack.enter_context(mosquitto(folder)) if over_broker else 0
        wires = Wires(
            Broker(host="127.0.0.1", port=port, prefix=PREFIX),
            traffic.connect if over_broker else MemoryBroker().connect,
            folder,
            clock,
            houses=elsewhere,
            recipe=recipes.digest_of,
            librarian=over_broker,
            records=records,
        )
        home = Home(
            trace,
            folder,
            clock,
            houses=houses,
            recipes=recipes,
            planner=planner,
            wires=wires if over_broker or elsewhere else None,
            records=records,
        )
        player = Player(
            trace, clock, home=home, houses=houses, wires=wires, planner=planner
        )
        run(player.play(), clock, traffic)
        broken = [
            *properties.of_messages(records, wires.keys, trace.state),
            *properties.of_acts(records, houses.values()),
        ]
        persisted = None
        if over_broker:
            broken += properties.of_record(wires.record, wires.keys)
            lost = properties.missing(records, wires.record)
            broken += (f"{event} is not in Git" for event in lost)
            persisted = len(records) - len(lost)
    names = {device.id: device.name for device in trace.devices}
    return Played(
        records=records,
        decisions=chains(ordered([r.message for r in records]), names),
        broken=broken,
        persisted=persisted,
        seconds=player.seconds,
    )
