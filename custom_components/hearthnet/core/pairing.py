"""Pairing: two machines exchange keys under a secret that a person carries over.

The hub shows a code; a person types it, or pastes it, on the other machine. It
holds where the broker is, the hub's key and a secret. With the secret both
prove, over a broker that nobody need trust, that they have seen the code; the
person then compares the fingerprint. A code is good for ten minutes, one
companion, and five wrong tries.
"""

import base64
import binascii
from dataclasses import dataclass, field
from hashlib import sha256
import hmac
import json
from typing import Any, Self
import zlib

from .bus.broker import Broker
from .enrolled import ROLES, Enrolled
from .keys import SigningKey, VerifyKey
from .messages import NAME

LIFE = 600.0
"""Seconds that a code is good for."""
TRIES = 5
_SECRET = 16


class PairingError(Exception):
    """The code, or what came under it, is not good; the text says why."""


class StrangerError(PairingError):
    """It was not said by the other side: anybody on the broker may have said it."""


@dataclass(frozen=True, kw_only=True)
class Code:
    """What a person carries from the hub to the companion."""

    name: str
    role: str
    hub: VerifyKey
    secret: bytes = field(repr=False)
    broker: Broker = field(repr=False)

    @property
    def topic(self) -> str:
        """The name of this pairing on the broker; tells nothing of the secret."""
        return sha256(b"topic" + self.secret).hexdigest()[:16]

    @property
    def text(self) -> str:
        """The code as one word."""
        data = {
            "name": self.name,
            "role": self.role,
            "hub": self.hub.text,
            "secret": base64.b64encode(self.secret).decode(),
            "broker": self.broker.as_dict(),
        }
        packed = zlib.compress(json.dumps(data, separators=(",", ":")).encode(), 9)
        return base64.urlsafe_b64encode(packed).decode().rstrip("=")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a code; PairingError when it is none."""
        word = "".join(text.split())
        try:
            packed = base64.urlsafe_b64decode(word + "=" * (-len(word) % 4))
            unpacker = zlib.decompressobj()
            plain = unpacker.decompress(packed, 65536)
            if not unpacker.eof:  # only at the end is its checksum
                raise ValueError("cut off")
            data = json.loads(plain)
            code = cls(
                name=str(data["name"]),
                role=str(data["role"]),
                hub=VerifyKey.from_text(data["hub"]),
                secret=base64.b64decode(data["secret"]),
                broker=Broker.from_dict(data["broker"]),
            )
        except (KeyError, TypeError, ValueError, zlib.error, binascii.Error):
            raise PairingError("this is not a whole code: copy all of it") from None
        if (
            not NAME.fullmatch(code.name)
            or code.role not in ROLES
            or len(code.secret) != _SECRET
        ):
            raise PairingError("this is not a code of HearthNet")
        return code

    def seal(self, side: str, **fields: Any) -> bytes:
        """Return what one side says, proven to be said under this code."""
        data = json.dumps({"side": side, **fields}, separators=(",", ":")).encode()
        proof = hmac.digest(self.secret, data, "sha256")
        return base64.b64encode(proof) + b" " + data

    def unseal(self, side: str, payload: bytes) -> dict[str, Any]:
        """Read what the other side says; StrangerError when somebody else said it.

        The side is named in it, so that nobody is answered with his own words.
        """
        proof, _, data = payload.partition(b" ")
        expected = base64.b64encode(hmac.digest(self.secret, data, "sha256"))
        if not hmac.compare_digest(proof, expected):
            raise StrangerError("it does not know the code")
        said: dict[str, Any] = json.loads(data)
        if said.get("side") != side:
            raise StrangerError("it repeats what was said")
        return said


@dataclass
class Offer:
    """The hub's side of one pairing; pure, time comes in."""

    code: Code
    since: float
    """Boot time at which the code was shown."""
    wrong: int = 0
    found: Enrolled | None = None
    """Who answered; a person confirms it or not."""
    over: bool = False

    def hear(self, payload: bytes, now: float) -> Enrolled | None:
        """Take what came on the pairing's topic; return who it is, once."""
        if self.problem(now) is not None or self.found is not None:
            return None
        try:
            said = self.code.unseal("companion", payload)
            key = VerifyKey.from_text(said["key"])
            signature = base64.b64decode(said["signature"])
            if not key.verifies(self.code.topic.encode(), signature):
                raise PairingError("it does not have the key that it names")
        except (PairingError, KeyError, TypeError, ValueError):
            self.wrong += 1
            return None
        self.found = Enrolled(name=self.code.name, role=self.code.role, key=key)
        return self.found

    def problem(self, now: float) -> str | None:
        """Return why the code is no good any more: `expired`, `tries` or `used`."""
        if self.over:
            return "used"
        if self.wrong >= TRIES:
            return "tries"
        return "expired" if now - self.since >= LIFE else None

    def answer(self, key: SigningKey, *, accepted: bool) -> bytes:
        """Return what the companion is told, and let the code be used up."""
        self.over = True
        theirs = self.found.key.text if self.found else ""
        signature = key.sign(_agreed(self.code, theirs))
        return self.code.seal(
            "hub",
            accepted=accepted,
            key=theirs,
            signature=base64.b64encode(signature).decode(),
        )


def hello(code: Code, key: SigningKey) -> bytes:
    """Return what a companion says first."""
    signature = key.sign(code.topic.encode())
    return code.seal(
        "companion",
        key=key.public.text,
        signature=base64.b64encode(signature).decode(),
    )


def accepted(code: Code, key: SigningKey, payload: bytes) -> bool:
    """Tell whether the hub took this companion in.

    Raises:
        StrangerError: it is not the hub's answer; that may still come.
        PairingError: it is, and not to this companion.
    """
    said = code.unseal("hub", payload)
    if said.get("key") != key.public.text:
        raise PairingError("another companion has used the code")
    signature = base64.b64decode(said["signature"])
    if not code.hub.verifies(_agreed(code, key.public.text), signature):
        raise PairingError("it is not the hub that the code names")
    return said["accepted"] is True


def _agreed(code: Code, key: str) -> bytes:
    return f"hearthnet pairing {code.topic} {code.name} {code.role} {key}".encode()
