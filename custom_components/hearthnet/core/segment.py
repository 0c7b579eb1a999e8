"""The lines of a journal's segment: how a record is written, checked and read.

<crc32 of the rest><+ or nothing> <base64 signature or -> <message>
"""

import base64
import re
from zlib import crc32

_MARKED = re.compile(rb"(?=([0-9a-f]{8}\+ [^\n]*\n))")


def record(data: bytes, signature: bytes | None) -> bytes:
    """Return a record's line without its start, which depends on where it stands."""
    signed = base64.b64encode(signature) if signature else b"-"
    return b" %s %s\n" % (signed, data)


def block(records: list[bytes]) -> bytes:
    """Return the lines of records that are written together after a sync."""
    first, *rest = records
    lines = [b"+" + first, *rest]
    return b"".join(b"%08x%s" % (crc32(line), line) for line in lines)


def read(line: bytes) -> tuple[bytes, bytes | None]:
    """Return the message and signature of a line; ValueError when it is damaged."""
    if not _is_whole(line):
        raise ValueError("the checksum is wrong")
    _, signed, data = line.split(b" ", 2)
    signature = None if signed == b"-" else base64.b64decode(signed, validate=True)
    return data.removesuffix(b"\n"), signature


def check(data: bytes) -> tuple[int, int, bool]:
    """Return how many records are whole, their length, and whether more was synced.

    The last is true when a whole record that was written after a sync follows
    the first damaged one.
    """
    count = length = 0
    while (end := data.find(b"\n", length) + 1) and _is_whole(data[length:end]):
        count, length = count + 1, end
    # The line feed before a mark may be what is damaged: look at every place.
    marked = _MARKED.finditer(data, length)
    return count, length, any(_is_whole(data[m.start() : m.end(1)]) for m in marked)


def _is_whole(line: bytes) -> bool:
    return len(line) > 9 and line[:8] == b"%08x" % crc32(line[8:])
