"""Writes what was played into a Git repository, as the librarian does."""

from collections.abc import Iterable
from itertools import batched
from pathlib import Path

from hearthnet.core.clock import SystemClock
from hearthnet.core.librarian.library import Library
from hearthnet.core.librarian.record import Event
from hearthnet.core.node import Record

BATCH = 500
"""Events that are made durable together."""


def write(records: Iterable[Record], folder: Path) -> None:
    """Put records into a new repository; LibrarianError when that is impossible."""
    library = Library(folder, SystemClock())
    try:
        for batch in batched(records, BATCH):
            library.write(
                [Event(r.message.event, r.data, r.signature, r.message) for r in batch]
            )
    finally:
        library.close()
