"""The messages that the gate puts on record, in the words of `docs/leases.md`."""

from collections.abc import Callable, Mapping

from .devices import Device, Values
from .intents import Evidence
from .leasebook import Request
from .leases import Lease
from .messages import EventId, Json, MessageType
from .node import Node, Record
from .outcomes import combine
from .paths import device_path
from .reasons import Outcome, Reason
from .runs import Run
from .shadow import differs, doubtful, known, shadow
from .verdict import Receipt, Refusal

ROOT = "rupert"
"""The agent that all answers of a gate are addressed to."""


class Announcer:
    """Writes what the gate did into the node's journal and view."""

    def __init__(
        self, node: Node, agent: str, device: Callable[[str], Device | None]
    ) -> None:
        """Speak on `node` in the name of `agent`."""
        self._node = node
        self._agent = agent
        self._device = device

    def execute(self, lease: Lease, request: Request) -> Record:
        """Record that a lease is used; must be on the disk before the act."""
        names = ", ".join(map(self._name, lease.target))
        return self._emit(
            MessageType.EXECUTE,
            f"{lease.operation} on {names}.",
            lease,
            cause=lease.id,
            body={
                "grantee": lease.grantee,
                "principal": lease.principal.as_dict(),
                "target": list(lease.target),
                "operation": lease.operation,
                "parameters": dict(request.parameters),
            },
        )

    def receipt(
        self, run: Run, members: Mapping[str, Outcome], values: Mapping[str, Values]
    ) -> Receipt:
        """Record what became of an execute, with what was read back.

        Raises:
            TypeError, ValueError: the values are no JSON; nothing was recorded.
        """
        lease, outcome = run.lease, combine(members.values())
        writes: dict[str, Json] = {}
        for target, result in members.items():
            path, device = device_path(target), self._device(target)
            kept = self._node.view.get(path)
            if result is Outcome.UNKNOWN:
                writes[path] = doubtful(kept, run.execute)
            elif device and target in values:
                seen = known(device, kept, values[target])
                if differs(kept, seen):
                    writes[path] = shadow(device, seen)
        names = ", ".join(map(self._name, members))
        record = self._emit(
            MessageType.RECEIPT,
            f"{names}: {outcome} ({lease.operation}).",
            lease,
            cause=run.execute,
            body={
                "outcome": outcome,
                "target": list(members),
                "operation": lease.operation,
                "members": dict(members),
                "values": {target: dict(seen) for target, seen in values.items()},
                "before": {
                    target: dict(run.goals[target].before.values)
                    for target, result in members.items()
                    if result is not Outcome.ALREADY_SO
                },
                "evidence": [item.as_dict() for item in run.evidence],
            },
            writes=writes,
        )
        return Receipt(
            record=record,
            execute=run.execute,
            outcome=outcome,
            members=members,
            values=values,
            evidence=run.evidence,
        )

    def refusal(
        self,
        lease: Lease | str,
        request: Request,
        evidence: tuple[Evidence, ...],
        *,
        over: bool,
        execute: str | None,
    ) -> Refusal:
        """Record that nothing moved, why, and whether the lease is over.

        `lease` is a text where the gate knows none of that id.
        """
        reason = evidence[0].code
        assert reason is not None
        body: dict[str, Json] = {
            "reason": reason,
            "evidence": [item.as_dict() for item in evidence],
            "grantee": request.grantee,
            "target": list(request.target),
            "operation": request.operation,
            "over": over,
        }
        if execute is not None:
            body["execute"] = execute
        cited = _event_id(lease) if isinstance(lease, str) else lease.id
        record = self._emit(
            MessageType.REFUSAL,
            f"Refused: {evidence[0].text}",
            lease if isinstance(lease, Lease) else None,
            cause=cited,
            cited=cited,
            body=body,
        )
        return Refusal(record=record, reason=reason, evidence=evidence, over=over)

    def revoked(self, lease: Lease, by: str) -> Refusal:
        """Record that an unused lease is over because it was revoked."""
        text = "the lease was revoked before it was used"
        evidence = Evidence(
            text=text,
            code=Reason.REVOKED,
            lease=lease.id,
            event=by,
            intent=lease.intent,
        )
        request = Request(lease.grantee, lease.target, lease.operation, {})
        return self.refusal(lease, request, (evidence,), over=True, execute=None)

    def lost(self, execute: Record) -> Record:
        """Record that an earlier boot's execute has no receipt: nobody knows."""
        message = execute.message
        targets = [str(target) for target in message.body["target"]]
        view = self._node.view
        paths = {target: device_path(target) for target in targets}
        return self._node.emit(
            sender=self._agent,
            to=ROOT,
            type=MessageType.RECEIPT,
            content=f"{', '.join(map(self._name, targets))}: unknown after a crash.",
            cause=message.id,
            intent=message.intent,
            task=message.task,
            lease=message.lease,
            body={
                "outcome": Outcome.UNKNOWN,
                "target": targets,
                "operation": message.body["operation"],
                "members": dict.fromkeys(targets, Outcome.UNKNOWN),
                "values": {},
                "evidence": [],
            },
            writes={p: doubtful(view.get(p), message.id) for p in paths.values()},
        )

    def resolved(self, device: Device, values: Values, execute: str) -> Record:
        """Record the read that ended an `unknown`."""
        return self._node.emit(
            sender=self._agent,
            to=ROOT,
            type=MessageType.OBSERVATION,
            content=f"{device.name} was read after {execute}.",
            cause=execute,
            body={"device": device.id, "values": dict(values)},
            writes={device_path(device.id): shadow(device, values)},
        )

    def _emit(
        self,
        type_: MessageType,
        content: str,
        lease: Lease | None,
        *,
        cause: str | None,
        body: dict[str, Json],
        cited: str | None = None,
        writes: Mapping[str, Json] | None = None,
    ) -> Record:
        return self._node.emit(
            sender=self._agent,
            to=ROOT,
            type=type_,
            content=content,
            cause=cause,
            intent=lease.intent if lease else None,
            task=lease.task if lease else None,
            lease=lease.id if lease else cited,
            base_commit=self._node.view.commit,
            body=body,
            writes=writes,
        )

    def _name(self, device_id: str) -> str:
        device = self._device(device_id)
        return device.name if device else device_id


def _event_id(text: str) -> str | None:
    """Return a cited id if it is one."""
    try:
        return str(EventId.parse(text))
    except ValueError:
        return None
