"""The port of wireless debugging: it answers STLS, and the daemon behind it speaks TLS.

Debian's adbd has no such listener of its own, but does the daemon's half of TLS once a
client has agreed; this port does the rest as a phone's does.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
import ssl
import struct

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID

_HEAD = 24
_VERSION = 0x01000000


@asynccontextmanager
async def wireless_port(adbd: int) -> AsyncIterator[int]:
    """Listen before the daemon on the port `adbd`; yield the port."""
    running: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        running.add(task)
        with suppress(OSError, asyncio.IncompleteReadError):
            head = await reader.readexactly(_HEAD)
            await reader.readexactly(struct.unpack("<6I", head)[3])
            writer.write(_packet(b"STLS"))
            theirs, ours = await asyncio.open_connection("127.0.0.1", adbd)
            await asyncio.gather(_pipe(reader, ours), _pipe(theirs, writer))
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.close()


def _packet(name: bytes, data: bytes = b"", most: int = 0) -> bytes:
    command = int.from_bytes(name, "little")
    fields = (command, _VERSION, most, len(data), sum(data), command ^ 0xFFFFFFFF)
    return struct.pack("<6I", *fields) + data


def tls_context(key_file: Path, folder: Path) -> ssl.SSLContext:
    """Return how a client shows an ADB key in TLS: by a certificate made for it."""
    key = serialization.load_pem_private_key(key_file.read_bytes(), None)
    assert isinstance(key, rsa.RSAPrivateKey)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "adb")])
    now, day = datetime.now(UTC), timedelta(days=1)
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1)
    dated = builder.not_valid_before(now - day).not_valid_after(now + day)
    pem = dated.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    certificate = folder / "adb.crt"
    certificate.write_bytes(pem)
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.load_cert_chain(certificate, key_file)
    return context


async def greeting_through_tls(port: int, context: ssl.SSLContext) -> bytes:
    """Connect as adb 30 and later do; return what the daemon says first in TLS."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(_packet(b"CNXN", b"host::features=shell_v2,cmd", 1 << 20))
    assert (await reader.readexactly(_HEAD))[:4] == b"STLS"
    writer.write(_packet(b"STLS"))
    await writer.start_tls(context)
    command = await reader.readexactly(4)
    writer.close()
    return command
