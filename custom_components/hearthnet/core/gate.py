"""The gate: the only door to a device. One a node, beside the devices' writer.

The order is: check, consume, journal `execute`, sync, re-check, act, read back,
`receipt`. Nothing yields between check and consume, nor between the re-check
and the adapter's first step. `docs/leases.md` tells what that guarantees.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
import logging

from .adapter import _SEAL, Adapter, AdapterError, Permit
from .announce import Announcer
from .devices import Device, Reading, Values
from .expectations import Expectations
from .intents import Evidence
from .journal import JournalError
from .keys import VerifyKey
from .killpoint import killpoint
from .leasebook import LeaseBook, Moment, Request
from .leases import Lease
from .messages import EventId
from .node import Node, Record
from .obstacles import obstacles
from .operations import Operation, Parameters
from .outcomes import (
    Goal,
    arrival_deadline,
    goals_of,
    needless,
    read_back_deadline,
    satisfied,
    untouched,
)
from .paths import device_path
from .reasons import Outcome, Reason
from .recovery import Past
from .runs import Run, Runs
from .shadow import doubt
from .verdict import Check, Receipt, Refusal, Refused

_LOGGER = logging.getLogger(__name__)

ACT_LIMIT = 300.0
"""Seconds after which an adapter that does not come back is given up on."""


class Gate:
    """Admits leases, checks and consumes them, and lets adapters act."""

    def __init__(
        self,
        *,
        node: Node,
        adapter: Adapter,
        root: VerifyKey,
        agent: str,
        operations: Mapping[str, Operation],
        device: Callable[[str], Device | None],
        recipe: Callable[[str], str | None] = lambda operation: None,
    ) -> None:
        """Stand beside `node`; speak in the name of `agent` (jeeves, darcy).

        `root` is the hub's key, `recipe` gives the digest of the recipe that an
        operation would run.
        """
        self._node = node
        self._adapter = adapter
        self._operations = operations
        self._device = device
        self._announce = Announcer(node, agent, device)
        self._book = LeaseBook(root, node.view, operations, self._key_of, recipe)
        self._expectations = Expectations()
        self._runs = Runs()

    # What the gate is told

    def note_proposal(self, record: Record) -> None:
        """Note that a proposal is being sent: its lease's time starts now."""
        self._book.note_proposal(record.message.id, self._now())

    def admit(self, grant: Record) -> bool:
        """Take in a grant; True if it is the root's and well-formed."""
        return self._book.admit(grant) is not None

    def trust(self, root: VerifyKey) -> None:
        """Take a new key of the hub, which its old key has signed."""
        self._book.root = root

    def revoke(self, lease_id: str, *, by: str) -> Record | None:
        """End a lease, known or still to come; `by` is the revoking event.

        Returns the refusal that tells the root that an unused lease is over.
        """
        lease = self._book.revoke(lease_id, by)
        return self._announce.revoked(lease, by).record if lease else None

    def revoke_all(self, *, by: str) -> list[Record]:
        """End every lease that answers a proposal noted so far."""
        leases = self._book.revoke_all(by)
        return [self._announce.revoked(lease, by).record for lease in leases]

    def raise_fence(self, boot: int, *, by: str | None = None) -> None:
        """Learn of a hub boot; leases of earlier ones are fenced off."""
        self._book.raise_fence(boot, by)

    def lease(self, lease_id: str) -> Lease | None:
        """Return a lease by id, whatever became of it, if it is still known."""
        return self._book.lease(lease_id)

    # Checking and executing

    def check(
        self,
        lease_id: str,
        *,
        grantee: str,
        target: Sequence[str],
        operation: str,
        parameters: Parameters,
    ) -> Check:
        """Tell all that speaks against an actuation now; changes nothing."""
        request = Request(grantee, tuple(target), operation, parameters)
        return self._book.check(lease_id, request, self._now())

    async def execute(
        self,
        lease_id: str,
        *,
        grantee: str,
        target: Sequence[str],
        operation: str,
        parameters: Parameters,
    ) -> Receipt | Refusal:
        """Check, consume, record, act, read back, record.

        An identical request gets the answer of the first one. Canceling the
        first while it acts leaves a receipt `unknown`.

        Raises:
            JournalError: not even the answer could be recorded.
        """
        # A copy, so that what was checked is what is done whatever the caller does.
        request = Request(grantee, tuple(target), operation, deepcopy(parameters))
        if (run := self._runs.same(lease_id, request)) is not None:
            return await asyncio.shield(run.answer)
        check = self._book.check(lease_id, request, self._now())
        if check.lease is None or check.evidence:
            return self._refuse(lease_id, request, check.evidence)
        if evidence := self._obstacles(check.lease):
            return self._refuse(lease_id, request, evidence)
        run = self._consume(check.lease, request)
        try:
            await self._carry_out(run)
        except BaseException as error:
            run.fail(error)
            raise
        finally:
            self._runs.end(run)
        return run.answer.result()

    def _obstacles(self, lease: Lease) -> tuple[Evidence, ...]:
        devices = self._devices(lease)
        keys = self._book.keys(lease.id)
        runs = [run for key in keys if (run := self._runs.on(key)) is not None]
        return obstacles(lease, devices, runs, self._adapter, self._node)

    def _devices(self, lease: Lease) -> list[Device]:
        return [device for t in lease.target if (device := self._device(t))]

    def _consume(self, lease: Lease, request: Request) -> Run:
        """Use up the lease and record its `execute`, in the step that checked it."""
        row = self._operations[lease.operation]
        goals = self._goals(row, lease, request)
        execute = self._announce.execute(lease, request).message.id
        self._book.consume(lease.id, execute)
        run = Run(
            lease=lease,
            request=request,
            execute=execute,
            row=row,
            keys=self._book.keys(lease.id),
            goals=goals,
            answer=asyncio.get_running_loop().create_future(),
            task=asyncio.current_task(),
        )
        self._runs.begin(run)
        return run

    def _goals(self, row: Operation, lease: Lease, request: Request) -> dict[str, Goal]:
        devices = self._devices(lease)
        readings = {device.id: self._adapter.read(device.id) for device in devices}
        return goals_of(row, request.parameters, devices, readings)

    async def _carry_out(self, run: Run) -> None:
        """Take a consumed lease to its answer; cut off, it still gets one."""
        if needless(run.row, run.goals):
            self._needless(run)
            return
        try:
            await self._node.sync()
        except JournalError as error:
            text = f"nothing was sent, the journal cannot be written: {error}"
            self._stop(run, Reason.JOURNAL_UNWRITABLE, text)
            return
        except BaseException:
            self._stop(run, Reason.CANCELED, "canceled before anything was sent")
            raise
        if over := self._book.recheck(run.lease.id, self._now(), fresh=True):
            run.conclude(self._refuse(run.lease.id, run.request, over, run))
            return
        # The device may have moved while the disk was waited for, or be gone.
        run.goals = self._goals(run.row, run.lease, run.request)
        if len(run.goals) < len(run.lease.target):
            self._stop(run, Reason.UNREACHABLE, "a target is gone")
            return
        if needless(run.row, run.goals):
            self._needless(run)
            return
        try:
            await self._act(run)
        except BaseException:
            self._receipt(run, dict.fromkeys(run.goals, Outcome.UNKNOWN))
            raise
        self._receipt(run, run.judge())

    def _needless(self, run: Run) -> None:
        """Answer for targets that are as they shall be: nothing is sent."""
        run.readings = {target: goal.before for target, goal in run.goals.items()}
        members = {target: untouched(goal) for target, goal in run.goals.items()}
        self._receipt(run, members)

    async def _act(self, run: Run) -> None:
        """Let the adapter act and read back; what goes wrong is noted in the run."""
        permit = self._permit(run)
        deadline = read_back_deadline(run.row, run.request.parameters)
        until = self._node.clock.boottime()
        until += arrival_deadline(run.row, run.request.parameters)
        run.acting = True
        for goal in run.goals.values():
            self._expectations.begin(run.execute, goal)
        try:
            async with asyncio.timeout(ACT_LIMIT + deadline):
                killpoint()
                await self._tell(run, permit)
                killpoint()
                run.readings = await self._adapter.settle(
                    permit, lambda seen: satisfied(run.goals, seen), deadline
                )
                killpoint()
        except Refused as refused:
            run.evidence = refused.evidence
        except AdapterError as error:
            run.failed(error.outcome, error.text, error.evidence)
        except Exception as error:
            _LOGGER.exception("The adapter failed on %s", run.execute)
            run.failed(Outcome.UNKNOWN, f"{type(error).__name__}: {error}")
        finally:
            if not run.goals.keys() <= run.readings.keys():
                run.readings = {t: self._adapter.read(t) for t in run.goals}
            seen = {run.goals[t].device.key: run.readings[t] for t in run.goals}
            self._expectations.end(run.execute, seen, until)

    async def _tell(self, run: Run, permit: Permit) -> None:
        try:
            if (before := await self._adapter.act(permit)) is not None:
                run.start_from(before)
        except AdapterError as error:
            if error.outcome is not Outcome.PARTIAL:
                raise
            # Those targets that were told get their time to settle.
            run.failed(Outcome.FAILED, error.text, error.evidence)

    def _permit(self, run: Run) -> Permit:
        """Make the one permit of a consumed lease."""

        def recheck() -> None:
            if over := self._book.recheck(run.lease.id, self._now(), fresh=False):
                raise Refused(over)

        return Permit(
            target=run.lease.target,
            operation=run.lease.operation,
            parameters=run.request.parameters,
            lease=run.lease.id,
            execute=run.execute,
            principal=run.lease.principal,
            recipe=run.lease.recipe,
            vision=run.lease.vision,
            recheck=recheck,
            seal=_SEAL,
        )

    # Answering

    def _receipt(self, run: Run, members: Mapping[str, Outcome]) -> None:
        values = {t: r.values for t, r in run.readings.items() if r.available}
        try:
            run.conclude(self._announce.receipt(run, members, values))
        except (TypeError, ValueError):
            # An integration reports what is no JSON: nobody can say what it did.
            _LOGGER.exception("Cannot record what %s did", run.execute)
            unknown = dict.fromkeys(members, Outcome.UNKNOWN)
            run.conclude(self._announce.receipt(run, unknown, {}))

    def _refuse(
        self,
        lease_id: str,
        request: Request,
        evidence: tuple[Evidence, ...],
        run: Run | None = None,
    ) -> Refusal:
        """Record a refusal. It ends the lease if that can never be used again."""
        over = run is not None or self._book.over(lease_id, evidence)
        return self._announce.refusal(
            self._book.lease(lease_id) or lease_id,
            request,
            evidence,
            over=over,
            execute=run.execute if run else None,
        )

    def _stop(self, run: Run, code: Reason, text: str) -> None:
        """Refuse a lease that is consumed although nothing was sent under it."""
        evidence = (Evidence(text=text, code=code, lease=run.lease.id),)
        run.conclude(self._refuse(run.lease.id, run.request, evidence, run))

    # What others ask about devices

    def expects(self, device_id: str, values: Values, now: float) -> str | None:
        """Return the execute that a reported change belongs to, None if foreign.

        `now` is the boot-time clock's.
        """
        return self._expectations.claim(self._key_of(device_id), values, now)

    def busy(self, device_id: str) -> str | None:
        """Return the execute that moves the device now and has no receipt yet.

        A change reported meanwhile is told after the receipt. One reported before
        the act is told at once: it may make the lease stale.
        """
        run = self._runs.acting(self._key_of(device_id))
        return run.execute if run else None

    async def wait_idle(self, device_id: str) -> None:
        """Return once no execute that moves the device lacks its receipt."""
        await self._runs.wait_idle(self._key_of(device_id))

    def unknown(self, device_id: str) -> str | None:
        """Return the execute whose outcome on the device nobody knows yet."""
        return doubt(self._node.view.get(device_path(device_id)))

    def resolve_unknown(self, device_id: str, reading: Reading) -> Record | None:
        """Record a read that succeeded; the device takes actuations again."""
        execute, device = self.unknown(device_id), self._device(device_id)
        if execute is None or device is None or not reading.available:
            return None
        return self._announce.resolved(device, reading.values, execute)

    # Starts and stops

    def recover(self, past: Past) -> list[Record]:
        """Take over what earlier boots did; executes without receipt are unknown.

        Returns the receipts emitted for them.
        """
        for lease_id, record in past.executes.items():
            targets = record.message.body["target"]
            self._book.consume(lease_id, record.message.id, targets)
        self._book.earlier.update(past.grants)
        for lease_id in (*past.executes, *past.grants):
            self._book.raise_fence(EventId.parse(lease_id).boot, lease_id)
        for lease_id, by in past.revoked.items():
            self._book.revoke(lease_id, by)
        return [self._announce.lost(execute) for execute in past.open.values()]

    async def drain(self, *, by: str, timeout: float) -> list[Record]:
        """Revoke what is unused and wait for what runs; used before a stop.

        What still runs after `timeout` seconds is cut off and becomes `unknown`.
        Returns the refusals of the unused leases.
        """
        records = self.revoke_all(by=by)
        await self._runs.cut_off(timeout)
        return records

    def _now(self) -> Moment:
        clock = self._node.clock
        return Moment(clock.boottime(), clock.now())

    def _key_of(self, device_id: str) -> str:
        device = self._device(device_id)
        return device.key if device else device_id
