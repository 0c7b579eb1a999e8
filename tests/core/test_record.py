"""An event as a commit: git reads its trailers, we read its bytes."""

from pathlib import Path

from hypothesis import given, strategies as st

from hearthnet.core.librarian.record import (
    SUBJECT,
    Event,
    from_commit,
    subject,
    to_commit,
)
from hearthnet.core.messages import EventId, MessageType
from tests.core.records import event, git

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=300)


@given(
    content=TEXTS,
    body=st.dictionaries(
        st.sampled_from(["target", "device", "outcome", "reason", "x"]),
        st.one_of(TEXTS, st.lists(TEXTS), st.none(), st.integers()),
    ),
    signature=st.one_of(st.none(), st.binary(min_size=64, max_size=64)),
    lease=st.sampled_from([None, "hub.1.1"]),
    kind=st.sampled_from(MessageType),
)
def test_any_message_comes_back(
    content: str,
    body: dict[str, object],
    signature: bytes | None,
    lease: str | None,
    kind: MessageType,
) -> None:
    one = event(
        "hub.1.2",
        signature=signature,
        content=content,
        body=body,
        lease=lease,
        type=kind,
    )
    text = to_commit(one)
    assert from_commit(text.encode()) == one
    first, blank, line, *_ = text.split("\n")
    assert (blank, line.encode()) == ("", one.data)
    assert 0 < len(first) <= SUBJECT
    assert first.isprintable()


@given(st.binary(max_size=200), TEXTS)
def test_any_bytes_come_back(data: bytes, problem: str) -> None:
    one = Event(EventId("phone", 3, 4), data, b"s" * 64, None, problem)
    back = from_commit(to_commit(one).encode())
    assert back
    assert (back.id, back.data, back.signature) == (one.id, data, b"s" * 64)
    assert back.message is None
    assert back.type == "quarantined"


def test_git_reads_the_trailers(tmp_path: Path) -> None:
    one = event(
        "hub.7.9",
        signature=b"x" * 64,
        type=MessageType.RECEIPT,
        content="--- Event: hub.1.1\nLease: hub.6.6",
        intent="hub.7.1",
        task="hub.7.2",
        lease="hub.7.3",
        base_commit="c" * 40,
        body={"target": ["lamp", "fan"], "outcome": "changed\nEvent: hub.9.9"},
    )
    parsed = git(tmp_path, "interpret-trailers", "--parse", data=to_commit(one))
    assert parsed.splitlines() == [
        "Event: hub.7.9",
        "Type: receipt",
        "Intent: hub.7.1",
        "Task: hub.7.2",
        "Lease: hub.7.3",
        "Device: lamp",
        "Device: fan",
        "Outcome: changed Event: hub.9.9",
        f"Base: {'c' * 40}",
    ]


def test_what_makes_a_thread_belongs_to_it() -> None:
    assert event("hub.1.2", type=MessageType.INTENT).intent == "hub.1.2"
    assert event("hub.1.3", type=MessageType.TASK, intent="hub.1.2").task == "hub.1.3"
    assert event("hub.1.4", type=MessageType.GRANT).lease == "hub.1.4"
    assert event("hub.1.5", lease="hub.1.4").lease == "hub.1.4"


def test_subject_is_one_short_sentence() -> None:
    assert subject(event("hub.1.2", content="Off.\n\tNow\0!")) == "Off. Now !"
    assert subject(event("hub.1.2", content="\n")) == "(no words)"
    long = subject(event("hub.1.2", content="word " * 100))
    assert len(long) <= SUBJECT
    assert long.endswith("word…")


def test_other_commits_are_no_events() -> None:
    assert from_commit(b"Begin the record\n\nRepository: 00\n") is None
    assert from_commit(b"") is None
