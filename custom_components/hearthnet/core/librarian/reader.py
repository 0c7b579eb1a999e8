"""Reading the Git repository."""

from collections.abc import Iterable, Iterator
import json
from pathlib import Path
from typing import Any

import pygit2
from pygit2.enums import SortMode

from ..messages import Json
from . import LibrarianError
from .record import Event, from_commit

# libgit2 would keep up to 256 MB of objects that are seldom read again.
pygit2.settings.cache_max_size(8 * 2**20)
# On a share, or in a container, its folder may seem to be another user's.
pygit2.settings.owner_validation = False

BRANCH = "refs/heads/main"
START = "refs/tags/start"
"""Points at the first commit: its name is the repository's identity."""
UNREADABLE = (KeyError, ValueError, OSError, pygit2.GitError)
"""What pygit2 raises for a missing or damaged object or reference."""


class Reader:
    """Reads commits and state. Each thread needs its own."""

    def __init__(self, folder: Path) -> None:
        """Open the repository in `folder`."""
        self._folder = folder
        self._git = pygit2.Repository(str(folder))

    def event(self, commit: str) -> Event:
        """Return the event that a commit records.

        Raises:
            LibrarianError: there is no such commit, or it records none.
        """
        try:
            event = from_commit(self._commit(commit).raw_message)
        except UNREADABLE as error:
            raise LibrarianError(f"{commit}: {error}") from error
        if event is None:
            raise LibrarianError(f"{commit} records no event")
        return event

    def since(self, old: str | None, new: str) -> Iterator[tuple[str, Event | None]]:
        """Go through the commits after `old` up to `new`, oldest first.

        Raises:
            LibrarianError: a commit is damaged.
        """
        try:
            for name in self._between(old, pygit2.Oid(hex=new)):
                yield str(name), from_commit(self._commit(str(name)).raw_message)
        except UNREADABLE as error:
            raise LibrarianError(f"history is damaged: {error}") from error

    def _between(self, old: str | None, new: pygit2.Oid) -> Iterable[pygit2.Oid]:
        """Return the commits after `old` up to `new`, oldest first.

        History has no branches. So what lies before `old` is not looked at: libgit2's
        own walk would read it, and stop where it is damaged.
        """
        if old is None:
            walk = self._git.walk(new, SortMode.TOPOLOGICAL | SortMode.REVERSE)
            return (commit.id for commit in walk)
        names: list[pygit2.Oid] = []
        commit = self._commit(str(new))
        while str(commit.id) != old:
            names.append(commit.id)
            if not commit.parent_ids:
                break
            commit = self._commit(str(commit.parent_ids[0]))
        return reversed(names)

    def follows(self, new: str, old: str) -> bool:
        """Tell whether `old` is `new` or one of its ancestors."""
        if new == old:
            return True
        try:
            return self._git.descendant_of(pygit2.Oid(hex=new), pygit2.Oid(hex=old))
        except UNREADABLE:
            return False

    def value(self, path: str, commit: str) -> Json:
        """Return the value of a path as of a commit; None when it has none.

        Raises:
            LibrarianError: there is no such commit, or what it has is damaged.
        """
        try:
            tree = self._commit(commit).tree
        except UNREADABLE as error:
            raise LibrarianError(f"{commit}: {error}") from error
        if path not in tree:
            return None
        try:
            entry = tree[path]
            data = entry.data if isinstance(entry, pygit2.Blob) else None
        except UNREADABLE as error:
            raise LibrarianError(f"{path} as of {commit}: {error}") from error
        return None if data is None else decode(path, data)

    def _commit(self, name: str) -> pygit2.Commit:
        found = self._object(pygit2.Oid(hex=name))
        if not isinstance(found, pygit2.Commit):
            raise KeyError(name)
        return found

    def _object(self, name: pygit2.Oid) -> Any:
        """Return an object; pygit2's types know no kinds of objects."""
        return self._git[name]


def encode(path: str, value: Json) -> bytes:
    """Return what the state's file holds for a value."""
    if path.endswith(".json"):
        text = json.dumps(value, ensure_ascii=False, sort_keys=True, indent=1)
        return f"{text}\n".encode()
    if not isinstance(value, str):
        raise TypeError(f"{path} holds text only")
    return value.encode()


def decode(path: str, data: bytes) -> Json:
    """Return the value that the state's file holds."""
    if path.endswith(".json"):
        value: Json = json.loads(data)
        return value
    return data.decode()
