"""Records that contradict themselves, and repositories that are not what they seem."""

from collections.abc import Callable
from functools import cache
import json
import os
from pathlib import Path
import shutil
import subprocess
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import DataObject, data, integers, sampled_from
import pygit2
import pytest

from hearthnet.audit.findings import Finding
from hearthnet.audit.history import UnreadableError, events
from hearthnet.audit.ledger import Ledger
from hearthnet.bench.home import KEY
from hearthnet.cli import main
from hearthnet.core.librarian.record import Event
from hearthnet.core.messages import Message

from .test_audit import good, look  # noqa: F401 - a fixture
from .test_audit_tampering import leaves, put_together, taken_apart

# What the hub's own key could have signed


@cache
def recorded(folder: Path) -> list[Event]:
    return [event for _, event in events(folder)]


def judged(record: list[Event]) -> list[Finding]:
    ledger = Ledger({"hub": KEY.public})
    found: list[Finding] = []
    for number, event in enumerate(record, 1):
        found += ledger.take(number, "", event)
    return [*found, *ledger.end()]


def resigned(event: Event, edit: Callable[[dict[str, Any]], object]) -> Event:
    """Return an event that says something else, signed by the hub."""
    said = json.loads(event.data)
    edit(said)
    text = json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode()
    return Event(event.id, text, KEY.sign(text), Message.decode(text))


def put(*path: str, value: Any) -> Callable[[dict[str, Any]], object]:
    def edit(said: dict[str, Any]) -> None:
        *folders, name = path
        for step in folders:
            said = said[step]
        said[name] = value

    return edit


BEN = {"kind": "user", "id": "ben", "name": "Ben", "role": "owner"}
LATE = "2031-01-01T00:00:00.000Z"
CONTRADICTIONS = [
    ("proposal", put("task", value="hub.1.4"), "not_asked"),
    ("proposal", put("body", "operation", value="light.toggle"), "not_asked"),
    ("grant", put("expires_at", value=LATE), "grant"),
    ("grant", put("body", "ttl", value=60.0), "grant"),
    ("grant", put("body", "facts", "now", value=LATE), "grant"),
    ("grant", put("body", "principal", value=BEN), "grant"),
    ("grant", put("body", "target", value=["other"]), "out_of_scope"),
    ("grant", put("body", "policy_version", value="hub.1.1"), "stale_policy"),
    ("grant", put("body", "reads", value={"policy.yaml": 3}), "grant"),
    ("grant", put("body", "ttl", value="long"), "grant"),
    ("execute", put("intent", value="hub.1.3"), "execute"),
    ("execute", put("task", value="hub.1.4"), "execute"),
    ("execute", put("body", "principal", value=BEN), "execute"),
    ("execute", put("body", "parameters", value={"effect": "x"}), "out_of_envelope"),
    ("execute", put("body", "target", value=["other"]), "wrong_target"),
    ("receipt", put("intent", value="hub.1.3"), "receipt"),
    ("receipt", put("task", value="hub.1.4"), "receipt"),
    ("receipt", put("body", "operation", value="light.toggle"), "receipt"),
    ("receipt", put("body", "target", value=["other"]), "receipt"),
    ("receipt", put("body", "members", value={"other": "changed"}), "receipt"),
    ("policy", put("writes", "policy.yaml", value="rules: 3"), "malformed"),
]


@pytest.mark.parametrize(
    ("type_", "edit", "rule"),
    CONTRADICTIONS,
    ids=[f"{type_}-{rule}-{n}" for n, (type_, _, rule) in enumerate(CONTRADICTIONS)],
)
def test_what_contradicts_the_record(
    good: Path,  # noqa: F811
    type_: str,
    edit: Callable[[dict[str, Any]], object],
    rule: str,
) -> None:
    record = list(recorded(good))
    n = max(n for n, event in enumerate(record) if event.type == type_)
    event = record[n] = resigned(record[n], edit)
    found = {finding.rule for finding in judged(record)}
    assert rule in found
    # A proposal is judged where it was used.
    if type_ != "proposal":
        assert str(event.id) == judged(record)[0].event


ODD: list[Any] = [None, True, -1, 10**400, "", "x", [], {}, [[]], [{}], {"a": [1]}]


@given(data())
@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_whatever_a_node_signs(good: Path, draw: DataObject) -> None:  # noqa: F811
    """A companion may say anything; the audit goes on to the end of the record."""
    record = list(recorded(good))
    n = draw.draw(integers(0, len(record) - 1))
    said = json.loads(record[n].data)
    places = [p for p in leaves(said) if p[0] in ("body", "writes") and len(p) > 1]
    if not places:
        return
    place = draw.draw(sampled_from(places))
    place = place[: draw.draw(integers(2, len(place)))]
    inner = said
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = draw.draw(sampled_from(ODD))
    text = json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode()
    record[n] = Event(record[n].id, text, KEY.sign(text), Message.decode(text))
    ledger = Ledger({"hub": KEY.public})
    for number, event in enumerate(record, 1):
        list(ledger.take(number, "", event))
    list(ledger.end())
    assert ledger.events == len(record)


# The repository around the record


@pytest.fixture
def copied(good: Path, tmp_path: Path) -> Path:  # noqa: F811
    return shutil.copytree(good, tmp_path / "record")


def test_another_owners_record_and_another_repositorys_environment(
    copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if os.geteuid() == 0:
        for path in (copied, *copied.rglob("*")):
            os.chown(path, 65534, 65534)
    monkeypatch.setenv("GIT_DIR", "/nonexistent")
    assert look(copied).sound


def test_a_records_own_settings_have_no_say(copied: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    with (copied / "config").open("a", encoding="utf-8") as file:
        file.write(
            f'[core]\n\tfsmonitor = "touch {ran}"\n'
            f'\talternateRefsCommand = "touch {ran}"\n'
            "[fsck]\n\tskipList = /etc/hostname\n"
        )
    assert look(copied).sound
    assert not ran.exists()


def test_what_git_would_show_in_its_place(copied: Path) -> None:
    git = pygit2.Repository(str(copied))
    tip = git.head.peel(pygit2.Commit)
    git.references.create(f"refs/replace/{tip.id}", tip.parent_ids[0])
    (finding,) = look(copied).findings
    assert (finding.rule, finding.commit) == ("damaged", str(tip.id))
    git.references.delete(f"refs/replace/{tip.id}")
    (copied / "info").mkdir(exist_ok=True)
    (copied / "info" / "grafts").write_text(f"{tip.id}\n", "utf-8")
    assert "grafts" in look(copied).findings[0].text


def test_other_branches_are_nobodys(copied: Path) -> None:
    git = pygit2.Repository(str(copied))
    git.references.create(
        "refs/heads/other", git.head.peel(pygit2.Commit).parent_ids[0]
    )
    assert look(copied).sound


def test_clones_but_no_shallow_ones(copied: Path, tmp_path: Path) -> None:
    git = shutil.which("git")
    assert git is not None
    for name, *options in (("plain",), ("bare", "--mirror"), ("less", "--depth=5")):
        subprocess.run(
            [git, "clone", "-q", *options, copied.as_uri(), tmp_path / name],
            check=True,
        )
    assert look(tmp_path / "plain").sound
    assert look(tmp_path / "bare").sound
    with pytest.raises(UnreadableError, match="shallow"):
        look(tmp_path / "less")


@pytest.mark.parametrize(
    "text", [b"\xff\xfe\0", b"a\n\nb\nSignature: x\n\nEvent: hub.9.9\nType: x\n"]
)
def test_a_commit_of_garbage(copied: Path, text: bytes) -> None:
    git = pygit2.Repository(str(copied))
    commits = taken_apart(git, git.head.target)
    commits[-1].text = text
    names = put_together(git, commits)
    assert look(copied).findings[0].commit == names[-1]


@pytest.mark.parametrize(
    "text", ["3", "null", "[1]", "{}", '"x"', "[" * 100_000, "no JSON"]
)
def test_no_chain_of_keys(
    good: Path,  # noqa: F811
    tmp_path: Path,
    text: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "chain.json"
    file.write_text(text, "utf-8")
    assert main(["audit", str(good), "--chain", str(file)]) == 2
    assert "no chain of keys" in capsys.readouterr().err


def test_what_cannot_be_written_or_is_no_key(
    good: Path,  # noqa: F811
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["audit", str(good), "--json", str(tmp_path / "a" / "b")]) == 2
    assert main(["audit", str(good), "--key", "hub"]) == 2
    assert "--key hub" in capsys.readouterr().err


def test_a_commit_that_is_passed_over(copied: Path) -> None:
    git = pygit2.Repository(str(copied))
    commits = taken_apart(git, git.head.target)
    commits[30].parents = [28]
    names = put_together(git, commits)
    found = look(copied).findings[0]
    assert (found.rule, found.commit) == ("gap", names[30])
