"""The safety properties that hold whatever was decided."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hearthnet.audit.history import audit, events
from hearthnet.audit.ledger import Ledger
from hearthnet.core.approvals import FOLDER as APPROVALS, Approval
from hearthnet.core.keys import VerifyKey
from hearthnet.core.librarian.record import Event
from hearthnet.core.messages import MessageType
from hearthnet.core.node import Record
from hearthnet.simulation import SimulatedHouse


def of_messages(
    records: Sequence[Record], keys: Mapping[str, VerifyKey], state: Mapping[str, Any]
) -> Iterator[str]:
    """Audit what was said: leases, freshness, policy, order, signatures.

    `state` is what the record had before.
    """
    ledger = Ledger(keys)
    for path, value in state.items():
        if path.startswith(f"{APPROVALS}/"):
            ledger.grants.stands(Approval.from_dict(value))
    for number, record in enumerate(records, 1):
        message = record.message
        event = Event(message.event, record.data, record.signature, message)
        for finding in ledger.take(number, "", event):
            yield f"{finding.event}: {finding.rule}: {finding.text}"
    for finding in ledger.end():
        yield f"{finding.event}: {finding.rule}: {finding.text}"


def of_acts(
    records: Sequence[Record], houses: Iterable[SimulatedHouse]
) -> Iterator[str]:
    """Compare what reached the devices with the executes on record."""
    executes = {
        message.id: message
        for record in records
        if (message := record.message).type is MessageType.EXECUTE
    }
    used: set[str] = set()
    for permit in (act for house in houses for act in house.acts):
        execute = executes.get(permit.execute)
        if execute is None or execute.lease != permit.lease:
            yield f"{permit.operation} had no execute on record"
        if permit.lease in used:
            yield f"the lease {permit.lease} moved something twice"
        used.add(permit.lease)


def of_record(folder: Path, keys: Mapping[str, VerifyKey]) -> Iterator[str]:
    """Audit what a librarian has made of what was said."""
    found = audit(folder, keys)
    for finding in found.findings:
        yield f"in Git, {finding.event}: {finding.rule}: {finding.text}"
    if found.fsck:
        yield f"git fsck: {found.fsck}"


def missing(records: Sequence[Record], folder: Path) -> list[str]:
    """Return the events that are not in Git as they were said."""
    recorded = {
        event.id: event.data for _, event in events(folder) if event.problem is None
    }
    return [
        record.message.id
        for record in records
        if recorded.get(record.message.event) != record.data
    ]
