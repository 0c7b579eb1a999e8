"""The audit of many nodes: between two of them the record has no order."""

from collections.abc import Iterable
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from hearthnet.audit.findings import Finding
from hearthnet.audit.ledger import Ledger
from hearthnet.bench.verdicts.arena import play
from hearthnet.bench.verdicts.generator import moves, setting
from hearthnet.core.librarian.record import Event
from hearthnet.core.messages import MessageType
from hearthnet.core.node import Node, Record


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> list[Record]:
    """What the hub and 15 other nodes said in the verdicts' nasty home."""
    records: list[Record] = []
    emit = Node.emit

    def noted(self: Node, **fields: Any) -> Record:
        record = emit(self, **fields)
        records.append(record)
        return record

    home = setting(1, agents=16, devices=100)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Node, "emit", noted)
        play(home, moves(home, 1, 200), tmp_path_factory.mktemp("arena"), 1)
    return records


def audited(records: Iterable[Record]) -> list[Finding]:
    ledger = Ledger({})
    found: list[Finding] = []
    for number, record in enumerate(records, 1):
        message = record.message
        event = Event(message.event, record.data, record.signature, message)
        found += ledger.take(number, "", event)
    return [*found, *ledger.end()]


def shuffled(records: Iterable[Record], seed: int) -> list[Record]:
    """Mix the nodes' streams as a librarian might get them; each keeps its order."""
    rng = Random(seed)
    streams: dict[str, list[Record]] = {}
    for record in records:
        streams.setdefault(record.message.event.node, []).append(record)
    order = [node for node, stream in streams.items() for _ in stream]
    rng.shuffle(order)
    left = {node: iter(stream) for node, stream in streams.items()}
    return [next(left[node]) for node in order]


@pytest.mark.parametrize("seed", range(3))
def test_any_mixture_is_sound(said: list[Record], seed: int) -> None:
    assert any(r.message.event.node != "hub" for r in said)
    assert audited(shuffled(said, seed)) == []


def test_a_grant_that_never_comes_is_missed(said: list[Record]) -> None:
    """The hub's stream is cut off before it, as if it had never granted."""
    grants = {r.message.id for r in said if r.message.type is MessageType.GRANT}
    execute = next(
        record.message
        for record in reversed(said)
        if record.message.type is MessageType.EXECUTE
        and record.message.event.node != "hub"
        and record.message.lease in grants
    )
    numbers = [r.message.id for r in said]
    cut = numbers.index(execute.lease or "")
    kept = [
        record
        for number, record in enumerate(said)
        if record.message.event.node != "hub" or number < cut
    ]
    found = {(finding.event, finding.rule) for finding in audited(kept)}
    assert (execute.id, "no_lease") in found


def test_a_lease_that_two_nodes_use(said: list[Record]) -> None:
    execute = next(
        record
        for record in said
        if record.message.type is MessageType.EXECUTE
        and record.message.event.node != "hub"
    )
    thief = next(
        record
        for record in reversed(said)
        if record.message.event.node not in ("hub", execute.message.event.node)
    )
    event = thief.message.event
    stolen = replace(
        execute.message,
        id=str(event._replace(seq=event.seq + 1)),
        sender=thief.message.sender,
    )
    # Signed by nobody: that it is used twice shows all the same.
    copied = Record(stolen, stolen.encode(), None)
    found = {(f.event, f.rule) for f in audited([*said, copied])}
    assert (stolen.id, "consumed") in found
