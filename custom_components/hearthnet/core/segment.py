"""A journal's segment: its name, and how its lines are written, checked and read.

<crc32 of the rest><+ or nothing> <base64 signature or -> <message>
"""

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
import re
from zlib import crc32

from .messages import Position

_NAME = re.compile(r"([1-9][0-9]*)(?:\.([1-9][0-9]*))?\.log")
_MARKED = re.compile(rb"(?=([0-9a-f]{8}\+ [^\n]*\n))")


@dataclass
class Segment:
    """One file of a journal: events of one boot that follow one another."""

    boot: int
    first: int = 1
    """The number of its first event."""
    last: int = 0
    """The number of its last synced event; one less than `first` while it is empty."""

    @property
    def name(self) -> str:
        """What its file is called: `7.log`, and `7.4001.log` for what follows it."""
        return (
            f"{self.boot}.log" if self.first == 1 else f"{self.boot}.{self.first}.log"
        )

    @property
    def end(self) -> Position:
        """The place of its last event."""
        return self.boot, self.last

    @property
    def empty(self) -> bool:
        """Tell whether nothing stands in it yet."""
        return self.last < self.first

    def follows(self, other: "Segment") -> bool:
        """Tell whether no event is missing between the other one and this one."""
        return self.first == (other.last + 1 if other.boot == self.boot else 1)


def segments(folder: Path) -> Iterator[Segment]:
    """Find a folder's segments; how far each goes is not known yet."""
    for path in folder.glob("*.log"):
        if (found := _NAME.fullmatch(path.name)) is not None:
            first = int(found[2] or 1)
            yield Segment(int(found[1]), first, first - 1)


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
