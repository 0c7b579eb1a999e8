"""The index answers what history would, and can always be made again from it."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
import sqlite3
from typing import Any

from hypothesis import HealthCheck, given, settings, strategies as st
import pytest

from hearthnet.core.librarian import BlockedError, LibrarianError
from hearthnet.core.librarian.answers import Answers, index_path
from hearthnet.core.librarian.library import Library
from hearthnet.core.librarian.record import Event
from hearthnet.core.messages import EventId, MessageType
from hearthnet.core.paths import device_path
from hearthnet.core.view import View
from tests.core.records import KEY, check_gapless, event, library

LAMP, FAN = device_path("lamp"), device_path("fan")


@contextmanager
def answers(folder: Path) -> Iterator[Answers]:
    opened = Answers(folder)
    try:
        yield opened
    finally:
        opened.close()


def story(opened: Library) -> dict[str, str]:
    """Record one intent from its words to its receipt, and things beside it."""
    intent: dict[str, Any] = {"intent": "hub.1.1"}
    grant = {
        "target": ["lamp"],
        "operation": "light.turn_on",
        "reads": {LAMP: "hub.1.4", FAN: None, "policy.yaml": "hub.1.9"},
    }
    return opened.write(
        [
            event("hub.1.1", type=MessageType.INTENT, content="Light 100 % please"),
            event(
                "hub.1.2", type=MessageType.TASK, body={"target": ["lamp"]}, **intent
            ),
            event("phone.3.1", content="The phone woke up."),
            event("hub.1.3", type=MessageType.PROPOSAL, task="hub.1.2", **intent),
            event("hub.1.4", writes={LAMP: {"on": False}, FAN: 1}),
            event(
                "hub.1.5",
                type=MessageType.GRANT,
                signature=b"s" * 64,
                body=grant,
                cause="hub.1.3",
                **intent,
            ),
            event(
                "hub.1.6",
                type=MessageType.RECEIPT,
                lease="hub.1.5",
                body={"target": ["lamp"], "outcome": "changed"},
                writes={LAMP: {"on": True}},
                **intent,
            ),
            event("hub.1.7", writes={FAN: None}, content="100_ of fans are gone"),
            Event(EventId("phone", 3, 2), b"{", None, None, "not JSON"),
        ]
    )


def names(rows: list[dict[str, Any]]) -> list[str]:
    return [row["id"] for row in rows]


def test_timeline(tmp_path: Path) -> None:
    with library(tmp_path) as opened, answers(tmp_path) as asked:
        commits = story(opened)
        rows = asked.timeline()
        assert names(rows) == list(reversed(commits))
        assert {row["id"]: row["commit"] for row in rows} == commits
        assert rows[0]["type"] == "quarantined"
        assert rows[0]["problem"] == "not JSON"
        assert rows[2]["devices"] == ["lamp"]
        assert rows[2]["outcome"] == "changed"
        assert rows[2]["lease"] == "hub.1.5"

        def ask(**filters: Any) -> list[str]:
            return names(asked.timeline(**filters))

        assert ask(limit=2) == ["phone.3.2", "hub.1.7"]
        assert ask(limit=2, before="hub.1.7") == ["hub.1.6", "hub.1.5"]
        assert ask(before="hub.9.9") == []
        assert ask(device="lamp") == ["hub.1.6", "hub.1.5", "hub.1.4", "hub.1.2"]
        assert ask(device="lamp", before="hub.1.5") == ["hub.1.4", "hub.1.2"]
        assert ask(intent="hub.1.1", type="task") == ["hub.1.2"]
        assert ask(lease="hub.1.5") == ["hub.1.6", "hub.1.5"]
        assert ask(text="light") == ["hub.1.1"]
        assert ask(text="100 %") == ["hub.1.1"]
        assert ask(text="100_") == ["hub.1.7"]
        assert ask(device="fan", text="fans") == ["hub.1.7"]


def test_chain_and_event(tmp_path: Path) -> None:
    with library(tmp_path) as opened, answers(tmp_path) as asked:
        commits = story(opened)
        chain = asked.ask("chain", {"intent": "hub.1.1"})
        assert names(chain) == ["hub.1.1", "hub.1.2", "hub.1.3", "hub.1.5", "hub.1.6"]
        grant = asked.ask("event", {"event": "hub.1.5"})
        assert grant["message"]["body"]["operation"] == "light.turn_on"
        assert bytes.fromhex(grant["signature"]) == b"s" * 64
        assert grant["commit"] == commits["hub.1.5"]
        assert asked.ask("event", {"event": "phone.3.2"})["message"] is None


def test_explain_names_what_was_read_and_what_came_after(tmp_path: Path) -> None:
    with library(tmp_path) as opened, answers(tmp_path) as asked:
        commits = story(opened)
        told = asked.ask("explain", {"event": "hub.1.6"})
        assert told["event"]["id"] == "hub.1.6"
        assert len(told["chain"]) == 5
        assert told["reads"] == [
            {
                "path": LAMP,
                "version": "hub.1.4",
                "commit": commits["hub.1.4"],
                "newest": "hub.1.6",
                "newest_commit": commits["hub.1.6"],
            },
            {
                "path": FAN,
                "version": None,
                "commit": None,
                "newest": "hub.1.7",
                "newest_commit": commits["hub.1.7"],
            },
            {
                "path": "policy.yaml",
                "version": "hub.1.9",
                "commit": None,
                "newest": None,
                "newest_commit": None,
            },
        ]
        alone = asked.ask("explain", {"event": "hub.1.7"})
        assert names(alone["chain"]) == ["hub.1.7"]
        assert asked.ask("explain", {"event": "phone.3.2"})["reads"] == []


def test_state_now_and_then(tmp_path: Path) -> None:
    with library(tmp_path) as opened, answers(tmp_path) as asked:
        commits = story(opened)
        assert asked.ask("state", {}) == {
            LAMP: ["hub.1.6", {"on": True}],
            FAN: ["hub.1.7", None],
        }
        assert asked.ask("state", {"at": commits["hub.1.4"]}) == {
            LAMP: ["hub.1.4", {"on": False}],
            FAN: ["hub.1.4", 1],
        }
        assert asked.ask("state", {"at": commits["hub.1.1"]}) == {}
        assert list(asked.ask("state", {"paths": [FAN, "x"]})) == [FAN]
        assert asked.ask("state", {"prefix": "holds/"}) == {}


def test_snapshot_is_the_view(tmp_path: Path) -> None:
    """Invariant 9: Git gives back the view at its position."""
    with library(tmp_path) as opened, answers(tmp_path) as asked:
        story(opened)
        view = View()
        for _, one in opened.repository.since(None, opened.repository.tip):
            if one and one.message:
                view.apply(one.message)
        snapshot = asked.ask("snapshot", {})
        assert snapshot["position"].pop("phone") == [3, 2]
        expected = view.snapshot()
        assert expected["position"].pop("phone") == [3, 1]  # 3.2 is quarantined
        assert snapshot == {**expected, "commit": opened.repository.tip}


def test_questions_without_an_answer(tmp_path: Path) -> None:
    with library(tmp_path) as opened:
        story(opened)
        with answers(tmp_path) as asked:
            questions: list[tuple[str, dict[str, Any]]] = [
                ("nothing", {}),
                ("timeline", {"limit": "x"}),
                ("timeline", {"nonsense": 1}),
                ("timeline", {"before": "nonsense"}),
                ("event", {"event": "hub.7.7"}),
                ("event", {"event": "x"}),
                ("state", {"at": "0" * 40}),
                ("chain", {}),
            ]
            for what, args in questions:
                with pytest.raises(LibrarianError):
                    asked.ask(what, args)
            assert asked.ask("commit_of", {"events": ["hub.7.7"]}) == {}
            assert asked.ask("chain", {"intent": "hub.7.7"}) == []


def dump(folder: Path) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(index_path(folder))) as database:
        return [
            row
            for table in ("head", "events", "event_devices", "writes")
            for row in sorted(database.execute(f"SELECT * FROM {table}"), key=repr)
        ]


KINDS = st.sampled_from([MessageType.INTENT, MessageType.GRANT, MessageType.RECEIPT])


@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["hub", "phone"]),
            KINDS,
            st.lists(st.sampled_from(["lamp", "fan"]), max_size=2),
            st.dictionaries(
                st.sampled_from([LAMP, FAN]), st.none() | st.integers(0, 3)
            ),
            st.booleans(),
        ),
        max_size=12,
    ),
    st.integers(1, 4),
)
def test_rebuilt_equals_incremental(
    tmp_path_factory: pytest.TempPathFactory,
    trace: list[tuple[str, MessageType, list[str], dict[str, Any], bool]],
    batch: int,
) -> None:
    folder = tmp_path_factory.mktemp("index")
    seqs = {"hub": 0, "phone": 0}
    events = []
    for node, kind, devices, writes, bad in trace:
        seqs[node] += 1
        one = event(
            f"{node}.1.{seqs[node]}", type=kind, body={"target": devices}, writes=writes
        )
        if bad:
            one = Event(one.id, b"{", None, None, "not JSON")
        events.append(one)
    with library(folder) as opened:
        for start in range(0, len(events), batch):
            opened.write(events[start : start + batch])
        positions = opened.index.positions()
    incremental = dump(folder)
    index_path(folder).unlink()
    with library(folder) as opened:
        assert opened.index.positions() == positions
    assert dump(folder) == incremental


def test_the_difference_is_replayed_at_start(tmp_path: Path) -> None:
    with library(tmp_path) as opened:
        opened.write([event("hub.1.1")])
    copy = index_path(tmp_path).read_bytes()
    with library(tmp_path) as opened:
        opened.write([event("hub.1.2"), event("hub.1.3", writes={LAMP: 1})])
    whole = dump(tmp_path)
    index_path(tmp_path).write_bytes(copy)
    with library(tmp_path) as opened:
        assert opened.intake.last == {"hub": (1, 3)}
        assert opened.repository.healed == []
    assert dump(tmp_path) == whole


@pytest.mark.parametrize("damage", [b"", b"not a database at all" * 100])
def test_a_damaged_index_is_made_anew(tmp_path: Path, damage: bytes) -> None:
    with library(tmp_path) as opened:
        story(opened)
    whole = dump(tmp_path)
    index_path(tmp_path).write_bytes(damage)
    with library(tmp_path):
        pass
    assert dump(tmp_path) == whole


def test_an_index_of_an_older_version_is_made_anew(tmp_path: Path) -> None:
    with library(tmp_path) as opened:
        story(opened)
    with closing(sqlite3.connect(index_path(tmp_path))) as database:
        database.execute("PRAGMA user_version = 0")
        database.execute("DROP TABLE writes")
    with library(tmp_path), answers(tmp_path) as asked:
        assert LAMP in asked.state()


def test_keys_and_owners_are_known_after_a_start(tmp_path: Path) -> None:
    about = {"boot": 1, "key": KEY.public.text}
    with library(tmp_path) as opened:
        opened.write([event("hub.1.1", writes={"nodes/hub.json": about, LAMP: 1})])
        opened.write([event("phone.1.1", writes={"nodes/phone.json": {"key": "bad"}})])
    with library(tmp_path) as opened:
        assert opened.intake._keys == {"hub": {KEY.public}}
        assert opened.intake._owners[LAMP] == "hub"


def test_an_index_that_cannot_be_written_doubles_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The branch has moved by then: only opening anew tells what is recorded."""

    def fail(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    with library(tmp_path) as opened:
        monkeypatch.setattr(opened.index, "add", fail)
        with pytest.raises(BlockedError, match="disk is full"):
            opened.write([event("hub.1.1")])
    with library(tmp_path) as opened:
        assert opened.intake.last == {"hub": (1, 1)}
    assert check_gapless(tmp_path) == {("hub", 1): 1}
