"""A file that is an APK as far as its signature block goes."""

from hashlib import sha256
import struct

CERTIFICATE = b"a certificate in DER" * 40
DIGEST = sha256(CERTIFICATE).hexdigest()
V2, V3 = 0x7109871A, 0xF05368C0


def apk(signatures: dict[int, bytes], padding: int = 5000) -> bytes:
    """Return an APK signed with certificates, by the number of their scheme."""
    pairs = [_pair(scheme, _signers(der)) for scheme, der in signatures.items()]
    # What the Play store adds stands in the same block.
    inner = _pair(0x42726577, b"\0" * 100) + b"".join(pairs)
    size = struct.pack("<Q", len(inner) + 24)
    block = size + inner + size + b"APK Sig Block 42" if signatures else b""
    contents = b"PK\x01\x02" + b"c" * 300
    start = padding + len(block)
    end = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 1, 1, len(contents), start, 0)
    return b"z" * padding + block + contents + end


def _pair(name: int, value: bytes) -> bytes:
    return struct.pack("<QI", len(value) + 4, name) + value


def _signers(der: bytes) -> bytes:
    signed = _sized(_sized(b"digest")) + _sized(_sized(der)) + _sized(b"")
    signer = _sized(signed) + _sized(b"signatures") + _sized(b"public key")
    return _sized(_sized(signer))


def _sized(data: bytes) -> bytes:
    return struct.pack("<I", len(data)) + data
