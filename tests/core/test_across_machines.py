"""What users complain of, with the parts on machines of their own."""

import asyncio
from datetime import datetime, timedelta
import errno
import os
from pathlib import Path
import shutil
from typing import Any

import pytest

from hearthnet.core import companion
from hearthnet.core.bus import retry
from hearthnet.core.clock import SystemClock
from hearthnet.core.intents import Origin
from hearthnet.core.librarian import host, stream
from hearthnet.core.messages import MessageType
from hearthnet.core.node import Record
from hearthnet.core.reasons import Outcome, Reason
from tests.core.bus_home import PREFIX, Peer, stranger
from tests.core.home import ANNA
from tests.core.records import check_complete, check_gapless, fsck, say
from tests.core.test_dewey_remote import Hub, dewey
from tests.core.test_distributed import home, phone, television
from tests.support.mosquitto import Mosquitto
from tests.support.proxy import Proxy

DAY = timedelta(hours=26)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "FIRST_DELAY", 0.05)
    monkeypatch.setattr(retry, "LONGEST_DELAY", 0.3)
    monkeypatch.setattr(stream, "STALL_SECONDS", 1.0)
    monkeypatch.setattr(host, "REOPEN_SECONDS", 0.05)


class Later(SystemClock):
    """The wall clock a day later."""

    def now(self) -> datetime:
        return super().now() + DAY


async def test_commands_of_before_a_restart_a_day_ago(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    """D08, C4: the manager dies with leases unused; nothing is run a day later."""
    house = television()
    async with home(tmp_path, mosquitto.port, house) as here:
        async with phone(tmp_path, mosquitto.port, house):
            await here.until(lambda: here.outside.alive("darcy"))
            step = await here.hub.wishes.request_lease(
                principal=ANNA,
                origin=Origin.APP,
                target="tv",
                operation="light.turn_on",
                parameters={},
                reason="a test",
            )
            assert step.lease is not None
        await here.until(lambda: not here.outside.alive("darcy"))
        # Two more wait for the manager when the power of the hub fails.
        begun = asyncio.Semaphore(0)

        def count(record: Record) -> None:
            if record.message.type is MessageType.INTENT:
                begun.release()

        here.hub.node.subscribe(count)
        asking = [asyncio.ensure_future(here.switch()) for _ in range(2)]
        for _ in asking:
            await begun.acquire()
        await here.hub.node.sync()
        shutil.copytree(tmp_path / "hub", tmp_path / "later/hub")
    await asyncio.gather(*asking, return_exceptions=True)
    async with home(tmp_path / "later", mosquitto.port, house, Later()) as later:
        assert later.restart.sentence == "Dropped 2 open requests; nothing was re-run."
        async with phone(tmp_path, mosquitto.port, house, Later()):
            await later.until(lambda: later.outside.alive("darcy"))
            old = await later.hub.wishes.execute(
                step.lease, principal=ANNA, origin=Origin.APP
            )
            assert old.steps[0].outcome is Outcome.REFUSED, old
            # What is asked for now is a new intent, and done.
            assert not house.acts
            assert (await later.switch()).steps[0].outcome is Outcome.CHANGED
    assert len(house.acts) == 1


@pytest.mark.parametrize("kept", ["true", "false"])
async def test_a_command_left_on_a_topic_over_a_restart_of_the_broker(
    tmp_path: Path, kept: str
) -> None:
    """D09: with a broker that keeps what is retained, and with one that does not."""
    folder = tmp_path / "broker"
    folder.mkdir()
    config = f"allow_anonymous true\npersistence {kept}\n"
    with Mosquitto(folder, config) as mosquitto:
        hub = Peer("hub", tmp_path / "hub", mosquitto.port)
        phone_ = Peer("phone", tmp_path / "phone", mosquitto.port)
        async with hub, phone_:
            await hub.sees("phone")
            async with stranger(mosquitto.port) as someone:
                hub.bus.send(hub.say("darcy", "Do it."))
                command = await someone.catch("inbox/phone/hub")
                topic = command.topic.removeprefix(f"{PREFIX}/")
                await someone.put(topic, command.payload, retain=True)
            await phone_.until(lambda: phone_.texts() == ["Do it."])
            mosquitto.stop()
            await phone_.until(lambda: not phone_.bus.connected)
            mosquitto.start()
            await hub.sees("phone")
            hub.bus.send(hub.say("darcy", "And on."))
            await phone_.until(lambda: "And on." in phone_.texts())
            assert phone_.texts() == ["Do it.", "And on."]
            faults = [fault for fault, _ in await phone_.alerts()]
            assert ("retained" in faults) is (kept == "true")


@pytest.mark.parametrize("side", ["hub", "phone"])
async def test_a_cable_is_pulled(
    mosquitto: Mosquitto, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, side: str
) -> None:
    """C12: a connection that is half open is noticed by both, and comes back."""
    monkeypatch.setattr("hearthnet.core.bus.link.KEEPALIVE", 1)
    monkeypatch.setattr("hearthnet.core.bus.link.WILL_DELAY", 0)
    async with Proxy(mosquitto.port) as proxy:
        ports = {"hub": mosquitto.port, "phone": mosquitto.port, side: proxy.port}
        hub = Peer("hub", tmp_path / "hub", ports["hub"])
        phone_ = Peer("phone", tmp_path / "phone", ports["phone"])
        async with hub, phone_:
            await hub.sees("phone")
            await phone_.sees("hub")
            proxy.freeze()
            await hub.sees()
            await phone_.sees()
            proxy.cut()
            proxy.heal()
            await hub.sees("phone")
            await phone_.sees("hub")
            hub.bus.send(hub.say("darcy", "Again."))
            await phone_.until(lambda: phone_.texts() == ["Again."])


@pytest.mark.parametrize("hours", [3, -3])
async def test_a_machine_whose_clock_is_wrong(
    mosquitto: Mosquitto, tmp_path: Path, hours: int
) -> None:
    """No clocks are compared: what is old is told by the clock of whoever said it."""

    class Wrong(SystemClock):
        def now(self) -> datetime:
            return super().now() + timedelta(hours=hours)

    house = television()
    async with (
        home(tmp_path, mosquitto.port, house) as here,
        phone(tmp_path, mosquitto.port, house, Wrong()),
    ):
        await here.until(lambda: here.outside.alive("darcy"))
        for state in ("on", "off"):
            assert (await here.switch(state)).steps[0].outcome is Outcome.CHANGED
        assert not here.outside.bus.reports.rejected


async def test_a_librarian_whose_machine_lost_power_in_a_commit(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    """D15, C16: it heals its own locks; nothing is lost, and it is away meanwhile."""
    record = tmp_path / "record"
    async with Hub(tmp_path / "hub", mosquitto.port) as hub:
        async with dewey(tmp_path, mosquitto.port):
            say(hub.node, "Before.")
            await hub.quiet()
        await hub.until(lambda: not hub.librarian.feed.connected)
        for name in ("refs/heads/main.lock", "index.lock"):
            (record / name).touch()
        say(hub.node, "Meanwhile.")
        assert hub.librarian.away_since is not None
        assert "away" in (hub.librarian.status.problem or "")
        async with dewey(tmp_path, mosquitto.port):
            await hub.quiet()
            assert hub.librarian.status.problem is None
            await hub.until(lambda: any("lock" in n for n in hub.librarian.notices))
            check_complete(record, hub.node)
    fsck(record)
    check_gapless(record)


async def test_a_librarian_whose_disk_was_full_goes_on(
    mosquitto: Mosquitto, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own journal took nothing: it is away, and back once there is room."""
    monkeypatch.setattr(companion, "PROBE_SECONDS", 0.1)
    loop, refused = asyncio.get_running_loop(), asyncio.Event()
    write, full = os.pwrite, True

    def pwrite(file: int, data: bytes, offset: int) -> int:
        if full and "/journal/" in Path(f"/proc/self/fd/{file}").readlink().as_posix():
            loop.call_soon_threadsafe(refused.set)
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(file, data, offset)

    monkeypatch.setattr(os, "pwrite", pwrite)
    async with Hub(tmp_path / "hub", mosquitto.port) as hub:
        say(hub.node, "Meanwhile.")
        async with dewey(tmp_path, mosquitto.port):
            async with asyncio.timeout(20):
                await refused.wait()
            assert hub.librarian.away_since is not None
            full = False
            await hub.quiet()
            check_complete(tmp_path / "record", hub.node)
    check_gapless(tmp_path / "record")


@pytest.mark.parametrize(("when", "granted"), [("low_risk", True), ("nothing", False)])
async def test_while_the_librarian_is_away(
    mosquitto: Mosquitto, tmp_path: Path, when: str, granted: bool
) -> None:
    """The house goes on, within what the policy lets be done unrecorded."""

    class Away:
        """A librarian that has been away for two minutes."""

        def __init__(self, clock: SystemClock) -> None:
            self.away_since = clock.boottime() - 120

        def __getattr__(self, name: str) -> Any:
            raise AttributeError(name)

    house = television()
    async with (
        home(tmp_path, mosquitto.port, house) as here,
        phone(tmp_path, mosquitto.port, house),
    ):
        await here.until(lambda: here.outside.alive("darcy"))
        policy = here.hub.node.view.get("policy.yaml")
        assert isinstance(policy, str)
        text = policy.replace("when_unrecorded: low_risk", f"when_unrecorded: {when}")
        await here.hub.control.set_policy(text, ANNA)
        assert (await here.switch("on")).steps[0].outcome is Outcome.CHANGED
        here.hub._librarian = Away(SystemClock())
        step = (await here.switch("off")).steps[0]
        assert (step.outcome is Outcome.CHANGED) is granted
        assert step.reason is (None if granted else Reason.UNRECORDED)
        types = {r.message.type for r in here.hub.node.history()}
        assert MessageType.GRANT in types
