"""A hub and a phone over a real broker: intents to receipts, and failures."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from hearthnet.background import Background
from hearthnet.core.adapter import Permit
from hearthnet.core.bus import presence, retry
from hearthnet.core.clock import Clock, SystemClock
from hearthnet.core.companion import Companion, Identity
from hearthnet.core.devices import Device
from hearthnet.core.enrolled import Enrolled
from hearthnet.core.hub import Hub
from hearthnet.core.intents import Origin, Result
from hearthnet.core.messages import EventId, MessageType
from hearthnet.core.node import Node, Record
from hearthnet.core.outside import Outside
from hearthnet.core.policy.load import preset
from hearthnet.core.reasons import Outcome, Reason
from hearthnet.core.reservations import LoopWaiter
from hearthnet.core.restart import Restart, Startup
from hearthnet.simulation import Behavior, SimulatedHouse, manage
from tests.core.bus_home import KEYS, broker
from tests.core.home import ANNA, ScriptedPlanner
from tests.support.mosquitto import Mosquitto
from tests.support.proxy import Proxy

ENROLLED = {"phone": Enrolled(name="phone", role="darcy", key=KEYS["phone"].public)}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "FIRST_DELAY", 0.05)
    monkeypatch.setattr("hearthnet.core.agents.failures.FIRST_DELAY", 0.05)
    monkeypatch.setattr("hearthnet.core.agents.dispatch.LOOK", 0.05)
    monkeypatch.setattr("hearthnet.core.bus.link.WILL_DELAY", 0)
    monkeypatch.setattr("hearthnet.core.outside.CONVERGED", 0)
    assert presence.BEAT


def television() -> SimulatedHouse:
    """Return a house with one lamp that the phone reaches."""
    house = SimulatedHouse()
    device = Device(
        id="tv", entity_id="light.tv", name="TV", domain="light", manager="darcy"
    )
    house.add(device, state="off")
    return house


class Home:
    """The hub's side."""

    def __init__(
        self, hub: Hub, outside: Outside, changed: asyncio.Event, restart: Restart
    ) -> None:
        self.hub = hub
        self.outside = outside
        self.restart = restart
        self._changed = changed

    async def until(self, condition: Any) -> None:
        async with asyncio.timeout(20):
            while not condition():
                self._changed.clear()
                await self._changed.wait()

    async def switch(self, state: str = "on") -> Result:
        return await self.hub.wishes.propose(
            principal=ANNA,
            origin=Origin.APP,
            targets=("tv",),
            operation=f"light.turn_{state}",
            parameters={},
            reason="a test",
        )


@asynccontextmanager
async def home(
    folder: Path, port: int, house: SimulatedHouse, clock: Clock | None = None
) -> AsyncIterator[Home]:
    tasks, changed = Background(), asyncio.Event()
    clock = clock or SystemClock()
    node = Node(name="hub", folder=folder / "hub", key=KEYS["hub"], clock=clock)
    outside = Outside(node, broker(port), ENROLLED, chain=[], on_change=changed.set)
    hub = Hub(
        node=node,
        house=house,
        adapter=SimulatedHouse(),
        planner=ScriptedPlanner(),
        policy_text=preset("balanced"),
        librarian=None,
        waiter=LoopWaiter(clock),
        spawn=tasks.spawn,
        zone=lambda: UTC,
        outside=outside,
    )
    restart = await hub.start(Startup.read(node))
    hub.open()
    running = asyncio.ensure_future(outside.run())
    try:
        yield Home(hub, outside, changed, restart)
    finally:
        await hub.stop()
        await outside.stop(running, 5)
        await tasks.end()
        await node.close()


@asynccontextmanager
async def phone(
    folder: Path, port: int, house: SimulatedHouse, clock: Clock | None = None
) -> AsyncIterator[Companion]:
    """Assemble a manager's node as `hearthnet darcy` does."""
    tasks = Background()
    identity = Identity(
        name="phone",
        role="darcy",
        key=KEYS["phone"],
        hub=KEYS["hub"].public,
        broker=broker(port),
    )
    companion = Companion.open(
        identity, folder / "phone", agents=("darcy",), clock=clock
    )
    manager = manage(companion, "darcy", house, tasks.spawn)
    running = asyncio.ensure_future(companion.run())
    try:
        yield companion
    finally:
        companion.stop()
        await running
        manager.close()
        await tasks.end()
        await companion.close()


async def test_an_intent_is_carried_out_elsewhere(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    house = television()
    async with home(tmp_path, mosquitto.port, house) as here:
        nobody = await here.switch()
        assert nobody.steps[0].reason is Reason.MANAGER_OFFLINE
        async with phone(tmp_path, mosquitto.port, house):
            await here.until(lambda: here.outside.alive("darcy"))
            for number, state in enumerate(("on", "off", "on")):
                result = await here.switch(state)
                assert result.steps[0].outcome is Outcome.CHANGED, result
                assert len(house.acts) == number + 1
            assert (await here.switch()).steps[0].outcome is Outcome.ALREADY_SO
            agents = {agent.name for agent in here.hub.status.agents if agent.online}
            assert agents == {"rupert", "jeeves", "phone"}
    assert house.values["tv"]["state"] == "on"


async def test_a_blocked_task_waits_for_its_manager(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    house = television()
    async with home(tmp_path, mosquitto.port, house) as here:
        async with phone(tmp_path, mosquitto.port, house):
            await here.until(lambda: here.outside.alive("darcy"))
        await here.until(lambda: not here.outside.alive("darcy"))
        asking = asyncio.ensure_future(here.switch())
        async with phone(tmp_path, mosquitto.port, house):
            assert (await asking).steps[0].outcome is Outcome.CHANGED
    assert len(house.acts) == 1


class _Watched(list[Permit]):
    """Says when something is appended."""

    def __init__(self, event: asyncio.Event) -> None:
        super().__init__()
        self._event = event

    def append(self, item: Permit) -> None:
        super().append(item)
        self._event.set()


async def test_a_manager_that_dies_while_it_acts(
    mosquitto: Mosquitto, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody knows whether it acted: nothing is done again before a read."""
    monkeypatch.setattr("hearthnet.core.agents.issuer.DEFAULT_TTL", 0.5)
    house, acting = television(), asyncio.Event()
    house.behavior["tv"] = Behavior(gate=asyncio.Event())
    monkeypatch.setattr(house, "acts", _Watched(acting))
    async with (
        home(tmp_path, mosquitto.port, house) as here,
        Proxy(mosquitto.port) as proxy,
        phone(tmp_path, proxy.port, house),
    ):
        await here.until(lambda: here.outside.alive("darcy"))
        asking = asyncio.ensure_future(here.switch())
        await acting.wait()
        proxy.cut(refuse=True)
        house.unavailable.add("tv")
        step = (await asking).steps[0]
        assert step.outcome is Outcome.UNKNOWN
        assert len(house.acts) == 1
        (review,) = here.hub.status.reviews
        assert (review.manager, review.device) == ("darcy", "TV")
        await here.hub.node.sync()
        grants = [
            r for r in here.hub.node.history() if r.message.type is MessageType.GRANT
        ]
        assert len(grants) == 1
    # The hub starts anew, and still does not know.
    async with home(tmp_path, mosquitto.port, house) as later:
        assert list(later.hub.status.reviews) == [review]
        assert await later.hub.wishes.review(review.id, retry=False) is None
        assert list(later.hub.status.reviews) == []
        with pytest.raises(LookupError):
            await later.hub.wishes.review(review.id, retry=True)


async def test_a_manager_that_is_heard_again_ends_the_review(
    mosquitto: Mosquitto, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hearthnet.core.agents.issuer.DEFAULT_TTL", 0.5)
    house, acting, acted = television(), asyncio.Event(), asyncio.Event()
    house.behavior["tv"] = Behavior(gate=acted)
    monkeypatch.setattr(house, "acts", _Watched(acting))
    async with (
        home(tmp_path, mosquitto.port, house) as here,
        Proxy(mosquitto.port) as proxy,
        phone(tmp_path, proxy.port, house),
    ):
        await here.until(lambda: here.outside.alive("darcy"))
        asking = asyncio.ensure_future(here.switch())
        await acting.wait()
        proxy.cut(refuse=True)
        house.unavailable.add("tv")
        assert (await asking).steps[0].outcome is Outcome.UNKNOWN
        assert here.hub.status.reviews
        known = asyncio.Event()

        def look(record: Record) -> None:
            if "known now" in record.message.content:
                known.set()

        here.hub.node.subscribe(look)
        house.unavailable.clear()
        acted.set()
        proxy.heal()
        async with asyncio.timeout(20):
            await known.wait()
        assert not here.hub.status.reviews
        assert house.values["tv"]["state"] == "on"
    assert len(house.acts) == 1


async def test_a_manager_that_died_while_it_acted_is_asked_again(
    mosquitto: Mosquitto, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is back at once and says that it does not know; a read says: not done."""
    house, acting = television(), asyncio.Event()
    house.behavior["tv"] = Behavior(gate=asyncio.Event())
    monkeypatch.setattr(house, "acts", _Watched(acting))
    async with home(tmp_path, mosquitto.port, house) as here:
        async with phone(tmp_path, mosquitto.port, house):
            await here.until(lambda: here.outside.alive("darcy"))
            asking = asyncio.ensure_future(here.switch())
            await acting.wait()
        house.behavior.clear()
        async with phone(tmp_path, mosquitto.port, house):
            assert (await asking).steps[0].outcome is Outcome.CHANGED
        assert len(house.acts) == 2
        assert not here.hub.status.reviews
        await here.hub.node.sync()
        history = [r.message for r in here.hub.node.history()]
        leases = {m.id for m in history if m.type is MessageType.GRANT}
        assert {permit.lease for permit in house.acts} == leases


async def test_what_was_not_done_is_asked_for_again(
    mosquitto: Mosquitto, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The manager went away with a lease, unused; a read shows that nothing is done."""
    monkeypatch.setattr("hearthnet.core.agents.issuer.DEFAULT_TTL", 0.5)
    house = television()
    async with home(tmp_path, mosquitto.port, house) as here:
        async with (
            Proxy(mosquitto.port) as proxy,
            phone(tmp_path, proxy.port, house),
        ):
            await here.until(lambda: here.outside.alive("darcy"))

            def cut(record: Record) -> None:
                if record.message.type is MessageType.GRANT:
                    proxy.cut(refuse=True)
                    monkeypatch.undo()  # the next lease has time to be used

            unsubscribe = here.hub.node.subscribe(cut)
            asking = asyncio.ensure_future(here.switch())
            await here.until(lambda: not here.outside.alive("darcy"))
            unsubscribe()
        assert not house.acts
        async with phone(tmp_path, mosquitto.port, house):
            assert (await asking).steps[0].outcome is Outcome.CHANGED
        assert len(house.acts) == 1
        assert not here.hub.status.reviews
        await here.hub.node.sync()
        grants = [
            r for r in here.hub.node.history() if r.message.type is MessageType.GRANT
        ]
        assert len(grants) == 2


async def test_a_restarted_hub_waits_for_no_lease_that_is_over(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    """Receipts of a phone are in its own journal; the hub still knows of them."""
    house = television()
    async with phone(tmp_path, mosquitto.port, house):
        for state in ("on", "off"):
            async with home(tmp_path, mosquitto.port, house) as here:
                assert not here.hub._reservations.holding({"tv"})
                await here.until(lambda: here.outside.alive("darcy"))
                result = await here.switch(state)
                assert result.steps[0].outcome is Outcome.CHANGED
    assert len(house.acts) == 2


async def test_a_lease_that_somebody_holds_is_on_the_disk(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    house = television()
    async with (
        home(tmp_path, mosquitto.port, house) as here,
        phone(tmp_path, mosquitto.port, house),
    ):
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
        granted = EventId.parse(step.lease).position
        assert here.hub.node.journal.synced >= granted
