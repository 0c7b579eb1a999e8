"""The audit: a record of a real hub is sound, and each kind of tampering is named."""

import asyncio
import base64
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from functools import partial
import html
import json
from pathlib import Path
import shutil
from typing import Any

import pygit2
import pytest

from hearthnet.audit.findings import Finding
from hearthnet.audit.history import Audit, audit, events
from hearthnet.bench.home import ANNA, KEY, lamps, running
from hearthnet.cli import main
from hearthnet.core.clock import ManualClock
from hearthnet.core.devices import Device
from hearthnet.core.hub import Hub
from hearthnet.core.intents import Origin
from hearthnet.core.keys import SigningKey, pass_on
from hearthnet.core.librarian.library import Library
from hearthnet.core.librarian.record import Event, author, to_commit
from hearthnet.core.messages import Json, Message, MessageType
from hearthnet.core.policy.load import preset
from hearthnet.core.reasons import Outcome
from hearthnet.core.status import Cause

LOCK = Device(
    id="id_lock", entity_id="lock.front", name="Front door", domain="lock", area="Hall"
)


async def wish(hub: Hub, operation: str, *targets: str, **data: Json) -> Outcome:
    """Propose something and return what became of it."""
    result = await hub.wishes.propose(
        principal=ANNA,
        origin=Origin.APP,
        targets=targets,
        operation=operation,
        parameters=data,
        reason="a wish",
    )
    return result.steps[0].outcome


async def live(folder: Path) -> None:
    """Play two boots of a home with a bit of everything."""
    house = lamps(3)
    first, second, _ = (device.id for device in house.devices())
    house.add(LOCK, state="locked")
    for boot in range(2):
        async with running(folder, house) as home:
            hub = home.hub
            propose = partial(wish, hub)
            done = await propose("light.turn_on", first, second, brightness_pct=40)
            assert done is (Outcome.ALREADY_SO if boot else Outcome.CHANGED)
            house.change(first, state="off")
            hub.observe(first, house.read(first).values, cause=Cause.DEVICE)
            assert await propose("light.turn_on", first) is Outcome.CHANGED
            if not boot:
                assert await propose("lock.unlock", LOCK.id) is Outcome.WAITING
                question = hub.status.questions[0].id
                answer = await hub.wishes.answer(
                    question,
                    principal=ANNA,
                    origin=Origin.APP,
                    approve=True,
                    until=hub.node.clock.now() + timedelta(hours=1),
                )
                assert answer is not None
                assert answer.steps[0].outcome is Outcome.CHANGED
                # The same once more, which she has agreed to beforehand.
                assert await propose("lock.lock", LOCK.id) is Outcome.CHANGED
                assert await propose("lock.unlock", LOCK.id) is Outcome.CHANGED
                assert await hub.control.revoke_approval(question, ANNA)
            assert await propose("light.turn_off", second) is Outcome.CHANGED
            if not boot:
                await hub.control.set_policy(preset("relaxed"), ANNA)
            step = await hub.wishes.request_lease(
                principal=ANNA,
                origin=Origin.APP,
                target=second,
                operation="light.turn_on",
                parameters={},
                reason="later",
            )
            assert step.lease is not None
            used = await hub.wishes.execute(
                step.lease, principal=ANNA, origin=Origin.APP
            )
            assert used.steps[0].outcome is Outcome.CHANGED


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A record that a real hub and a real librarian have made."""
    folder = tmp_path_factory.mktemp("home")
    asyncio.run(live(folder))
    return folder / "record"


def look(folder: Path, **options: Any) -> Audit:
    return audit(folder, {"hub": KEY.public}, **options)


def first(folder: Path) -> Finding:
    """Return what is wrong first; the finding's commit must record its event."""
    found = look(folder).findings[0]
    if found.event:
        at = {commit: str(event.id) for commit, event in events(folder)}
        assert at[found.commit] == found.event
    return found


def number_of(record: list[Event], type_: MessageType) -> int:
    return next(n for n, event in enumerate(record) if event.type == type_)


# Histories made anew


def rewritten(
    good: Path, bad: Path, edit: Callable[[list[Event]], list[Event]]
) -> Path:
    """Make the history anew as whoever owns the disk can; trees stay by event."""
    git = pygit2.Repository(str(good))
    walk = list(git.walk(git.head.target, pygit2.enums.SortMode.REVERSE))
    trees = {
        event.id: walk[number].tree.id
        for number, (_, event) in enumerate(events(good), 1)
    }
    shutil.copytree(good, bad)
    new = pygit2.Repository(str(bad))
    dewey = pygit2.Signature("Dewey", "dewey", 1_800_000_000, 0)
    tip = walk[0].id
    for event in edit([event for _, event in events(good)]):
        tree = trees[event.id]
        name, email, at = author(event)
        who = pygit2.Signature(name, email, int(at or 0), 0)
        tip = new.create_commit(None, who, dewey, to_commit(event), tree, [tip])
    new.references["refs/heads/main"].set_target(tip)
    return bad


def said(event: Event, key: SigningKey | None = None, **fields: Any) -> Event:
    """Return an event that says something else, signed anew or not."""
    assert event.message is not None
    message = replace(event.message, **fields)
    data = message.encode()
    signature = event.signature if key is None else key.sign(data)
    return Event(event.id, data, signature, message)


def test_the_record_of_a_hub_is_sound(
    good: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    found = look(good)
    assert found.findings == []
    assert found.sound
    assert found.ledger.leases.executes == 13
    assert found.ledger.grants.unchecked == 0
    file = tmp_path / "audit.json"
    assert main(["audit", str(good), "--json", str(file)]) == 0
    text = capsys.readouterr().out
    assert "Sound." in text
    assert "events a second" in text
    assert KEY.public.fingerprint in text
    assert json.loads(file.read_text("utf-8"))["sound"] is True


def test_a_dropped_event_is_missed(good: Path, tmp_path: Path) -> None:
    where: list[Event] = []

    def drop(record: list[Event]) -> list[Event]:
        n = number_of(record, MessageType.RECEIPT)
        where.append(record[n + 1])
        return record[:n] + record[n + 1 :]

    found = first(rewritten(good, tmp_path / "bad", drop))
    assert (found.event, found.rule) == (str(where[0].id), "gap")


def test_an_altered_event_is_not_the_signed_one(good: Path, tmp_path: Path) -> None:
    where: list[Event] = []

    def alter(record: list[Event]) -> list[Event]:
        n = number_of(record, MessageType.RECEIPT)
        where.append(record[n])
        record[n] = said(record[n], content="Nothing happened.")
        return record

    bad = rewritten(good, tmp_path / "bad", alter)
    found = first(bad)
    assert (found.event, found.rule) == (str(where[0].id), "signature")
    assert len({finding.commit for finding in look(bad).findings}) == 1
    assert main(["audit", str(bad)]) == 1


def test_two_events_in_another_order(good: Path, tmp_path: Path) -> None:
    where: list[Event] = []

    def swap(record: list[Event]) -> list[Event]:
        n = number_of(record, MessageType.EXECUTE)
        record[n], record[n + 1] = record[n + 1], record[n]
        where.extend(record[n : n + 2])
        return record

    bad = rewritten(good, tmp_path / "bad", swap)
    assert (first(bad).event, first(bad).rule) == (str(where[0].id), "gap")
    assert (str(where[1].id), "order") in {
        (finding.event, finding.rule) for finding in look(bad).findings
    }


def test_an_event_twice(good: Path, tmp_path: Path) -> None:
    def double(record: list[Event]) -> list[Event]:
        return [*record[:20], record[19], *record[20:]]

    assert first(rewritten(good, tmp_path / "bad", double)).rule == "order"


def test_a_forged_grant(good: Path, tmp_path: Path) -> None:
    stranger = SigningKey(bytes(range(1, 33)))
    where: list[Event] = []

    def forge(record: list[Event]) -> list[Event]:
        n = number_of(record, MessageType.GRANT)
        where.append(record[n])
        record[n] = said(record[n], key=stranger, content="jeeves may do anything.")
        return record

    found = first(rewritten(good, tmp_path / "bad", forge))
    assert (found.event, found.rule) == (str(where[0].id), "signature")


def test_a_changed_trailer(good: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad"
    shutil.copytree(good, bad)
    git = pygit2.Repository(str(bad))
    tip = git.head.peel(pygit2.Commit)
    git.references["refs/heads/main"].set_target(
        git.create_commit(
            None,
            tip.author,
            tip.committer,
            tip.message.replace("Type: ", "Type: not a "),
            tip.tree.id,
            tip.parent_ids,
        )
    )
    assert first(bad).rule == "text"


def test_a_file_that_no_event_writes(good: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad"
    shutil.copytree(good, bad)
    git = pygit2.Repository(str(bad))
    tip = git.head.peel(pygit2.Commit)
    builder = git.TreeBuilder(tip.tree)
    builder.insert("policy.yaml", git.create_blob(b"rules: []"), 0o100644)
    git.references["refs/heads/main"].set_target(
        git.create_commit(
            None,
            tip.author,
            tip.committer,
            tip.message,
            builder.write(),
            tip.parent_ids,
        )
    )
    found = first(bad)
    assert found.rule == "tree"
    assert "policy.yaml" in found.text


def test_a_key_that_nothing_vouches_for(good: Path, tmp_path: Path) -> None:
    stranger = SigningKey(bytes(range(1, 33)))

    def takeover(record: list[Event]) -> list[Event]:
        n = next(n for n, e in enumerate(record) if e.id.boot == 2)
        for m, event in enumerate(record[n:], n):
            assert event.message is not None
            body = dict(event.message.body)
            if m == n:
                body["key"] = stranger.public.text
            record[m] = said(event, key=stranger, body=body)
        return record

    bad = rewritten(good, tmp_path / "bad", takeover)
    found = audit(bad, {}).findings[0]
    assert (found.event, found.rule) == ("hub.2.1", "key")
    # The owner has made it known: then it is the hub's.
    links = [pass_on(KEY, stranger.public)]
    assert audit(bad, {}, links).findings == []


def test_a_record_that_was_cut_back(good: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad"
    shutil.copytree(good, bad)
    git = pygit2.Repository(str(bad))
    tip = git.head.peel(pygit2.Commit)
    git.references["refs/heads/main"].set_target(tip.parent_ids[0])
    found = look(bad, head=str(tip.id)).findings
    # No librarian leaves its branch between an event and the account of it.
    assert [finding.rule for finding in found] == ["gap", "tree"]
    assert [finding.rule for finding in look(bad).findings] == ["tree"]
    assert look(good, head=str(tip.id)).sound


@pytest.mark.parametrize("what", ["commit", "tree", "file"])
def test_a_damaged_object(good: Path, tmp_path: Path, what: str) -> None:
    bad = tmp_path / "bad"
    shutil.copytree(good, bad)
    commit, event = next(
        (commit, event) for commit, event in list(events(bad))[30:] if event.writes
    )
    tree = pygit2.Repository(str(bad))[commit].peel(pygit2.Tree)
    path = next(path for path, value in event.writes.items() if value is not None)
    name = {"commit": commit, "tree": str(tree.id), "file": str(tree[path].id)}[what]
    loose = bad / "objects" / name[:2] / name[2:]
    loose.chmod(0o600)
    loose.write_bytes(loose.read_bytes()[:20])
    found = look(bad)
    assert (found.findings[0].rule, found.findings[0].commit) == ("damaged", commit)
    assert found.fsck


def test_no_record(tmp_path: Path) -> None:
    assert main(["audit", str(tmp_path)]) == 2


# What only a hub with its key could have written


class Continued:
    """A record that goes on, signed by the hub."""

    def __init__(self, good: Path, folder: Path) -> None:
        shutil.copytree(good, folder)
        self.folder = folder
        self.record = [event for _, event in events(folder)]
        self.made: list[Event] = []

    def last(self, type_: MessageType, **body: Any) -> Message:
        return next(
            event.message
            for event in reversed(self.record)
            if event.message is not None
            and event.type == type_
            and body.items() <= event.message.body.items()
        )

    def say(self, message: Message, **fields: Any) -> str:
        last = (self.made or self.record)[-1].id
        seq = last.seq + 1
        made = replace(message, id=f"hub.{last.boot}.{seq}", **fields)
        data = made.encode()
        self.made.append(Event(made.event, data, KEY.sign(data), made))
        return made.id

    def again(
        self,
        execute: Message,
        grant: Mapping[str, Any] | None = None,
        between: Callable[[], object] = lambda: None,
        **fields: Any,
    ) -> dict[str, str]:
        """Repeat an execute with a task, a proposal and a lease of its own."""
        by_id = {str(event.id): event.message for event in self.record}
        lease = by_id[execute.lease or ""]
        assert lease is not None
        task, proposal = by_id[lease.task or ""], by_id[lease.cause or ""]
        assert task is not None
        assert proposal is not None
        at = self.record[-1].message.at  # type: ignore[union-attr]
        ids = {"task": self.say(task, at=at)}
        ids["proposal"] = self.say(proposal, at=at, task=ids["task"], cause=ids["task"])
        policy = self.last(MessageType.POLICY).id
        body = {**lease.body, "policy_version": policy, "policy_commit": None}
        # However long ago the first one was: a grant is told by what was so then.
        facts = {**lease.body["facts"], "now": at.isoformat("T", "seconds")}
        body |= {"reads": {"policy.yaml": policy}, "facts": facts, **(grant or {})}
        ids["grant"] = self.say(
            lease,
            at=at,
            task=ids["task"],
            cause=ids["proposal"],
            body=body,
            expires_at=at + timedelta(seconds=body["ttl"]),
        )
        between()
        ids["execute"] = self.say(
            execute,
            **{"at": at, "task": ids["task"], "lease": ids["grant"], **fields},
        )
        return ids

    def found(self) -> list[tuple[str, str]]:
        """Write it and return what is wrong: event and rule."""
        library = Library(self.folder, ManualClock(), min_free=0)
        library.write(self.made)
        library.close()
        result = look(self.folder)
        at = {commit: str(event.id) for commit, event in events(self.folder)}
        assert all(at[f.commit] == f.event for f in result.findings)
        return [(finding.event, finding.rule) for finding in result.findings]


@pytest.fixture
def record(good: Path, tmp_path: Path) -> Continued:
    """The good record, to be gone on with."""
    return Continued(good, tmp_path / "continued")


def test_going_on_rightly_is_sound(record: Continued) -> None:
    record.again(record.last(MessageType.EXECUTE))
    assert record.found() == []


def test_a_lease_that_was_used_before(record: Continued) -> None:
    event = record.say(record.last(MessageType.EXECUTE))
    assert record.found() == [(event, "consumed")]


def test_a_lease_of_nowhere(record: Continued) -> None:
    event = record.say(record.last(MessageType.EXECUTE), lease="hub.1.2")
    assert record.found() == [(event, "no_lease")]


def test_a_stale_lease(record: Continued) -> None:
    seen = record.last(MessageType.OBSERVATION, cause="device")
    path = next(iter(seen.writes))
    old = next(e.id for e in record.record if path in e.writes)
    policy = record.last(MessageType.POLICY).id
    reads = {"policy.yaml": policy, path: str(old)}
    ids = record.again(record.last(MessageType.EXECUTE), {"reads": reads})
    assert record.found() == [(ids["execute"], "stale_state")]


def test_a_policy_that_changed_in_between(record: Continued) -> None:
    policy = record.last(MessageType.POLICY)
    ids = record.again(
        record.last(MessageType.EXECUTE),
        between=lambda: record.say(policy, writes={"policy.yaml": preset("balanced")}),
    )
    assert record.found() == [(ids["execute"], "stale_policy")]


def test_what_the_policy_denies(record: Continued) -> None:
    """The same grants under a policy that allows nothing."""
    nothing = "version: 1\nrules: []\n"
    event = record.say(record.last(MessageType.POLICY), writes={"policy.yaml": nothing})
    ids = record.again(
        record.last(MessageType.EXECUTE),
        {"policy_version": event, "reads": {"policy.yaml": event}},
    )
    assert record.found() == [(ids["grant"], "policy_denied")]


def test_what_nobody_agreed_to(record: Continued) -> None:
    event = record.say(
        record.last(MessageType.POLICY), writes={"policy.yaml": preset("balanced")}
    )
    unlock = record.last(MessageType.EXECUTE, operation="lock.unlock")
    ids = record.again(
        unlock, {"policy_version": event, "reads": {"policy.yaml": event}}
    )
    assert record.found() == [(ids["grant"], "confirmation_required")]


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ({"sender": "darcy"}, "wrong_grantee"),
        ({"target": ["another"]}, "wrong_target"),
        ({"operation": "light.toggle"}, "wrong_operation"),
        ({"parameters": {"brightness_pct": 100}}, "out_of_envelope"),
        ({"seconds": 31}, "expired"),
    ],
)
def test_an_execute_that_its_lease_does_not_cover(
    record: Continued, fields: dict[str, Any], rule: str
) -> None:
    execute = record.last(MessageType.EXECUTE, operation="light.turn_off")
    if "sender" not in fields:
        body = {**execute.body, **fields}
        late = timedelta(seconds=body.pop("seconds", 0))
        moment = record.record[-1].message.at + late  # type: ignore[union-attr]
        fields = {"body": body, "at": moment}
    ids = record.again(execute, **fields)
    assert record.found() == [(ids["execute"], rule)]


def test_a_revoked_lease(record: Continued) -> None:
    execute = record.last(MessageType.EXECUTE)

    def revoke() -> None:
        grant = record.made[-1].message
        assert grant is not None
        record.say(
            grant,
            type=MessageType.REVOCATION,
            body={},
            lease=grant.id,
            expires_at=None,
        )

    ids = record.again(execute, between=revoke)
    assert record.found() == [(ids["execute"], "revoked")]


def test_an_older_lease_after_a_newer_one(record: Continued) -> None:
    execute = record.last(MessageType.EXECUTE)
    ids: dict[str, str] = {}
    outer = record.again(execute, between=lambda: ids.update(record.again(execute)))
    assert (outer["execute"], "superseded") in record.found()


def test_a_receipt_of_nothing(record: Continued) -> None:
    event = record.say(record.last(MessageType.RECEIPT))
    assert record.found() == [(event, "receipt")]


def test_a_grant_while_actuation_is_off(record: Continued) -> None:
    record.say(
        record.last(MessageType.POLICY),
        type=MessageType.ALERT,
        writes={"settings/actuation.json": {"enabled": False}},
    )
    ids = record.again(record.last(MessageType.EXECUTE))
    assert record.found() == [(ids["grant"], "actuation_disabled")]


def test_a_grant_out_of_scope_of_its_task(record: Continued) -> None:
    ids = record.again(record.last(MessageType.EXECUTE), {"target": ["another"]})
    rules = {rule for event, rule in record.found() if event == ids["grant"]}
    assert "out_of_scope" in rules


# Exports

HOSTILE = '<script>alert("1")</script><img src=http://127.0.0.1:1/x>&amp;'


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A record of a wish, of a lamp and by a person with nasty names."""

    async def play(folder: Path) -> None:
        house = lamps(1)
        (lamp,) = house.devices()
        house.add(replace(lamp, name=HOSTILE), state="off")
        async with running(folder, house) as home:
            await home.hub.wishes.propose(
                principal=replace(ANNA, name=HOSTILE),
                origin=Origin.APP,
                targets=(lamp.id,),
                operation="light.turn_on",
                parameters={},
                reason=HOSTILE,
            )

    folder = tmp_path_factory.mktemp("hostile")
    asyncio.run(play(folder))
    return folder / "record"


def exported(record: Path, file: Path, *options: str) -> str:
    intent = next(str(e.id) for _, e in events(record) if e.type == "intent")
    name = str(file)
    status = main(["audit", "export", intent, str(record), "--output", name, *options])
    assert status == 0
    return file.read_text("utf-8")


def test_an_export_holds_the_whole_chain(good: Path, tmp_path: Path) -> None:
    page = exported(good, tmp_path / "incident.html")
    intent = next(event for _, event in events(good) if event.type == "intent")
    chain = [e for _, e in events(good) if str(intent.id) in (str(e.id), e.intent)]
    for event in chain:
        assert html.escape(event.data.decode()) in page
        assert event.signature is not None
        assert base64.b64encode(event.signature).decode() in page


def test_an_export_escapes_everything(hostile: Path, tmp_path: Path) -> None:
    page = exported(hostile, tmp_path / "incident.html")
    assert "<script" not in page
    assert "<img" not in page
    assert html.escape(HOSTILE) in page


def test_a_redacted_export_has_no_names(good: Path, tmp_path: Path) -> None:
    page = exported(good, tmp_path / "incident.html", "--redact")
    messages = [event.message for _, event in events(good) if event.message]
    devices = {one for m in messages for one in m.body.get("target", ())}
    for secret in ("Anna", "anna", "a wish", "Lamp 0", "lamp_0", *devices):
        assert secret not in page
    for kept in ("light.turn_on", "changed", "hub.1."):
        assert kept in page


def test_a_redacted_export_of_a_bad_record(good: Path, tmp_path: Path) -> None:
    """What is wrong is told by its rule: the words may be a policy's, or a path."""

    def secret(record: list[Event]) -> list[Event]:
        n = number_of(record, MessageType.RECEIPT)
        body = {"outcome": "Geheim", "geheim.1.2": {"Geheim x": 1}}
        writes = {"devices/00/Geheim.json": None}
        record[n] = said(record[n], key=KEY, body=body, writes=writes)
        return record

    bad = rewritten(good, tmp_path / "bad", secret)
    intent = next(str(e.id) for _, e in events(bad) if e.type == "intent")
    file = tmp_path / "incident.html"
    arguments = ["audit", "export", intent, str(bad), "--output", str(file)]
    assert main([*arguments, "--redact"]) == 1
    text = file.read_text("utf-8")
    assert "Geheim" not in text
    assert "geheim" not in text
    assert "receipt" in text


def test_an_export_of_nothing(good: Path) -> None:
    assert main(["audit", "export", "hub.9.9", str(good)]) == 2
