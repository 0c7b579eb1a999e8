"""Files that a command writes because somebody asked for them."""

import errno
import os
from pathlib import Path


def write(path: Path, text: str) -> None:
    """Write a text; OSError names the file, also when the disk is full."""
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        error.filename = str(path)
        raise


def check(path: Path) -> None:
    """Raise OSError if a file cannot be written, before hours of work for it."""
    if path.is_dir():
        number = errno.EISDIR
    elif not (place := path if path.exists() else path.parent).exists():
        number = errno.ENOENT
    elif not os.access(place, os.W_OK):
        number = errno.EACCES
    else:
        return
    raise OSError(number, os.strerror(number), str(path))
