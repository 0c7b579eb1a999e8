"""Dewey, the librarian: records all coordination in a Git repository.

It issues no command, holds no device credential, and nothing waits for it. It
runs in its own process: pygit2 keeps the interpreter's lock while it waits for
the disk, and a crash in C must not take Home Assistant down.
"""


class LibrarianError(Exception):
    """The librarian cannot record, or cannot answer; the text says why."""


class BlockedError(LibrarianError):
    """Something else's git is in the way; opening the repository anew may help."""
