"""The gate, one promise a test. F numbers are those of the design's rationale."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hearthnet.core.adapter import Permit
from hearthnet.core.leases import Bound
from hearthnet.core.messages import MessageType
from hearthnet.core.paths import device_path
from hearthnet.core.reasons import Outcome, Reason
from hearthnet.core.verdict import Receipt, Refusal

from .gate_world import World, codes

DIM = {"brightness_pct": Bound(exact=20)}


async def test_a_lease_moves_its_device_once(world: World) -> None:
    lease = world.granted(("lamp_a",), "light.turn_on", DIM)
    receipt = await world.execute(lease, {"brightness_pct": 20})
    assert isinstance(receipt, Receipt)
    assert receipt.outcome is Outcome.CHANGED
    assert receipt.values == {"lamp_a": {"state": "on", "brightness_pct": 20}}
    execute, message = world.executes[0], receipt.record.message
    assert execute.cause == execute.lease == message.lease == lease.id
    assert message.cause == execute.id == receipt.execute
    assert message.writes == {
        device_path("lamp_a"): {
            "entity_id": "light.lamp_a",
            "name": "lamp a",
            "values": {"state": "on", "brightness_pct": 20},
        }
    }
    assert world.node.view.version(device_path("lamp_a")) == message.id
    assert world.house.acts[0].execute == execute.id
    again = await world.gate.execute(
        lease.id,
        grantee=world.agent,
        target=("lamp_a",),
        operation="light.turn_on",
        parameters={"brightness_pct": 20.0},
    )
    assert isinstance(again, Refusal)
    assert again.reason is Reason.CONSUMED
    assert again.evidence[0].event == execute.id
    assert not again.over
    assert len(world.house.acts) == 1


async def test_an_identical_request_gets_the_stored_answer(world: World) -> None:
    lease = world.granted()
    start, finish = asyncio.Event(), asyncio.Event()

    async def act(permit: Permit) -> None:
        start.set()
        await finish.wait()

    world.house.act = act  # type: ignore[method-assign]
    first = asyncio.create_task(world.execute(lease))
    await start.wait()
    second = asyncio.create_task(world.execute(lease))
    third = asyncio.create_task(world.execute(lease))
    await asyncio.sleep(0)
    # Whoever stops waiting for somebody else's answer takes nothing with him.
    third.cancel()
    finish.set()
    assert await first is await second is await world.execute(lease)
    assert len(world.executes) == 1


async def test_nothing_is_sent_for_what_is_so_already(world: World) -> None:
    world.foreign("lamp_a", state="on", brightness_pct=20)
    world.hear()
    before = world.node.view.version(device_path("lamp_a"))
    lease = world.granted(("lamp_a",), "light.turn_on", DIM)
    receipt = await world.execute(lease, {"brightness_pct": 20})
    assert isinstance(receipt, Receipt)
    assert receipt.outcome is Outcome.ALREADY_SO
    assert not world.house.acts
    # It was no change, so it makes nobody's reading stale.
    assert world.node.view.version(device_path("lamp_a")) == before
    assert codes(await world.execute(lease, {"brightness_pct": 20.0})) == ["consumed"]


async def test_a_receipt_tells_what_each_member_did(world: World) -> None:
    world.house.unavailable.add("lamp_b")
    target = ("lamp_a", "lamp_b")
    receipt = await world.execute(world.granted(target, "light.turn_on"))
    assert isinstance(receipt, Receipt)
    assert receipt.outcome is Outcome.PARTIAL
    assert receipt.members == {
        "lamp_a": Outcome.CHANGED,
        "lamp_b": Outcome.UNREACHABLE,
    }
    assert list(receipt.record.message.writes) == [device_path("lamp_a")]


async def test_unreachable_leaves_the_lease_unspent(world: World) -> None:
    lease = world.granted()
    world.house.unavailable.add("lamp_a")
    refusal = await world.execute(lease)
    assert isinstance(refusal, Refusal)
    assert refusal.reason is Reason.UNREACHABLE
    assert not refusal.over
    assert not world.executes
    world.house.unavailable.clear()
    assert isinstance(await world.execute(lease), Receipt)


@pytest.mark.parametrize(
    ("other", "code"),
    [
        ({"grantee": "rupert"}, "wrong_grantee"),
        ({"target": ("lamp_b",)}, "wrong_target"),
        ({"target": ("lamp_a", "lamp_b")}, "wrong_target"),
        ({"target": ("lamp_a", "lamp_a")}, "wrong_target"),
        ({"target": ()}, "wrong_target"),
        ({"operation": "light.turn_off"}, "wrong_operation"),
        ({"operation": "lock.unlock"}, "wrong_operation"),
        ({"operation": "nonsense"}, "wrong_operation"),
        ({"parameters": {"brightness_pct": 5}}, "out_of_envelope"),
    ],
)
async def test_a_lease_is_for_what_it_says(
    world: World, other: dict[str, Any], code: str
) -> None:
    lease = world.granted()
    refusal = await world.execute(lease, **other)
    assert isinstance(refusal, Refusal)
    assert codes(refusal) == [code]
    assert not refusal.over
    assert isinstance(await world.execute(lease), Receipt)


@pytest.mark.parametrize(
    "parameters",
    [
        {},  # the device would take its last brightness, which nobody granted
        {"brightness_pct": 2},
        {"brightness_pct": True},
        {"brightness_pct": 1, "transition": 2},
    ],
)
async def test_parameters_are_exactly_those_granted(
    world: World, parameters: dict[str, Any]
) -> None:
    bound = {"brightness_pct": Bound(exact=1)}
    lease = world.granted(("lamp_a",), "light.turn_on", bound)
    refusal = await world.execute(lease, parameters)
    assert codes(refusal) == ["out_of_envelope"]
    assert isinstance(await world.execute(lease, {"brightness_pct": 1}), Receipt)


@pytest.mark.parametrize("ttl", [0.0, -1.0, 60.1])
async def test_no_lease_lives_longer_than_a_minute(world: World, ttl: float) -> None:
    lease = world.lease(world.propose(), ttl=ttl)
    world.admit(world.sign(lease), genuine=False)
    assert codes(await world.execute(lease)) == ["no_lease"]


# F4: one live lease a target, and the older never after the newer


async def test_an_older_lease_after_a_newer_one_is_superseded(world: World) -> None:
    older = world.granted(("lamp_a",), "light.turn_off")
    newer = world.granted(("lamp_twin",), "light.turn_off")
    world.house.values["lamp_twin"]["state"] = "on"
    assert isinstance(await world.execute(newer), Receipt)
    refusal = await world.execute(older)
    assert isinstance(refusal, Refusal)
    assert refusal.reason is Reason.SUPERSEDED
    assert refusal.over
    assert refusal.evidence[0].event == world.executes[0].id
    assert newer.id in refusal.evidence[0].text


async def test_a_target_takes_one_execute_at_a_time(world: World) -> None:
    first = world.granted(("lamp_a",), "light.turn_on")
    second = world.granted(("lamp_twin",), "light.turn_off")
    world.house.values["lamp_twin"]["state"] = "on"
    answers: list[Any] = []

    def meanwhile() -> None:
        answers.append(asyncio.ensure_future(world.execute(second)))

    world.during_sync = meanwhile
    assert isinstance(await world.execute(first), Receipt)
    refusal = await answers[0]
    assert codes(refusal) == ["reserved"]
    assert refusal.evidence[0].event == world.executes[0].id
    assert isinstance(await world.execute(second), Receipt)


# F9: single use also across a crash


async def test_a_crash_in_the_act_is_unknown_until_a_read(world: World) -> None:
    copies: list[Path] = []
    world.house.in_act = lambda: copies.append(
        world.copy(world.folder.with_name("crashed"))
    )
    lease = world.granted()
    await world.execute(lease)
    execute = world.executes[0].id
    await world.node.close()
    await world.restart(copies[0])
    assert world.gate.unknown("lamp_a") == execute
    receipt = world.records[-1].message
    assert receipt.type is MessageType.RECEIPT
    assert (receipt.cause, receipt.body["outcome"]) == (execute, "unknown")

    world.hear()
    following = world.granted()
    refusal = await world.execute(following)
    assert codes(refusal) == ["unverifiable_state"]
    assert refusal.evidence[0].event == execute
    # It is still so after another crash, also when the first is long forgotten.
    await world.restart()
    assert world.gate.unknown("lamp_a") == execute

    reading = replace(world.house.read("lamp_a"), available=False)
    assert world.gate.resolve_unknown("lamp_a", reading) is None
    seen = world.gate.resolve_unknown("lamp_a", world.house.read("lamp_a"))
    assert seen is not None
    assert seen.message.cause == execute
    assert world.gate.unknown("lamp_a") is None
    assert world.gate.resolve_unknown("lamp_a", reading) is None
    world.hear()
    assert isinstance(await world.execute(world.granted()), Receipt)
    # The old lease did not come back to life by any of that.
    assert Reason.CONSUMED in codes(await world.execute(lease))


async def test_any_observation_ends_an_unknown(world: World) -> None:
    def bug() -> None:
        raise ValueError("a bug")

    world.house.before_act = bug
    receipt = await world.execute(world.granted())
    assert isinstance(receipt, Receipt)
    assert receipt.outcome is Outcome.UNKNOWN
    assert receipt.evidence[0].text == "ValueError: a bug"
    assert world.gate.unknown("lamp_a") == receipt.execute
    world.observe("lamp_a")
    assert world.gate.unknown("lamp_a") is None
