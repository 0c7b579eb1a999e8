"""A trace of a live bus: real Mosquitto, Dewey and recorder, a hub in this process."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC
import json
import os
from pathlib import Path
import signal
import sys

import pytest

from hearthnet.background import Background
from hearthnet.bench.home import lamps
from hearthnet.cli import main
from hearthnet.config import Config
from hearthnet.core.bus import retry
from hearthnet.core.bus.broker import Broker
from hearthnet.core.bus.envelope import pack, seal
from hearthnet.core.bus.link import connect
from hearthnet.core.bus.mosquitto import write as write_broker
from hearthnet.core.clock import SystemClock
from hearthnet.core.companion import Identity
from hearthnet.core.devices import Principal
from hearthnet.core.enrolled import Enrolled
from hearthnet.core.hub import Hub
from hearthnet.core.intents import Action, Origin
from hearthnet.core.journal import Entry
from hearthnet.core.librarian import wire
from hearthnet.core.librarian.stream import Named
from hearthnet.core.messages import EventId, Json, Message, MessageType
from hearthnet.core.node import Node
from hearthnet.core.outside import Outside
from hearthnet.core.policy.load import preset
from hearthnet.core.reservations import LoopWaiter
from hearthnet.core.restart import Startup
from hearthnet.core.status import Cause
from hearthnet.traces.day import Day
from hearthnet.traces.live import LiveError, joined
from hearthnet.traces.trace import Trace
from tests.core.bus_home import KEYS, PREFIX
from tests.core.home import ANNA, ROUTINE, ScriptedPlanner, command, request
from tests.core.records import entry, event, hello, message
from tests.support.mosquitto import Mosquitto

SEED = bytes([3]) * 32
SECRETS = {"hub": "the hub's", "dewey": "Dewey's"}
LAMPS = list(lamps(4).known)
_PROGRAM = "import sys; from hearthnet.cli import main; sys.exit(main())"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "FIRST_DELAY", 0.05)
    monkeypatch.setattr(retry, "LONGEST_DELAY", 0.3)


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Mosquitto]:
    """A broker that knows each machine, and what it may read and write."""
    folder = tmp_path / "mosquitto"
    nodes = {"hub": "hub", "dewey": "dewey"}
    passwords = {name: (word, b"salt" * 3) for name, word in SECRETS.items()}
    write_broker(folder, PREFIX, 1883, nodes, passwords, tls=False)
    access = f"password_file {folder}/passwords\nacl_file {folder}/topics\n"
    with Mosquitto(folder, f"allow_anonymous false\n{access}") as running:
        yield running


def reach(port: int, name: str, password: str | None = None) -> Broker:
    return Broker(
        host="127.0.0.1",
        port=port,
        prefix=PREFIX,
        username=name,
        password=password or SECRETS[name],
    )


def configure(folder: Path, port: int, **broker: str) -> Path:
    """Write what `hearthnet pair` would for the librarian."""
    identity = Identity(
        name="dewey",
        role="dewey",
        key=KEYS["dewey"],
        hub=KEYS["hub"].public,
        broker=reach(port, "dewey", **broker),
    )
    path, data = folder / "dewey.toml", folder / "dewey"
    Config(path=path, seed=SEED, identity=identity, data=data, settings={}).write()
    return path


class Program:
    """A command of the package as a process."""

    def __init__(self, *arguments: str | Path) -> None:
        self._arguments = arguments
        self.errors: list[str] = []

    async def start(self) -> None:
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", _PROGRAM, *self._arguments),
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )

    async def tells(self, text: str) -> None:
        """Wait until it says something of this kind once more."""
        assert self._process.stderr
        async with asyncio.timeout(30):
            while line := (await self._process.stderr.readline()).decode():
                self.errors.append(line)
                if text in line:
                    return
        raise AssertionError(f"{text!r} was not said: {self.errors}")

    def send(self, number: signal.Signals) -> None:
        """Send it a signal, if it is there to hear it."""
        if self._process.returncode is None:
            self._process.send_signal(number)

    async def end(self, number: signal.Signals | None = signal.SIGINT) -> int:
        """Let it end, with None by itself, and return its exit code."""
        if number is not None:
            self.send(number)
        output, errors = await self._process.communicate()
        self.errors.append(errors.decode())
        self.output = output.decode()
        assert self._process.returncode is not None
        return self._process.returncode

    @property
    def told(self) -> str:
        return "".join(self.errors)


@dataclass
class Home:
    """The hub, and who keeps its record."""

    folder: Path
    hub: Hub
    outside: Outside
    planner: ScriptedPlanner
    dewey: Program
    config: Path
    news: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def record(self) -> Path:
        return self.folder / "dewey" / "repository.git"

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(30):
            while not condition():
                self.news.clear()
                await self.news.wait()

    async def recorded(self) -> None:
        """Wait until all that the hub has said is in Git."""
        await self.hub.node.sync()
        assert self.outside.librarian
        feed = self.outside.librarian.feed
        await self.until(lambda: feed.durable >= self.hub.node.position)

    async def switch(self, lamp: int, state: str = "on", who: Principal = ANNA) -> None:
        automation = who.role == "automation"
        await self.hub.wishes.propose(
            principal=who,
            origin=Origin.SCHEDULE if automation else Origin.APP,
            targets=(LAMPS[lamp],),
            operation=f"light.turn_{state}",
            parameters={},
            reason="a test of Anna's",
        )

    async def say(self, text: str, *lamps_: int) -> None:
        """Let Anna say something that a planner takes for lamps to turn on."""
        targets = tuple(LAMPS[lamp] for lamp in lamps_)
        action = Action(targets=targets, operation="light.turn_on", parameters={})
        self.planner.plans[text] = command(action)
        await self.hub.wishes.ask(request(text))

    def wall(self, lamp: int, state: str) -> None:
        """Let somebody use the switch on the wall."""
        values = {"state": state}
        self.hub.observe(LAMPS[lamp], values, cause=Cause.DEVICE)

    async def act(self) -> None:
        """A little of a day: a wish, words, a switch, and a routine that bounces.

        Nobody is so quick that what comes next comes within a trace's millisecond.
        """
        await self.say("Light, please", 1, 2)
        await self.recorded()
        await self.switch(0, "off")
        await self.recorded()
        await self.switch(1, "off", ROUTINE)
        await self.recorded()
        self.wall(2, "off")
        await self.recorded()
        await self.switch(3)


@asynccontextmanager
async def home(folder: Path, port: int) -> AsyncIterator[Home]:
    """Run a hub, and Dewey as a process."""
    config = configure(folder, port)
    dewey = Program("dewey", "--config", config)
    await dewey.start()
    tasks, news, clock = Background(), asyncio.Event(), SystemClock()
    node = Node(name="hub", folder=folder / "hub", key=KEYS["hub"], clock=clock)
    enrolled = {"dewey": Enrolled(name="dewey", role="dewey", key=KEYS["dewey"].public)}
    outside = Outside(
        node,
        reach(port, "hub"),
        enrolled,
        chain=[],
        record=Named(node="dewey"),
        on_change=news.set,
    )
    house, planner = lamps(4), ScriptedPlanner()
    hub = Hub(
        node=node,
        house=house,
        adapter=house,
        planner=planner,
        policy_text=preset("balanced"),
        librarian=outside.librarian,
        waiter=LoopWaiter(clock),
        spawn=tasks.spawn,
        zone=lambda: UTC,
        outside=outside,
    )
    house.on_change = lambda device, values: None
    await hub.start(Startup.read(node))
    hub.open()
    running = asyncio.ensure_future(outside.run())
    made = Home(folder, hub, outside, planner, dewey, config, news)
    try:
        await made.switch(0)
        await made.recorded()
        yield made
    finally:
        await hub.stop()
        await outside.stop(running, 5)
        await tasks.end()
        await node.close()
        await dewey.end(signal.SIGTERM)


@asynccontextmanager
async def recorder(
    here: Home, output: Path, *options: str, config: Path | None = None
) -> AsyncIterator[Program]:
    """Listen as a process; at the end it is gone."""
    settings = ("--config", config or here.config)
    program = Program("record", "--live", output, *settings, *options)
    await program.start()
    try:
        await program.tells("listening")
        yield program
    finally:
        await program.end(signal.SIGKILL)


async def same_as_cut(here: Home, live: Path) -> Trace:
    """Check that the record gives the very same trace, and that it replays."""
    trace = Trace.load(live)
    first, _, last = trace.title.partition(" to ")
    cut = live.with_name("cut.json")
    span = ["--since", first, "--until", last]
    assert main(["record", str(here.record), str(cut), *span]) == 0
    assert Trace.load(cut) == trace
    assert await replayed(live) == 0
    return trace


async def replayed(trace: Path) -> int:
    """Play a trace, on a loop of its own."""
    return await asyncio.to_thread(main, ["replay", str(trace)])


async def test_it_is_what_the_record_gives(guarded: Mosquitto, tmp_path: Path) -> None:
    live = tmp_path / "live.json"
    async with home(tmp_path, guarded.port) as here:
        clients = guarded.log().count("New client connected")
        async with recorder(here, live) as program:
            await here.act()
            await here.recorded()
            assert await program.end() == 0, program.told
        trace = await same_as_cut(here, live)
    assert guarded.log().count("New client connected") == clients + 1
    assert trace.steps[0].data["text"] == "Light, please"
    assert trace.values[LAMPS[0]]["state"] == "on", "as it was before"
    assert "    denied: conflict" in trace.decisions
    assert [step.do for step in trace.steps] == [
        *("ask", "propose", "propose", "change", "propose", "end")
    ]
    # It is nobody: its one connection has published nothing.
    (name,) = {
        word
        for line in guarded.log().splitlines()
        for word in line.split()
        if word.startswith("observer-")
    }
    assert f"Received PUBLISH from {name}" not in guarded.log()


async def test_the_broker_dies_in_the_middle(
    guarded: Mosquitto, tmp_path: Path
) -> None:
    live = tmp_path / "live.json"
    async with home(tmp_path, guarded.port) as here:
        async with recorder(here, live) as program:
            await here.switch(1)
            await here.recorded()
            guarded.kill()
            await program.tells("the broker is lost")
            await here.say("Without a broker", 2)
            guarded.start()
            # What passes before it is there again comes from the record.
            await here.recorded()
            await program.tells("listening")
            await here.switch(3)
            await here.recorded()
            assert await program.end(signal.SIGTERM) == 0, program.told
        trace = await same_as_cut(here, live)
    assert [step.do for step in trace.steps] == ["propose", "ask", "propose", "end"]


async def test_dewey_dies_before_it_has_all(guarded: Mosquitto, tmp_path: Path) -> None:
    live = tmp_path / "live.json"
    async with home(tmp_path, guarded.port) as here:
        async with recorder(here, live) as program:
            await here.switch(1)
            await here.recorded()
            # Stopped, it takes nothing more; the broker and the hub do not know yet.
            here.dewey.send(signal.SIGSTOP)
            await here.switch(2)
            await here.hub.node.sync()
            async with connect(reach(guarded.port, "dewey"), "probe") as link:
                await link.subscribe(f"{PREFIX}/log/+")
                deliveries = link.deliveries()
                await here.switch(3)
                async with asyncio.timeout(30):
                    while True:
                        delivery = await anext(deliveries)
                        frame = json.loads(delivery.payload.partition(b" ")[2])
                        boot, seq, *_ = frame["records"][-1]
                        if (boot, seq) >= here.hub.node.position:
                            break
            assert await program.end() == 0, program.told
            here.dewey.send(signal.SIGCONT)
        await here.recorded()
        trace = await same_as_cut(here, live)
    assert [step.do for step in trace.steps] == [*["propose"] * 3, "end"]


async def test_forged_records_change_nothing(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    live = tmp_path / "live.json"
    async with home(tmp_path, mosquitto.port) as here:
        async with recorder(here, live) as program:
            await here.switch(1)
            boot, seq = here.hub.node.position
            forged = entry(
                f"hub.{boot}.{seq + 1}", key=KEYS["stranger"], content="Never said."
            )
            records = wire.from_entries([forged])
            data = pack("log", node="hub", records=records, oldest=False)
            async with connect(reach(mosquitto.port, "dewey"), "stranger") as link:
                for key in ("stranger", "dewey", "hub"):
                    payload = seal(data, KEYS[key].sign(data))
                    await link.publish(f"{PREFIX}/log/hub", payload)
                    await link.publish(f"{PREFIX}/log/hub", b"nonsense")
            await program.tells("thrown away, forged")
            await here.switch(2)
            await here.recorded()
            assert await program.end() == 0, program.told
        trace = await same_as_cut(here, live)
    assert "Never said." not in live.read_text("utf-8")
    assert [step.do for step in trace.steps] == ["propose", "propose", "end"]


async def test_redacted_it_leaves_no_name(guarded: Mosquitto, tmp_path: Path) -> None:
    live = tmp_path / "live.json"
    async with (
        home(tmp_path, guarded.port) as here,
        recorder(here, live, "--redact") as program,
    ):
        await here.act()
        await here.recorded()
        assert await program.end() == 0, program.told
    text = live.read_text("utf-8")
    for name in ("Anna", "anna", "Lamp", "lamp_", "Area 0", "please", "Wind", *LAMPS):
        assert name not in text
    assert await replayed(live) == 0


async def test_nothing_happens(guarded: Mosquitto, tmp_path: Path) -> None:
    live = tmp_path / "live.json"
    async with home(tmp_path, guarded.port) as here, recorder(here, live) as program:
        assert await program.end() == 2
    assert "nothing was heard" in program.told
    assert "Traceback" not in program.told
    assert not live.exists()


async def test_for_some_seconds(guarded: Mosquitto, tmp_path: Path) -> None:
    async with home(tmp_path, guarded.port) as here:
        arguments = ("--config", here.config, "--seconds", "0.1")
        program = Program("record", "--live", tmp_path / "live.json", *arguments)
        await program.start()
        assert await program.end(None) == 2
        assert "nothing was heard" in program.told


async def test_a_wrong_password(guarded: Mosquitto, tmp_path: Path) -> None:
    async with home(tmp_path, guarded.port) as here:
        (other := tmp_path / "other").mkdir()
        wrong = configure(other, guarded.port, password="guessed")
        text = wrong.read_text().replace(str(other / "dewey"), str(tmp_path / "dewey"))
        wrong.write_text(text)
        program = Program("record", "--live", tmp_path / "x.json", "--config", wrong)
        await program.start()
        assert await program.end(None) == 2
        assert "is not reached as dewey: " in program.told
        assert "ot authori" in program.told
        assert "guessed" not in program.told
        assert here.outside.bus.connected


def test_what_it_needs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = configure(tmp_path, 1)
    output = str(tmp_path / "live.json")
    arguments = ["record", "--live", output, "--config", str(config)]
    assert main(arguments) == 2
    assert "on the librarian's machine" in capsys.readouterr().err
    config.write_text(config.read_text().replace('role = "dewey"', 'role = "darcy"'))
    assert main(arguments) == 2
    assert "only a librarian" in capsys.readouterr().err
    assert main(["record", "--live", output, "--config", str(tmp_path / "no")]) == 2
    assert "hearthnet pair" in capsys.readouterr().err
    assert main(["record", "--live", output, output]) == 2
    assert main(["record", output]) == 2
    assert main(["record", "--live", output, "--since", "hub.1.1"]) == 2
    assert main(["record", output, output, "--seconds", "1"]) == 2


KEY = KEYS["hub"]
HUB_KEYS = {"hub": [KEY.public]}


def heard(*entries: Entry) -> dict[EventId, Entry]:
    return {EventId("hub", *one.position): one for one in entries}


def told(recorded: list[str], *entries: Entry) -> tuple[list[str], list[str]]:
    """Return the events of a record and what was heard, and what is missing."""
    gaps: list[str] = []
    found = joined(map(event, recorded), heard(*entries), HUB_KEYS, gaps.append)
    return [str(one.id) for one in found], gaps


def test_what_is_not_on_record_yet_follows() -> None:
    late = [entry(f"hub.1.{n}", key=KEY) for n in (4, 3, 2)]
    events, gaps = told(["hub.1.1", "hub.1.2"], *late)
    assert events == ["hub.1.1", "hub.1.2", "hub.1.3", "hub.1.4"]
    assert not gaps


def test_a_gap_is_told_and_ends_it() -> None:
    late = [entry(f"hub.1.{n}", key=KEY) for n in (3, 5, 6)]
    events, (gap,) = told(["hub.1.1", "hub.1.2"], *late)
    assert events == ["hub.1.1", "hub.1.2", "hub.1.3"]
    assert gap.startswith("what came after hub.1.3 and before hub.1.5 is neither")


def test_a_new_start_follows_the_end_of_the_one_before() -> None:
    late = [hello("hub.2.1", [1, 1], key=KEY), entry("hub.2.2", key=KEY)]
    assert told(["hub.1.1"], *late) == (["hub.1.1", "hub.2.1", "hub.2.2"], [])


def test_the_record_says_something_else() -> None:
    other = entry("hub.1.1", key=KEY, content="Something else.")
    with pytest.raises(LiveError, match="something else"):
        told(["hub.1.1"], other)


def span(messages: list[Message], first: int = 0, end: int | None = None) -> list[str]:
    """Return the events of a day that shall begin and end at two places."""
    day = Day()
    for number, one in enumerate(messages[:end]):
        if number == first:
            day.begin()
        day.take(one)
    begins, ends = day.span()
    return [one.id for one in day.messages[begins:ends]]


INTENT = message("hub.1.2", type=MessageType.INTENT)
TASK = message("hub.1.3", type=MessageType.TASK, intent=INTENT.id)
END = message("hub.1.4", type=MessageType.RESOLUTION, intent=INTENT.id, cause=INTENT.id)
DAY = [message("hub.1.1"), INTENT, TASK, END, message("hub.1.5")]
IDS = [one.id for one in DAY]


def test_quiet_moments() -> None:
    assert span(DAY) == IDS
    assert span(DAY, end=3) == IDS[:1]
    assert span(DAY, 2) == IDS[1:]
    assert span(DAY, 1) == IDS[1:]
    assert span(DAY, 4) == IDS[4:]
    # Another node's words end nothing; a new start ends what was.
    others = message("phone.1.9", type=MessageType.RESOLUTION, cause=INTENT.id)
    assert span([*DAY[:3], replace(others, intent=INTENT.id)]) == IDS[:1]
    recovery = message("hub.2.2", type=MessageType.RECOVERY)
    assert len(span([*DAY[:3], recovery])) == 4
    again = replace(END, id="hub.2.2", type=MessageType.INTENT, intent=None)
    over = replace(END, id="hub.2.3", intent=again.id, cause=again.id)
    assert len(span([*DAY[:3], again, over])) == 5


def test_of_what_was_before_only_the_state_is_kept() -> None:
    writes: dict[str, Json] = {"holds/a.json": {"id": "a"}}
    day = Day()
    for one in (replace(DAY[0], writes=writes), *DAY[1:], *[DAY[4]] * 100):
        day.take(one)
    assert len(day.messages) == 1
    assert day.before.get("holds/a.json") == {"id": "a"}


def test_a_day_has_the_cause_of_what_is_in_it() -> None:
    """A phone's receipt is on record after the end of its task, or not yet."""
    hello_ = message("phone.1.1")
    end = replace(TASK, type=MessageType.RESOLUTION, cause="phone.1.2")
    receipt = replace(TASK, id="phone.1.2", type=MessageType.RECEIPT)
    day = [DAY[0], hello_, INTENT, end, END, receipt]
    assert len(span(day)) == 6
    assert len(span(day, end=5)) == 2
    # One that is lost for good holds nothing up.
    assert len(span([*day[:5], message("phone.1.3")])) == 6
    assert len(span([day[0], *day[2:5]])) == 4


def test_a_day_has_the_grant_of_a_lease_that_is_used_in_it() -> None:
    grant = replace(TASK, type=MessageType.GRANT)
    again = message("hub.1.6", type=MessageType.INTENT)
    task = replace(TASK, id="hub.1.7", intent=again.id, lease=grant.id)
    over = replace(END, id="hub.1.8", intent=again.id, cause=again.id)
    day = Day()
    for one in (*DAY[:2], grant, *DAY[3:]):
        day.take(one)
    day.begin()
    for one in (again, task, over):
        day.take(one)
    assert day.span() == (0, 3)
    assert day.earlier(0, 3) == grant.id
    # Where it may begin earlier, it does.
    assert span([DAY[0], INTENT, grant, END, again, task, over], 1)[0] == INTENT.id
