"""Darcy's ADB key: what the phone's owner allows once."""

import base64
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import md5
import os
from pathlib import Path
import ssl
import struct
import tempfile

from adb_shell.auth.sign_cryptography import CryptographySigner
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID

_FROM, _UNTIL = datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)
"""Of the certificate: adbd looks only at whose key it is, and clocks are wrong."""


@dataclass(frozen=True)
class AdbKey:
    """An RSA key in the form that adb uses, so both can share one."""

    signer: CryptographySigner
    tls: ssl.SSLContext
    """Shows the key to the port of wireless debugging."""
    fingerprint: str
    """As the phone's dialog shows it."""

    @classmethod
    def load_or_create(cls, path: Path) -> "AdbKey":
        """Read the key at `path` and `path`.pub, or make one there. Blocks.

        Raises:
            OSError: the files cannot be read or written.
            ValueError: they hold no key.
        """
        public = path.with_name(f"{path.name}.pub")
        if not path.exists():
            _create(path)
        if not public.exists():
            _write_public(path, public)
        # Without the public half the phone would ask its owner at every restart.
        signer = CryptographySigner(str(path))
        return cls(signer, _context(path), fingerprint(public.read_bytes()))


def fingerprint(public: bytes) -> str:
    """Return how Android shows a public key: MD5 of its binary form."""
    raw = base64.b64decode(public.split()[0])
    digits = md5(raw, usedforsecurity=False).hexdigest().upper()
    return ":".join(digits[i : i + 2] for i in range(0, len(digits), 2))


def _read(path: Path) -> rsa.RSAPrivateKey:
    key = serialization.load_pem_private_key(path.read_bytes(), None)
    if not isinstance(key, rsa.RSAPrivateKey) or key.key_size != 2048:
        raise ValueError(f"{path} is no RSA key of 2048 bits")
    return key


def _context(path: Path) -> ssl.SSLContext:
    """Return how a client shows its ADB key in TLS: by a certificate made for it.

    Whose the other side is nobody can check, with adb neither: adbd makes itself a
    new certificate at each start.
    """
    key = _read(path)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Darcy")])
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1)
    dated = builder.not_valid_before(_FROM).not_valid_after(_UNTIL)
    certificate = dated.sign(key, hashes.SHA256())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    with tempfile.NamedTemporaryFile(suffix=".crt") as file:  # it takes only files
        file.write(certificate.public_bytes(serialization.Encoding.PEM))
        file.flush()
        context.load_cert_chain(file.name, path)
    return context


def _create(path: Path) -> None:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(pem)


def _write_public(path: Path, public: Path) -> None:
    """Write the public half in Android's binary form (AOSP's RSAPublicKey)."""
    key = _read(path)
    numbers = key.public_key().public_numbers()
    word, size = 1 << 32, 256
    binary = struct.pack(
        "<LL256s256sL",
        size // 4,
        word - pow(numbers.n, -1, word),
        numbers.n.to_bytes(size, "little"),
        pow(1 << 8 * size, 2, numbers.n).to_bytes(size, "little"),
        numbers.e,
    )
    public.write_bytes(base64.b64encode(binary) + b" darcy@hearthnet\n")
