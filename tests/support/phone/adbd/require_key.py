"""Make a copy of Debian's adbd ask for keys again, as a phone's does.

Debian patches `auth_required = false` into its start; the copy gets `true`
back. The place is found by what follows it, and must be the only one.

    require_key.py ADBD COPY
"""

from collections.abc import Callable
from pathlib import Path
import re
import struct
import sys

FALSE_THEN_ADDRESS = re.compile(rb"\xc6\x00\x00\x48\x8d\x3d", re.DOTALL)
"""x86-64: movb $0, (%rax); lea …(%rip), %rdi"""
NEXT_NAME = b"ADB_EXTERNAL_STORAGE\0"
"""The text whose address is loaded right after the assignment."""


def addresses(binary: bytes) -> Callable[[int], int]:
    """Return what turns a file's offset into an address (ELF's load segments)."""
    (table,) = struct.unpack_from("<Q", binary, 32)
    (count,) = struct.unpack_from("<H", binary, 56)
    segments = []
    for i in range(count):
        at = table + 56 * i
        kind, _, offset, address = struct.unpack_from("<IIQQ", binary, at)
        (size,) = struct.unpack_from("<Q", binary, at + 32)
        if kind == 1:
            segments.append((offset, address, size))

    def address_of(place: int) -> int:
        for offset, address, size in segments:
            if offset <= place < offset + size:
                return int(place - offset + address)
        raise ValueError(f"no segment holds {place:#x}")

    return address_of


def main(source: Path, target: Path) -> None:
    """Write the copy, or end with an error when the place is not found once."""
    binary = bytearray(source.read_bytes())
    address_of = addresses(bytes(binary))
    wanted = address_of(binary.index(NEXT_NAME))
    found = [
        match.start()
        for match in FALSE_THEN_ADDRESS.finditer(bytes(binary))
        if address_of(match.start())
        + 10
        + struct.unpack_from("<i", binary, match.start() + 6)[0]
        == wanted
    ]
    if len(found) != 1:
        sys.exit(f"{source}: expected one place, found {len(found)}")
    binary[found[0] + 2] = 1
    target.write_bytes(binary)
    target.chmod(0o755)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
