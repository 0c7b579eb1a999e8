"""The frames between the hub and its librarian: one JSON object a line.

To the librarian: `log` (a node's records), `keys` (of enrolled nodes), `query`.
From it: `head` (what is recorded for good), `gap` (what is missing), `health`,
`answer`.
"""

import base64
from collections.abc import Sequence
import json
from typing import Any

from ..journal import Entry

MAX_FRAME = 64 * 2**20
"""A batch of the longest messages, with room for their escapes."""

type Frame = dict[str, Any]


def pack(kind: str, **fields: Any) -> bytes:
    """Return a frame's line."""
    return json.dumps({"kind": kind, **fields}, separators=(",", ":")).encode() + b"\n"


def unpack(line: bytes) -> Frame:
    """Read a frame; ValueError when it is none."""
    frame = json.loads(line)
    if not isinstance(frame, dict) or not isinstance(frame.get("kind"), str):
        raise ValueError(f"not a frame: {line[:80]!r}")  # noqa: TRY004 - bad input
    return frame


def from_entries(entries: Sequence[Entry]) -> list[list[Any]]:
    """Return records as a `log` frame carries them, bytes exactly kept."""
    return [
        [
            entry.boot,
            entry.seq,
            entry.data.decode(errors="surrogateescape"),
            base64.b64encode(entry.signature).decode() if entry.signature else None,
        ]
        for entry in entries
    ]


def to_entries(records: list[list[Any]]) -> list[Entry]:
    """Read the records of a `log` frame."""
    return [
        Entry(
            boot,
            seq,
            data.encode(errors="surrogateescape"),
            base64.b64decode(signature) if signature else None,
        )
        for boot, seq, data, signature in records
    ]
