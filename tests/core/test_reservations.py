"""One live lease a target, on the hub's clock and no other."""

import asyncio
from dataclasses import dataclass
from typing import Any

from hypothesis import given, strategies as st
import pytest

from hearthnet.core.clock import ManualClock, SystemClock
from hearthnet.core.leases import DRIFT, Lease
from hearthnet.core.messages import Message, MessageType
from hearthnet.core.node import Record
from hearthnet.core.reservations import LoopWaiter, Reservations

from .gate_world import World


@dataclass
class ManualWaiter:
    """Jumps to the moment that is waited for, unless something happens before."""

    clock: ManualClock

    async def wait(self, wake: asyncio.Event, until: float) -> None:
        await asyncio.sleep(0)
        if not wake.is_set():
            self.clock.advance(max(0.0, until - self.clock.boottime()))


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(seconds=1000.0)


@pytest.fixture
def reservations(clock: ManualClock) -> Reservations:
    return Reservations(clock, ManualWaiter(clock))


def lease(number: int, ttl: float = 30.0, grantee: str = "darcy") -> Lease:
    return Lease.from_message(grant(number, ttl, grantee))


def grant(number: int, ttl: float = 30.0, grantee: str = "darcy") -> Message:
    return Message(
        id=f"hub.1.{number}",
        sender="rupert",
        to=grantee,
        type=MessageType.GRANT,
        at=ManualClock().now(),
        content="Granted.",
        cause="phone.1.1",
        expires_at=ManualClock().now(),
        body={
            "grantee": grantee,
            "principal": {"kind": "user", "id": "u", "name": "Anna", "role": "owner"},
            "target": ["lamp"],
            "operation": "light.turn_on",
            "envelope": {},
            "reads": {},
            "policy_version": None,
            "policy_commit": None,
            "ttl": ttl,
            "justification": "Wanted.",
        },
    )


def answer(type_: MessageType, number: int, **body: Any) -> Message:
    return Message(
        id="phone.1.9",
        sender="darcy",
        to="rupert",
        type=type_,
        at=ManualClock().now(),
        content="Done.",
        lease=f"hub.1.{number}",
        body=body,
    )


def test_a_target_has_one_live_lease(reservations: Reservations) -> None:
    first = lease(1)
    reservations.reserve({"lamp", "tv"}, first)
    with pytest.raises(ValueError, match=r"hub\.1\.1 holds blind, lamp"):
        reservations.reserve({"lamp", "blind"}, lease(2))
    assert reservations.holding({"tv"}) == (first,)
    assert reservations.holding({"blind"}) == ()
    reservations.reserve({"blind"}, lease(2))
    assert reservations.live() == (first, lease(2))


def test_it_ends_by_receipt_or_by_a_refusal_that_ends_the_lease(
    reservations: Reservations,
) -> None:
    reservations.reserve({"lamp"}, lease(1))
    reservations.note(answer(MessageType.REFUSAL, 1, over=False))
    reservations.note(answer(MessageType.REFUSAL, 1))
    reservations.note(answer(MessageType.OBSERVATION, 1, over=True))
    reservations.note(answer(MessageType.RECEIPT, 2))
    assert reservations.holding({"lamp"})
    reservations.note(answer(MessageType.REFUSAL, 1, over=True))
    assert not reservations.holding({"lamp"})
    reservations.reserve({"lamp"}, lease(3))
    reservations.note(answer(MessageType.RECEIPT, 3))
    assert reservations.live() == ()


def test_it_ends_by_time_with_drift(
    reservations: Reservations, clock: ManualClock
) -> None:
    reservations.reserve({"lamp"}, lease(1, ttl=60.0))
    clock.advance(60.0)
    # The grantee's clock may be that much slower than the hub's.
    assert reservations.holding({"lamp"})
    clock.wall = clock.wall.replace(year=2099)
    assert reservations.holding({"lamp"})
    clock.advance(60.0 * DRIFT)
    assert not reservations.holding({"lamp"})
    reservations.reserve({"lamp"}, lease(2))
    reservations.note(answer(MessageType.RECEIPT, 1))
    assert reservations.holding({"lamp"}) == (lease(2),)


async def test_waiting_ends_with_the_receipt(
    reservations: Reservations, clock: ManualClock
) -> None:
    reservations.reserve({"lamp"}, lease(1))
    waiting = asyncio.create_task(reservations.wait_free({"lamp"}, 9999.0))
    await asyncio.sleep(0)
    reservations.note(answer(MessageType.RECEIPT, 1))
    assert await waiting
    assert clock.seconds == 1000.0


async def test_waiting_ends_with_the_leases_time(
    reservations: Reservations, clock: ManualClock
) -> None:
    reservations.reserve({"lamp"}, lease(1))
    reservations.reserve({"tv"}, lease(2, ttl=10.0))
    assert await reservations.wait_free({"lamp", "tv"}, 9999.0)
    assert clock.seconds == 1000.0 + 30.0 * (1 + DRIFT)


async def test_waiting_ends_at_its_deadline(
    reservations: Reservations, clock: ManualClock
) -> None:
    reservations.reserve({"lamp"}, lease(1))
    assert not await reservations.wait_free({"lamp"}, 1005.0)
    assert clock.seconds == 1005.0
    assert await reservations.wait_free({"tv"}, 0.0)


async def test_of_two_that_wait_one_gets_it(reservations: Reservations) -> None:
    reservations.reserve({"lamp"}, lease(1))
    order: list[int] = []

    async def wish(number: int) -> None:
        assert await reservations.wait_free({"lamp"}, 9999.0)
        reservations.reserve({"lamp"}, lease(number))
        order.append(number)
        await asyncio.sleep(0)
        reservations.note(answer(MessageType.RECEIPT, number))

    async with asyncio.TaskGroup() as group:
        for number in (2, 3, 4):
            group.create_task(wish(number))
        await asyncio.sleep(0)
        reservations.note(answer(MessageType.RECEIPT, 1))
    assert sorted(order) == [2, 3, 4]


async def test_a_new_boot_waits_for_leases_in_flight(
    reservations: Reservations, clock: ManualClock
) -> None:
    """F8: what was granted before the crash may still be executed elsewhere."""
    messages = [
        *(grant(1), grant(2), grant(3), grant(4, grantee="jeeves"), grant(5)),
        *(grant(7), answer(MessageType.RESOLUTION, 7)),
        answer(MessageType.RECEIPT, 2),
        answer(MessageType.REFUSAL, 3, over=True),
        answer(MessageType.REFUSAL, 5, over=False),
        answer(MessageType.OBSERVATION, 1),
    ]
    records = [Record(message, b"", None) for message in messages]
    reservations.rebuild(records, local={"jeeves"}, key_of=str.upper)
    assert reservations.holding({"LAMP"}) == (lease(1), lease(5))
    with pytest.raises(ValueError, match=r"hub\.1\.1 holds"):
        reservations.reserve({"LAMP"}, lease(6))
    # The phone says hello from a new boot: its leases died with the old one.
    reservations.release_grantees(("jeeves",))
    assert reservations.holding({"LAMP"})
    reservations.release_grantees(("darcy",))
    assert not reservations.holding({"LAMP"})


async def test_the_loop_waits_for_whatever_comes_first() -> None:
    clock = SystemClock()
    waiter = LoopWaiter(clock)
    wake = asyncio.Event()
    before = clock.boottime()
    await waiter.wait(wake, before - 1)
    await waiter.wait(wake, before + 0.02)
    assert clock.boottime() >= before + 0.015
    wake.set()
    await waiter.wait(wake, before + 3600)


@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from(["reserve", "receipt", "time"]),
            st.integers(1, 6),
            st.sets(st.sampled_from("abc"), min_size=1),
        )
    )
)
def test_no_two_live_leases_share_a_target(
    steps: list[tuple[str, int, set[str]]],
) -> None:
    """Against a list of (lease, keys, end), gone through each time."""
    clock = ManualClock()
    reservations = Reservations(clock, ManualWaiter(clock))
    model: list[tuple[str, set[str], float]] = []
    for number, (step, amount, keys) in enumerate(steps, 1):
        model = [row for row in model if row[2] > clock.boottime()]
        if step == "time":
            clock.advance(amount * 7.0)
        elif step == "receipt":
            reservations.note(answer(MessageType.RECEIPT, amount))
            model = [row for row in model if row[0] != f"hub.1.{amount}"]
        elif any(row[1] & keys for row in model):
            with pytest.raises(ValueError, match="holds"):
                reservations.reserve(keys, lease(number))
        else:
            reservations.reserve(keys, lease(number))
            end = clock.boottime() + 30.0 * (1 + DRIFT)
            model.append((f"hub.1.{number}", keys, end))
        live = {held.id for held in reservations.live()}
        assert live == {row[0] for row in model if row[2] > clock.boottime()}


async def test_a_revoked_lease_frees_its_target_at_once(world: World) -> None:
    """The gate tells of a revoked unused lease, so nobody waits for its time."""
    reservations = Reservations(world.clock, ManualWaiter(world.clock))
    granted = world.granted()
    reservations.reserve({"lamp_a"}, granted)
    record = world.revoke(granted.id)
    assert record is not None
    reservations.note(record.message)
    assert not reservations.holding({"lamp_a"})
