"""What ends a lease: time, fences, later versions, revocation."""

from pathlib import Path

from hearthnet.core.messages import MessageType
from hearthnet.core.paths import device_path
from hearthnet.core.reasons import Outcome
from hearthnet.core.verdict import Receipt, Refusal

from .gate_world import World, codes


def types(world: World) -> list[str]:
    return [
        record.message.type.value
        for record in world.records
        if record.message.type is not MessageType.HELLO
    ]


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


# Fencing


async def test_the_fence_outlives_the_gates_boot(tmp_path: Path) -> None:
    """A root that was replaced before the phone's restart stays replaced."""
    world = World(tmp_path / "journal")
    world.reboot_hub()
    await world.execute(world.granted())
    world.hub_boot = 1
    await world.restart()
    lease = world.granted(("lamp_b",), boot=1)
    assert "fenced" in codes(await world.execute(lease))
    await world.node.close()


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
