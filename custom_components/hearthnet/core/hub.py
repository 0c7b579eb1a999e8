"""The hub node put together: Rupert, the managers beside him, their gate.

Everything that moves a device or decides is elsewhere; this module wires it,
starts and stops it, and answers what the edges (Home Assistant, the bench, a
replay) ask.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime, tzinfo

from .adapter import Adapter
from .agents.base import Spawn
from .agents.deferrals import Deferrals
from .agents.failures import Here
from .agents.issuer import Issuer
from .agents.manager import ROOT, Manager
from .agents.questions import Questions
from .agents.rupert import Planned, Rupert
from .agents.verifier import Verifier
from .bus import Bus
from .bus.local import LocalBus
from .bus.routing import RoutedBus
from .chronicle import Chronicle, Librarian
from .clock import Clock
from .clock_trust import ClockTrust
from .control import Control
from .devices import House, Principal, Values
from .domains import OPERATIONS
from .gate import Gate
from .intents import Action, Origin, Request, Result, Step
from .journal import JournalError
from .leases import DEFAULT_TTL
from .leftovers import Leftovers
from .messages import EventId, Json, Message, MessageType
from .node import Node
from .observations import Observations, Observed
from .outside import Outside
from .overview import Overview
from .phone.recipes import Recipes
from .planner import FirstOf, Planner
from .planner.deferrals import DeferralPlanner
from .planner.restore import RestorePlanner, restoring
from .planner.undo import UndoPlanner
from .reservations import Reservations, Waiter
from .restart import Restart, Startup, recover
from .state import POLICY_PATH, State
from .status import (
    AgentStatus,
    ApprovalStatus,
    Cause,
    DeferredStatus,
    HoldStatus,
    HubStatus,
    LeaseStatus,
    LibrarianStatus,
    QuestionStatus,
    ReviewStatus,
)
from .verify import Readiness

JEEVES = "jeeves"
DRAIN = 5.0
"""Seconds that a stop waits for what runs."""
AWAY = 60.0
"""Seconds without the librarian after which `when_unrecorded` applies."""
SYSTEM = Principal(kind="system", id="hearthnet", name="HearthNet", role="owner")


class Hub:
    """One home's hub."""

    def __init__(
        self,
        *,
        node: Node,
        house: House,
        adapter: Adapter,
        planner: Planner,
        policy_text: str,
        librarian: Librarian | None,
        waiter: Waiter,
        spawn: Spawn,
        zone: tzinfo,
        home: Callable[[], frozenset[str] | None] = lambda: None,
        bus: Bus | None = None,
        outside: Outside | None = None,
        recipes: Recipes | None = None,
    ) -> None:
        """Wire the agents; nothing is granted before `start` and `open`.

        `policy_text` comes into force only where none is on record; `home`
        names the persons at home, None when that is not known; `outside` are the
        companions, `bus` reaches them, or whoever a test puts in their place;
        `recipes` are what phones run, whose appliances are devices of `house`.
        """
        self.node = node
        self._house = house
        self._librarian = librarian
        self._policy_text = policy_text
        self._spawn = spawn
        self._clock: Clock = node.clock
        self._open = False
        self._stopping = False
        self.state = State(node.view)
        self.overview = Overview(node)
        self._trust = ClockTrust(node)
        self.chronicle = Chronicle(node, librarian)
        self._outside = outside
        self._recipes = recipes or Recipes()
        self._bus = bus or RoutedBus(LocalBus(), outside.bus if outside else None)
        self._reservations = Reservations(self._clock, waiter)
        self.gate = Gate(
            node=node,
            adapter=adapter,
            root=node.public_key,
            agent=JEEVES,
            operations=OPERATIONS,
            device=house.device,
        )
        if outside is not None:
            # What agents elsewhere held died with their machine's start.
            outside.on_start = self._reservations.release_grantees
        verifier = Verifier(
            node=node,
            house=house,
            state=self.state,
            clock=self._clock,
            zone=zone,
            readiness=self._readiness,
            unknown=self.gate.unknown,
            home=home,
        )
        self.issuer = Issuer(
            node=node,
            verifier=verifier,
            reservations=self._reservations,
            clock=self._clock,
            zone=zone,
            send=self._bus.send,
            recipe=self._recipes.digest_of,
        )
        self.leftovers = Leftovers(self.ask, self.overview.changed)
        self.control = Control(node, self._bus, self.state, self.issuer)
        """What people set."""
        self._observations = Observations(
            node,
            JEEVES,
            spawn,
            state=self.state,
            gate=self.gate,
            held=self.issuer.withdraw,
            broken=self.overview.tell,
        )
        self._questions = Questions(node, spawn, self._clock)
        self._rupert = Rupert(
            node,
            self._bus,
            spawn,
            house=house,
            planner=FirstOf(
                UndoPlanner(node.view, self.chronicle, self.state.deferred),
                DeferralPlanner(self.state.deferred),
                RestorePlanner(self.chronicle.state_at),
                planner,
            ),
            verifier=verifier,
            issuer=self.issuer,
            control=self.control,
            clock=self._clock,
            zone=zone,
            questions=self._questions,
            decided=self.overview.decided,
            finished=self.overview.finished,
            observed=self._heard,
            peers=outside or Here(),
        )
        self._deferrals = Deferrals(
            self.state,
            self._clock,
            trusted=lambda: self._trust.now is not None,
            fire=self._rupert.fire,
            miss=self.control.miss,
        )
        self._jeeves = Manager(
            JEEVES,
            node,
            self._bus,
            spawn,
            house=house,
            gate=self.gate,
            clock=self._clock,
            fault=self._rupert.fault,
        )

    # Start and stop

    async def start(self, startup: Startup) -> Restart:
        """Take over from earlier boots; re-run nothing.

        Returns:
            What was dropped, for the digest.

        Raises:
            JournalError: the journal takes nothing; nothing may be granted.
            PolicyError: there is no policy on record and `policy_text` is broken.
        """
        before = [r for r in startup.records if r.message.event.boot < self.node.boot]
        self.chronicle.remember(before)
        for record in before:
            self._trust.learn(record.message)
        self.gate.raise_fence(self.node.boot)
        for record in self.gate.recover(startup.past):
            self._bus.send(record)
        self._reservations.rebuild(before, local=(JEEVES,), key_of=self._key_of)
        restart = recover(self.node, self.state, before, self._trust.now)
        self.leftovers.put(restart.dropped)
        if self.node.view.get(POLICY_PATH) is None:
            await self.control.set_policy(self._policy_text, SYSTEM)
        self._put_recipes()
        await self.node.sync()
        if self._outside is not None:
            # It may have met companions already, and they get what is new only so.
            self._outside.share()
        return restart

    def _put_recipes(self) -> None:
        """Put the recipes there are now on record: phones get them from there."""
        for path, recipe in self._recipes.changes(self.node.view):
            gone = "is not in force any more" if recipe is None else "is in force"
            self.node.emit(
                sender=ROOT,
                to=ROOT,
                type=MessageType.RESOLUTION,
                content=f"{path} {gone}.",
                writes={path: recipe},
            )

    def open(self) -> None:
        """Grant from now on: Home Assistant has started."""
        self._open = True
        self._spawn(self._deferrals.run())
        self.overview.changed()

    async def stop(self) -> None:
        """Grant nothing more, wait for what runs, and put it on the disk."""
        self._stopping = True
        for refusal in await self.gate.drain(by=self._hello, timeout=DRAIN):
            self._bus.send(refusal)
        with suppress(JournalError):
            await self.node.sync()
        self._jeeves.close()
        self._rupert.close()

    def _readiness(self) -> Readiness:
        away = self._librarian.away_since if self._librarian else None
        return Readiness(
            open=self._open,
            stopping=self._stopping,
            alone=self._outside is None or self._outside.bus.fenced is None,
            enabled=self.state.enabled,
            journal=self.node.journal.writable,
            recorded=away is None or self._clock.boottime() - away < AWAY,
            clock=self._trust.now is not None,
        )

    def _key_of(self, device_id: str) -> str:
        device = self._house.device(device_id)
        return device.key if device else device_id

    @property
    def _hello(self) -> str:
        """The first event of this boot."""
        return str(EventId(self.node.name, self.node.boot, 1))

    # Intents

    async def ask(self, request: Request, planned: Planned | None = None) -> Result:
        """Take an intent in words; return when all its receipts are in.

        What is for later returns at once, with `due`. `planned` is told of the plan
        before it is carried out.
        """
        result = await self._rupert.ask(request, planned)
        if result.due or result.until or result.canceled:
            await self.node.sync()
            self._deferrals.changed()
        return result

    async def propose(
        self,
        *,
        principal: Principal,
        origin: Origin,
        targets: tuple[str, ...],
        operation: str,
        parameters: Mapping[str, Json],
        reason: str,
        language: str = "en",
        relative: Mapping[str, float] | None = None,
        dry_run: bool = False,
    ) -> Result:
        """Take one action as an intent."""
        request = Request(
            text=reason,
            principal=principal,
            origin=origin,
            language=language,
            dry_run=dry_run,
        )
        action = Action(
            targets=targets,
            operation=operation,
            parameters=parameters,
            relative=relative or {},
            why=reason,
        )
        return await self._rupert.propose(request, (action,))

    async def request_lease(
        self,
        *,
        principal: Principal,
        origin: Origin,
        target: str,
        operation: str,
        parameters: Mapping[str, Json],
        reason: str,
        language: str = "en",
        ttl: float = DEFAULT_TTL,
    ) -> Step:
        """Get a lease without using it; its id is in the step if it was granted."""
        request = Request(
            text=reason, principal=principal, origin=origin, language=language
        )
        action = Action(
            targets=(target,), operation=operation, parameters=parameters, why=reason
        )
        result = await self._rupert.propose(request, (action,), lease=ttl)
        # Whoever holds it may show it after a power cut, and is to be told the truth.
        with suppress(JournalError):
            await self.node.sync()
        return result.steps[0]

    async def execute(
        self,
        lease_id: str,
        *,
        principal: Principal,
        origin: Origin,
        language: str = "en",
    ) -> Result:
        """Take a lease to the gate, which says whether it still counts.

        Raises:
            LookupError: no lease of that id was ever heard of here.
            PermissionError: the lease was granted to another principal.
        """
        lease = self.gate.lease(lease_id) or self.issuer.leases.get(lease_id)
        if lease is None:
            raise LookupError(lease_id)
        if not lease.principal.is_same_as(principal):
            raise PermissionError(lease.principal.name)
        request = Request(
            text=f"use lease {lease_id}",
            principal=principal,
            origin=origin,
            language=language,
        )
        return await self._rupert.use(request, lease)

    async def restore(
        self,
        request: Request,
        devices: tuple[str, ...],
        *,
        at: datetime | None,
        commit: str | None = None,
    ) -> Result:
        """Put devices back to how they were at a moment, or right after a commit.

        Raises:
            LookupError: the record has nothing that old, or no such commit.
        """
        past = await self.chronicle.state_at(devices, at, commit=commit)
        return await self._rupert.take(request, restoring(devices, past, self._house))

    async def answer(
        self,
        question: str,
        *,
        principal: Principal,
        origin: Origin,
        approve: bool,
        until: datetime | None = None,
    ) -> Result | None:
        """Take a person's answer to a question; approval makes a new intent.

        With `until` the same needs no question as long as that.

        Returns:
            What came of it; None after a rejection.

        Raises:
            LookupError: the question does not stand (any more).
            PermissionError: this person, or this way in, may not answer.
            ValueError: nobody can agree until then.
        """
        pending = self._questions.answer(
            question, principal, origin, approve=approve, until=until
        )
        if pending is None:
            raise LookupError(question)
        await self.node.sync()
        return await self._rupert.approved(pending) if approve else None

    async def review(self, intent: str, *, retry: bool) -> Result | None:
        """Take what a person says of something whose end nobody knows.

        A retry is a new intent of whoever asked first, verified like any other.

        Raises:
            LookupError: there is nothing to say about it (any more).
        """
        review = self._rupert.reviews.pop(intent)
        self.overview.changed()
        if not retry:
            return None
        return await self._rupert.propose(review.request, (review.action,))

    # What happens elsewhere

    def _heard(self, told: Message) -> None:
        """Take what a companion has seen of a device of its own."""
        device = self._house.device(str(told.body.get("device")))
        if device is not None and device.manager == told.sender:
            self._observations.heard(device, told)

    def observe(
        self,
        device_id: str,
        values: Values,
        *,
        cause: Cause,
        principal: Principal | None = None,
        detail: str = "",
    ) -> None:
        """Take a change made outside HearthNet; see `Observations.take`."""
        if (device := self._house.device(device_id)) is not None:
            self._observations.take(
                Observed(
                    device=device,
                    values=values,
                    cause=cause,
                    principal=principal,
                    detail=detail,
                )
            )

    # Status

    @property
    def status(self) -> HubStatus:
        """Everything at this moment."""
        librarian = self._librarian
        managers = [t.assignment.task.manager for t in self.issuer.tasks.values()]
        tasks = Counter(managers)
        return HubStatus(
            boot=self.node.boot,
            open=self._open,
            enabled=self.state.enabled,
            agents=(
                AgentStatus(name=ROOT, online=True),
                AgentStatus(name=JEEVES, online=True, open_tasks=tasks[JEEVES]),
                *(self._outside.agents(tasks) if self._outside else ()),
            ),
            leases=tuple(map(LeaseStatus.of, self.issuer.leases.values())),
            questions=tuple(map(QuestionStatus.of, self._questions.standing)),
            approvals=tuple(
                map(ApprovalStatus.of, self.state.approvals(self._clock.now()))
            ),
            deferred=tuple(map(DeferredStatus.of, self.state.deferred())),
            bursts=self._rupert.bursts.standing(self._clock.boottime()),
            dropped=self.leftovers.standing,
            holds=tuple(map(HoldStatus.of, self.state.holds(self._clock.now()))),
            librarian=(
                librarian.status if librarian else LibrarianStatus(connected=False)
            ),
            reviews=tuple(
                ReviewStatus(intent=intent, asked=one.request.text, text=one.text)
                for intent, one in self._rupert.reviews.items()
            ),
            journal=self.node.journal.writable,
            ahead=self._trust.ahead,
            last=self.overview.last,
        )
