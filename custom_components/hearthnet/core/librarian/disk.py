"""What Git's own library does not do: make a batch durable, and heal after a crash.

libgit2 syncs nothing by default, and object by object when told to, which is
ten times slower than one `syncfs` for a batch. A process that is killed while
it moves a branch leaves the branch locked for ever.
"""

from collections.abc import Iterator
import ctypes
import fcntl
from hashlib import sha1
import os
from pathlib import Path
import time
import zlib

from ..files import replace, sync_folder
from ..killpoint import killpoint
from . import BlockedError, LibrarianError

KEPT_TIPS = 200
LOCK_PATIENCE = 5.0
"""How many seconds a lock of somebody else's git may stand in the way."""


def lock(folder: Path) -> int:
    """Make this process the repository's only librarian; return what holds that."""
    file = os.open(folder / "dewey.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(file)
        raise LibrarianError(f"{folder} has another librarian") from error
    return file


def unlock(file: int) -> None:
    """Let another process be the librarian."""
    os.close(file)


def sync_filesystem(folder: Path) -> None:
    """Make everything written to the folder's file system durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        if _syncfs is None:
            os.sync()
        elif _syncfs(descriptor):
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code))
    finally:
        os.close(descriptor)


def _load_syncfs() -> "ctypes._NamedFuncPointer | None":
    try:
        return ctypes.CDLL(None, use_errno=True).syncfs
    except (AttributeError, OSError):  # not Linux
        return None


_syncfs = _load_syncfs()


def write_ref(folder: Path, ref: str, *, old: str | None, new: str) -> None:
    """Move a ref, durably, by Git's protocol: lock, write, sync, rename, sync.

    Raises:
        BlockedError: it does not name `old`, or somebody's git keeps it locked.
    """
    path = folder / ref
    name = path.with_name(f"{path.name}.lock")
    deadline = time.monotonic() + LOCK_PATIENCE
    while True:
        try:
            file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
            break
        except FileExistsError:
            if time.monotonic() > deadline:
                raise BlockedError(f"{name} stays locked") from None
            time.sleep(0.02)
    killpoint()
    try:
        try:
            # A packed ref has no file; the librarian packs none itself.
            if old and path.exists() and path.read_text().strip() != old:
                raise BlockedError(f"{ref} was moved by something else")
            os.write(file, f"{new}\n".encode())
            killpoint()
            os.fsync(file)
        finally:
            os.close(file)
        killpoint()
        name.replace(path)
    except BaseException:
        name.unlink(missing_ok=True)
        raise
    killpoint()
    sync_folder(path.parent)


def remove_stale_locks(folder: Path) -> list[str]:
    """Remove what a killed librarian left; only under the repository's lock."""
    found = [
        *(folder / "refs").rglob("*.lock"),
        *(
            folder / f"{name}.lock"
            for name in ("HEAD", "packed-refs", "index", "config")
        ),
        *(folder / "objects").glob("??/tmp_object_git2_*"),
        *(folder / "objects").glob("tmp_object_git2_*"),
    ]
    removed = []
    for path in found:
        try:
            path.unlink()
        except FileNotFoundError:
            continue
        removed.append(path.relative_to(folder).as_posix())
    return removed


class Tips:
    """The branch's recent tips, to fall back on when the newest one is broken."""

    def __init__(self, path: Path) -> None:
        """Read the file, if there is one."""
        self._path = path
        try:
            lines = path.read_text(errors="replace").split("\n")
        except FileNotFoundError:
            lines = []
        self._tips = [line for line in lines if len(line) == 40 and line.isalnum()]
        self._file: int | None = None

    def __iter__(self) -> Iterator[str]:
        """Go through the tips, newest first."""
        return reversed(self._tips)

    def append(self, commit: str) -> None:
        """Note a tip; durable with the next sync of the file system."""
        if self._file is None or len(self._tips) > 5 * KEPT_TIPS:
            self.close()
            self._tips = self._tips[-KEPT_TIPS:]
            replace(self._path, "".join(f"{tip}\n" for tip in self._tips).encode())
            self._file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        os.write(self._file, f"{commit}\n".encode())
        self._tips.append(commit)

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def broken_objects(folder: Path) -> Iterator[Path]:
    """Yield the loose objects that are not what their names say.

    libgit2 must not be let near them: it reads one that was cut off for ever.
    """
    for path in (folder / "objects").glob("??/" + "?" * 38):
        try:
            data = zlib.decompress(path.read_bytes())
        except (OSError, zlib.error):
            data = b""
        # Git names objects so; nothing rests on SHA-1 being hard to forge.
        name = sha1(data, usedforsecurity=False).hexdigest()
        if name != path.parent.name + path.name:
            yield path


def remove_broken_objects(folder: Path) -> list[str]:
    """Remove loose objects that a power cut left empty or half-written.

    Git would take such a file for the object and never write it again.
    """
    broken = list(broken_objects(folder))
    for path in broken:
        path.unlink()
    return [path.parent.name + path.name for path in broken]


def free_space(folder: Path) -> int:
    """Return how many bytes are left for the librarian."""
    status = os.statvfs(folder)
    return status.f_bavail * status.f_frsize


def machine_boot() -> str:
    """Name the machine's present boot; another one may follow a power cut."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""
