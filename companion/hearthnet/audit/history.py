"""Reading a repository for an audit: commits in order, their trees, `git fsck`."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
import os
from pathlib import Path
import shutil
import subprocess
from tempfile import TemporaryDirectory

import pygit2
from pygit2.enums import FileMode, SortMode

from hearthnet.core.keys import VerifyKey
from hearthnet.core.librarian.disk import broken_objects
from hearthnet.core.librarian.reader import BRANCH, UNREADABLE, decode, encode
from hearthnet.core.librarian.record import Event, author, from_commit, to_commit
from hearthnet.core.librarian.repository import ACKED, BEGINNING

from .findings import Finding, Rule
from .ledger import Ledger

_HEADERS = {b"tree", b"parent", b"author", b"committer"}


class _DamagedError(Exception):
    """An object is not what its name says; the text is its name."""


class UnreadableError(Exception):
    """There is no record to audit."""


@dataclass
class Audit:
    """What an audit found."""

    tip: str
    ledger: Ledger
    findings: list[Finding] = field(default_factory=list)
    """The first bad commit's first."""
    commits: int = 0
    fsck: str | None = None
    """What `git fsck` complains of, empty when it finds nothing; None: not run."""

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings and not self.fsck


def audit(
    folder: Path,
    trusted: Mapping[str, VerifyKey],
    chain: Sequence[Mapping[str, str]] = (),
    head: str | None = None,
) -> Audit:
    """Check a repository from its first commit to its last.

    `head` is a commit that the record is known to have had: a record that was cut
    back has it no more.

    Raises:
        UnreadableError: `folder` holds no record.
    """
    git, tip = opened(folder)
    place = Path(git.path)
    result = Audit(tip=tip, ledger=Ledger(trusted, chain), fsck=_fsck(place, tip))
    result.findings += _disguised(git)
    broken = {path.parent.name + path.name for path in broken_objects(place)}
    seen, name = head is None, tip
    try:
        if broken:
            _follow(git, tip, broken)
        for number, commit in enumerate(_walk(git, tip), 1):
            result.commits, name = number, str(commit.id)
            seen = seen or name == head
            result.findings += _check(number, commit, result.ledger, broken)
        result.findings += _account(result, git)
    except _DamagedError as error:
        text = f"the object {error} is damaged"
        name = str(error) if result.commits == 0 else name
        result.findings.append(Finding(result.commits, name, "", Rule.DAMAGED, text))
    except (*UNREADABLE, RecursionError) as error:
        text = f"{type(error).__name__}: {error}"
        result.findings.append(Finding(result.commits, name, "", Rule.DAMAGED, text))
    result.findings += result.ledger.end()
    if not seen:
        text = f"the record does not have {head} any more"
        result.findings.append(Finding(result.commits, tip, "", Rule.GAP, text))
    result.findings.sort()
    return result


def events(folder: Path) -> Iterator[tuple[str, Event]]:
    """Go through the events of a record, oldest first.

    Raises:
        UnreadableError: there is none, or a commit is damaged.
    """
    git, tip = opened(folder)
    try:
        for commit in _walk(git, tip):
            if (event := from_commit(commit.raw_message)) is not None:
                yield str(commit.id), event
    except UNREADABLE as error:
        raise UnreadableError(f"{folder} is damaged: {error}") from error


def opened(folder: Path) -> tuple[pygit2.Repository, str]:
    """Return a repository and its newest commit; UnreadableError if it is no record."""
    try:
        git = pygit2.Repository(str(folder))
    except UNREADABLE:
        text = "is no Git repository" if folder.exists() else "is not there"
        raise UnreadableError(f"{folder} {text}") from None
    if git.is_shallow:
        raise UnreadableError(f"{folder} is a shallow clone: clone all of it")
    try:
        return git, str(git.references[BRANCH].target)
    except KeyError:
        raise UnreadableError(f"{folder} has no branch main, so no record") from None
    except UNREADABLE as error:
        raise UnreadableError(f"{folder} is damaged: {error}") from error


def _walk(git: pygit2.Repository, tip: str) -> Iterator[pygit2.Commit]:
    order = SortMode.TOPOLOGICAL | SortMode.REVERSE
    return iter(git.walk(pygit2.Oid(hex=tip), order))


def _check(
    number: int, commit: pygit2.Commit, ledger: Ledger, broken: Collection[str]
) -> Iterator[Finding]:
    name, event = str(commit.id), from_commit(commit.raw_message)

    def found(rule: str, text: str) -> Finding:
        return Finding(number, name, str(event.id) if event else "", rule, text)

    if len(commit.parent_ids) != (0 if number == 1 else 1):
        yield found(Rule.FORKED, f"it has {len(commit.parent_ids)} parents")
        return
    if number == 1 or event is None:
        ledger.knows(name)
        if number > 1:
            yield found(Rule.TEXT, "it records no event")
        elif not _begins(commit):
            yield found(Rule.TREE, "no record begins so")
        return
    if not _made(commit, event):
        yield found(Rule.TEXT, "author or headers are not those of the message")
    if to_commit(event).encode(errors="surrogateescape") != commit.raw_message:
        yield found(Rule.TEXT, "subject or trailers are not those of the message")
    yield from ledger.take(number, name, event)
    for damaged in _reads(commit, event, broken) if broken else ():
        raise _DamagedError(damaged)
    # After the ledger: what it learns of positions is what the account must say.
    for text in _tree(commit, event, ledger):
        yield found(Rule.TREE, text)


def _tree(commit: pygit2.Commit, event: Event, ledger: Ledger) -> Iterator[str]:
    """Yield how the tree differs from what the event makes of the one before."""
    tree, before = commit.tree, commit.parents[0].tree if commit.parents else None
    writes = event.writes
    for path, value in writes.items():
        there = _entry(tree, path)
        if value is None or there is None:
            same = value is None and there is None
        else:
            blob = pygit2.hash(encode(path, value))
            same = (there.id, there.filemode) == (blob, FileMode.BLOB)
        if not same:
            yield f"{path} is not what the event writes"
    if before is None or tree.id == before.id:
        return
    changed = {
        file.path
        for delta in before.diff_to_tree(tree).deltas
        for file in (delta.old_file, delta.new_file)
    }
    if ACKED in changed:
        changed.discard(ACKED)
        yield from _acked(tree, ledger)
    for path in sorted(changed - writes.keys()):
        yield f"{path} changed, and the event does not write it"


def _acked(tree: pygit2.Tree, ledger: Ledger) -> Iterator[str]:
    last = {node: list(position) for node, position in ledger.nodes.last.items()}
    blob = _entry(tree, ACKED)
    if (
        not isinstance(blob, pygit2.Blob)
        or blob.filemode != FileMode.BLOB
        or decode(ACKED, blob.data) != last
    ):
        yield f"{ACKED} does not name the last events"


def _account(result: Audit, git: pygit2.Repository) -> Iterator[Finding]:
    """Check the account at the tip: a librarian moves its branch to none without."""
    commit = git[result.tip].peel(pygit2.Commit)
    event = from_commit(commit.raw_message)
    for text in _acked(commit.tree, result.ledger):
        name = str(event.id) if event else ""
        yield Finding(result.commits, result.tip, name, Rule.TREE, text)


def _disguised(git: pygit2.Repository) -> Iterator[Finding]:
    """Yield what makes `git log` show something else than the record."""
    for name in git.references:
        if name.startswith("refs/replace/"):
            text = f"{name} makes git show another object in its place"
            yield Finding(0, name.rpartition("/")[2], "", Rule.DAMAGED, text)
    if (Path(git.path) / "info" / "grafts").exists():
        text = "info/grafts makes git show other parents"
        yield Finding(0, "", "", Rule.DAMAGED, text)


def _entry(tree: pygit2.Tree, path: str) -> pygit2.Object | None:
    try:
        return tree[path]
    except KeyError:
        return None


def _begins(commit: pygit2.Commit) -> bool:
    """Tell whether a commit is a record's first, with an account of no events."""
    (*files,) = commit.tree
    return (
        commit.raw_message.startswith(BEGINNING.encode())
        and [file.name for file in files] == [ACKED]
        and files[0].id == pygit2.hash(encode(ACKED, {}))
    )


def _made(commit: pygit2.Commit, event: Event) -> bool:
    """Tell whether a commit is signed off as the librarian does, and has no more."""
    name, email, at = author(event)
    who = commit.author
    headers = commit.read_raw().partition(b"\n\n")[0].split(b"\n")
    return (
        {line.partition(b" ")[0] for line in headers} == _HEADERS
        and (who.name, who.email, who.offset) == (name, email, 0)
        and (at is None or who.time == max(0, int(at)))
        and (commit.committer.name, commit.committer.email) == ("Dewey", "dewey")
    )


def _follow(git: pygit2.Repository, tip: str, broken: Collection[str]) -> None:
    """Go back from the tip; _DamagedError names the first commit that is broken."""
    names = [tip]
    while names:
        name = names[0]
        if name in broken:
            raise _DamagedError(name)
        names = [str(parent) for parent in git[name].peel(pygit2.Commit).parent_ids]


def _reads(
    commit: pygit2.Commit, event: Event, broken: Collection[str]
) -> Iterator[str]:
    """Yield the objects that checking a commit's tree reads, if they are broken."""
    yield from {str(commit.tree_id)} & set(broken)
    for path in (ACKED, *event.writes):
        tree = commit.tree
        *folders, name = path.split("/")
        for step in folders:
            if step not in tree:
                break
            yield from {str(tree[step].id)} & set(broken)
            tree = tree[step].peel(pygit2.Tree)
        else:
            if name in tree:
                yield from {str(tree[name].id)} & set(broken)


def _fsck(place: Path, tip: str) -> str | None:
    """Let Git check all objects and what leads to the tip.

    From a folder of our own, so that neither the record's settings nor who owns it
    nor the environment has a say. While a librarian packs what it looks at, Git may
    miss something; then it looks again.
    """
    if (program := shutil.which("git")) is None:
        return None
    while True:
        packs = _packs(place)
        found = _fsck_once(program, place, tip)
        if not found or packs == _packs(place):
            return found


def _packs(place: Path) -> set[str]:
    return {path.name for path in (place / "objects/pack").glob("*.pack")}


def _fsck_once(program: str, place: Path, tip: str) -> str:
    with TemporaryDirectory(prefix="hearthnet-fsck-") as folder:
        pygit2.init_repository(folder, bare=True)
        kept = {n: v for n, v in os.environ.items() if not n.startswith("GIT_")}
        own = {
            "GIT_DIR": folder,
            "GIT_OBJECT_DIRECTORY": str((place / "objects").absolute()),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "LC_ALL": "C",
        }
        done = subprocess.run(  # noqa: S603 - reads only
            [program, "fsck", "--full", "--strict", "--no-dangling", tip],
            env={**kept, **own},
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    return "" if done.returncode == 0 else (done.stderr or done.stdout).strip()
