"""The Git repository: one commit an event, the state in its tree.

One writer, always. A batch is made durable before its branch moves, and the
branch moves before anything is acknowledged.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from pathlib import Path
import secrets
from typing import Any

import pygit2
from pygit2.enums import FileMode

from ..clock import Clock
from ..files import make_folder, replace
from ..killpoint import killpoint
from ..messages import Json, Position
from . import LibrarianError, disk
from .reader import BRANCH, START, UNREADABLE, Reader, encode
from .record import Event, author, to_commit

ACKED = "acked.json"
CHECKED = 200
"""How many of the newest commits are read at start."""
MIN_FREE = 100 * 2**20
"""Bytes that are left to the rest of the machine."""
_SETTINGS = {
    # gc locks branches while it runs; packing is done apart, without locks.
    "gc.auto": "0",
    "maintenance.auto": "false",
    "core.fsync": "all",
}

BEGINNING = "Begin the record"
"""How the first commit's text begins; its tree has an account of no events."""

type _Changes = dict[str, "pygit2.Oid | _Changes | None"]


class Repository(Reader):
    """The repository, opened for writing by the only process that does so."""

    _tip: pygit2.Oid
    _tree: pygit2.Oid

    def __init__(self, folder: Path, clock: Clock, min_free: int = MIN_FREE) -> None:
        """Open the repository, or make one; heal what a crash left.

        Raises:
            LibrarianError: it is in use, not HearthNet's, or beyond repair.
        """
        if (folder / ".git").exists():
            raise LibrarianError(f"{folder} is a working copy; Dewey needs a bare one")
        make_folder(folder / "hearthnet")
        self._clock = clock
        self._min_free = min_free
        self.healed: list[str] = []
        """What was repaired at start, in words."""
        self._held = disk.lock(folder)
        self._tips = disk.Tips(folder / "hearthnet" / "tips")
        try:
            self._open(folder)
        except BaseException:
            self.close()
            raise

    @property
    def tip(self) -> str:
        """The newest commit."""
        return str(self._tip)

    def close(self) -> None:
        """Let another process write."""
        self._tips.close()
        disk.unlock(self._held)

    def acked(self) -> dict[str, Position]:
        """Return per node the last event of the tree's own account."""
        data = self.value(ACKED, self.tip)
        if not isinstance(data, dict):
            raise LibrarianError(f"{ACKED} is damaged")
        positions: dict[str, Any] = data
        return {node: (boot, seq) for node, (boot, seq) in positions.items()}

    def record(self, events: list[Event], acked: Mapping[str, Position]) -> list[str]:
        """Commit events, one each, and return their commits once all are durable.

        `acked` is each node's last event including these. It is written with
        the batch's last commit; the batch becomes visible as a whole.

        Raises:
            LibrarianError: nothing was recorded.
        """
        if disk.free_space(self._folder) < self._min_free:
            raise LibrarianError(f"less than {self._min_free >> 20} MiB free")
        tree, tip = self._tree, self._tip
        commits = []
        try:
            for event in events:
                changes = dict(event.writes)
                if event is events[-1]:
                    changes[ACKED] = {n: list(p) for n, p in acked.items()}
                tree = self._write(tree, changes)
                tip = self._create(event, tree, tip)
                commits.append(str(tip))
                killpoint()
            self._tips.append(str(tip))
            disk.sync_filesystem(self._folder)
            killpoint()
            disk.write_ref(self._folder, BRANCH, old=self.tip, new=str(tip))
        except UNREADABLE as error:
            raise LibrarianError(f"cannot write: {error}") from error
        killpoint()
        self._tree, self._tip = tree, tip
        return commits

    # Opening

    def _open(self, folder: Path) -> None:
        head, right = folder / "HEAD", f"ref: {BRANCH}\n".encode()
        if head.exists() and (found := head.read_bytes()) != right:
            # Nothing else reads it here, but without it the folder is none to git.
            replace(head, right)
            if found:  # else the machine died while the repository was made
                self.healed.append(f"HEAD named {BRANCH} no more")
        pygit2.init_repository(str(folder), bare=True, initial_head="main")
        super().__init__(folder)
        config = self._git.config
        for name, value in _SETTINGS.items():
            if name not in config or config[name] != value:
                config[name] = value
        if locks := disk.remove_stale_locks(folder):
            self.healed.append(f"removed {len(locks)} locks of a killed process")
        boot_file = folder / "hearthnet" / "machine_boot"
        boot = disk.machine_boot().encode()
        if not boot_file.exists() or boot_file.read_bytes() != boot:
            self._heal_objects()
            disk.sync_filesystem(folder)
            replace(boot_file, boot)
        self._adopt(self._find_tip())
        self.id = self._identity()
        # A last batch may have been visible before it was durable.
        disk.sync_filesystem(folder)

    def _adopt(self, tip: pygit2.Oid) -> None:
        self._tip = tip
        self._tree = self._commit(str(tip)).tree.id

    def _find_tip(self) -> pygit2.Oid:
        """Return the branch's tip; when it is broken, the newest that is whole."""
        named: str | None
        try:
            named = str(self._git.references[BRANCH].target)
        except UNREADABLE:
            named = None
        if named and self._whole(named):
            return pygit2.Oid(hex=named)
        tips = list(self._tips)
        if not tips and named is None and not self._git.references.objects:
            return self._begin()
        self._heal_objects()
        for tip in tips:
            if tip != named and self._whole(tip):
                disk.write_ref(self._folder, BRANCH, old=None, new=tip)
                self.healed.append(f"the newest commit was damaged: back at {tip}")
                return pygit2.Oid(hex=tip)
        raise LibrarianError(f"{self._folder}: no whole commit among the last ones")

    def _begin(self) -> pygit2.Oid:
        tree = self._write(None, {ACKED: {}})
        dewey = self._person("Dewey", "dewey", None)
        # The random part makes the first commit, hence the repository, unique.
        text = f"{BEGINNING}\n\nRepository: {secrets.token_hex(16)}\n"
        tip = self._git.create_commit(None, dewey, dewey, text, tree, [])
        self._tips.append(str(tip))
        disk.sync_filesystem(self._folder)
        killpoint()
        disk.write_ref(self._folder, BRANCH, old=None, new=str(tip))
        return tip

    def _identity(self) -> str:
        """Return the name of the first commit, which a clone has too."""
        if START in self._git.references:
            return str(self._git.references[START].target)
        (first,) = deque(self._git.walk(self._tip), maxlen=1)
        if not first.message.startswith(BEGINNING):
            raise LibrarianError(
                f"{self._folder} is a Git repository of something else"
            )
        disk.write_ref(self._folder, START, old=None, new=str(first.id))
        return str(first.id)

    def _whole(self, tip: str) -> bool:
        """Read the newest commits and all of the state."""
        try:
            commit = self._commit(tip)
            _read_all(commit.tree)
            for _ in range(CHECKED):
                if not commit.parents:
                    break
                commit = commit.parents[0]
                len(commit.tree)
        except UNREADABLE:
            return False
        return True

    def _heal_objects(self) -> None:
        if broken := disk.remove_broken_objects(self._folder):
            self.healed.append(f"removed {len(broken)} half-written objects")

    # Writing

    def _write(self, tree: pygit2.Oid | None, values: Mapping[str, Json]) -> pygit2.Oid:
        """Return the tree with `values` put in; None deletes."""
        if not values and tree:
            return tree
        changes: _Changes = {}
        for path, value in values.items():
            *folders, name = path.split("/")
            folder: Any = changes
            for step in folders:
                folder = folder.setdefault(step, {})
            blob = None
            if value is not None:
                blob = self._git.create_blob(encode(path, value))
            folder[name] = blob
        return self._graft(tree, changes)

    def _graft(self, tree: pygit2.Oid | None, changes: _Changes) -> pygit2.Oid:
        builder = self._git.TreeBuilder(*[self._object(tree)] if tree else [])
        for name, change in changes.items():
            old = builder.get(name)
            if isinstance(change, dict):
                grafted = self._graft(old.id if old else None, change)
                if len(self._object(grafted)):
                    builder.insert(name, grafted, FileMode.TREE)
                elif old:
                    builder.remove(name)
            elif change is not None:
                builder.insert(name, change, FileMode.BLOB)
            elif old:
                builder.remove(name)
        return builder.write()

    def _create(self, event: Event, tree: pygit2.Oid, parent: pygit2.Oid) -> pygit2.Oid:
        return self._git.create_commit(
            None,
            self._person(*author(event)),
            self._person("Dewey", "dewey", None),
            to_commit(event),
            tree,
            [parent],
        )

    def _person(self, name: str, email: str, at: float | None) -> pygit2.Signature:
        moment = self._clock.now().timestamp() if at is None else at
        # Git takes no moment before 1970.
        return pygit2.Signature(name, email, max(0, int(moment)), 0)


def _read_all(tree: Iterable[pygit2.Object]) -> None:
    for entry in tree:
        if isinstance(entry, pygit2.Tree):
            _read_all(entry)
        elif isinstance(entry, pygit2.Blob):
            entry.data  # noqa: B018 - reading it checks it
