"""The gate when something goes wrong, or somebody tries something."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from hearthnet.core.adapter import AdapterError, Permit
from hearthnet.core.journal import JournalError
from hearthnet.core.leases import Bound
from hearthnet.core.messages import Json, MessageType
from hearthnet.core.reasons import Outcome
from hearthnet.core.verdict import Receipt, Refusal

from .gate_world import STRANGER_KEY, World, codes

# Cancellation, failures, stops


async def test_canceled_in_the_act_is_unknown(world: World) -> None:
    lease = world.granted()
    started = asyncio.Event()

    async def act(permit: Permit) -> None:
        started.set()
        await asyncio.Event().wait()

    world.house.act = act  # type: ignore[method-assign]
    task = asyncio.create_task(world.execute(lease))
    await started.wait()
    other = asyncio.create_task(world.execute(lease))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    receipt = await other
    assert isinstance(receipt, Receipt)
    assert receipt.outcome is Outcome.UNKNOWN
    assert world.gate.unknown("lamp_a") == receipt.execute
    assert world.gate.busy("lamp_a") is None


async def test_canceled_before_the_act_is_a_refusal(world: World) -> None:
    lease = world.granted()
    waiting = asyncio.Event()

    async def sync() -> None:
        waiting.set()
        await asyncio.Event().wait()

    world.node.sync = sync  # type: ignore[method-assign]
    task = asyncio.create_task(world.execute(lease))
    await waiting.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    del world.node.sync
    assert world.records[-1].message.type is MessageType.REFUSAL
    assert world.records[-1].message.body["reason"] == "canceled"
    assert not world.house.acts
    await world.restart()
    assert world.gate.unknown("lamp_a") is None


async def test_a_failed_journal_refuses_before_the_act(world: World) -> None:
    def full() -> None:
        raise OSError("disk full")

    first, second = world.granted(("lamp_a",)), world.granted(("lamp_b",))
    world.during_sync = full
    refusal = await world.execute(first)
    assert isinstance(refusal, Refusal)
    assert codes(refusal) == ["journal_unwritable"]
    assert refusal.over
    assert not world.house.acts
    refusal = await world.execute(second)
    assert isinstance(refusal, Refusal)
    assert codes(refusal) == ["journal_unwritable"]
    assert not refusal.over
    assert len(world.executes) == 1
    assert await world.node.journal.probe()
    assert isinstance(await world.execute(second), Receipt)


async def test_no_answer_can_be_recorded(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    lease = world.granted()

    def fill() -> None:
        monkeypatch.setattr("hearthnet.core.journal.MAX_PENDING", 0)

    world.house.in_act = fill
    with pytest.raises(JournalError):
        await world.execute(lease)
    monkeypatch.undo()
    assert world.gate.busy("lamp_a") is None
    with pytest.raises(JournalError):
        await world.execute(lease)
    assert len(world.house.acts) == 1


@pytest.mark.parametrize(
    ("error", "deaf", "outcome"),
    [
        (AdapterError(Outcome.UNREACHABLE, "gone"), True, Outcome.UNREACHABLE),
        (AdapterError(Outcome.FAILED, "no"), True, Outcome.FAILED),
        (AdapterError(Outcome.PARTIAL, "one of two"), True, Outcome.FAILED),
        # What a read shows outweighs what the integration said.
        (AdapterError(Outcome.FAILED, "no"), False, Outcome.CHANGED),
    ],
)
async def test_what_the_adapter_says(
    world: World, error: AdapterError, deaf: bool, outcome: Outcome
) -> None:
    def fail() -> None:
        raise error

    world.house.in_act = fail
    world.house.deaf = {"lamp_a"} if deaf else set()
    receipt = await world.execute(world.granted())
    assert isinstance(receipt, Receipt)
    assert receipt.outcome is outcome
    assert receipt.evidence[0].text == error.text


async def test_a_stop_revokes_what_is_unused_and_cuts_what_hangs(world: World) -> None:
    unused, hanging = world.granted(("lamp_b",)), world.granted(("lamp_a",))
    started = asyncio.Event()

    async def act(permit: Permit) -> None:
        started.set()
        await asyncio.Event().wait()

    world.house.act = act  # type: ignore[method-assign]
    task = asyncio.create_task(world.execute(hanging))
    await started.wait()
    records = await world.gate.drain(by="hub.1.1", timeout=0.01)
    assert [record.message.lease for record in records] == [unused.id]
    with pytest.raises(asyncio.CancelledError):
        await task
    assert world.gate.unknown("lamp_a")
    assert codes(await world.execute(unused)) == ["revoked"]
    assert await world.gate.drain(by="hub.1.1", timeout=0.01) == []


# Our own effect and foreign changes


async def test_reports_of_our_own_effect_belong_to_the_execute(world: World) -> None:
    claims: list[Any] = []

    def report(device: str) -> None:
        now = world.clock.boottime()
        values = world.house.values[device]
        claims.append(world.gate.expects(device, dict(values), now))
        claims.append(world.gate.expects(device, {**values, "state": "off"}, now))
        claims.append(world.gate.busy(device))

    world.house.report = report
    bright = {"brightness_pct": Bound(exact=100)}
    lease = world.granted(("lamp_a",), "light.turn_on", bright)
    now = world.clock.boottime()
    assert world.gate.expects("lamp_a", {"state": "on"}, now) is None
    receipt = await world.execute(lease, {"brightness_pct": 100})
    assert isinstance(receipt, Receipt)
    assert claims == [receipt.execute, None, receipt.execute]
    # An echo within the deadline is ours, the same change by hand is not.
    seen: dict[str, Json] = {"state": "on", "brightness_pct": 100}
    assert world.gate.expects("lamp_a", seen, now + 1) == receipt.execute
    assert world.gate.expects("lamp_a", {"state": "off"}, now + 1) is None
    assert world.gate.expects("lamp_a", seen, now + 3) is None


async def test_a_device_is_busy_from_the_act_to_the_receipt(world: World) -> None:
    """Before the act a foreign change is told at once, and the lease is stale."""
    busy: list[Any] = []
    world.during_sync = lambda: busy.append(world.gate.busy("lamp_twin"))
    world.house.before_act = lambda: busy.append(world.gate.busy("lamp_twin"))
    receipt = await world.execute(world.granted())
    assert isinstance(receipt, Receipt)
    assert busy == [None, receipt.execute]
    assert world.gate.busy("lamp_twin") is None


async def test_observers_can_wait_for_the_receipt(world: World) -> None:
    order: list[str] = []

    async def observe() -> None:
        await world.gate.wait_idle("lamp_a")
        order.append(world.records[-1].message.type.value)

    world.house.in_act = lambda: waiting.append(asyncio.ensure_future(observe()))
    waiting: list[Any] = []
    await world.execute(world.granted())
    await waiting[0]
    assert order == ["receipt"]
    await world.gate.wait_idle("lamp_a")


# Odd requests


@pytest.mark.parametrize(
    "value", [True, float("nan"), float("inf"), "20", None, [20], 10**400, "\ud800"]
)
async def test_hostile_parameters_are_outside(world: World, value: Any) -> None:
    low = {"brightness_pct": Bound(minimum=10)}
    lease = world.granted(("lamp_a",), "light.turn_on", low)
    refusal = await world.execute(lease, {"brightness_pct": value})
    assert codes(refusal) == ["out_of_envelope"]
    refusal = await world.execute(lease, {"brightness_pct": 20, "\ud800": 1})
    assert codes(refusal) == ["out_of_envelope"]
    refusal = await world.execute(lease, {})
    assert codes(refusal) == ["out_of_envelope"]
    # Inside the lease, but outside the table of operations.
    refusal = await world.execute(lease, {"brightness_pct": 101})
    assert codes(refusal) == ["out_of_envelope"]
    assert not world.executes


@pytest.mark.parametrize("lease", ["", "nonsense", "hub.1.1", "\ud800", "x" * 9999])
async def test_unknown_leases(world: World, lease: str) -> None:
    refusal = await world.execute(lease)
    assert codes(refusal) == ["no_lease"]
    assert refusal.record.message.cause == ("hub.1.1" if lease == "hub.1.1" else None)


async def test_forged_and_malformed_grants(world: World) -> None:
    lease = world.lease(world.propose())
    forged = world.sign(lease, STRANGER_KEY)
    world.admit(forged, genuine=False)
    assert codes(await world.execute(lease)) == ["bad_signature"]
    # The real one is not shut out by the forged one, nor by its own copies.
    real = world.sign(lease)
    world.admit(real)
    world.admit(real)
    # The root's own bytes, whoever sends them once more.
    assert world.gate.admit(forged) is True
    longer = world.sign(replace(lease, ttl=60.0), STRANGER_KEY)
    assert world.gate.admit(longer) is False
    unsigned = replace(real, signature=None)
    other = replace(lease, id="hub.7.7")
    assert world.gate.admit(replace(unsigned, data=b"{}")) is False
    assert world.gate.admit(replace(world.sign(other), data=b"{}")) is False
    assert isinstance(await world.execute(lease), Receipt)


async def test_a_permit_is_made_by_the_gate_alone(world: World) -> None:
    await world.execute(world.granted())
    with pytest.raises(TypeError, match="only the gate"):
        replace(world.house.acts[0], seal=None)


async def test_what_was_checked_is_what_is_done(world: World) -> None:
    """The caller's own dict may change while the disk is waited for."""
    dim = {"brightness_pct": Bound(maximum=30)}
    lease = world.granted(("lamp_a",), "light.turn_on", dim)
    parameters = {"brightness_pct": 20}
    world.during_sync = lambda: parameters.update(brightness_pct=100)
    receipt = await world.execute(lease, parameters)
    assert isinstance(receipt, Receipt)
    assert world.house.acts[0].parameters == {"brightness_pct": 20}


async def test_a_device_that_goes_while_the_disk_is_waited_for(world: World) -> None:
    lease = world.granted()

    def vanish() -> None:
        del world.house.known["lamp_a"]

    world.during_sync = vanish
    refusal = await world.execute(lease)
    assert isinstance(refusal, Refusal)
    assert codes(refusal) == ["unreachable"]
    assert refusal.over
    assert not world.house.acts
    later = replace(world.granted(("lamp_b",)), target=("lamp_a",))
    del world.house.known["lamp_b"]
    refusal = await world.execute(later, target=("lamp_b",))
    assert codes(refusal) == ["unreachable"]


@pytest.mark.parametrize("value", [float("nan"), object(), {1: 2}, {1}])
async def test_what_a_device_reports_may_be_no_json(world: World, value: Any) -> None:
    """The act happened and must be on record, even if its values cannot be."""
    lease = world.granted()
    world.house.in_act = lambda: world.house.values["lamp_a"].update(odd=value)
    receipt = await world.execute(lease)
    assert isinstance(receipt, Receipt)
    if value == {1: 2}:
        # JSON turns the key into text and that is that.
        assert receipt.outcome is Outcome.CHANGED
        return
    assert receipt.outcome is Outcome.UNKNOWN
    assert world.gate.unknown("lamp_a") == receipt.execute
