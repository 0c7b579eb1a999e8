"""What must hold for every history: nothing unrelated plays a part."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import given, settings, strategies as st
import pytest

from hearthnet.core.leases import Bound, Lease
from hearthnet.core.messages import MessageType
from hearthnet.core.verdict import Receipt

from .gate_world import World, codes

DIM = {"brightness_pct": Bound(exact=20)}
STEPS = st.lists(
    st.sampled_from(["light.turn_on", "light.turn_off", "dim"]), min_size=1, max_size=4
)


def commit(world: World) -> None:
    """The librarian acknowledges all that the node has emitted."""
    events = {record.message.id: "c" * 40 for record in world.records}
    world.node.view.acknowledge("c" * 40, events)


@dataclass
class Intent:
    """k actions on m devices; steps on one device one after another."""

    world: World
    left: dict[str, list[str]]
    asked: dict[str, str] = field(default_factory=dict)
    granted: dict[str, tuple[Lease, dict[str, Any]]] = field(default_factory=dict)

    async def go(self, device: str) -> None:
        """Take one device's present step one message further."""
        if device in self.granted:
            await self.execute(device)
        elif device in self.asked:
            self.grant(device)
        else:
            self.asked[device] = self.world.propose()

    def grant(self, device: str) -> None:
        step, dims = self.left[device][0], self.left[device][0] == "dim"
        envelope = DIM if dims and device != "blind" else {}
        if device == "blind":
            step = "cover.open_cover" if dims else "cover.close_cover"
        elif dims:
            step = "light.turn_on"
        cause = self.asked.pop(device)
        lease = self.world.lease(cause, (device,), step, envelope, ttl=60.0)
        self.world.admit(self.world.sign(lease))
        self.granted[device] = lease, {"brightness_pct": 20} if envelope else {}

    async def execute(self, device: str) -> None:
        lease, parameters = self.granted.pop(device)
        answer = await self.world.execute(lease, parameters)
        assert isinstance(answer, Receipt), codes(answer)
        self.left[device].pop(0)
        if not self.left[device]:
            del self.left[device]
        # The root hears the receipt and writes the hold that it leaves.
        self.world.hear()
        path, number = f"holds/{device}.json", len(self.world.records)
        self.world.hub_says(MessageType.RESOLUTION, {path: {"n": number}})


@settings(deadline=None, max_examples=60)
@given(
    plan=st.dictionaries(
        st.sampled_from(["lamp_a", "lamp_b", "blind"]), STEPS, min_size=1
    ),
    embedded=st.booleans(),
    data=st.data(),
)
def test_an_intent_without_outside_events_is_never_refused(
    plan: dict[str, list[str]],
    embedded: bool,
    data: st.DataObject,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """F1: whatever the order of grants, commits and executes."""
    folder = tmp_path_factory.mktemp("intent") / "journal"

    async def run() -> None:
        world = World(folder, embedded)
        world.fence()
        intent = Intent(world, {device: list(steps) for device, steps in plan.items()})
        while intent.left:
            match data.draw(st.sampled_from(["go", "go", "commit", "deliver", "time"])):
                case "go":
                    await intent.go(data.draw(st.sampled_from(sorted(intent.left))))
                case "commit":
                    commit(world)
                case "deliver":
                    world.deliver()
                case "time":
                    world.clock.advance(0.1)
        await world.node.close()

    asyncio.run(run())


EVENT = st.sampled_from(
    [
        *("grant", "grant", "execute", "execute", "foreign", "policy", "hold"),
        *("time", "revoke", "deliver", "hear"),
    ]
)


class History:
    """A history that can be gone through with and without noise."""

    def __init__(self, folder: Path, embedded: bool) -> None:
        self.world = World(folder, embedded)
        self.world.fence()
        self.leases: list[Lease] = []
        self.verdicts: list[Any] = []

    async def happen(self, event: str, number: int) -> None:
        target = ("lamp_a", "lamp_b", "lamp_twin")[number % 3]
        lease = self.leases[number % len(self.leases)] if self.leases else None
        if event in ("execute", "revoke"):
            if lease is not None:
                await self.use(event, lease)
            return
        writes: dict[str, Any] = {f"holds/{target}.json": {"n": number}}
        match event:
            case "grant":
                self.leases.append(self.world.granted((target,), "light.turn_on"))
            case "foreign":
                self.world.foreign(target, state="off")
            case "policy":
                self.world.hub_says(MessageType.POLICY, {"policy.yaml": str(number)})
            case "hold":
                self.world.hub_says(MessageType.RESOLUTION, writes)
            case "time":
                self.world.clock.advance(number * 3.0)
            case "deliver":
                self.world.deliver(50)
            case "hear":
                self.world.hear()

    async def use(self, event: str, lease: Lease) -> None:
        if event == "revoke":
            self.world.revoke(lease.id)
            return
        answer = await self.world.execute(lease)
        self.verdicts.append((codes(answer), getattr(answer, "outcome", None)))

    def noise(self, kind: str) -> None:
        """Something that no lease on a lamp depends on."""
        match kind:
            case "task":
                self.world.hub_says(MessageType.TASK, {"tasks/t1.json": {}})
            case "blind":
                self.world.foreign("blind", note=len(self.world.records))
            case "commit":
                commit(self.world)


@settings(deadline=None, max_examples=60)
@given(
    history=st.lists(st.tuples(EVENT, st.integers(0, 5)), min_size=3, max_size=25),
    noise=st.lists(st.sampled_from(["none", "task", "blind", "commit"])),
    embedded=st.booleans(),
)
def test_unrelated_events_and_the_librarian_change_no_verdict(
    history: list[tuple[str, int]],
    noise: list[str],
    embedded: bool,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    async def run(name: str, noise: list[str]) -> list[Any]:
        told = History(tmp_path_factory.mktemp(name) / "journal", embedded)
        left = list(noise)
        for event, number in history:
            told.noise(left.pop() if left else "none")
            await told.happen(event, number)
        await told.world.node.close()
        return told.verdicts

    async def both() -> None:
        assert await run("plain", []) == await run("noisy", noise)

    asyncio.run(both())
