"""What one node of a home may not do to another, and what it survives."""

import asyncio
from itertools import pairwise
from pathlib import Path

import pytest

from hearthnet.core.bus import presence, retry, statuses, twin
from hearthnet.core.bus.envelope import pack, seal
from hearthnet.core.companion import Companion
from hearthnet.core.keys import SigningKey, pass_on
from hearthnet.core.librarian import host, stream
from hearthnet.core.librarian.client import LibrarianProcess
from hearthnet.core.messages import Json
from hearthnet.core.outside import Outside
from tests.core.bus_home import KEYS, Peer, broker, stranger
from tests.core.records import check_complete, check_gapless, fsck, say
from tests.core.test_dewey_remote import ENROLLED, Hub, dewey, identity
from tests.support.mosquitto import Mosquitto


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "FIRST_DELAY", 0.05)
    monkeypatch.setattr(retry, "LONGEST_DELAY", 0.3)
    monkeypatch.setattr(stream, "STALL_SECONDS", 1.0)
    monkeypatch.setattr(host, "REOPEN_SECONDS", 0.05)
    monkeypatch.setattr("hearthnet.core.bus.statuses.ANSWER_SECONDS", 0.2)


async def test_a_node_speaks_only_for_its_own_agents(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    hub = Peer("hub", tmp_path / "hub", mosquitto.port)
    phone = Peer("phone", tmp_path / "phone", mosquitto.port)
    librarian = Peer("dewey", tmp_path / "dewey", mosquitto.port)
    async with hub, phone, librarian:
        await hub.sees("phone", "dewey")
        await phone.sees("hub", "dewey")
        await librarian.sees("hub", "phone")
        for name in ("jeeves", "rupert"):
            phone.bus.send(phone.say("rupert", "I did it.", sender=name))
        librarian.bus.send(librarian.say("darcy", "Stop.", sender="rupert"))
        librarian.bus.send(librarian.say("rupert", "Done.", sender="darcy"))
        await hub.until(lambda: len(hub.bus.reports.rejected) == 2)
        await phone.until(lambda: phone.bus.reports.rejected)
        phone.bus.send(phone.say("rupert", "Mine."))
        await hub.until(lambda: "Mine." in hub.texts())
        assert hub.texts() == ["Mine."]
        assert phone.texts() == []
        assert sorted(await hub.alerts()) == [
            ("misplaced", "/inbox/hub/dewey"),
            ("misplaced", "/inbox/hub/phone"),
        ]


async def test_nobody_can_tell_by_what_name_the_broker_knows_a_node(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    """Whoever connects by that name pushes the node out."""
    hub = Peer("hub", tmp_path / "hub", mosquitto.port)
    phone = Peer("phone", tmp_path / "phone", mosquitto.port)
    async with stranger(mosquitto.port) as someone, hub, phone:
        await hub.sees("phone")
        said = b"".join(delivery.payload for delivery in someone.seen)
        secret = hub.bus._identifier.removeprefix("hub-")
        assert len(secret) == 24
        assert secret.encode() not in said


async def test_two_homes_on_one_prefix(mosquitto: Mosquitto, tmp_path: Path) -> None:
    """Neither believes the other, people hear of it, the phone stays where it is."""
    hub = Peer("hub", tmp_path / "hub", mosquitto.port)
    phone = Peer("phone", tmp_path / "phone", mosquitto.port)
    key = SigningKey(bytes([9]) * 32)
    async with hub, phone:
        await hub.sees("phone")
        await phone.sees("hub")
        async with Peer("hub", tmp_path / "other", mosquitto.port, key=key):
            await hub.until(lambda: hub.bus.twin.zombie)
            assert "another key" in (hub.bus.twin.zombie or "")
            assert not hub.bus.fenced
            status = phone.bus.presence.status("hub")
            assert status
            assert status.instance == hub.bus._statuses.own.instance
            hub.bus.send(hub.say("darcy", "Still here."))
            await phone.until(lambda: phone.texts() == ["Still here."])


async def test_one_bad_frame_does_not_end_the_connection(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    """An enrolled node may be of another version, or taken over."""
    hub = Peer("hub", tmp_path / "hub", mosquitto.port)
    phone = Peer("phone", tmp_path / "phone", mosquitto.port)

    def breaks(*_: object) -> None:
        raise IndexError("a bug")

    hub.bus.on_frame("log", breaks)
    async with hub, phone:
        await hub.sees("phone")
        await phone.sees("hub")
        phone.bus.send_frame("hub", "log", records=[])
        phone.bus.send(phone.say("rupert", "After."))
        await hub.until(lambda: hub.texts() == ["After."])
        assert hub.bus.problem is None


async def test_what_an_older_key_has_left_is_no_alarm(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    """A phone was paired anew; its old status is still kept by the broker."""
    old = SigningKey(b"o" * 32)
    async with Peer("phone", tmp_path / "old", mosquitto.port, key=old) as before:
        await before.until(lambda: before.bus.connected)
    hub = Peer("hub", tmp_path / "hub", mosquitto.port)
    phone = Peer("phone", tmp_path / "phone", mosquitto.port)
    async with stranger(mosquitto.port) as someone, hub:
        async with phone:
            await hub.sees("phone")
            # The remedy that Repairs names says nothing, and is no alarm either.
            await someone.put("inbox/hub/phone", b"", retain=True)
            phone.bus.send(phone.say("rupert", "After."))
            await hub.until(lambda: "After." in hub.texts())
        assert await hub.alerts() == []


async def test_a_will_that_comes_late_is_not_what_the_next_one_finds(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    """A node was killed and is back; then the broker says that it is gone."""
    before = Peer("phone", tmp_path / "phone", mosquitto.port)
    will = before.bus._statuses.begin()
    await before.node.sync()
    await before.node.close()
    phone = Peer("phone", tmp_path / "phone", mosquitto.port)
    hub = Peer("hub", tmp_path / "hub", mosquitto.port)
    async with stranger(mosquitto.port) as someone, phone:
        await phone.until(lambda: phone.bus.connected)
        await someone.catch("status/phone")
        await someone.put("status/phone", will, retain=True)
        await someone.catch("status/phone", 2)
        async with hub:
            await hub.sees("phone")
            assert phone.bus.twin.zombie is None


async def test_a_boot_that_others_saw_is_told(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    """The disk went back, and the broker has forgotten what it kept."""
    hub = Peer("hub", tmp_path / "hub", mosquitto.port)
    phone = Peer("phone", tmp_path / "phone", mosquitto.port)
    async with hub:
        async with phone:
            await phone.node.raise_boot(7)
            await hub.until(lambda: hub.bus.presence.seen("phone") == 8)
        await hub.sees()
        mosquitto.kill()  # without persistence all that was retained is gone
        await hub.until(lambda: not hub.bus.connected)
        mosquitto.start()
        restored = Peer("phone", tmp_path / "backup", mosquitto.port)
        async with restored:
            await hub.sees("phone")
            assert restored.node.boot == 9
            assert not restored.bus.fenced


async def test_nobody_makes_up_a_later_boot_of_another(
    mosquitto: Mosquitto, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new boot drops what is granted; a machine taken over must not cause one."""
    monkeypatch.setattr(statuses, "ANSWER_SECONDS", 0.0)
    hub = Peer("hub", tmp_path / "hub", mosquitto.port)
    phone = Peer("phone", tmp_path / "phone", mosquitto.port)
    async with hub, phone:
        await hub.sees("phone")
        await phone.sees("hub")
        status = hub.bus.presence.status("phone")
        assert status is not None
        data = pack("status", **{**status.as_dict(), "node": "hub", "boot": 99})
        forged = seal(data, KEYS["phone"].sign(data)).decode()
        real = phone.bus._statuses._latest["hub"].decode()
        changed = real.replace('"boot":1,', '"boot":99,')
        made_up: tuple[Json, ...] = (forged, changed, "x", None, 7)
        for said in made_up:
            phone.bus.send_frame("hub", "seen", said=said)
        phone.bus.send(phone.say("rupert", "After."))
        await hub.until(lambda: "After." in hub.texts())
        assert hub.bus.twin.seen == 0
        assert hub.node.boot == 1
        # What it has said itself is believed.
        phone.bus.send_frame("hub", "seen", said=real)
        await hub.until(lambda: hub.bus.twin.seen == 1)


async def test_a_status_of_an_earlier_boot_counts_for_nothing(tmp_path: Path) -> None:
    clock = Peer("hub", tmp_path, 1).node.clock
    known = presence.Presence(clock)

    def status(boot: int, *agents: str, node: str = "phone") -> presence.Status:
        return presence.Status(
            node=node, boot=boot, instance="a", online=True, agents=agents
        )

    assert known.take(status(5, "darcy"))
    assert known.lose() == ["phone"]
    assert not known.take(status(4, "darcy")), "also after the broker was away"
    assert not known.online("phone")
    assert known.take(status(6, "darcy", "rupert"))
    known.take(status(1, "rupert", node="hub"))
    assert known.host("rupert") == "hub", "nobody takes the hub's names"
    known.forget("phone")
    assert known.seen("phone") == 0
    assert twin.Twin().seen == 0


async def test_records_under_the_hubs_older_keys(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    """The key was renewed, twice, while the librarian was away."""
    keys = [KEYS["hub"], SigningKey(b"2" * 32), SigningKey(b"3" * 32)]
    chain = [pass_on(old, new.public) for old, new in pairwise(keys)]
    async with Hub(tmp_path / "hub", mosquitto.port) as hub:
        async with dewey(tmp_path, mosquitto.port):
            await hub.quiet()
        say(hub.node, "Under the first key.")
    for number, key in enumerate(keys[1:], 1):
        async with Hub(tmp_path / "hub", mosquitto.port, key=key) as hub:
            hub.chain = chain[:number]
            hub.tell()
            say(hub.node, f"Under key {number}.")
            if number == 2:
                async with dewey(tmp_path, mosquitto.port):
                    await hub.quiet()
                    check_complete(tmp_path / "record", hub.node)
    fsck(tmp_path / "record")
    check_gapless(tmp_path / "record")


async def test_the_librarian_beside_the_hub_records_the_companions(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    """A home with a phone and no second machine; its librarian dies meanwhile."""
    record = tmp_path / "record"
    hub = Peer("hub", tmp_path / "hub", mosquitto.port)
    enrolled = {"phone": ENROLLED["phone"]}
    outside = Outside(
        hub.node, broker(mosquitto.port), enrolled, chain=[], on_change=hub.changed
    )
    process = LibrarianProcess(hub.node, record, on_change=hub.changed)
    outside.relay(process)
    phone = Companion.open(
        identity("phone", mosquitto.port), tmp_path / "phone", agents=("darcy",)
    )
    work = [
        asyncio.ensure_future(one)
        for one in (process.run(), outside.run(), phone.run())
    ]

    def recorded() -> bool:
        head = process.feed.head
        return head is not None and head.nodes.get("phone") == phone.node.position

    for number in range(300):
        say(phone.node, f"Number {number}.", sender="darcy")
    await hub.until(recorded)
    assert process._process
    process._process.kill()
    await hub.until(lambda: not process.feed.connected)
    for number in range(300):
        say(phone.node, f"Number {number}, again.", sender="darcy")
    await hub.until(recorded)
    assert phone.stream.feed.durable <= phone.node.position
    phone.stop()
    outside.bus.stop()
    process.stop()
    await asyncio.gather(*work)
    check_complete(record, phone.node)
    fsck(record)
    assert {node for node, _ in check_gapless(record)} == {"hub", "phone"}
    await phone.close()
    await hub.node.close()
