"""Ed25519 signatures over the exact bytes sent (RFC 8032)."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
import json
import os
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)

from .files import replace, sync_folder


class KeyFileError(OSError):
    """The file of a private key is there and is damaged."""


@dataclass(frozen=True)
class VerifyKey:
    """The public half of a node's key pair."""

    raw: bytes
    _key: Ed25519PublicKey = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Parse the 32 raw bytes; ValueError when they are no key."""
        object.__setattr__(self, "_key", Ed25519PublicKey.from_public_bytes(self.raw))

    @classmethod
    def from_text(cls, text: str) -> "VerifyKey":
        """Read a key written by `text`; ValueError when malformed."""
        return cls(base64.b64decode(text, validate=True))

    @property
    def text(self) -> str:
        """The key as base64."""
        return base64.b64encode(self.raw).decode()

    @property
    def fingerprint(self) -> str:
        """A short name a person can compare: the start of the key's SHA-256."""
        digest = sha256(self.raw).hexdigest()[:16]
        return ":".join(digest[i : i + 4] for i in range(0, 16, 4))

    def verifies(self, data: bytes, signature: bytes) -> bool:
        """Tell whether `signature` is this key's over exactly `data`."""
        try:
            self._key.verify(signature, data)
        except InvalidSignature:
            return False
        return True


class SigningKey:
    """A node's private key. Never logged; stored only in a file of mode 0600."""

    def __init__(self, seed: bytes) -> None:
        """Take the 32-byte private seed; ValueError when it is no seed."""
        self._key = Ed25519PrivateKey.from_private_bytes(seed)
        self.public = VerifyKey(self._key.public_key().public_bytes_raw())

    @classmethod
    def load_or_create(cls, path: Path, seed: bytes) -> "SigningKey":
        """Read the key at `path`, or store `seed` there (mode 0600) as the key.

        Raises:
            KeyFileError: what is in the file is no key.
        """
        if not path.exists():
            # Whole or not at all: a power cut would leave an empty file, no key.
            new = path.with_name(f"{path.name}.new")
            new.unlink(missing_ok=True)
            with open(new, "xb", opener=_private) as file:
                file.write(seed)
                file.flush()
                os.fsync(file.fileno())
            new.rename(path)
            sync_folder(path.parent)
        try:
            return cls(path.read_bytes())
        except ValueError as error:
            raise KeyFileError(
                f"{path}: {error}; restore the file, or delete it for a new key"
            ) from error

    def sign(self, data: bytes) -> bytes:
        """Return the 64-byte signature over exactly `data`."""
        return self._key.sign(data)


def pass_on(old: SigningKey, new: VerifyKey) -> dict[str, str]:
    """Return the link of a chain by which an old key names the one after it."""
    link = {"old": old.public.text, "new": new.text}
    signature = old.sign(_link(link["old"], link["new"]))
    return {**link, "signature": base64.b64encode(signature).decode()}


def renew(path: Path, chain: Path, seed: bytes) -> SigningKey:
    """Replace the key at `path`, and note in `chain` that the old one says so. Blocks.

    The chain is stored first: a key that nobody is led to would be a lost one.
    """
    old, new = SigningKey(path.read_bytes()), SigningKey(seed)
    links = json.loads(chain.read_bytes()) if chain.exists() else []
    # What a start that was cut off had named was never used.
    links = [link for link in links if link["old"] != old.public.text]
    replace(chain, json.dumps([*links, pass_on(old, new.public)]).encode())
    fresh = path.with_name(f"{path.name}.fresh")
    fresh.unlink(missing_ok=True)
    SigningKey.load_or_create(fresh, seed)
    sync_folder(path.parent)
    fresh.replace(path)
    sync_folder(path.parent)
    return new


def follow(trusted: VerifyKey, chain: Sequence[Mapping[str, str]]) -> VerifyKey:
    """Return the newest key that a trusted one leads to by a chain of links.

    Links that do not hold lead nowhere; so the result is `trusted` at worst.
    """
    for link in chain:
        try:
            new = VerifyKey.from_text(link["new"])
            signature = base64.b64decode(link["signature"])
            data = _link(link["old"], link["new"])
        except (KeyError, TypeError, ValueError):
            continue
        if link["old"] == trusted.text and trusted.verifies(data, signature):
            trusted = new
    return trusted


def _link(old: str, new: str) -> bytes:
    # No message and no frame starts like this, so neither passes for a link.
    return f"hearthnet key {old} is followed by {new}".encode()


def _private(path: str, flags: int) -> int:
    """Open a new file that only its owner can read."""
    return os.open(path, flags, 0o600)
