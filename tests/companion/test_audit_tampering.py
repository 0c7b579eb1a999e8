"""Tampering with a record, at random: the audit finds it, at the very commit."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from inspect import isfunction
import json
from pathlib import Path
import shutil
import subprocess
from typing import Any

from hypothesis import given, settings
from hypothesis.strategies import DataObject, data, integers, sampled_from
import pygit2
from pygit2.enums import FileMode, ObjectType, SortMode
import pytest

from hearthnet.core.keys import SigningKey
from hearthnet.core.librarian.record import Event, from_commit, to_commit
from hearthnet.core.messages import Message

from .test_audit import good, look  # noqa: F401 - a fixture

STRANGER = SigningKey(bytes(range(1, 33)))


@dataclass
class Written:
    """A commit, taken apart."""

    text: bytes
    tree: bytes
    author: bytes
    committer: bytes
    parents: list[int] | None = None
    """Places of other parents than the one before."""
    more: bytes = b""
    """A header more."""


def taken_apart(git: pygit2.Repository, tip: pygit2.Oid | str) -> list[Written]:
    """Return the commits of a record, oldest first."""
    order = SortMode.TOPOLOGICAL | SortMode.REVERSE
    found = []
    for commit in git.walk(tip, order):
        head, _, text = commit.read_raw().partition(b"\n\n")
        lines = dict(line.split(b" ", 1) for line in head.split(b"\n"))
        tree, author, committer = (
            lines[name] for name in (b"tree", b"author", b"committer")
        )
        found.append(Written(text, tree, author, committer))
    return found


def put_together(git: pygit2.Repository, commits: list[Written]) -> list[str]:
    """Write commits one after another, and move the branch; return their names."""
    names: list[str] = []
    for number, commit in enumerate(commits):
        before = [number - 1] if number else []
        parents = before if commit.parents is None else commit.parents
        lines = [
            b"tree " + commit.tree,
            *(b"parent " + names[parent].encode() for parent in parents),
            b"author " + commit.author,
            b"committer " + commit.committer,
            *([commit.more] if commit.more else []),
        ]
        raw = b"\n".join(lines) + b"\n\n" + commit.text
        names.append(str(git.write(ObjectType.COMMIT, raw)))
    git.references.create("refs/heads/main", names[-1], force=True)
    return names


def resaid(text: bytes, edit: Callable[[Event], Event]) -> bytes:
    """Return a commit's text with another event in it."""
    event = from_commit(text)
    assert event is not None
    return to_commit(edit(event)).encode()


def leaves(value: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return all places of plain values in a message."""
    if isinstance(value, dict):
        return [p for name, item in value.items() for p in leaves(item, (*place, name))]
    if isinstance(value, list):
        return [p for n, item in enumerate(value) for p in leaves(item, (*place, n))]
    return [place]


def altered(event: Event, draw: DataObject, key: SigningKey | None) -> Event:
    """Return an event of which one value is another, signed anew or not."""
    message = json.loads(event.data)
    places = [p for p in leaves(message) if p[0] not in ("id", "from", "to", "type")]
    *folders, name = draw.draw(sampled_from(places))
    inner = message
    for step in folders:
        inner = inner[step]
    old = inner[name]
    if name in ("at", "expires_at") and not folders:
        inner[name] = f"2031{old[4:]}"
    elif name in ("cause", "intent", "task", "lease", "base_commit") and not folders:
        inner[name] = "hub.9.9"
    else:
        inner[name] = "else" if isinstance(old, str) else "0"
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
    signature = event.signature if key is None else key.sign(text)
    return Event(event.id, text, signature, Message.decode(text))


@dataclass
class Hand:
    """Whoever owns the disk, at work."""

    git: pygit2.Repository
    commits: list[Written]
    draw: DataObject
    n: int
    """Where it begins."""
    other: int
    """A later place."""

    @property
    def one(self) -> Written:
        return self.commits[self.n]

    @property
    def two(self) -> Written:
        return self.commits[self.other]

    def drop(self) -> None:
        del self.commits[self.n]

    def double(self) -> int:
        self.commits.insert(self.other, replace(self.one))
        return self.other

    def swap(self) -> None:
        self.commits[self.n], self.commits[self.other] = self.two, self.one

    def alter(self) -> None:
        self.one.text = resaid(self.one.text, lambda e: altered(e, self.draw, None))

    def sign_anew(self) -> None:
        self.one.text = resaid(self.one.text, lambda e: altered(e, self.draw, STRANGER))

    def swap_signatures(self) -> None:
        first, second = from_commit(self.one.text), from_commit(self.two.text)
        assert first is not None
        assert second is not None
        mine, theirs = first.signature, second.signature
        self.one.text = to_commit(replace(first, signature=theirs)).encode()
        self.two.text = to_commit(replace(second, signature=mine)).encode()

    def author(self) -> None:
        moment = self.one.author.partition(b">")[2]
        self.one.author = b"Mallory <m@hub>" + moment

    def time(self) -> None:
        self.one.author = self.one.author.rpartition(b">")[0] + b"> 1 +0000"

    def committer(self) -> None:
        self.one.committer = b"Mallory <m@hub> 1 +0000"

    def trailer(self) -> None:
        self.one.text = self.one.text.replace(b"\nType: ", b"\nType: not-", 1)

    def subject(self) -> None:
        self.one.text = b"Nothing happened. " + self.one.text

    def header(self) -> None:
        self.one.more = b"encoding x-none"

    def policy(self) -> None:
        for commit in self.commits[self.n :]:
            commit.tree = self._with(commit.tree, "policy.yaml", b"rules: []\n")

    def mode(self) -> None:
        tree: Any = self.git[self.one.tree.decode()]
        name, content = "acked.json", tree["acked.json"].data
        executable = FileMode.BLOB_EXECUTABLE
        self.one.tree = self._with(self.one.tree, name, content, executable)

    def file(self) -> None:
        self.one.tree = self._with(self.one.tree, "note.txt", b"x")

    def first_files(self) -> int:
        for commit in self.commits:
            commit.tree = self._with(commit.tree, "note.txt", b"x")
        return 0

    def parents(self) -> None:
        self.one.parents = [self.n - 1, 0]

    def _with(
        self, tree: bytes, name: str, content: bytes, mode: FileMode = FileMode.BLOB
    ) -> bytes:
        """Return a tree with one file more, or another one."""
        builder = self.git.TreeBuilder(tree.decode())
        builder.insert(name, self.git.create_blob(content), mode)
        return str(builder.write()).encode()


WAYS = sorted(
    name for name, way in vars(Hand).items() if name[0] != "_" and isfunction(way)
)


@pytest.fixture(scope="module")
def packed(good: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:  # noqa: F811
    """The good record in one pack, for others to borrow from."""
    git = shutil.which("git")
    assert git is not None
    folder = tmp_path_factory.mktemp("packed") / "record"
    subprocess.run([git, "clone", "-q", "--mirror", good.as_uri(), folder], check=True)
    return folder


@pytest.mark.parametrize("way", WAYS)
@given(data())
@settings(max_examples=6, deadline=None)
def test_whatever_its_disks_owner_does(
    packed: Path, tmp_path_factory: pytest.TempPathFactory, way: str, draw: DataObject
) -> None:
    folder = tmp_path_factory.mktemp("tampered")
    git = pygit2.init_repository(str(folder), bare=True)
    borrowed = folder / "objects" / "info" / "alternates"
    borrowed.parent.mkdir(exist_ok=True)
    borrowed.write_text(f"{packed / 'objects'}\n", "utf-8")
    git = pygit2.Repository(str(folder))
    commits = taken_apart(git, pygit2.Repository(str(packed)).head.target)
    n = draw.draw(integers(1, len(commits) - 2))
    other = draw.draw(integers(n + 1, len(commits) - 1))
    where = getattr(Hand(git, commits, draw, n, other), way)()
    names = put_together(git, commits)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hearthnet.audit.history._fsck", lambda *_: "")
        found = look(folder).findings
    shutil.rmtree(folder)
    assert found
    assert found[0].commit == names[n if where is None else where], found[0]
