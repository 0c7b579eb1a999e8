"""What travels between nodes: a signature, a blank, and exactly the bytes signed.

The bytes are a message, or a *frame*: a JSON object with a `kind`, for what is
about the record and not in it (a status, a batch of the journal, a question).
A message has no `kind` and a frame no `type`, so neither passes for the other.
"""

import base64
import binascii
import json
from typing import Any

from ..keys import VerifyKey

MAX_BYTES = 4 * 2**20
"""Longest payload taken."""

type Frame = dict[str, Any]


class EnvelopeError(ValueError):
    """A payload that no node of this home has made."""


def seal(data: bytes, signature: bytes) -> bytes:
    """Return the payload of signed bytes."""
    return base64.b64encode(signature) + b" " + data


def unseal(payload: bytes) -> tuple[bytes, bytes]:
    """Return the bytes of a payload and their signature, unchecked."""
    if len(payload) > MAX_BYTES:
        raise EnvelopeError(f"longer than {MAX_BYTES} bytes")
    signature, blank, data = payload.partition(b" ")
    try:
        raw = base64.b64decode(signature, validate=True)
    except binascii.Error:
        raw = b""
    if not blank or len(raw) != 64:
        raise EnvelopeError("not signed")
    return data, raw


def verified(payload: bytes, key: VerifyKey) -> tuple[bytes, bytes]:
    """Return the bytes of a payload and the signature, which `key` has made."""
    data, signature = unseal(payload)
    if not key.verifies(data, signature):
        raise EnvelopeError("the signature is not of the node that the topic names")
    return data, signature


def pack(kind: str, **fields: Any) -> bytes:
    """Return a frame's bytes."""
    return json.dumps(
        {"kind": kind, **fields}, ensure_ascii=False, separators=(",", ":")
    ).encode()


def unpack(data: bytes) -> Frame | None:
    """Read a frame; None when the bytes are something else, such as a message."""
    try:
        frame = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if isinstance(frame, dict) and isinstance(frame.get("kind"), str):
        return frame
    return None
