"""A damaged file is named with what is wrong, and keeps nobody from another try."""

from pathlib import Path

import pytest

from hearthnet.core.clock import ManualClock
from hearthnet.core.journal import Journal, JournalError
from hearthnet.core.keys import KeyFileError, SigningKey
from hearthnet.core.librarian import repository
from hearthnet.core.node import Node
from hearthnet.core.paths import device_path
from hearthnet.core.restart import Startup
from tests.core.records import entry, event, fsck, git, hello, library
from tests.core.test_service import served


def open_node(folder: Path) -> Node:
    return Node(
        name="hub",
        folder=folder / "journal",
        key=SigningKey(b"k" * 32),
        clock=ManualClock(),
    )


@pytest.mark.parametrize("content", [b"", b"k" * 31, b"k" * 33])
def test_a_key_file_that_holds_no_key(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "key"
    path.write_bytes(content)
    with pytest.raises(KeyFileError, match=r"key: .*restore the file, or delete it"):
        SigningKey.load_or_create(path, b"s" * 32)
    assert path.read_bytes() == content


def test_a_key_that_a_power_cut_kept_from_being_written(tmp_path: Path) -> None:
    """Nobody has ever used it."""
    path = tmp_path / "key"
    path.with_name("key.new").write_bytes(b"s" * 7)
    made = SigningKey.load_or_create(path, b"s" * 32)
    assert SigningKey.load_or_create(path, b"t" * 32).public == made.public
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "text",
    [
        *("", "null", "[1]", "{}", '{"commit":1}', "[" * 100_000),
        '{"commit":null,"position":[],"paths":{}}',
        '{"commit":null,"position":{"hub":1},"paths":{}}',
        '{"commit":null,"position":{},"paths":{"a":["x",1]}}',
    ],
)
async def test_a_damaged_checkpoint(tmp_path: Path, text: str) -> None:
    node = open_node(tmp_path)
    await node.sync()
    await node.close()
    checkpoint = tmp_path / "journal" / "checkpoint.json"
    checkpoint.write_text(text)
    for _ in range(2):
        with pytest.raises(JournalError, match="checkpoint"):
            open_node(tmp_path)
    checkpoint.unlink()
    assert open_node(tmp_path).boot == 2


async def test_a_record_that_breaks_the_schema(tmp_path: Path) -> None:
    """Its checksum is right: somebody wrote it by hand, or another version did."""
    journal = Journal(tmp_path / "journal")
    journal.begin(1)
    journal.append(b'{"id":"hub.1.1"}', None)
    await journal.sync()
    await journal.close()
    with pytest.raises(JournalError, match=r"1\.1: from.*newer HearthNet"):
        open_node(tmp_path)


async def test_a_record_before_the_checkpoint_that_breaks_the_schema(
    tmp_path: Path,
) -> None:
    """The view does not need it, but what is left over from before is read too."""
    journal = Journal(tmp_path / "journal")
    journal.begin(1)
    journal.append(b'{"id":"hub.1.1"}', None)
    await journal.sync()
    journal.purge([], {"commit": None, "position": {"hub": [1, 1]}, "paths": {}})
    await journal.close()
    node = open_node(tmp_path)
    await node.sync()
    with pytest.raises(JournalError, match=r"1\.1: from"):
        Startup.read(node)
    await node.close()


@pytest.mark.parametrize("content", ["garbage", "ref: refs/heads/other\n", "0" * 40])
def test_a_damaged_head_is_mended(tmp_path: Path, content: str) -> None:
    """Dewey does not need it, but the owner's git finds no repository without it."""
    folder = tmp_path / "r"
    with library(folder) as opened:
        opened.write([event("hub.1.1")])
    (folder / "HEAD").write_text(content)
    with library(folder) as opened:
        assert any("HEAD" in told for told in opened.repository.healed)
    fsck(folder)
    assert len(git(folder, "log", "--oneline").splitlines()) == 2


@pytest.mark.parametrize("kind", ["blob", "tree", "commit"])
async def test_a_damaged_object_is_told_and_stops_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """A disk returns zeros where the record of last year was.

    Of the newest commits Dewey makes sure at each start, and goes back before them.
    """
    monkeypatch.setattr(repository, "CHECKED", 1)
    path = device_path("lamp")
    hub = [
        hello("hub.1.1", [0, 0]),
        *(entry(f"hub.1.{n}", writes={path: {"n": n}}) for n in range(2, 6)),
    ]
    wrong = {"blob": {"state"}, "tree": {"state"}, "commit": {"state", "event"}}[kind]
    async with served(tmp_path) as peer:
        peer.log(*hub)
        await peer.durable("hub", 1, 5)
        old = (await peer.ask("event", event="hub.1.3"))["result"]["commit"]
    name = {"blob": f"{old}:{path}", "tree": f"{old}^{{tree}}", "commit": old}[kind]
    found = git(tmp_path, "rev-parse", name).strip()
    broken = tmp_path / "objects" / found[:2] / found[2:]
    broken.chmod(0o600)
    broken.write_bytes(bytes(len(broken.read_bytes())))
    async with served(tmp_path) as peer:
        for what, args in (
            ("state", {"paths": [path], "at": old}),
            ("event", {"event": "hub.1.3"}),
        ):
            answer = await peer.ask(what, **args)
            assert ("error" in answer) == (what in wrong), answer
        now = (await peer.ask("state", paths=[path]))["result"]
        assert now == {path: ["hub.1.5", {"n": 5}]}
        assert len((await peer.ask("timeline"))["result"]) == 5
