"""Nonsense, signed well: a machine of this home that was taken over, or is broken."""

import asyncio
import logging
from pathlib import Path
import random
from typing import Any

import pytest

from hearthnet.core.bus.broker import Topics
from hearthnet.core.bus.envelope import pack, seal
from hearthnet.core.bus.inbound import Heard
from tests.core.bus_home import KEYS, PREFIX, Peer
from tests.core.test_distributed import home, television
from tests.support.mosquitto import Mosquitto


def garbage(draw: random.Random, depth: int = 3) -> Any:
    """Return something that JSON can hold."""
    simple = (None, True, -1, 10**30, 1.5, "", "x", "hub", "9" * 40, "\u0000")
    if depth == 0 or draw.random() < 0.5:
        return draw.choice(simple)
    parts = [garbage(draw, depth - 1) for _ in range(draw.randint(0, 3))]
    names = draw.sample(FIELDS, len(parts))
    return parts if draw.random() < 0.5 else dict(zip(names, parts, strict=True))


KINDS = (
    *("status", "seen", "head", "log", "gap", "query", "answer", "view", "phone"),
    *("picture", "nothing"),
)
FIELDS = (
    *("boot", "number", "repository", "commit", "nodes", "commits", "problem"),
    *("notices", "extras", "said", "after", "records", "oldest", "what", "args"),
    *("result", "error", "paths", "agents", "capabilities", "about", "instance"),
    *("online", "at", "version", "values", "apps", "camera", "fingerprint", "id"),
)


@pytest.mark.parametrize("seed", range(3))
async def test_nothing_that_an_enrolled_machine_says_breaks_the_hub(
    mosquitto: Mosquitto,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
) -> None:
    """It is signed well, and nonsense, on every topic that the machine may write."""
    draw = random.Random(seed)
    topics = Topics(PREFIX)
    house = television()
    async with home(tmp_path, mosquitto.port, house) as here:
        heard = asyncio.Event()
        take = here.outside.bus._hear

        def hear(found: Heard) -> None:
            take(found)
            if found.record.message.content == "After.":
                heard.set()

        monkeypatch.setattr(here.outside.bus, "_hear", hear)
        phone = Peer("phone", tmp_path / "phone", mosquitto.port)
        async with phone:
            await phone.sees("hub")
            places = (
                *(topics.inbox("hub", "phone"), topics.broadcast("phone")),
                *(topics.log("phone"), topics.status("phone"), topics.head("phone")),
            )
            for _ in range(400):
                fields = {n: garbage(draw) for n in draw.sample(FIELDS, 12)}
                data = pack(draw.choice(KINDS), **{**fields, "node": "phone"})
                if draw.random() < 0.1:
                    data = draw.randbytes(40)
                payload = seal(data, KEYS["phone"].sign(data))
                phone.bus._outbound.put(draw.choice(places), payload)
            after = phone.say("rupert", "After.", sender="darcy")
            assert after.signature
            payload = seal(after.data, after.signature)
            phone.bus._outbound.put(topics.inbox("hub", "phone"), payload)
            async with asyncio.timeout(60):
                await heard.wait()
        assert here.outside.bus.connected
    broken = [r for r in caplog.records if r.levelno >= logging.ERROR]
    assert broken == []
