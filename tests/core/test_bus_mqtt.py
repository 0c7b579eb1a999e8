"""The bus over a real broker: who hears what, and what nobody obeys."""

import asyncio
from pathlib import Path

import pytest

from hearthnet.core.bus import mqtt, presence, retry
from hearthnet.core.bus.envelope import pack, seal
from hearthnet.core.bus.sharing import Sharing
from hearthnet.core.clock import ManualClock
from hearthnet.core.journal import JournalError
from hearthnet.core.messages import MessageType
from hearthnet.core.paths import device_path
from tests.core.bus_home import KEYS, Peer, stranger
from tests.support.mosquitto import Mosquitto
from tests.support.proxy import Proxy


async def test_messages_reach_agents_elsewhere(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    hub = Peer("hub", tmp_path / "hub", mosquitto.port)
    phone = Peer("phone", tmp_path / "phone", mosquitto.port)
    assert not hub.bus.send(hub.say("darcy"))
    async with hub:
        await hub.until(lambda: hub.bus.connected)
        assert not hub.bus.send(hub.say("darcy")), "the phone is not there"
        async with phone:
            await hub.sees("phone")
            await phone.sees("hub")
            # The boot is told once, and what it died of dies with it.
            await hub.until(
                lambda: "phone started" in str(hub.texts(MessageType.HELLO))
            )
            sent = [hub.say("darcy", f"Number {n}.") for n in range(200)]
            assert all(hub.bus.send(record) for record in sent)
            await phone.until(lambda: len(phone.texts()) == 200)
            assert [r for r in phone.heard if r.message.to == "darcy"] == sent
            assert hub.node.journal.synced == hub.node.position
        await hub.sees()
        assert not hub.bus.send(hub.say("darcy"))
        assert await hub.alerts() == []


async def test_nothing_is_believed_without_a_signature(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    hub = Peer("hub", tmp_path / "hub", mosquitto.port)
    phone = Peer("phone", tmp_path / "phone", mosquitto.port)
    evil = Peer("stranger", tmp_path / "evil", mosquitto.port)
    async with stranger(mosquitto.port) as someone, hub, phone:
        await hub.sees("phone")
        await phone.sees("hub")
        record = phone.say("rupert", "Real.")
        assert record.signature
        good = seal(record.data, record.signature)
        bad = evil.node.emit(
            sender="evil", to="rupert", type=MessageType.OBSERVATION, content="Bad."
        )
        assert bad.signature
        await someone.put("inbox/hub/phone", record.data)
        await someone.put("broadcast/phone", seal(record.data, bytes(64)))
        await someone.put("inbox/hub/stranger", seal(bad.data, bad.signature))
        # Signed well, but on another's topic, or about another.
        await someone.put("inbox/hub/dewey", good)
        other = hub.node.emit(
            sender="jeeves", to="rupert", type=MessageType.OBSERVATION, content="No."
        )
        signature = KEYS["dewey"].sign(other.data)
        await someone.put("broadcast/dewey", seal(other.data, signature))
        frame = pack("status", node="phone")
        await someone.put("status/dewey", seal(frame, KEYS["dewey"].sign(frame)))
        nonsense = KEYS["dewey"].sign(b"{}")
        await someone.put("log/dewey", b"not for the hub")
        await someone.put("inbox/hub/x/y", b"")
        await someone.put("inbox/hub/hub", seal(b"{}", KEYS["hub"].sign(b"{}")))
        await hub.until(lambda: len(hub.bus.reports.rejected) == 6)
        await someone.put("inbox/phone/dewey", seal(b"{}", nonsense))
        await phone.until(lambda: phone.bus.reports.rejected)
        assert phone.bus.send(phone.say("rupert", "After."))
        await hub.until(lambda: "After." in hub.texts())
        assert hub.texts() == ["After."]
        assert sorted(await hub.alerts()) == [
            ("forged", "/broadcast/phone"),
            ("forged", "/inbox/hub/dewey"),
            ("forged", "/inbox/hub/phone"),
            ("forged", "/inbox/hub/stranger"),
            ("misplaced", "/broadcast/dewey"),
            ("misplaced", "/status/dewey"),
        ]
        assert (await phone.alerts())[-1] == ("malformed", "/inbox/phone/dewey")
    await evil.node.close()


async def test_old_and_retained_commands_move_nothing(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    clock = ManualClock()
    hub = Peer("hub", tmp_path / "hub", mosquitto.port)
    phone = Peer("phone", tmp_path / "phone", mosquitto.port)
    async with stranger(mosquitto.port) as someone, hub:
        async with phone:
            await hub.sees("phone")
            hub.bus.send(hub.say("darcy", "Do it."))
            await phone.until(lambda: phone.texts() == ["Do it."])
            command = await someone.catch("inbox/phone/hub")
            # What the broker delivers twice is done once.
            await someone.put("inbox/phone/hub", command.payload)
            hub.bus.send(hub.say("darcy", "Then."))
            await phone.until(lambda: phone.texts() == ["Do it.", "Then."])
            late = hub.say("darcy", "Late.", expires_at=clock.now())
            assert not hub.bus.send(late), "its time is over"
            assert late.signature
            await someone.put("inbox/phone/hub", seal(late.data, late.signature))
            await phone.until(lambda: phone.bus.reports.rejected)
            # Somebody leaves the command for whoever comes later.
            await someone.put("inbox/phone/hub", command.payload, retain=True)
        again = Peer("phone", tmp_path / "phone", mosquitto.port)
        async with again:
            await again.until(lambda: again.bus.reports.rejected)
            assert again.texts() == []
            assert await again.alerts() == [
                ("expired", "/inbox/phone/hub"),
                ("retained", "/inbox/phone/hub"),
            ]
            # Whoever sent it hears of it.
            await hub.until(
                lambda: (
                    "retained: hearthnet/test/inbox/phone/hub"
                    in str(hub.texts(MessageType.ALERT))
                )
            )


async def test_a_duplicate_gets_the_stored_answer(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    hub = Peer("hub", tmp_path / "hub", mosquitto.port)
    phone = Peer("phone", tmp_path / "phone", mosquitto.port)
    async with stranger(mosquitto.port) as someone, hub, phone:
        await hub.sees("phone")
        await phone.sees("hub")
        question = phone.say("rupert", "May I?")
        phone.bus.send(question)
        await hub.until(lambda: hub.texts() == ["May I?"])
        answer = hub.say("darcy", "No.", cause=question.message.id)
        hub.bus.send(answer)
        first = await someone.catch("inbox/phone/hub")
        await someone.put("inbox/hub/phone", (await someone.catch("inbox/hub")).payload)
        second = await someone.catch("inbox/phone/hub", 1)
        assert second.payload == first.payload
        assert hub.texts() == ["May I?"]
        assert phone.texts() == ["No."]
        # The same id over other bytes is no duplicate.
        assert question.signature
        data = question.data.replace(b"May I?", b"I may!")
        forged = seal(data, KEYS["phone"].sign(data))
        await someone.put("inbox/hub/phone", forged)
        await hub.until(lambda: hub.bus.reports.rejected)
        assert await hub.alerts() == [("replayed", "/inbox/hub/phone")]


async def test_nothing_leaves_before_it_is_on_the_disk(
    mosquitto: Mosquitto, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = Peer("hub", tmp_path / "hub", mosquitto.port)
    phone = Peer("phone", tmp_path / "phone", mosquitto.port)
    async with stranger(mosquitto.port) as someone, hub, phone:
        await hub.sees("phone")
        await phone.sees("hub")
        gate = asyncio.Event()
        sync = hub.node.journal.sync

        async def slow() -> None:
            await gate.wait()
            await sync()

        monkeypatch.setattr(hub.node.journal, "sync", slow)
        assert hub.bus.send(hub.say("darcy", "Slow."))
        marker = phone.say("rupert", "Marker.")
        phone.bus.send(marker)
        await hub.until(lambda: hub.texts() == ["Marker."])
        assert not [d for d in someone.seen if "/inbox/phone/" in d.topic]
        gate.set()
        await phone.until(lambda: phone.texts() == ["Slow."])

        async def broken() -> None:
            raise JournalError("no space")

        monkeypatch.setattr(hub.node.journal, "sync", broken)
        assert hub.bus.send(hub.say("darcy", "Never."))
        await hub.until(lambda: hub.bus.problem and "no space" in hub.bus.problem)
        monkeypatch.setattr(hub.node.journal, "sync", sync)
        await hub.sees("phone")
        hub.bus.send(hub.say("darcy", "Now."))
        await phone.until(lambda: "Now." in phone.texts())
        assert phone.texts() == ["Slow.", "Now."]


async def test_a_cut_loses_what_was_live_and_sends_none_of_it_later(
    mosquitto: Mosquitto, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retry, "FIRST_DELAY", 0.05)
    monkeypatch.setattr(retry, "LONGEST_DELAY", 0.2)
    async with Proxy(mosquitto.port) as proxy:
        hub = Peer("hub", tmp_path / "hub", proxy.port)
        phone = Peer("phone", tmp_path / "phone", mosquitto.port)
        async with hub, phone:
            await hub.sees("phone")
            proxy.freeze()
            assert hub.bus.send(hub.say("darcy", "Lost."))
            await asyncio.sleep(0)
            proxy.cut(refuse=True)
            await hub.until(lambda: not hub.bus.connected)
            assert not hub.bus.send(hub.say("darcy", "Nobody there."))
            # The broker says it, in place of the hub.
            await phone.sees()
            proxy.heal()
            await hub.sees("phone")
            await phone.sees("hub")
            hub.bus.send(hub.say("darcy", "Again."))
            await phone.until(lambda: phone.texts() == ["Again."])
            for _ in range(3):
                proxy.cut()
                await hub.until(lambda: not hub.bus.connected)
                await hub.sees("phone")
            # A short cut is not even noticed, or soon mended.
            await phone.sees("hub")
            assert len(set(hub.texts(MessageType.HELLO))) <= 1


async def test_the_broker_dies_and_comes_back(
    mosquitto: Mosquitto, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retry, "FIRST_DELAY", 0.05)
    monkeypatch.setattr(retry, "LONGEST_DELAY", 0.2)
    hub = Peer("hub", tmp_path / "hub", mosquitto.port)
    phone = Peer("phone", tmp_path / "phone", mosquitto.port)
    async with hub, phone:
        await hub.sees("phone")
        mosquitto.kill()
        await hub.until(lambda: not hub.bus.connected)
        await phone.until(lambda: not phone.bus.connected)
        assert hub.bus.problem
        mosquitto.start()
        await hub.sees("phone")
        await phone.sees("hub")
        assert phone.bus.send(phone.say("rupert", "There."))
        await hub.until(lambda: "There." in hub.texts())
        assert hub.bus.problem is None


async def test_a_node_that_hangs_is_missed(
    mosquitto: Mosquitto, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presence, "BEAT", 0.1)
    monkeypatch.setattr(mqtt, "BEAT", 0.1)
    hub = Peer("hub", tmp_path / "hub", mosquitto.port)
    phone = Peer("phone", tmp_path / "phone", mosquitto.port)
    async with hub, phone:
        await hub.sees("phone")
        monkeypatch.setattr(phone.bus._statuses, "say", lambda: None)
        await hub.sees()
        assert not hub.bus.send(hub.say("darcy"))
        monkeypatch.undo()
        phone.bus.announce()
        await hub.sees("phone")


async def test_of_two_processes_the_lower_boot_stops(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    phone = Peer("phone", tmp_path / "phone", mosquitto.port)
    hub = Peer("hub", tmp_path / "hub", mosquitto.port)
    async with phone, hub:
        await phone.node.raise_boot(7)
        await hub.sees("phone")
        clone = Peer("phone", tmp_path / "clone", mosquitto.port)
        async with clone:
            await clone.until(lambda: "boot 8" in (clone.bus.problem or ""))
            assert clone.bus.fenced
            await phone.until(lambda: phone.bus.twin.zombie)
            assert not phone.bus.fenced
            hub.bus.send(hub.say("darcy"))
            await phone.until(phone.texts)
        await hub.sees("phone")


async def test_of_two_equal_processes_both_stop(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    first = Peer("phone", tmp_path / "phone", mosquitto.port)
    async with first:
        await first.until(lambda: first.bus.connected)
        second = Peer("phone", tmp_path / "clone", mosquitto.port)
        async with second:
            await second.until(lambda: second.bus.fenced)
            await first.until(lambda: first.bus.fenced)


async def test_a_restored_disk_goes_on_after_the_boot_others_saw(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    phone = Peer("phone", tmp_path / "phone", mosquitto.port)
    restored = Peer("phone", tmp_path / "backup", mosquitto.port)
    hub = Peer("hub", tmp_path / "hub", mosquitto.port)

    def seen(boot: int) -> bool:
        status = hub.bus.presence.status("phone")
        return status is not None and status.boot == boot and status.online

    async with hub:
        async with phone:
            await phone.node.raise_boot(7)
            # Only what the broker has told somebody is sure to be kept there.
            await hub.until(lambda: seen(8))
        async with restored:
            await hub.until(lambda: seen(9))
            assert restored.node.boot == 9
            assert not restored.bus.fenced


async def test_versions_are_told_to_whoever_comes(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    path, foreign = device_path("tv"), device_path("lamp")
    hub = Peer("hub", tmp_path / "hub", mosquitto.port)
    phone = Peer("phone", tmp_path / "phone", mosquitto.port)
    sharing = [
        Sharing(peer.node, peer.bus, lambda _peer: ("devices/",))
        for peer in (hub, phone)
    ]
    hub.say("rupert", writes={foreign: {"state": "on"}})
    seen = phone.say("rupert", writes={path: {"state": "off"}})
    stolen = phone.say("rupert", writes={foreign: {"state": "off"}})
    async with hub, phone:
        await hub.sees("phone")
        await phone.sees("hub")
        for one in sharing:
            one.look()
        # In one inbox all is in order, so this comes after what was told.
        phone.bus.send(phone.say("rupert", "Told."))
        await hub.until(hub.texts)
        assert hub.node.view.version(path) == seen.message.id
        assert hub.node.view.version(foreign) != stolen.message.id
        hub.bus.send(hub.say("darcy", "Told."))
        await phone.until(phone.texts)
        assert phone.node.view.version(foreign) == stolen.message.id
        # What comes while both are there is folded at once.
        newer = phone.say("rupert", "On.", writes={path: {"state": "on"}})
        phone.bus.send(newer)
        await hub.until(lambda: "On." in hub.texts())
        assert hub.node.view.version(path) == newer.message.id
