"""The link: whatever happens on the wire, it answers, and never runs a line twice."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
import itertools
import time
from typing import Self

import pytest

from hearthnet.core.reasons import Reason
from hearthnet.darcy.adbkey import AdbKey, fingerprint
from hearthnet.darcy.link import Link, LinkError, Reply, Timing
from hearthnet.darcy.shell import Line, line
from hearthnet.darcy.transport import MAX_REPLY
from tests.support.phone.fake_adbd import FakeAdbd, Faults

from .conftest import QUICK, until

GETPROP = line("getprop", "ro.product.model")
LIMIT = 3
"""Seconds: below adb-shell's 10, above what the busiest machine takes."""


class Ticker:
    """Measures for how long the event loop was held."""

    def __init__(self) -> None:
        self.longest = 0.0

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._tick())
        await asyncio.sleep(0)
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.sleep(0.005)
        self._task.cancel()

    async def _tick(self) -> None:
        last = time.monotonic()
        while True:
            await asyncio.sleep(0.001)
            now = time.monotonic()
            self.longest, last = max(self.longest, now - last), now


@asynccontextmanager
async def linked(
    adbd: FakeAdbd, key: AdbKey | None, **timing: float
) -> AsyncIterator[Link]:
    """A link with timing of its own."""
    given = {"connect": 5.0, "allow": 5.0, "first_retry": 0.001, "last_retry": 0.01}
    opened = Link(
        "127.0.0.1",
        adbd.port,
        key.signer if key else None,
        timing=Timing(**(given | timing)),
    )
    try:
        yield opened
    finally:
        await opened.close()


async def refused(link: Link, command: Line = GETPROP, timeout: float = 5) -> LinkError:
    """Return the error that a command ends with."""
    with pytest.raises(LinkError) as error:
        await link.run(command, timeout)
    return error.value


async def test_a_command_brings_output_errors_and_exit_code(link: Link) -> None:
    reply = await link.run(Line("getprop ro.product.model; nosuch; exit 7"), 5)

    assert reply.text == "FakePhone\n"
    assert "nosuch" in reply.error
    assert reply.code == 7
    assert reply.answered >= reply.asked
    assert link.up


async def test_commands_at_once_run_one_after_another(link: Link) -> None:
    replies = await asyncio.gather(*(link.run(line("echo", i), 5) for i in range(40)))

    assert [reply.text for reply in replies] == [f"{i}\n" for i in range(40)]


async def test_nobody_listens(adbd: FakeAdbd, adb_key: AdbKey) -> None:
    port = adbd.port
    await adbd.__aexit__()
    link = Link("127.0.0.1", port, adb_key.signer, timing=QUICK)

    error = await refused(link)

    assert (error.reason, error.sent) == (Reason.ADB_OFFLINE, False)
    assert not link.up
    await adbd.__aenter__()


async def test_a_peer_that_says_nothing(adbd: FakeAdbd, adb_key: AdbKey) -> None:
    adbd.faults.mute = True
    async with linked(adbd, adb_key, connect=0.05) as link:
        error = await refused(link)

    assert (error.reason, error.sent) == (Reason.ADB_OFFLINE, False)


async def test_a_peer_that_is_no_phone(adbd: FakeAdbd, adb_key: AdbKey) -> None:
    adbd.faults.garble = True
    async with linked(adbd, adb_key) as link:
        error = await refused(link)

    assert (error.reason, error.sent) == (Reason.ADB_OFFLINE, False)


async def test_a_known_key(adbd: FakeAdbd, adb_key: AdbKey) -> None:
    adbd.keys = [adb_key.signer.GetPublicKey()]
    async with linked(adbd, adb_key) as link:
        assert (await link.run(GETPROP, 5)).code == 0

    assert not adbd.asked


async def test_the_owner_allows_the_key(adbd: FakeAdbd, adb_key: AdbKey) -> None:
    async def allow(key: bytes) -> bool:
        return fingerprint(key) == adb_key.fingerprint

    adbd.keys, adbd.allows = [], allow
    async with linked(adbd, adb_key) as link:
        await link.connect(allow=5)
        assert link.up
        await link.close()
        await link.connect()

    assert len(adbd.asked) == 1, "the phone asks once and then knows the key"


@pytest.mark.parametrize("answer", [None, False])
async def test_nobody_allows_the_key(
    adbd: FakeAdbd, adb_key: AdbKey, answer: bool | None
) -> None:
    async def deny(_: bytes) -> bool:
        return False

    adbd.keys, adbd.allows = [], None if answer is None else deny
    async with linked(adbd, adb_key, allow=0.03, last_retry=60) as link:
        first = await refused(link)
        link.hurry()
        second = await refused(link)

    assert first.reason is second.reason is Reason.ADB_UNAUTHORIZED
    assert "next attempt" in second.text
    assert len(adbd.asked) == 1, "the owner is not asked again at once"


async def test_the_phone_wants_a_key_and_there_is_none(adbd: FakeAdbd) -> None:
    adbd.keys = []
    async with linked(adbd, None) as link:
        assert (await refused(link)).reason is Reason.ADB_UNAUTHORIZED


async def test_it_comes_back_by_itself(adbd: FakeAdbd, link: Link) -> None:
    await link.run(GETPROP, 5)
    await adbd.__aexit__()
    while link.problem is None:
        assert (await refused(link)).reason is Reason.ADB_OFFLINE
    await adbd.__aenter__()
    link.hurry()

    assert (await link.run(GETPROP, 5)).code == 0
    assert link.problem is None


async def test_attempts_get_rarer(adbd: FakeAdbd, adb_key: AdbKey) -> None:
    clock = itertools.count(0.0, 0.001)
    now = [0.0]

    def tick() -> float:
        return now[0] + next(clock)

    adbd.faults.garble = True
    timing = Timing(connect=5, first_retry=1)
    link = Link("127.0.0.1", adbd.port, adb_key.signer, timing=timing, now=tick)
    gaps = []
    for _ in range(9):
        before, tried = now[0], adbd.connections
        while adbd.connections == tried:
            await refused(link)
            now[0] += 0.5
        gaps.append(now[0] - before)

    assert gaps[1] < gaps[3] < gaps[5]
    assert 8 <= gaps[-1] <= 13, "at most ten seconds and their jitter"


async def test_a_command_that_takes_too_long(adbd: FakeAdbd, link: Link) -> None:
    adbd.framework.hanging.add("getprop")

    error = await refused(link, timeout=0.05)

    assert (error.reason, error.sent) == (Reason.PHONE_TIMEOUT, True)
    adbd.framework.hanging.clear()
    assert (await link.run(GETPROP, 5)).text == "FakePhone\n", "not the late answer"


async def test_a_canceled_command_leaves_no_answer_behind(
    adbd: FakeAdbd, link: Link
) -> None:
    await link.connect()
    adbd.framework.hanging.add("getprop")
    task = asyncio.create_task(link.run(GETPROP, 5))
    await until(lambda: bool(adbd.world.log))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    adbd.framework.hanging.clear()
    assert (await link.run(line("echo", "next"), 5)).text == "next\n"


@pytest.mark.parametrize("reset", [False, True])
async def test_a_closed_connection_holds_nothing_up(
    adbd: FakeAdbd, link: Link, reset: bool
) -> None:
    """adb-shell alone spins for 10 s here and takes the whole loop with it."""
    adbd.faults.reset = reset
    await link.connect()
    adbd.framework.hanging.add("getprop")
    async with Ticker() as ticker:
        started = time.monotonic()
        task = asyncio.create_task(refused(link))
        await until(lambda: bool(adbd.world.log))
        adbd.drop()
        error = await task
        took = time.monotonic() - started

    assert (error.reason, error.sent) == (Reason.ADB_OFFLINE, True)
    assert took < LIMIT
    assert ticker.longest < LIMIT


async def test_a_connection_that_died_while_idle_is_noticed_before_use(
    adbd: FakeAdbd, link: Link
) -> None:
    await link.connect()
    adbd.drop()
    await until(lambda: not link.up)

    with pytest.raises(LinkError) as error:
        await link.run(GETPROP, 5, reconnect=False)

    assert not error.value.sent
    assert (await link.run(GETPROP, 5)).code == 0, "others get a new connection"


async def test_a_reply_without_end_is_cut_off(adbd: FakeAdbd, link: Link) -> None:
    await link.connect()
    adbd.faults.flood = True
    async with Ticker() as ticker:
        error = await refused(link, timeout=60)

    assert error.reason is Reason.ADB_OFFLINE
    assert adbd.sent < 4 * MAX_REPLY
    assert ticker.longest < LIMIT


@pytest.mark.parametrize("reset", [False, True])
async def test_a_cut_at_every_byte(adb_key: AdbKey, reset: bool) -> None:
    """Wherever the answer breaks off: an honest error, or the whole answer."""
    async with FakeAdbd() as adbd, linked(adbd, adb_key) as link:
        await link.run(GETPROP, 5)
        whole = adbd.sent
    errors = 0
    for cut in range(whole + 1):
        faults = Faults(cut_after=cut, reset=reset)
        async with FakeAdbd(faults=faults) as adbd, linked(adbd, adb_key) as link:
            (outcome,) = await asyncio.gather(
                link.run(GETPROP, 5), return_exceptions=True
            )
        assert adbd.connections == 1, "nothing is tried again by itself"
        if isinstance(outcome, LinkError):
            errors += 1
            assert outcome.reason is Reason.ADB_OFFLINE
            assert outcome.sent or not adbd.world.log
        else:
            assert isinstance(outcome, Reply)
            assert (outcome.text, outcome.code) == ("FakePhone\n", 0)
    # adbd's last message closes the stream; all before it is needed.
    assert errors >= whole - 24


async def test_a_stall_at_every_message(adb_key: AdbKey) -> None:
    async with FakeAdbd() as adbd, linked(adbd, adb_key) as link:
        await link.run(GETPROP, 5)
        whole = adbd.sent
    for stall in range(0, whole, 8):
        faults = Faults(stall_after=stall)
        async with (
            FakeAdbd(faults=faults) as adbd,
            linked(adbd, adb_key, connect=0.02) as link,
        ):
            error = await refused(link, timeout=0.02)
        assert error.reason in {Reason.ADB_OFFLINE, Reason.PHONE_TIMEOUT}
        assert error.sent or not adbd.world.log
