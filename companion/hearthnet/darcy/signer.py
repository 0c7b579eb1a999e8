"""Who signed an installed app: the certificate in its APK, read over the link.

Android has checked the signature when it installed the app; here only the
certificate is looked up, so that another app under the same name is noticed.
Layout: https://source.android.com/docs/security/features/apksigning/v2
"""

from collections.abc import Awaitable, Callable, Iterator
from hashlib import sha256
import struct

_END = b"PK\x05\x06"
"""Start of a ZIP's last record, which tells where its table of contents is."""
_END_SIZE = 22 + 65_535
"""The longest last record, with its comment."""
_MAGIC = b"APK Sig Block 42"
_MAX_BLOCK = 4 * 1024 * 1024
_SCHEMES = (0x1B93AD61, 0xF05368C0, 0x7109871A)
"""Signature schemes 3.1, 3 and 2: the phone uses the newest that is there."""

type Read = Callable[[int, int], Awaitable[bytes]]
"""Reads (offset, length) of a file."""


class NoSignerError(ValueError):
    """An APK has no signature that can be read."""


async def certificate_digest(size: int, read: Read) -> str:
    """Return the SHA-256 of the certificate that an APK of `size` bytes carries.

    Raises:
        NoSignerError: there is none.
    """
    start = max(0, size - _END_SIZE)
    tail = await read(start, size - start)
    end = tail.rfind(_END)
    if end < 0 or len(tail) < end + 22:
        raise NoSignerError("no APK")
    (contents,) = struct.unpack_from("<I", tail, end + 16)
    if not 24 <= contents <= size:
        raise NoSignerError("no room for a signature")
    foot = await read(contents - 24, 24)
    if foot[8:] != _MAGIC:
        raise NoSignerError("no signature block")
    (length,) = struct.unpack_from("<Q", foot)
    if not 24 <= length <= min(contents, _MAX_BLOCK):
        raise NoSignerError("a signature block of impossible size")
    block = await read(contents - length, length - 24)
    try:
        return sha256(_certificate(block)).hexdigest()
    except struct.error as error:
        raise NoSignerError("a broken signature block") from error


def _certificate(block: bytes) -> bytes:
    """Return the first signer's certificate, by the newest scheme there is."""
    schemes = dict(_pairs(block))
    for scheme in _SCHEMES:
        if (value := schemes.get(scheme)) is not None:
            signer = _first(_first(value))
            signed = _first(signer)
            digests_size = struct.unpack_from("<I", signed)[0]
            return _first(_first(signed[4 + digests_size :]))
    raise NoSignerError("no signature that Android still accepts")


def _pairs(block: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at < len(block):
        size, name = struct.unpack_from("<QI", block, at)
        yield name, block[at + 12 : at + 8 + size]
        at += 8 + size


def _first(data: bytes) -> bytes:
    """Return the first of a sequence of parts that each begin with their length."""
    (size,) = struct.unpack_from("<I", data)
    if size > len(data) - 4:
        raise struct.error("cut off")
    return data[4 : 4 + size]
