"""Finding the port of wireless debugging, which is another one each time.

A phone announces it by multicast DNS (RFC 6762) as `_adb-tls-connect._tcp`, as adb
itself finds it. One question, answers for a moment; only the phone's own count.
"""

import asyncio
from collections.abc import Iterator
import ipaddress
import socket
import struct

GROUP = ("224.0.0.251", 5353)
PATIENCE = 2.0
"""Seconds that a phone has to answer."""
_SERVICE = "_adb-tls-connect._tcp.local"
_PTR, _SRV = 12, 33
_UNICAST = 0x8001
"""The class of the Internet, and the wish to be answered without multicast."""
_DEPTH = 20
"""Most jumps and labels of a name."""


async def find(host: str) -> tuple[str, int]:
    """Return where the phone at `host` listens for wireless debugging.

    A `host` that is this machine means the phone that this runs on.

    Raises:
        OSError: it announces none, or nobody can be asked.
    """
    loop = asyncio.get_running_loop()
    address = await _resolve(host)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.setblocking(False)
        asking.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
        if not ipaddress.ip_address(address).is_loopback:
            way = _way(address)
            asking.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, way)
        await loop.sock_sendto(asking, _question(), GROUP)
        try:
            async with asyncio.timeout(PATIENCE):
                while True:
                    data, (source, _) = await loop.sock_recvfrom(asking, 9000)
                    port = next(ports(data), None)
                    if port is not None and _same(source, address):
                        return source, port
        except TimeoutError:
            text = "it announces no wireless debugging: is that switched on?"
            raise ConnectionRefusedError(text) from None


def ports(data: bytes) -> Iterator[int]:
    """Go through the ports of wireless debugging that a DNS answer names."""
    try:
        _, flags, questions, *answers = struct.unpack_from("!6H", data)
        at = 12
        for _ in range(questions):
            at = _name(data, at)[1] + 4
        for _ in range(sum(answers) if flags & 0x8000 else 0):
            name, at = _name(data, at)
            kind, _, _, size = struct.unpack_from("!HHIH", data, at)
            at += 10
            if kind == _SRV and name.lower().endswith(f".{_SERVICE}"):
                yield struct.unpack_from("!3H", data, at)[2]
            at += size
    except (struct.error, IndexError, ValueError):
        return  # it is none


def _question() -> bytes:
    labels = (bytes([len(one)]) + one.encode() for one in _SERVICE.split("."))
    head = struct.pack("!6H", 0, 0, 1, 0, 0, 0)
    return head + b"".join(labels) + struct.pack("!BHH", 0, _PTR, _UNICAST)


def _name(data: bytes, at: int) -> tuple[str, int]:
    """Return a name, and where what follows it begins; ValueError if it is none."""
    labels: list[str] = []
    after: int | None = None
    for _ in range(_DEPTH):
        size = data[at]
        if size >= 0xC0:
            after = after or at + 2
            at = (size & 0x3F) << 8 | data[at + 1]
        elif size:
            labels.append(data[at + 1 : at + 1 + size].decode(errors="replace"))
            at += 1 + size
        else:
            return ".".join(labels), after or at + 1
    raise ValueError("a name without end")


async def _resolve(host: str) -> str:
    found = await asyncio.get_running_loop().getaddrinfo(
        host, None, family=socket.AF_INET, type=socket.SOCK_DGRAM
    )
    return str(found[0][4][0])


def _way(address: str) -> bytes:
    """Return this machine's own address on the way to another; sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.connect((address, GROUP[1]))
        return socket.inet_aton(asking.getsockname()[0])


def _same(source: str, address: str) -> bool:
    """Tell whether an answer comes from the phone."""
    if not ipaddress.ip_address(address).is_loopback:
        return source == address
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
        try:
            own.bind((source, 0))  # only an address of this machine can be bound
        except OSError:
            return False
    return True
