"""Pairing over a real broker, what must not pass for it, and the broker's rules."""

import asyncio
import base64
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
import json
import os
from pathlib import Path
import re
import subprocess
import sys

import pytest

from hearthnet import pair
from hearthnet.cli import main
from hearthnet.config import Config, ConfigError
from hearthnet.core.bus.broker import Broker, Topics
from hearthnet.core.bus.link import AccessError, LinkError, connect
from hearthnet.core.bus.mosquitto import write
from hearthnet.core.companion import Identity
from hearthnet.core.keys import SigningKey, VerifyKey, follow, pass_on, renew
from hearthnet.core.pairing import (
    LIFE,
    TRIES,
    Code,
    Offer,
    PairingError,
    StrangerError,
    accepted,
    hello,
)
from tests.core.bus_home import KEYS, PREFIX, broker
from tests.support.mosquitto import Mosquitto

HUB, PHONE = KEYS["hub"], KEYS["phone"]
_PROGRAM = "import sys; from hearthnet.cli import main; sys.exit(main())"


def code(port: int = 1883, secret: bytes = b"s" * 16) -> Code:
    return Code(
        name="phone", role="darcy", hub=HUB.public, secret=secret, broker=broker(port)
    )


def test_a_code_is_one_word_that_is_whole_or_nothing() -> None:
    text = code().text
    assert " " not in text
    assert Code.parse(f"  {text[:40]}\n{text[40:]} ") == code()
    for broken in ("", "x", text[:-4], text[4:], "💡", "A" * 100):
        with pytest.raises(PairingError):
            Code.parse(broken)
    assert "secret" not in repr(code())


def test_both_sides_prove_that_they_know_the_code() -> None:
    offer = Offer(code(), since=0.0)
    assert offer.hear(hello(code(secret=b"x" * 16), PHONE), 1.0) is None
    assert offer.wrong == 1
    found = offer.hear(hello(code(), PHONE), 2.0)
    assert found is not None
    assert found.key == PHONE.public
    answer = offer.answer(HUB, accepted=True)
    assert accepted(code(), PHONE, answer)
    assert offer.problem(3.0) == "used"
    assert offer.hear(hello(code(), KEYS["stranger"]), 3.0) is None
    with pytest.raises(PairingError, match="another companion"):
        accepted(code(), KEYS["stranger"], answer)
    with pytest.raises(PairingError, match="not the hub"):
        accepted(code(), PHONE, offer.answer(KEYS["stranger"], accepted=True))
    with pytest.raises(StrangerError, match="repeats"):
        accepted(code(), PHONE, hello(code(), PHONE))
    assert not accepted(code(), PHONE, offer.answer(HUB, accepted=False))


def test_a_secret_alone_or_a_key_alone_is_not_enough() -> None:
    """Who heard the topic does not know the secret; who has it may lack the key."""
    offer = Offer(code(), since=0.0)
    said = {
        "key": PHONE.public.text,
        "signature": base64.b64encode(PHONE.sign(code().topic.encode())).decode(),
    }
    guessed = replace(code(), secret=b"x" * 16).seal("companion", **said)
    assert offer.hear(guessed, 1.0) is None
    other = KEYS["stranger"].public.text
    assert offer.hear(code().seal("companion", **{**said, "key": other}), 1.0) is None
    assert offer.wrong == 2
    found = offer.hear(code().seal("companion", **said), 1.0)
    assert found is not None
    assert found.key == PHONE.public


def test_five_tries_and_ten_minutes() -> None:
    offer = Offer(code(), since=0.0)
    for _ in range(TRIES):
        assert offer.problem(1.0) is None
        assert offer.hear(b"guess", 1.0) is None
    assert offer.problem(1.0) == "tries"
    assert offer.hear(hello(code(), PHONE), 1.0) is None
    late = Offer(code(), since=0.0)
    assert late.hear(hello(code(), PHONE), LIFE) is None
    assert late.problem(LIFE) == "expired"


def test_a_key_is_followed_by_the_one_it_names() -> None:
    keys = [SigningKey(bytes([n]) * 32) for n in range(60, 64)]
    chain = [pass_on(a, b.public) for a, b in pairwise(keys)]
    assert follow(keys[0].public, chain) == keys[3].public
    assert follow(keys[2].public, chain) == keys[3].public
    forged = {**chain[0], "new": KEYS["stranger"].public.text}
    assert follow(keys[0].public, [forged, {}, {"old": "x"}]) == keys[0].public
    assert follow(PHONE.public, chain) == PHONE.public


def test_the_hubs_key_is_renewed(tmp_path: Path) -> None:
    path, chain = tmp_path / "key", tmp_path / "chain"
    first = SigningKey.load_or_create(path, b"a" * 32)
    for seed in (b"b" * 32, b"c" * 32):
        assert renew(path, chain, seed).public == SigningKey(seed).public
        assert path.stat().st_mode & 0o777 == 0o600
    newest = SigningKey.load_or_create(path, b"z" * 32)
    assert follow(first.public, json.loads(chain.read_bytes())) == newest.public
    assert newest.public == SigningKey(b"c" * 32).public


async def _confirm(server: Mosquitto, offer: Offer) -> VerifyKey:
    """Be the hub: wait for the companion and take it in; have the broker die first."""
    topics = Topics(PREFIX)
    mine = topics.pair(offer.code.topic, "hub")
    async with connect(broker(server.port), "hub") as link:
        await link.subscribe(topics.pair(offer.code.topic, "phone"))
        deliveries = link.deliveries()
        while (found := offer.hear((await anext(deliveries)).payload, 1.0)) is None:
            pass
        await link.publish(mine, b"garbage of somebody else")
        server.kill()
    server.start()
    async with connect(broker(server.port), "hub") as link:
        await link.publish(mine, offer.answer(HUB, accepted=True), retain=True)
    return found.key


async def test_the_command(mosquitto: Mosquitto, tmp_path: Path) -> None:
    path = tmp_path / "config" / "darcy.toml"
    offer = Offer(code(mosquitto.port), since=0.0)
    confirming = asyncio.ensure_future(_confirm(mosquitto, offer))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _PROGRAM, "pair", offer.code.text),
        *("--config", str(path), "--data", str(tmp_path / "data")),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=asyncio.subprocess.PIPE,
    )
    output, _ = await process.communicate()
    key = await confirming
    assert process.returncode == 0
    assert key.fingerprint in output.decode()
    assert path.stat().st_mode & 0o777 == 0o600
    config = Config.read(path)
    assert config.identity.name == "phone"
    assert config.identity.key.public == key
    assert config.identity.hub == HUB.public
    assert config.identity.broker == broker(mosquitto.port)
    config.trust(KEYS["dewey"].public)
    assert Config.read(path).identity.hub == KEYS["dewey"].public
    path.chmod(0o644)
    with pytest.raises(ConfigError, match="others can read"):
        Config.read(path)
    # An older pairing is not replaced by accident.
    assert main(["pair", offer.code.text, "--config", str(path)]) == 1
    assert main(["pair", "nonsense"]) == 1


def test_a_broker_that_is_not_there_is_told_at_once(tmp_path: Path) -> None:
    """Nobody would wait ten minutes to hear that the address is wrong."""
    assert main(["pair", code(1).text, "--config", str(tmp_path / "new")]) == 1


def test_who_waited_in_vain_is_told_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def nobody(*_: object) -> bool:
        raise TimeoutError

    monkeypatch.setattr(pair, "answer", nobody)
    assert main(["pair", code(1).text, "--config", str(tmp_path / "new")]) == 1
    assert "nobody confirmed within ten minutes" in capsys.readouterr().err


def test_configurations_that_cannot_be_used(tmp_path: Path) -> None:
    path = tmp_path / "darcy.toml"
    with pytest.raises(ConfigError, match="hearthnet pair"):
        Config.read(path)
    path.write_text("name = ")
    path.chmod(0o600)
    with pytest.raises(ConfigError, match=r"darcy\.toml"):
        Config.read(path)


SECRET = "987654321"


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ('name = "phone"', "", "name missing"),
        ('name = "phone"', 'name = "X Y"', "name: expected a name of small letters"),
        ('role = "darcy"', 'role = "cook"', "role: expected dewey or darcy"),
        ("prefix = ", "prefx = ", "broker.prefx: unknown field; did you mean prefix?"),
        ('prefix = "', 'prefix = "#', "broker.prefix: not the start of a topic"),
        ("port = 1883", "port = 18830000", "broker.port: expected a number"),
        (
            "port = 1883",
            "port = 1883\npassword = 12",
            "broker.password: expected a text",
        ),
        ('key = "', 'key = "AA', "key: expected a private key"),
        ('hub = "', 'hub = "AA', "hub: expected a public key"),
        ("[broker]", "dewey = 3\n\n[broker]", "dewey: expected fields, got 3"),
        ("[broker]", "[dewey]\nmiror = 'x'\n\n[broker]", "did you mean mirror?"),
    ],
)
def test_a_configuration_that_is_wrong_is_told_by_its_field(
    before: str, after: str, told: str, tmp_path: Path
) -> None:
    identity = Identity(
        name="phone",
        role="darcy",
        key=KEYS["phone"],
        hub=HUB.public,
        broker=broker(1883),
    )
    path, seed = tmp_path / "darcy.toml", bytes([2]) * 32
    config = Config(
        path=path, seed=seed, identity=identity, data=tmp_path / "data", settings={}
    )
    config.write()
    assert Config.read(path).identity.broker == identity.broker
    text = path.read_text("utf-8")
    assert text.count(before) >= 1
    path.write_text(text.replace(before, after, 1), "utf-8")
    with pytest.raises(ConfigError, match=re.escape(told)) as raised:
        Config.read(path)
    assert SECRET not in str(raised.value)


NODES = {"hub": "hub", "phone": "darcy", "dewey": "dewey"}


class Rules:
    """A broker with the generated users and rules."""

    def __init__(self, port: int) -> None:
        self.port = port

    def reach(self, user: str, password: str | None = None) -> Broker:
        """Return how a user reaches it."""
        password = password or f"{user}-password"
        return broker(self.port, username=user, password=password)

    async def may(self, user: str, topic: str) -> bool:
        """Tell whether a user may write there."""
        async with connect(self.reach(user), user) as link:
            try:
                await link.publish(topic, b"x")
            except AccessError:
                return False
            return True

    async def heard(self, user: str, topics: Iterable[str]) -> set[str]:
        """Have each topic written by its owner; return which `user` hears of."""
        last = Topics(PREFIX).broadcast("hub")
        found: set[str] = set()
        async with connect(self.reach(user), "listener") as link:
            await link.subscribe("#")
            for topic in (*topics, last):
                assert await self.may(topic.rpartition("/")[2], topic)
            async for delivery in link.deliveries():
                link.ack(delivery)
                if delivery.topic == last:
                    break
                found.add(delivery.topic)
        return found


@pytest.fixture
def rules(tmp_path: Path) -> Iterator[Rules]:
    folder = tmp_path / "broker"
    passwords = {name: (f"{name}-password", os.urandom(12)) for name in NODES}
    write(folder, PREFIX, 1, NODES, passwords, tls=False)
    config = "".join(
        f"{line}\n"
        for line in (folder / "mosquitto.conf").read_text().splitlines()
        if not line.startswith("listener")
    )
    with Mosquitto(folder, config) as server:
        yield Rules(server.port)
        assert "ACL" not in server.log(), "the broker has something to say of the rules"


async def test_the_broker_enforces_the_sender(rules: Rules) -> None:
    """With the generated files nobody writes on another's topics."""
    topics, may = Topics(PREFIX), rules.may
    for user in NODES:
        for sender in NODES:
            own = user == sender
            assert await may(user, topics.inbox("phone", sender)) is own
            assert await may(user, topics.status(sender)) is own
            assert await may(user, topics.log(sender)) is own
            assert await may(user, topics.broadcast(sender)) is own
        assert await may(user, topics.head("dewey")) is (user == "dewey")
        assert await may(user, topics.pair("0123", user))
        assert await may(user, topics.pair("0123", "hub")) is (user == "hub")
    for stranger in (broker(rules.port), rules.reach("hub", "wrong")):
        with pytest.raises(AccessError):
            async with connect(stranger, "hub"):
                pass


async def test_the_broker_lets_nobody_hear_what_is_not_for_him(rules: Rules) -> None:
    topics = Topics(PREFIX)
    common = {
        topics.broadcast("phone"),
        topics.status("phone"),
        topics.head("dewey"),
        topics.pair("0123", "hub"),
    }
    some = {
        "phone": {topics.inbox("phone", "hub"), topics.pair("0123", "phone")},
        "dewey": {topics.inbox("dewey", "phone"), topics.pair("4567", "dewey")},
        "hub": {topics.inbox("hub", "dewey")},
    }
    journals = {topics.log("phone"), topics.log("hub")}
    pairing = some["phone"] | some["dewey"]
    pairing = {topic for topic in pairing if "/pair/" in topic}
    everything = common.union(journals, *some.values())
    assert await rules.heard("phone", everything) == common | some["phone"]
    assert await rules.heard("dewey", everything) == common | some["dewey"] | journals
    # The hub also stands in for a librarian, and listens for whoever is paired.
    heard = await rules.heard("hub", everything)
    assert heard == common | some["hub"] | journals | pairing


async def test_generated_with_tls(tmp_path: Path) -> None:
    folder = tmp_path / "broker"
    arguments = ["broker", str(folder), f"--prefix={PREFIX}", "--host=127.0.0.1"]
    output = subprocess.run(  # noqa: ASYNC221 - nothing else runs
        [sys.executable, "-c", _PROGRAM, *arguments, "--node=phone=darcy"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    passwords = dict(
        line.strip().split(": ") for line in output.splitlines() if ": " in line
    )
    config = (folder / "mosquitto.conf").read_text().replace("listener 8883\n", "")
    assert (folder / "server.key").stat().st_mode & 0o777 == 0o600
    with Mosquitto(folder, config) as server:
        good = {"username": "phone", "password": passwords["phone"], "tls": True}
        ca = (folder / "ca.crt").read_text()
        async with connect(broker(server.port, **good, ca=ca), "phone") as link:
            await link.publish(Topics(PREFIX).status("phone"), b"x")
        with pytest.raises((LinkError, OSError)):
            async with connect(broker(server.port, **good), "phone"):
                pass
    assert main([*arguments, "--node=phone=butler"]) == 1
    strictly = ("openssl", "verify", "-x509_strict", "-purpose", "sslserver")
    subprocess.run(  # noqa: ASYNC221
        [*strictly, "-CAfile", "ca.crt", "server.crt"], cwd=folder, check=True
    )
    # A machine that is added later changes nothing for the others.
    names = ("passwords", "server.crt", "ca.crt")
    before = {name: (folder / name).read_text() for name in names}
    assert main([*arguments, "--node=phone=darcy", "--node=dewey=dewey"]) == 0
    after = {name: (folder / name).read_text() for name in names}
    assert after["passwords"].startswith(before["passwords"])
    assert after["passwords"].count("\n") == 3
    assert (after["server.crt"], after["ca.crt"]) == (
        before["server.crt"],
        before["ca.crt"],
    )
    assert "user dewey" in (folder / "topics").read_text()
