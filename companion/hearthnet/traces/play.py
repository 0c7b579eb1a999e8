"""Plays a trace: the real core over a simulated house, on a clock that leaps.

No model, no device and no waiting: a recorded day takes seconds, and the same trace
is the same every time.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
import shutil
from tempfile import TemporaryDirectory
from typing import Any

from hearthnet.audit.findings import Finding
from hearthnet.audit.ledger import Ledger
from hearthnet.background import Background
from hearthnet.core.approvals import FOLDER as APPROVALS, Approval
from hearthnet.core.hub import Hub
from hearthnet.core.intents import Plan, Request
from hearthnet.core.keys import SigningKey
from hearthnet.core.leases import DEFAULT_TTL
from hearthnet.core.librarian.record import Event
from hearthnet.core.messages import Message, MessageType
from hearthnet.core.node import Node, Record
from hearthnet.core.planner import Situation
from hearthnet.core.reservations import LoopWaiter
from hearthnet.core.restart import Startup
from hearthnet.core.status import Cause
from hearthnet.simulation import SimulatedHouse
from hearthnet.virtual import VirtualClock, run

from .chains import chains
from .given import house_of, plan_of, request_of
from .trace import Step, Trace, TraceError, action_of, principal_of

KEY = SigningKey(bytes(range(32)))
AFTER = 150.0
"""Seconds that a trace goes on after its last step: longer than an intent may take."""
MEMORY = Path("/dev/shm")  # noqa: S108 - a folder of our own in it


type Anew = Callable[[Request, Situation], Plan | None]
"""Makes a plan while the day's time stands still."""


@dataclass
class Played:
    """What a trace led to."""

    records: list[Record] = field(default_factory=list)
    decisions: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    """Safety properties that did not hold."""
    seconds: dict[str, float] = field(default_factory=dict)
    """By the steps' names: how long an intent took until all its receipts were in."""


def play(trace: Trace, anew: Anew | None = None) -> Played:
    """Play a trace from beginning to end.

    `anew` plans what people say in place of the recorded plans.

    Raises:
        TraceError: a step cannot be carried out.
    """
    clock = VirtualClock(start=trace.start)
    where = MEMORY if MEMORY.is_dir() else None
    with TemporaryDirectory(prefix="hearthnet-replay-", dir=where) as folder:
        player = Player(trace, Path(folder), clock, anew)
        run(player.play(), clock)
    played = player.played
    names = {device.id: device.name for device in trace.devices}
    played.decisions = chains([r.message for r in played.records], names)
    played.broken += _broken(played.records, trace.state)
    played.broken += _acts(played.records, player.house)
    return played


class Player:
    """One run of a trace. Each `_do_…` is what a step of that name does."""

    def __init__(
        self,
        trace: Trace,
        folder: Path,
        clock: VirtualClock,
        anew: Anew | None = None,
    ) -> None:
        """Furnish the house."""
        self._trace = trace
        self._anew = anew
        self._journal = folder / "journal"
        self._clock = clock
        self.house = house_of(trace)
        self.played = Played()
        self._plans: dict[str, deque[tuple[float, Plan | None]]] = {}
        """By the words: what is planned for them, and how long that takes."""
        self._intents: dict[str, str] = {}
        """Step's name to its intent."""
        self._tasks = Background()

    async def play(self) -> None:
        """Go through the steps at their times."""
        await self._boot()
        self._begin_as_recorded()
        for step in self._trace.steps:
            await asyncio.sleep(max(0.0, step.at - self._clock.seconds))
            try:
                await getattr(self, f"_do_{step.do}")(step)
            except (AttributeError, KeyError, TypeError, ValueError) as error:
                raise TraceError(f"step at {step.at}: {error!r}") from error
        await asyncio.sleep(AFTER)
        await self._halt()

    async def plan(self, request: Request, situation: Situation) -> Plan | None:
        """Return the recorded plan after the time that it took; a `Planner`."""
        seconds, plan = self._plans[request.text].popleft()
        await asyncio.sleep(seconds)
        return plan if self._anew is None else self._anew(request, situation)

    async def _boot(self) -> None:
        self._node = Node(
            name="hub",
            folder=self._journal,
            key=KEY,
            clock=self._clock,
            run=_inline,
        )
        self._unsubscribe = self._node.subscribe(self.played.records.append)
        self.played.records.append(self._node.hello)
        self._hub = Hub(
            node=self._node,
            house=self.house,
            adapter=self.house,
            planner=self,
            policy_text=self._trace.policy,
            librarian=None,
            waiter=LoopWaiter(self._clock),
            spawn=self._tasks.spawn,
            zone=lambda: self._trace.start.tzinfo or UTC,
            home=lambda: self._trace.home,
        )
        await self._node.sync()
        await self._hub.start(Startup.read(self._node))
        self._hub.open()

    def _begin_as_recorded(self) -> None:
        """Put on record what was there before the trace."""
        if self._trace.state:
            self._node.emit(
                sender="rupert",
                to="rupert",
                type=MessageType.ALERT,
                content="The state that the trace begins with.",
                writes=self._trace.state,
            )
        for device in self._trace.devices:
            if (values := self._trace.values.get(device.id)) and (
                device.id not in self._trace.away
            ):
                self._hub.observe(device.id, values, cause=Cause.RECONNECT)

    async def _halt(self) -> None:
        await self._hub.stop()
        await self._node.close()
        await self._tasks.end()

    # Steps

    async def _do_ask(self, step: Step) -> None:
        request = request_of(step)
        thought = float(step.data.get("think", 0.0)), plan_of(step)
        self._plans.setdefault(request.text, deque()).append(thought)
        self._begin(step, self._hub.wishes.ask(request))

    async def _do_propose(self, step: Step) -> None:
        (action,) = map(action_of, step.data["actions"])
        request = request_of(step)
        wish = self._hub.wishes.propose(
            principal=request.principal,
            origin=request.origin,
            targets=action.targets,
            operation=action.operation,
            parameters=action.parameters,
            relative=action.relative,
            reason=request.text,
        )
        self._begin(step, wish)

    async def _do_lease(self, step: Step) -> None:
        (action,) = map(action_of, step.data["actions"])
        request = request_of(step)
        wish = self._hub.wishes.request_lease(
            principal=request.principal,
            origin=request.origin,
            target=action.targets[0],
            operation=action.operation,
            parameters=action.parameters,
            reason=request.text,
            ttl=float(step.data.get("ttl", DEFAULT_TTL)),
        )
        self._begin(step, wish)

    async def _do_use(self, step: Step) -> None:
        lease = self._lease(step.data["lease"])
        request = request_of(step)
        use = self._hub.wishes.execute(
            lease, principal=request.principal, origin=request.origin
        )
        self._begin(step, use)

    async def _do_answer(self, step: Step) -> None:
        question = self._question(step)
        if question not in {one.id for one in self._hub.status.questions}:
            return  # under another policy nobody is asked
        request, until = request_of(step), step.data.get("until")
        answer = self._hub.wishes.answer(
            question,
            principal=request.principal,
            origin=request.origin,
            approve=bool(step.data["approve"]),
            until=None if until is None else datetime.fromisoformat(until),
        )
        self._begin(step, answer)

    async def _do_withdraw(self, step: Step) -> None:
        principal = request_of(step).principal
        await self._hub.control.revoke_approval(self._question(step), principal)

    async def _do_cancel(self, step: Step) -> None:
        plan = self._intents.get(step.data["of"], step.data["of"])
        await self._hub.control.cancel(plan, request_of(step).principal)

    async def _do_change(self, step: Step) -> None:
        data, device = step.data, step.data["device"]
        self.house.unavailable.discard(device)
        self.house.become(device, data["values"])
        self._hub.observe(
            device,
            self.house.read(device).values,
            cause=Cause(data["cause"]),
            principal=principal_of(data.get("principal")),
            detail=data.get("detail", ""),
        )

    async def _do_away(self, step: Step) -> None:
        self.house.unavailable.add(step.data["device"])

    async def _do_back(self, step: Step) -> None:
        self.house.unavailable.discard(step.data["device"])

    async def _do_restart(self, _step: Step) -> None:
        await self._halt()
        await self._boot()

    async def _do_crash(self, _step: Step) -> None:
        """Go on from what is on the disk; whatever else is done counts for nothing."""
        self._unsubscribe()
        crashed, self._journal = self._journal, self._journal.with_suffix(".next")
        shutil.copytree(crashed, self._journal)
        await self._halt()
        await self._boot()
        boot, last = self._node.hello.message.body["ended"]
        self.played.records[:] = [
            record
            for record in self.played.records
            if (event := record.message.event).boot != boot or event.seq <= last
        ]

    async def _do_policy(self, step: Step) -> None:
        text = "\n".join(step.data["policy"]) + "\n"
        await self._hub.control.set_policy(text, request_of(step).principal)

    async def _do_enable(self, step: Step) -> None:
        enabled = bool(step.data["enabled"])
        await self._hub.control.set_enabled(enabled, request_of(step).principal)

    async def _do_revoke(self, step: Step) -> None:
        lease = self._lease(step.data["lease"])
        await self._hub.control.revoke_lease(lease, request_of(step).principal)

    async def _do_release(self, step: Step) -> None:
        data = step.data
        for hold in self._hub.state.all_holds():
            if (hold.device, hold.attribute) == (data["device"], data["attribute"]):
                principal = request_of(step).principal
                await self._hub.control.release_hold(hold.id, principal)

    def _begin(self, step: Step, coroutine: Coroutine[Any, Any, Any]) -> None:
        """Let an intent take its course; the trace goes on meanwhile."""
        seq = self._node.position[1] + 1

        async def course() -> None:
            start = self._clock.seconds
            # Under another policy there may be no lease to use, nothing to answer.
            with suppress(LookupError, PermissionError):
                await coroutine
            self.played.seconds[step.name] = self._clock.seconds - start

        self._intents[step.name] = f"hub.{self._node.boot}.{seq}"
        loop = asyncio.get_running_loop()
        self._tasks.keep(asyncio.eager_task_factory(loop, course()))

    def _lease(self, name: str) -> str:
        """Return the lease that came of a step."""
        intent = self._intents[name]
        for record in reversed(self.played.records):
            message = record.message
            if message.type is MessageType.GRANT and message.intent == intent:
                return message.id
        return intent  # under another policy there is none: the gate says so

    def _question(self, step: Step) -> str:
        """Return what was asked because of a step; else what it names itself."""
        intent = self._intents.get(step.data["of"])
        asked = (
            record.message.id
            for record in self.played.records
            if record.message.type is MessageType.CONFIRMATION_REQUEST
            and record.message.intent == intent
        )
        return next(asked, step.data["of"])


async def _inline[T](function: Callable[[], T]) -> T:
    return function()


def _broken(records: list[Record], state: Mapping[str, Any]) -> list[str]:
    """Audit what was put on record: leases, freshness, policy, order, signatures."""
    ledger = Ledger({"hub": KEY.public})
    for path, value in state.items():
        if path.startswith(f"{APPROVALS}/"):
            ledger.grants.stands(Approval.from_dict(value))
    found: list[Finding] = []
    for number, record in enumerate(records, 1):
        message = record.message
        event = Event(message.event, record.data, record.signature, message)
        found += ledger.take(number, "", event)
    found += ledger.end()
    return [f"{finding.event}: {finding.rule}: {finding.text}" for finding in found]


def _acts(records: list[Record], house: SimulatedHouse) -> list[str]:
    """Compare what reached the devices with the executes on record."""
    executes = {
        message.id: message
        for record in records
        if (message := record.message).type is MessageType.EXECUTE
    }
    broken = []
    used: set[str] = set()
    for permit in house.acts:
        execute: Message | None = executes.get(permit.execute)
        if execute is None or execute.lease != permit.lease:
            broken.append(f"{permit.operation} had no execute on record")
        if permit.lease in used:
            broken.append(f"the lease {permit.lease} moved something twice")
        used.add(permit.lease)
    return broken
