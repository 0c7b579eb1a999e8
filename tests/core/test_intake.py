"""Whatever arrives, in whatever order: each event once, none missing, in order."""

from collections import defaultdict
import json
from typing import Any

from hypothesis import given, strategies as st
import pytest

from hearthnet.core.journal import Entry
from hearthnet.core.librarian.intake import Intake, Offer
from hearthnet.core.librarian.record import Event
from hearthnet.core.messages import MAX_BYTES, MessageType
from hearthnet.core.paths import device_path
from hearthnet.core.view import View
from tests.core.records import KEY, OTHER_KEY, entry, hello

LAMP = device_path("lamp")


def fresh() -> Intake:
    return Intake({}, {}, ())


def offer(intake: Intake, *entries: Entry, node: str = "hub", **options: Any) -> Offer:
    return intake.offer(node, entries, **{"trusted": True, **options})


def ids(events: list[Event]) -> list[str]:
    return [str(event.id) for event in events]


def journal(ends: list[int]) -> list[Entry]:
    """Make the journal of a node whose boots ended at `ends`; 0: no record."""
    entries, ended = [], [0, 0]
    for boot, end in enumerate(ends, 1):
        for seq in range(1, end + 1):
            name = f"hub.{boot}.{seq}"
            entries.append(hello(name, ended) if seq == 1 else entry(name))
        if end:
            ended = [boot, end]
    return entries


def test_takes_what_comes_next() -> None:
    intake = fresh()
    first, second, third = journal([3])
    assert ids(offer(intake, first, second).accepted) == ["hub.1.1", "hub.1.2"]
    again = offer(intake, first, second, third)
    assert ids(again.accepted) == ["hub.1.3"]
    assert again.gap_after is None
    assert intake.last == {"hub": (1, 3)}


def test_asks_for_what_is_missing() -> None:
    intake = fresh()
    one, two, three, four = journal([4])
    assert offer(intake, two).gap_after == (0, 0)
    answer = offer(intake, one, three, four)
    assert ids(answer.accepted) == ["hub.1.1"]
    assert answer.gap_after == (1, 1)
    assert not offer(intake, two, three, four).gap_after


def test_a_new_boot_waits_for_the_old_ones_end() -> None:
    intake = fresh()
    entries = journal([3, 0, 2])
    offer(intake, *entries[:2])
    assert offer(intake, *entries[3:]).gap_after == (1, 2)
    assert ids(offer(intake, *entries[2:]).accepted) == [
        "hub.1.3",
        "hub.3.1",
        "hub.3.2",
    ]
    # A boot that does not begin with a hello closes nothing.
    assert offer(intake, entry("hub.4.1")).gap_after == (3, 2)
    assert offer(intake, hello("hub.4.2", [3, 2])).gap_after == (3, 2)
    broken = Entry(4, 1, b"{", None)
    assert offer(intake, broken).gap_after == (3, 2)


def test_a_hello_of_a_later_version_is_followed() -> None:
    intake = fresh()
    data = json.loads(hello("hub.1.1", [0, 0]).data)
    later = Entry(1, 1, json.dumps({**data, "new_field": 1}).encode(), None)
    (event,) = offer(intake, later).accepted
    assert event.message is None
    assert event.problem == "unknown field 'new_field'"
    assert ids(offer(intake, entry("hub.1.2")).accepted) == ["hub.1.2"]


def test_a_node_restored_from_a_backup_goes_on() -> None:
    intake = fresh()
    offer(intake, *journal([3, 5]))
    answer = offer(intake, hello("hub.7.1", [1, 2]), entry("hub.7.2"))
    assert ids(answer.accepted) == ["hub.7.1", "hub.7.2"]
    assert answer.notices == ["hub went back to 1.2; the record knows it up to 2.5"]


def test_what_is_purged_is_said_to_be_lost() -> None:
    entries = journal([3, 2, 4])
    intake = fresh()
    assert offer(intake, *entries[5:]).gap_after == (0, 0)
    answer = offer(intake, *entries[5:], oldest=True)
    assert len(answer.accepted) == 4
    assert answer.notices == ["hub: everything after 0.0 and before 3.1 is lost"]
    # Only the first record of an offer can be the oldest.
    intake = fresh()
    assert offer(intake, entries[0], *entries[5:], oldest=True).gap_after == (1, 1)


@given(
    st.lists(st.integers(0, 5), min_size=1, max_size=5),
    st.lists(
        st.tuples(st.integers(0, 30), st.integers(0, 8), st.booleans()), max_size=40
    ),
)
def test_duplicates_reorders_and_gaps_change_nothing(
    ends: list[int], sends: list[tuple[int, int, bool]]
) -> None:
    """Any slices in any order, then go-back-N: exactly the journal."""
    entries = journal(ends)
    intake, accepted = fresh(), list[Event]()
    for start, length, backwards in sends:
        part = entries[start : start + length]
        answer = offer(intake, *(reversed(part) if backwards else part))
        accepted += answer.accepted
        assert ids(accepted) == ids_of(entries[: len(accepted)])
        assert not answer.notices
        if answer.gap_after:
            assert answer.gap_after == intake.last.get("hub", (0, 0))
    accepted += offer(intake, *entries).accepted
    assert ids(accepted) == ids_of(entries)


def ids_of(entries: list[Entry]) -> list[str]:
    return [f"hub.{entry.boot}.{entry.seq}" for entry in entries]


def test_other_nodes_count_only_with_their_signature() -> None:
    intake = fresh()
    plain = hello("phone.1.1", [0, 0])
    signed = hello("phone.1.1", [0, 0], key=KEY)
    assert offer(intake, plain, node="phone", trusted=False).forged == 1
    assert offer(intake, signed, node="phone", trusted=False).forged == 1
    intake.learn("phone", OTHER_KEY.public)
    assert offer(intake, signed, node="phone", trusted=False).forged == 1
    intake.learn("phone", KEY.public)
    answer = offer(intake, signed, entry("phone.1.2"), node="phone", trusted=False)
    assert ids(answer.accepted) == ["phone.1.1"]
    assert answer.forged == 1
    assert intake.last == {"phone": (1, 1)}


def test_grants_count_only_signed() -> None:
    intake = fresh()
    offer(intake, hello("hub.1.1", [0, 0]))
    records = [
        entry("hub.1.2", type=MessageType.GRANT, key=KEY),
        entry("hub.1.3", type=MessageType.GRANT),
        entry("hub.1.4", type=MessageType.GRANT, key=OTHER_KEY),
    ]
    problems = [event.problem for event in offer(intake, *records).accepted]
    assert problems == [None, *["the grant is not signed by hub"] * 2]


def test_writes_of_others_paths_do_not_count() -> None:
    intake = fresh()
    offer(intake, hello("hub.1.1", [0, 0]), entry("hub.1.2", writes={LAMP: 1}))
    phone = [
        hello("phone.1.1", [0, 0]),
        entry("phone.1.2", writes={LAMP: 2, device_path("tv"): 1}),
        entry("phone.1.3", writes={"policy.yaml": "x"}),
        entry("phone.1.4", writes={device_path("tv"): 1}),
    ]
    answer = offer(intake, *phone, node="phone")
    assert [event.problem for event in answer.accepted] == [
        None,
        f"phone may not write {LAMP}",
        "phone may not write policy.yaml",
        None,
    ]
    assert [dict(event.writes) for event in answer.accepted][1:] == [
        {},
        {},
        {device_path("tv"): 1},
    ]
    offer(intake, entry("hub.1.3", writes={LAMP: None}))
    late = offer(intake, entry("phone.1.5", writes={LAMP: 2}), node="phone")
    assert late.accepted[0].problem is None


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"{", "not JSON"),
        (b"[]", "not a JSON object"),
        (b'{"id":\n1}', "more than one line"),
        (b'{"id":"\xff"}', "not UTF-8"),
        (b'"' + b"x" * MAX_BYTES + b'"', "longer than"),
        (b"[" * 100_000, "not JSON"),
        (entry("hub.1.3").data.replace(b"seen", b"\\ud800"), "not Unicode"),
        (entry("hub.1.3").data.decode().encode("utf-16"), "more than one line"),
    ],
)
def test_what_breaks_the_schema_is_kept_and_counts_for_nothing(
    data: bytes, problem: str
) -> None:
    intake = fresh()
    bad = Entry(1, 2, data, None)
    answer = offer(intake, hello("hub.1.1", [0, 0]), bad, entry("hub.1.3"))
    assert ids(answer.accepted) == ["hub.1.1", "hub.1.2", "hub.1.3"]
    event = answer.accepted[1]
    assert (event.message, event.data) == (None, data)
    assert problem in str(event.problem)


def test_what_git_could_not_hold_does_not_count() -> None:
    intake = fresh()
    deep: Any = 1
    for _ in range(950):
        deep = [deep]
    answer = offer(
        intake,
        hello("hub.1.1", [0, 0]),
        entry("hub.1.2", writes={"policy.yaml": {"rules": []}}),
        Entry(1, 3, entry("hub.1.9").data, None),
        entry("hub.1.4", writes={LAMP: deep}),
    )
    assert [event.problem for event in answer.accepted][:3] == [
        None,
        "policy.yaml: policy.yaml holds text only",
        "it stands at hub.1.3 in the journal",
    ]
    assert len(answer.accepted) == 4


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["hub", "phone"]),
            st.sampled_from(["policy.yaml", LAMP, device_path("tv"), "nodes/hub.json"]),
            st.booleans(),
        )
    )
)
def test_view_and_intake_agree_on_what_counts(
    trace: list[tuple[str, str, bool]],
) -> None:
    intake, view, state = fresh(), View(), dict[str, Any]()
    seqs: dict[str, int] = defaultdict(int)
    for node, path, deleted in trace:
        seqs[node] += 1
        value = None if deleted else f"{node} {seqs[node]}"
        name = f"{node}.1.{seqs[node]}"
        make = hello if seqs[node] == 1 else entry
        arguments = ([0, 0],) if seqs[node] == 1 else ()
        record = make(name, *arguments, writes={path: value})
        (event,) = offer(intake, record, node=node).accepted
        assert event.message
        view.apply(event.message)
        state.update(event.writes)
    assert {p: view.get(p) for p in state} == state
    assert set(view.paths()) == {p for p, v in state.items() if v is not None}
