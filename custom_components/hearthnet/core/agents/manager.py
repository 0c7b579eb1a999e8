"""A manager: turns its tasks into proposals and its leases into actuations.

It decides nothing. It reads what a task needs (availability, the present value
of what shall become “10 % brighter”), proposes, and takes a granted lease to
the gate.
"""

from collections.abc import Callable
from datetime import timedelta

from ..assignment import Order
from ..bus import Bus
from ..clock import Clock
from ..devices import House, Reading
from ..gate import Gate
from ..intents import Evidence
from ..journal import JournalError
from ..leases import Lease
from ..messages import Json, MessageType
from ..node import Node, Record
from ..operations import Problem
from ..reasons import Reason
from ..recovery import read_past
from ..relative import resolve
from .base import Agent, Spawn

ROOT = "rupert"
ANSWER_WITHIN = 60.0
"""Seconds that a manager waits for the root; a lease would be dead by then."""


class Manager(Agent):
    """A manager with its gate; Jeeves is one, Darcy another."""

    def __init__(
        self,
        name: str,
        node: Node,
        bus: Bus,
        spawn: Spawn,
        *,
        house: House,
        gate: Gate,
        clock: Clock,
        fault: Callable[[str, Reason, str], None] = lambda _task, _reason, _text: None,
    ) -> None:
        """Take the devices it may read and the gate it must pass.

        `fault` (task, reason, text) is told when not even a refusal could be
        recorded.
        """
        super().__init__(name, node, bus, spawn)
        self._house = house
        self._gate = gate
        self._clock = clock
        self._fault = fault
        self._untold: list[Record] = []

    def failed(self, record: Record, reason: Reason, text: str) -> None:
        """End the task that could not be handled."""
        self._fault(record.message.id, reason, text)

    def receive(self, record: Record) -> None:
        """Take a message; a revocation counts from the moment that it is here."""
        if record.message.type is MessageType.REVOCATION:
            self._end(record)
        else:
            super().receive(record)

    def _end(self, record: Record) -> None:
        """End a lease. Nothing may wait for its turn: it could be used meanwhile."""
        message = record.message
        if message.lease is None:
            return
        try:
            refusal = self._gate.revoke(message.lease, by=message.id)
        except JournalError as error:
            self.failed(record, Reason.JOURNAL_UNWRITABLE, str(error))
            return
        if refusal is not None:
            self._bus.send(refusal)

    async def handle(self, record: Record) -> None:
        """Take a task."""
        if record.message.type is not MessageType.TASK:
            return
        order = Order.from_message(record.message)
        if order.use is not None:
            await self._use(order, order.use)
        else:
            await self.take(order)

    def take_over(self) -> None:
        """Answer for what earlier boots of this node left open. Blocks."""
        boot = self.node.boot
        past = read_past(r for r in self.node.history() if r.message.event.boot < boot)
        for receipt in self._gate.recover(past):
            self.answer(receipt)

    def tell_again(self) -> None:
        """Say the answers that nobody was there to hear. They command nothing."""
        untold, self._untold = self._untold, []
        for answer in untold:
            self.answer(answer)

    def answer(self, record: Record) -> None:
        """Tell the root how a lease ended; later, if it is not there."""
        if not self._bus.send(record):
            self._untold.append(record)

    async def take(self, order: Order) -> None:
        """Propose what a task asks for and, with the lease, do it."""
        parameters = await self._prepare(order)
        if isinstance(parameters, Evidence):
            self._refuse(order, parameters)
            return
        if (grant := await self._propose(order, parameters)) is None:
            return
        self._gate.admit(grant)
        if not order.lease_only:
            await self._execute(Lease.from_message(grant.message), parameters)

    async def _use(self, order: Order, lease_id: str) -> None:
        """Take an existing lease to the gate, which says whether it still counts."""
        lease = self._gate.lease(lease_id)
        if lease is None:
            text = f"there is no lease {lease_id}"
            self._refuse(order, Evidence(code=Reason.NO_LEASE, text=text))
            return
        exact: dict[str, Json] = {k: b.exact for k, b in lease.envelope.items()}
        await self._execute(lease, {**exact, **order.parameters})

    async def _execute(self, lease: Lease, parameters: dict[str, Json]) -> None:
        answer = await self._gate.execute(
            lease.id,
            grantee=self.name,
            target=lease.target,
            operation=lease.operation,
            parameters=parameters,
        )
        self.answer(answer.record)

    async def _prepare(self, order: Order) -> dict[str, Json] | Evidence:
        """Return absolute parameters from a fresh read, or why there are none."""
        device = self._house.device(order.device)
        if device is None or order.operation not in self._house.operations:
            return Evidence(code=Reason.UNKNOWN_TARGET, text="there is no such device")
        readings = []
        for device_id in device.members or (device.id,):
            doubtful = self._gate.unknown(device_id) is not None
            reading = await self.look(device_id, anew=doubtful or bool(order.relative))
            readings.append(reading)
            # A read that succeeds ends what a crash left unknown.
            if (read := self._gate.resolve_unknown(device_id, reading)) is not None:
                self._bus.send(read)
        if not any(reading.available for reading in readings):
            since = min((r.since for r in readings if r.since), default=None)
            ago = f" since {since:%Y-%m-%d %H:%M} UTC" if since else ""
            text = f"{device.name} is unavailable{ago}"
            return Evidence(code=Reason.UNREACHABLE, text=text)
        resolved = resolve(
            self._house.operations[order.operation],
            order.parameters,
            order.relative,
            self._house.read(device.id).values,
            device.limits,
        )
        if isinstance(resolved, Problem):
            return Evidence(code=resolved.reason, text=resolved.text)
        return dict(resolved.parameters)

    async def look(self, device_id: str, *, anew: bool) -> Reading:
        """Read a device; `anew`: what was seen a while ago does not do."""
        del anew  # what is read here is always of this moment
        return self._house.read(device_id)

    async def _propose(
        self, order: Order, parameters: dict[str, Json]
    ) -> Record | None:
        """Ask the root for a lease; None when there is none to be had."""
        device = self._house.device(order.device)
        record = self.node.emit(
            sender=self.name,
            to=ROOT,
            type=MessageType.PROPOSAL,
            content=f"{order.operation} on {device.name if device else order.device}.",
            cause=order.id,
            intent=order.intent,
            task=order.id,
            base_commit=self.node.view.commit,
            expires_at=self._clock.now() + timedelta(seconds=ANSWER_WITHIN),
            body={
                "device": order.device,
                "operation": order.operation,
                "parameters": parameters,
            },
        )
        self._gate.note_proposal(record)
        try:
            answer = await self.exchange(record, timeout=ANSWER_WITHIN)
        except (TimeoutError, ConnectionError):
            return None
        return answer if answer.message.type is MessageType.GRANT else None

    def _refuse(self, order: Order, evidence: Evidence) -> None:
        """Tell the root that nothing can be proposed or used, and why."""
        self.say(
            ROOT,
            MessageType.REFUSAL,
            f"Refused: {evidence.text}",
            cause=order.id,
            intent=order.intent,
            task=order.id,
            lease=order.use,
            body={
                "reason": evidence.code,
                "evidence": [evidence.as_dict()],
                "device": order.device,
                "operation": order.operation,
            },
        )
