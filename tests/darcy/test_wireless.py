"""Wireless debugging: its port is found wherever it is, and nobody else's is taken."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
import socket
import struct

from hypothesis import given, strategies as st
import pytest

from hearthnet.core.reasons import Reason
from hearthnet.darcy import wireless
from hearthnet.darcy.adbkey import AdbKey
from hearthnet.darcy.link import Link, LinkError, Timing
from hearthnet.darcy.shell import line
from tests.support.phone.fake_adbd import FakeAdbd

ANSWER = bytes.fromhex(
    "000084000001000100000004105f6164622d746c732d636f6e6e656374045f746370056c6f63"
    "616c00000c0001c00c000c0001000011940015126164622d5235384d3132332d416243644566"
    "c00c07416e64726f6964c022002f0001000000780005c04e000140c039001000010000119400"
    "0403763d31c04e000100010000007800047f000001c039002100010000007800080000000091"
    "83c04e"
)
"""What python-zeroconf answered for a phone that listens on port 37251."""
PORT = struct.pack("!H", 37251)


class _Responder(asyncio.DatagramProtocol):
    def __init__(self, answers: list[bytes]) -> None:
        self._answers = answers
        self.asked: list[bytes] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.DatagramTransport)
        self._transport = transport

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        self.asked.append(data)
        for answer in self._answers:
            self._transport.sendto(answer, addr)


@asynccontextmanager
async def announcing(
    monkeypatch: pytest.MonkeyPatch, *answers: bytes
) -> AsyncIterator[_Responder]:
    """Answer whoever asks in place of the network."""
    transport, responder = await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: _Responder(list(answers)), ("127.0.0.1", 0)
    )
    where = transport.get_extra_info("sockname")
    monkeypatch.setattr(wireless, "GROUP", where)
    try:
        yield responder
    finally:
        transport.close()


async def test_the_port_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    noise = (b"", b"\x00" * 12, ANSWER[:60], b"\xff" * 400)
    async with announcing(monkeypatch, *noise, ANSWER) as responder:
        assert await wireless.find("127.0.0.1") == ("127.0.0.1", 37251)
        assert await wireless.find("localhost") == ("127.0.0.1", 37251)
    assert b"\x10_adb-tls-connect\x04_tcp\x05local" in responder.asked[0]


async def test_another_machines_answer_does_not_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Anybody in the network can answer; only the phone's address is Darcy's phone."""
    monkeypatch.setattr(wireless, "PATIENCE", 0.1)
    monkeypatch.setattr(wireless, "_way", lambda _: socket.inet_aton("127.0.0.1"))
    async with announcing(monkeypatch, ANSWER):
        with pytest.raises(OSError, match="announces no wireless debugging"):
            await wireless.find("192.0.2.1")


async def test_nobody_announces_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wireless, "PATIENCE", 0.05)
    other = ANSWER.replace(b"_adb-tls-connect", b"_adb-tls-pairing")
    async with announcing(monkeypatch, other):
        link = Link("127.0.0.1", None, None)
        with pytest.raises(LinkError) as error:
            await link.connect()
    assert error.value.reason is Reason.ADB_OFFLINE
    assert "announces no wireless debugging" in error.value.text


async def test_the_port_may_be_another_one_each_time(
    monkeypatch: pytest.MonkeyPatch, adb_key: AdbKey
) -> None:
    timing = Timing(connect=5, allow=5, first_retry=0.001, last_retry=0.01)
    link = Link("127.0.0.1", None, adb_key.signer, adb_key.tls, timing=timing)
    for _ in range(2):
        async with FakeAdbd() as adbd:
            answer = ANSWER.replace(PORT, struct.pack("!H", adbd.port))
            async with announcing(monkeypatch, answer):
                assert (await link.run(line("echo", "here"), 5)).text == "here\n"
                await link.close()


@given(st.binary(max_size=200))
def test_any_datagram_is_read_without_harm(data: bytes) -> None:
    assert all(0 <= port < 65536 for port in wireless.ports(data))


@given(st.data())
def test_any_damaged_answer_is_read_without_harm(data: st.DataObject) -> None:
    damaged = bytearray(ANSWER)
    for _ in range(data.draw(st.integers(1, 8))):
        damaged[data.draw(st.integers(0, len(ANSWER) - 1))] = data.draw(
            st.integers(0, 255)
        )
    assert len(list(wireless.ports(bytes(damaged)))) <= 65536


def test_own_addresses() -> None:
    assert wireless._same("127.0.0.1", "127.0.0.1")
    assert not wireless._same("192.0.2.77", "127.0.0.1")
    assert wireless._same("192.0.2.77", "192.0.2.77")
    assert not wireless._same("192.0.2.78", "192.0.2.77")
    assert socket.inet_ntoa(wireless._way("127.0.0.1")) == "127.0.0.1"
