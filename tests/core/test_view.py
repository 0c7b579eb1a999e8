"""Freshness: refused if and only if a newer version of something read is known."""

from datetime import UTC, datetime

from hypothesis import given, strategies as st
import pytest

from hearthnet.core.messages import Json, Message, MessageType
from hearthnet.core.paths import device_path, owner_allows
from hearthnet.core.view import MAX_COMMITS, MAX_GONE, Stale, View

LAMP = device_path("lamp")
FAN = device_path("fan")


def event(id_: str, writes: dict[str, Json] | None = None) -> Message:
    return Message(
        id=id_,
        sender="jeeves",
        to="all",
        type=MessageType.OBSERVATION,
        at=datetime(2026, 11, 30, tzinfo=UTC),
        content="Something was seen.",
        writes=writes or {},
    )


def test_fresh_until_what_was_read_changes() -> None:
    view = View()
    view.apply(event("hub.1.1", {LAMP: {"on": True}}))
    reads = view.reads([LAMP, FAN])
    assert reads == {LAMP: "hub.1.1", FAN: None}
    view.apply(event("hub.1.2", {"policy.yaml": "rules: []"}))
    assert view.stale(reads) == ()
    view.apply(event("hub.1.3", {LAMP: {"on": True}}))
    assert view.stale(reads) == (Stale(LAMP, "hub.1.1", "hub.1.3"),)
    view.apply(event("hub.1.4", {FAN: {"on": True}}))
    assert [s.path for s in view.stale(reads)] == [LAMP, FAN]


def test_deletion_is_a_write() -> None:
    view = View()
    view.apply(event("hub.1.1", {"holds/a.json": {"end": 1}}))
    reads = view.reads(["holds/a.json"])
    view.apply(event("hub.1.2", {"holds/a.json": None}))
    assert view.stale(reads) == (Stale("holds/a.json", "hub.1.1", "hub.1.2"),)
    assert view.get("holds/a.json") is None
    assert view.paths("holds/") == []


def test_version_newer_than_mine_is_accepted() -> None:
    view = View()
    assert view.stale({LAMP: "hub.2.7"}) == ()
    view.apply(event("hub.2.6", {LAMP: 1}))
    assert view.stale({LAMP: "hub.2.7"}) == ()
    assert view.stale({LAMP: "hub.10.1"}) == ()
    assert view.stale({LAMP: "hub.2.5"}) == (Stale(LAMP, "hub.2.5", "hub.2.6"),)
    # Another node's events cannot be ordered against mine, nor can rubbish.
    assert view.stale({LAMP: "phone.3.1"})
    assert view.stale({LAMP: "rubbish"})


@given(st.permutations(range(1, 7)))
def test_order_of_arrival_does_not_matter(order: list[int]) -> None:
    view = View()
    for seq in order:
        view.apply(event(f"hub.1.{seq}", {LAMP: seq, FAN: None if seq % 2 else seq}))
    assert (view.get(LAMP), view.version(LAMP)) == (6, "hub.1.6")
    assert (view.get(FAN), view.version(FAN)) == (6, "hub.1.6")
    assert view.position == {"hub": (1, 6)}


@given(
    st.lists(st.tuples(st.sampled_from([LAMP, FAN, "policy.yaml"]), st.booleans())),
    st.integers(0, 20),
)
def test_stale_if_and_only_if_a_newer_version_is_known(
    trace: list[tuple[str, bool]], read_at: int
) -> None:
    view, last = View(), dict[str, str]()
    reads: dict[str, str | None] = {}
    for seq, (path, deleted) in enumerate(trace, 1):
        if seq == read_at:
            reads = view.reads([LAMP, FAN])
        view.apply(event(f"hub.1.{seq}", {path: None if deleted else seq}))
        last[path] = f"hub.1.{seq}"
    changed = {path for path, version in reads.items() if version != last.get(path)}
    assert {s.path for s in view.stale(reads)} == changed


def test_foreign_writes_are_not_folded() -> None:
    view = View()
    view.apply(event("phone.1.1", {"holds/a.json": 1, device_path("tv"): 1}))
    assert view.paths() == []
    view.apply(event("hub.1.1", {LAMP: 1}))
    view.apply(event("phone.1.2", {LAMP: 2}))
    assert view.get(LAMP) == 1
    view.apply(event("hub.1.2", {LAMP: None}))
    view.apply(event("phone.1.3", {LAMP: 3}))
    assert view.get(LAMP) == 3


@pytest.mark.parametrize(
    ("node", "path", "allowed"),
    [
        ("hub", "policy.yaml", True),
        ("phone", "policy.yaml", False),
        ("hub", "holds/hub.1.2.json", True),
        ("hub", "holds", False),
        ("phone", "holds/phone.1.2.json", False),
        ("hub", "playbooks/night.yaml", True),
        ("phone", "nodes/phone.json", True),
        ("hub", "nodes/phone.json", False),
        ("phone", device_path("tv"), True),
        ("hub", "devices/tv.json", False),
        ("hub", "acked.json", False),
        ("hub", "elsewhere/a.json", False),
    ],
)
def test_owner(node: str, path: str, *, allowed: bool) -> None:
    assert owner_allows(node, path) is allowed


def test_snapshot_gives_the_view_back() -> None:
    view = View()
    view.apply(event("hub.1.1", {LAMP: {"on": True}, "holds/a.json": 1}))
    view.apply(event("hub.1.2", {"holds/a.json": None}))
    view.apply(event("phone.4.9", {device_path("tv"): "on"}))
    view.acknowledge("c" * 40, {"hub.1.1": "b" * 40})
    again = View.load(view.snapshot())
    assert again.snapshot() == view.snapshot()
    assert again.commit == "c" * 40
    own = View.load(view.snapshot("hub"))
    assert own.position == {"hub": (1, 2)}
    assert own.paths() == [LAMP]


def test_memory_is_bounded() -> None:
    view = View()
    count = MAX_COMMITS + 5
    view.acknowledge("c" * 40, {f"hub.1.{n}": "b" * 40 for n in range(1, count + 1)})
    assert view.commit_of("hub.1.5") is None
    assert view.commit_of("hub.1.6") == "b" * 40
    for n in range(1, MAX_GONE + 3):
        view.apply(event(f"hub.1.{n}", {f"holds/{n}.json": None}))
    assert view.version("holds/2.json") is None
    assert view.version("holds/3.json") == "hub.1.3"


def test_the_order_of_arrival_holds_across_nodes() -> None:
    """An event of another node may come late and have any number."""
    view = View()
    assert (view.order, view.order_of(LAMP)) == (0, 0)
    view.apply(event("hub.1.100", {LAMP: 1}))
    moment = view.order
    view.apply(event("phone.7.3", {FAN: 1}))
    assert view.order_of(LAMP) <= moment < view.order_of(FAN)
    view.learn(FAN, 1, "phone.7.3")
    view.apply(event("hub.1.99", {LAMP: 0}))
    assert view.order == view.order_of(FAN)
    view.apply(event("hub.1.101", {LAMP: None}))
    assert view.order_of(LAMP) == view.order


def test_what_changed_in_a_folder_since() -> None:
    view = View()
    assert view.order_in("holds") == 0
    assert view.changed_in("holds", since=0) == []
    view.apply(event("hub.1.1", {"holds/a.json": 1, "holds/b.json": 1, LAMP: 1}))
    moment = view.order_in("holds")
    assert view.changed_in("holds", since=moment) == []
    view.apply(event("hub.1.2", {LAMP: 2}))
    assert view.order_in("holds") == moment
    view.apply(event("hub.1.3", {"holds/a.json": None}))
    view.apply(event("hub.1.4", {"holds/c.json": 1}))
    assert view.changed_in("holds", since=moment) == ["holds/c.json", "holds/a.json"]
    assert view.changed_in("holds", since=0)[2:] == ["holds/b.json"]
    assert view.paths("holds/") == ["holds/b.json", "holds/c.json"]
