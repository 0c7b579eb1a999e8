"""The gate, one promise a test. F numbers are those of the design's rationale."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

from hearthnet.core.adapter import Permit
from hearthnet.core.leases import Bound
from hearthnet.core.messages import MessageType
from hearthnet.core.paths import device_path
from hearthnet.core.reasons import Outcome, Reason
from hearthnet.core.verdict import Receipt, Refusal

from .gate_world import World, codes

DIM = {"brightness_pct": Bound(exact=20)}


def types(world: World) -> list[str]:
    return [
        record.message.type.value
        for record in world.records
        if record.message.type is not MessageType.HELLO
    ]


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


# F14: expiry


async def test_time_runs_from_the_proposal_not_from_the_arrival(world: World) -> None:
    """F14 (i): a grant that sat in a queue for 15 minutes."""
    lease = world.lease(world.propose())
    grant = world.sign(lease)
    world.clock.advance(900)
    world.admit(grant)
    refusal = await world.execute(lease)
    assert codes(refusal) == ["expired"]
    assert refusal.over  # type: ignore[union-attr]


async def test_time_runs_while_the_machine_sleeps(world: World) -> None:
    """F14 (ii): only the boot-time clock saw the suspend, the wall clock did not."""
    lease = world.granted()
    world.clock.seconds += 31
    assert codes(await world.execute(lease)) == ["expired"]


async def test_the_wall_clock_ends_a_lease_too(world: World) -> None:
    lease = world.granted()
    wall = world.clock.wall
    world.clock.advance(30)
    world.clock.seconds -= 30
    assert codes(await world.execute(lease)) == ["expired"]
    world.clock.wall = wall
    assert isinstance(await world.execute(lease), Receipt)


async def test_another_machines_clock_plays_no_part(world: World) -> None:
    """F14 (iii): `expires_at` is the hub's time, here decades ago."""
    lease = world.granted()
    assert lease.expires_at < world.clock.now()
    world.clock.wall = world.clock.wall.replace(year=1970)
    assert isinstance(await world.execute(lease), Receipt)


# F18: the verdict and all evidence


async def test_a_replayed_command_names_lease_and_commit(world: World) -> None:
    lease = world.granted()
    await world.execute(lease)
    world.foreign("lamp_a", state="off")
    changed = world.records[-1].message.id
    world.hear()
    later = world.granted()
    await world.execute(later)
    grant = world.sign(lease)
    if not world.embedded:
        world.reboot_hub()
    await world.restart()
    world.node.view.acknowledge("e" * 40, {})
    newest = world.node.view.version(device_path("lamp_a"))
    assert newest is not None
    assert newest != changed
    world.node.view.acknowledge("f" * 40, {newest: "c" * 40})
    if not world.embedded:
        # A phone's journal has no grants; the replay brings its own.
        world.admit(grant)
    refusal = await world.execute(lease)
    assert isinstance(refusal, Refusal)
    assert codes(refusal) == [
        *("not_asked", "fenced", "consumed", "superseded", "stale_state"),
    ]
    evidence = {str(item.code): item for item in refusal.evidence}
    assert all(item.lease == lease.id for item in refusal.evidence)
    assert evidence["consumed"].event == world.executes[0].id
    assert evidence["superseded"].event == world.executes[1].id
    assert evidence["stale_state"].event == newest
    assert evidence["stale_state"].commit == "c" * 40
    assert evidence["stale_state"].path == device_path("lamp_a")
    body = refusal.record.message.body
    assert body["reason"] == "not_asked"
    assert [item["code"] for item in body["evidence"]] == codes(refusal)
    assert body["evidence"][-1]["commit"] == "c" * 40


# F20: stop is never stale


async def test_stop_does_not_depend_on_the_devices_state(world: World) -> None:
    start = world.granted(("blind",), "cover.open_cover")
    await world.execute(start)
    world.hear()
    stop = world.granted(("blind",), "cover.stop_cover")
    for position in (10, 20, 30):
        world.foreign("blind", state="opening", current_position=position)
    receipt = await world.execute(stop)
    assert isinstance(receipt, Receipt)
    assert receipt.outcome is Outcome.UNVERIFIED
    world.hear()
    stop = world.granted(("blind",), "cover.stop_cover")
    world.hub_says(MessageType.RESOLUTION, {"holds/blind.json": {"n": 1}})
    world.deliver()
    assert codes(await world.execute(stop)) == ["stale_state"]


# Freshness


async def test_a_version_newer_than_mine_is_accepted(world: World) -> None:
    """F3 (ii): the grant overtakes the policy it rests on."""
    world.hub_says(MessageType.POLICY, {"policy.yaml": "rules: []"})
    lease = world.granted()
    assert isinstance(await world.execute(lease), Receipt)


async def test_a_policy_change_ends_a_lease(world: World) -> None:
    lease = world.granted()
    event = world.hub_says(MessageType.POLICY, {"policy.yaml": "rules: []"})
    world.deliver()
    refusal = await world.execute(lease)
    assert codes(refusal) == ["stale_policy"]
    assert refusal.evidence[0].event == event


async def test_a_change_while_the_disk_is_waited_for_is_seen(world: World) -> None:
    lease = world.granted()
    world.during_sync = lambda: world.foreign("lamp_a", state="off")
    refusal = await world.execute(lease)
    assert isinstance(refusal, Refusal)
    assert codes(refusal) == ["stale_state"]
    assert refusal.over
    assert not world.house.acts
    assert types(world)[-3:] == ["execute", "observation", "refusal"]
    assert world.records[-1].message.body["execute"] == world.executes[0].id
    await world.restart()
    assert world.gate.unknown("lamp_a") is None


# Revocation


async def test_revoking_an_unused_lease_tells_the_root(world: World) -> None:
    lease = world.granted()
    record = world.revoke(lease.id)
    assert record is not None
    assert record.message.type is MessageType.REFUSAL
    assert record.message.cause == record.message.lease == lease.id
    assert record.message.body["over"] is True
    assert world.revoke(lease.id) is None
    assert codes(await world.execute(lease)) == ["revoked"]


async def test_a_revocation_may_overtake_its_grant(world: World) -> None:
    lease = world.lease(world.propose())
    grant = world.sign(lease)
    assert world.gate.revoke(lease.id, by="hub.1.5") is None
    world.admit(grant)
    refusal = await world.execute(lease)
    assert codes(refusal) == ["revoked"]
    assert refusal.evidence[0].event == "hub.1.5"


async def test_revoking_all_ends_what_is_still_on_its_way(world: World) -> None:
    late = world.lease(world.propose())
    grant = world.sign(late)
    used, unused = world.granted(("blind",), "cover.stop_cover"), world.granted()
    await world.execute(used)
    assert [r.message.lease for r in world.revoke_all()] == [unused.id]
    world.admit(grant)
    assert codes(await world.execute(late)) == ["revoked"]
    assert codes(await world.execute(unused)) == ["revoked"]
    assert isinstance(await world.execute(world.granted()), Receipt)


async def test_a_revocation_stops_a_long_actuation(world: World) -> None:
    """The adapter asks before each input; the receipt tells what a read shows."""
    lease = world.granted()
    world.house.deaf.add("lamp_a")

    def revoke() -> None:
        world.revoke(lease.id)

    world.house.in_act = revoke
    receipt = await world.execute(lease)
    assert isinstance(receipt, Receipt)
    assert receipt.outcome is Outcome.FAILED
    assert codes(receipt) == ["revoked"]
