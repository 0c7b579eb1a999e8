"""The broker's certificate runs out: it is said in words, and a new one mends it."""

from datetime import UTC, datetime, timedelta
import ipaddress
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
import pytest

from hearthnet.core.bus import retry
from tests.support.mosquitto import Mosquitto

from .bus_home import Peer

NOW = datetime.now(UTC)
_PLAIN = serialization.NoEncryption()


def name(common: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])


class Authority:
    """Signs what a broker shows."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._subject = name("A home")
        usage = x509.KeyUsage(
            *(False, False, False, False, False, True, True, False, False)
        )
        identifier = x509.SubjectKeyIdentifier.from_public_key(self._key.public_key())
        made = (
            x509.CertificateBuilder(
                self._subject, self._subject, self._key.public_key()
            )
            .serial_number(1)
            .not_valid_before(NOW - timedelta(days=9))
            .not_valid_after(NOW + timedelta(days=9))
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
            .add_extension(usage, True)
            .add_extension(identifier, False)
            .sign(self._key, hashes.SHA256())
        )
        self._identifier = identifier
        self.text = made.public_bytes(serialization.Encoding.PEM).decode()

    def certify(self, until: datetime) -> str:
        """Write a broker's certificate; return the configuration that uses it."""
        key = ec.generate_private_key(ec.SECP256R1())
        where = x509.SubjectAlternativeName(
            [x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        )
        by = x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(
            self._identifier
        )
        made = (
            x509.CertificateBuilder(self._subject, name("broker"), key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(NOW - timedelta(days=8))
            .not_valid_after(until)
            .add_extension(where, False)
            .add_extension(by, False)
            .sign(self._key, hashes.SHA256())
        )
        pem = serialization.Encoding.PEM
        private = key.private_bytes(
            pem, serialization.PrivateFormat.TraditionalOpenSSL, _PLAIN
        )
        (self._folder / "server.crt").write_bytes(made.public_bytes(pem))
        (self._folder / "server.key").write_bytes(private)
        return (
            "allow_anonymous true\n"
            f"certfile {self._folder / 'server.crt'}\n"
            f"keyfile {self._folder / 'server.key'}\n"
        )


async def test_a_certificate_that_has_expired(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retry, "FIRST_DELAY", 0.05)
    monkeypatch.setattr(retry, "LONGEST_DELAY", 0.2)
    authority = Authority(tmp_path)
    config = authority.certify(NOW - timedelta(days=1))
    with Mosquitto(tmp_path, config) as server:
        hub = Peer("hub", tmp_path / "hub", server.port, tls=True, ca=authority.text)
        async with hub:
            await hub.until(lambda: "expired" in (hub.bus.problem or ""))
            authority.certify(NOW + timedelta(days=8))
            server.stop()
            server.start()
            await hub.until(lambda: hub.bus.connected)
            assert hub.bus.problem is None
