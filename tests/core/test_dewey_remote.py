"""Dewey elsewhere: the record over a broker, gap-free whatever dies."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
import json
import os
from pathlib import Path
import shutil
import signal
import socket
import sys
from typing import Self

import aiohttp
import pytest

from hearthnet.config import Config
from hearthnet.core.bus import retry
from hearthnet.core.companion import Companion, Identity
from hearthnet.core.enrolled import Enrolled, about
from hearthnet.core.keys import SigningKey, VerifyKey, pass_on
from hearthnet.core.librarian import LibrarianError, host, stream
from hearthnet.core.librarian.api import authorization
from hearthnet.core.librarian.dewey import Dewey, Options
from hearthnet.core.librarian.remote import RemoteLibrarian
from hearthnet.core.messages import MessageType
from tests.core.bus_home import KEYS, Peer, broker
from tests.core.records import check_complete, check_gapless, fsck, say
from tests.support.mosquitto import Mosquitto
from tests.support.proxy import Proxy

ENROLLED = {
    name: Enrolled(name=name, role=role, key=KEYS[name].public)
    for name, role in (("dewey", "dewey"), ("phone", "darcy"))
}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "FIRST_DELAY", 0.05)
    monkeypatch.setattr(retry, "LONGEST_DELAY", 0.3)
    monkeypatch.setattr(stream, "STALL_SECONDS", 1.0)
    monkeypatch.setattr(host, "REOPEN_SECONDS", 0.05)


def identity(name: str, port: int, hub: VerifyKey | None = None) -> Identity:
    return Identity(
        name=name,
        role=ENROLLED[name].role,
        key=KEYS[name],
        hub=hub or KEYS["hub"].public,
        broker=broker(port),
    )


class Hub(Peer):
    """The hub's node with its librarian elsewhere."""

    def __init__(
        self,
        folder: Path,
        port: int,
        *,
        repository: str | None = None,
        key: SigningKey | None = None,
    ) -> None:
        super().__init__("hub", folder, port, key=key)
        self.librarian = RemoteLibrarian(
            self.node,
            self.bus,
            name="dewey",
            repository=repository,
            on_change=self.changed,
        )
        self.chain: list[dict[str, str]] = []
        self.enrolled = dict(ENROLLED)
        self.tell()
        self._feeding: asyncio.Task[None] | None = None

    def tell(self) -> None:
        self.bus.about = about(self.enrolled, self.librarian.named, self.chain)
        self.bus.announce()

    def changed(self) -> None:
        if hasattr(self, "librarian"):
            self.librarian.look()
        super().changed()

    async def quiet(self) -> None:
        """Wait until all that was said is recorded."""
        await self.until(
            lambda: (
                self.librarian.feed.connected
                and self.librarian.feed.durable == self.node.position
            )
        )

    async def __aenter__(self) -> Self:
        self._feeding = asyncio.ensure_future(self.librarian.run())
        await super().__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        await super().__aexit__()
        assert self._feeding
        self._feeding.cancel()
        await asyncio.gather(self._feeding, return_exceptions=True)


@asynccontextmanager
async def dewey(folder: Path, port: int, **options: str) -> AsyncIterator[Dewey]:
    """Run the librarian's service in this process."""
    opened = Dewey.open(
        identity("dewey", port),
        folder / "journal",
        Options(repository=folder / "record", **options),
    )
    running = asyncio.ensure_future(opened.run())
    try:
        yield opened
    finally:
        opened.stop()
        await running
        await opened.close()


async def test_records_of_all_nodes(mosquitto: Mosquitto, tmp_path: Path) -> None:
    record = tmp_path / "record"
    async with Hub(tmp_path / "hub", mosquitto.port) as hub:
        for n in range(300):
            say(hub.node, f"Number {n}.")
        assert hub.librarian.status.problem
        with pytest.raises(LibrarianError, match="away"):
            await hub.librarian.query("timeline")
        async with dewey(tmp_path, mosquitto.port, api="127.0.0.1:0") as service:
            await hub.quiet()
            assert "away" not in str(hub.librarian.status.problem)
            assert hub.librarian.named.repository
            hub.tell()
            phone = Companion.open(
                identity("phone", mosquitto.port), tmp_path / "p", agents=("darcy",)
            )
            running = asyncio.ensure_future(phone.run())
            await hub.sees("dewey", "phone")
            say(phone.node, "The phone rings.", sender="darcy")

            def recorded() -> bool:
                shown = hub.librarian.stream.current
                return bool(
                    shown and shown.head.nodes.get("phone") == phone.node.position
                )

            await hub.until(recorded)
            rows = await hub.librarian.query("timeline", limit=5)
            assert "The phone rings." in [row["content"] for row in rows]
            with pytest.raises(LibrarianError, match="no such question"):
                await hub.librarian.query("nonsense")
            await _use_api(service, rows[0]["id"])
            phone.stop()
            await running
            check_complete(record, phone.node)
            await phone.close()
            # Whoever is not enrolled any more is not recorded any more.
            del hub.enrolled["phone"]
            hub.tell()
            say(hub.node)
            await hub.quiet()
            await hub.until(lambda: service.companion.trust.key("phone") is None)
        await hub.until(lambda: not hub.librarian.feed.connected)
        assert hub.librarian.away_since is not None
        check_complete(record, hub.node)
    fsck(record)
    ends = check_gapless(record)
    assert {node for node, _ in ends} == {"hub", "phone", "dewey"}


async def _use_api(service: Dewey, event: str) -> None:
    assert service.api
    base = f"http://127.0.0.1:{service.api.port}"
    async with aiohttp.ClientSession() as session:

        async def get(path: str, number: int, name: str = "hub") -> tuple[int, object]:
            header = authorization(name, KEYS[name], challenge, number, path)
            async with session.get(
                base + path, headers={"Authorization": header}
            ) as response:
                text = await response.text()
                good = response.content_type == "application/json"
                return response.status, json.loads(text) if good else text

        async with session.get(f"{base}/challenge") as response:
            challenge = (await response.json())["challenge"]
        async with session.get(f"{base}/head") as response:
            assert response.status == 401
        status, head = await get("/head", 1)
        assert status == 200
        assert isinstance(head, dict)
        assert set(head["nodes"]) >= {"hub", "phone"}
        assert (await get("/head", 1))[0] == 401, "a number is good once"
        assert (await get("/head", 2, "stranger"))[0] == 401
        status, rows = await get("/timeline?limit=3", 3, "phone")
        assert status == 200
        assert isinstance(rows, list)
        assert len(rows) == 3
        assert (await get(f"/events/{event}", 4))[0] == 200
        assert (await get(f"/explain/{event}", 5))[0] == 200
        status, view = await get(f"/view?prefix=nodes/&at={head['commit']}", 6)
        assert status == 200
        assert isinstance(view, dict)
        assert "nodes/hub.json" in view
        assert (await get("/events/hub.99.99", 7))[0] == 404
        assert (await get("/timeline?limit=x", 8))[0] == 404


async def test_a_busy_port_costs_no_record(
    mosquitto: Mosquitto, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody can ask over HTTP, and the hub hears why; all else goes on."""
    monkeypatch.setattr("hearthnet.core.librarian.api.RETRY_SECONDS", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"

        def problem(hub: Hub) -> str:
            shown = hub.librarian.stream.shown.get("dewey")
            return (shown and shown.extras) or ""

        async with (
            Hub(tmp_path / "hub", mosquitto.port) as hub,
            dewey(tmp_path, mosquitto.port, api=address) as service,
        ):
            await hub.until(lambda: "in use" in problem(hub))
            say(hub.node, "It is recorded.")
            await hub.quiet()
            taken.close()
            await hub.until(lambda: not problem(hub))
            assert service.api
            url = f"http://{address}/challenge"
            async with aiohttp.ClientSession() as session, session.get(url) as response:
                assert response.status == 200


async def test_cut_again_and_again(mosquitto: Mosquitto, tmp_path: Path) -> None:
    async with (
        Proxy(mosquitto.port) as near,
        Proxy(mosquitto.port) as far,
        Hub(tmp_path / "hub", near.port) as hub,
        dewey(tmp_path, far.port),
    ):
        await hub.quiet()
        for round_ in range(6):
            for n in range(150):
                say(hub.node, f"Number {n} of {round_}.")
            before = hub.librarian.feed.durable
            await hub.until(lambda b=before: hub.librarian.feed.durable > b)  # type: ignore[misc]
            (near, far)[round_ % 2].cut()
        mosquitto.kill()
        say(hub.node)
        mosquitto.start()
        await hub.quiet()
        check_complete(tmp_path / "record", hub.node)
    fsck(tmp_path / "record")
    check_gapless(tmp_path / "record")


def _config(folder: Path, port: int) -> Path:
    seed = bytes([3]) * 32
    assert SigningKey(seed).public == KEYS["dewey"].public
    config = Config(
        path=folder / "dewey.toml",
        seed=seed,
        identity=identity("dewey", port),
        data=folder,
        settings={"dewey": {"repository": str(folder / "record")}},
    )
    config.write()
    assert (folder / "dewey.toml").stat().st_mode & 0o777 == 0o600
    read = Config.read(config.path)
    assert (read.seed, read.data, read.settings) == (seed, folder, config.settings)
    assert read.identity.broker == config.identity.broker
    return config.path


_PROGRAM = "import sys; from hearthnet.cli import main; sys.exit(main())"


async def _start(path: Path, **environment: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _PROGRAM, "dewey", "--config", str(path)),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
    )


async def test_killed_as_a_process(mosquitto: Mosquitto, tmp_path: Path) -> None:
    path = _config(tmp_path, mosquitto.port)
    process = await _start(path)
    try:
        async with Hub(tmp_path / "hub", mosquitto.port) as hub:
            for point in (None, "9", "14"):
                await hub.quiet()
                for n in range(200):
                    say(hub.node, f"Number {n}.", writes={"tasks/a.json": n})
                before = hub.librarian.feed.durable
                await hub.until(lambda b=before: hub.librarian.feed.durable > b)  # type: ignore[misc]
                process.send_signal(signal.SIGKILL)
                await process.wait()
                if point is not None:
                    process = await _start(path, HEARTHNET_KILL_AT=point)
                    await process.wait()
                process = await _start(path)
            await hub.quiet()
            check_complete(tmp_path / "record", hub.node)
            process.send_signal(signal.SIGTERM)
            assert await process.wait() == 0
            await hub.sees()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    fsck(tmp_path / "record")
    check_gapless(tmp_path / "record")


async def test_a_record_that_went_back_is_refilled(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    record, backup = tmp_path / "record", tmp_path / "backup"
    async with Hub(tmp_path / "hub", mosquitto.port) as hub:
        say(hub.node, "Before.")
        async with dewey(tmp_path, mosquitto.port):
            await hub.quiet()
        shutil.copytree(record, backup)
        async with dewey(tmp_path, mosquitto.port):
            say(hub.node, "After.")
            await hub.quiet()
        shutil.rmtree(record)
        backup.rename(record)
        async with dewey(tmp_path, mosquitto.port) as restored:
            boot = restored.companion.node.boot
            shown = hub.librarian.stream.shown
            await hub.until(lambda: shown["dewey"].order[0] == boot)
            await hub.quiet()
            check_complete(record, hub.node)
    fsck(record)
    check_gapless(record)


async def test_only_the_named_record_counts(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    named = "0" * 40
    async with (
        Hub(tmp_path / "hub", mosquitto.port, repository=named) as hub,
        dewey(tmp_path, mosquitto.port),
    ):
        await hub.until(
            lambda: "another record" in (hub.librarian.status.problem or "")
        )
        assert not hub.librarian.feed.connected
        assert hub.librarian.feed.durable == (0, 0)


async def test_the_hubs_new_key_is_followed(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    old, new, lost = KEYS["hub"], SigningKey(bytes([7]) * 32), SigningKey(b"x" * 32)
    stored: list[VerifyKey] = []
    renewed = asyncio.Event()

    def store(key: VerifyKey) -> None:
        stored.append(key)
        renewed.set()

    phone = Companion.open(
        identity("phone", mosquitto.port),
        tmp_path / "phone",
        agents=("darcy",),
        renewed=store,
    )
    running = asyncio.ensure_future(phone.run())
    # A hub whose key was lost cannot prove that it is the same.
    stranger = Hub(tmp_path / "other", mosquitto.port, key=lost)
    stranger.chain = [pass_on(lost, new.public)]
    stranger.tell()
    async with stranger:
        # The phone answers what it throws away, and then still knows the old key.
        await stranger.until(lambda: stranger.heard)
        assert not stored
    hub = Hub(tmp_path / "hub", mosquitto.port, key=new)
    hub.chain = [pass_on(old, new.public)]
    hub.tell()
    async with hub:
        await hub.until(lambda: hub.bus.presence.online("phone"))
        await renewed.wait()
        assert stored == [new.public]
        hub.bus.send(hub.say("darcy", type=MessageType.POLICY))
        phone.stop()
        await running
    await phone.close()
