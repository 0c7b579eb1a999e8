"""Files that survive a power cut."""

import os
from pathlib import Path

datasync = getattr(os, "fdatasync", os.fsync)
"""Make a file's data durable; macOS has no cheaper way than a full fsync."""


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable: a new file is lost without its name."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_folder(folder: Path) -> None:
    """Create a folder and its parents, durably."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    sync_folder(folder.parent)


def replace(path: Path, data: bytes) -> None:
    """Give `path` new content: after a crash it has either the old or the new."""
    new = path.with_name(f"{path.name}.new")
    with new.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
    sync_folder(path.parent)
