"""The hub node put together: Rupert, the managers beside him, their gate.

Everything that moves a device or decides is elsewhere; this module wires it,
starts and stops it, and answers what the edges (Home Assistant, the bench, a
replay) ask.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress

from .adapter import Adapter
from .agents.answers import Answers
from .agents.base import Spawn
from .agents.choosing import Choosing
from .agents.deferrals import Deferrals
from .agents.failures import Here
from .agents.issuer import Issuer
from .agents.manager import ROOT, Manager
from .agents.questions import Questions
from .agents.reviews import Reviews
from .agents.rupert import Rupert
from .agents.verifier import Verifier
from .bus import Bus
from .bus.local import LocalBus
from .bus.routing import RoutedBus
from .chronicle import Chronicle, Librarian
from .clock import Clock, Zone
from .clock_trust import ClockTrust
from .control import Control
from .devices import House, Principal, Values
from .domains import OPERATIONS
from .gate import Gate
from .journal import JournalError
from .leftovers import Leftovers
from .messages import EventId, Message, MessageType
from .node import Node
from .observations import Observations, Observed
from .outside import Outside
from .overview import Overview
from .phone.recipes import Recipes
from .planner import FirstOf, Planner
from .planner.choice import Chooser
from .planner.correction import CorrectionPlanner
from .planner.deferrals import DeferralPlanner
from .planner.restore import RestorePlanner
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
)
from .verify import Readiness
from .wishes import Wishes

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
        zone: Zone,
        home: Callable[[], frozenset[str] | None] = lambda: None,
        bus: Bus | None = None,
        outside: Outside | None = None,
        recipes: Recipes | None = None,
        chooser: Chooser | None = None,
    ) -> None:
        """Wire the agents; nothing is granted before `start` and `open`.

        `policy_text` comes into force only where none is on record; `home`
        names the persons at home, None when that is not known; `outside` are the
        companions, `bus` reaches them, or whoever a test puts in their place;
        `recipes` are what phones run, whose appliances are devices of `house`;
        `chooser` is the model for what a recipe does not find, if there is one.
        """
        self.node = node
        self._house = house
        self._librarian = librarian
        self._policy_text = policy_text
        self._spawn = spawn
        self._clock: Clock = node.clock
        self._zone = zone
        self._open = False
        self._stopping = False
        self.state = State(node.view)
        self.overview = Overview(node)
        self._trust = ClockTrust(node)
        self.chronicle = Chronicle(node, librarian)
        self._outside = outside
        self._recipes = recipes or Recipes()
        self._chooser = chooser
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
            vision=self._vision,
        )
        if outside is not None:
            outside.rests = self.issuer.rests
        if outside is not None and chooser is not None:
            choosing = Choosing(
                node,
                self._bus.send,
                leases=self.issuer.leases,
                allowed=lambda lease: self._vision(lease.operation, lease.target),
                chooser=chooser,
            )
            outside.on_question = lambda phone, question: spawn(
                choosing.answer(phone, question)
            )
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
        reviews = Reviews(node, self.state, house)
        undo = UndoPlanner(node.view, self.chronicle, self.state.deferred)
        self._rupert = Rupert(
            node,
            self._bus,
            spawn,
            house=house,
            planner=FirstOf(
                undo,
                DeferralPlanner(self.state.deferred),
                RestorePlanner(node.view, self.chronicle.state_at),
                CorrectionPlanner(planner, undo, self.chronicle),
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
            answers=Answers(house, self.chronicle),
            peers=outside or Here(),
            reviews=reviews,
        )
        self._deferrals = Deferrals(
            self.state,
            self._clock,
            spawn,
            trusted=lambda: self._trust.now is not None,
            fire=self._rupert.fire,
            miss=self.control.miss,
            failed=self.overview.tell,
        )
        self.wishes = Wishes(
            node=node,
            house=house,
            chronicle=self.chronicle,
            rupert=self._rupert,
            gate=self.gate,
            issuer=self.issuer,
            questions=self._questions,
            deferrals=self._deferrals,
            overview=self.overview,
            reviews=reviews,
        )
        """What is asked for."""
        self.leftovers = Leftovers(self.wishes.ask, self.overview.changed)
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

    def _vision(self, operation: str, targets: Iterable[str]) -> bool:
        """Tell whether a model may be asked what an operation of a recipe taps."""
        if self._chooser is None or not self._recipes.asks_vision(operation):
            return False
        devices = map(self._house.device, targets)
        named = {device and device.entity_id for device in devices}
        return named <= self.state.in_force.policy.vision

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

    # What happens elsewhere

    def set_clocks(self) -> None:
        """Follow the home's time zone: what was said by the clock keeps its time."""
        self.control.set_clocks(self._zone())
        self._deferrals.changed()
        self.overview.changed()

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
        execute: str | None = None,
    ) -> None:
        """Take a change made outside HearthNet; see `Observations.take`.

        `execute` is what it is a late effect of, if it is one.
        """
        asked = self.chronicle.event(execute) if execute else None
        if (device := self._house.device(device_id)) is not None:
            self._observations.take(
                Observed(
                    device=device,
                    values=values,
                    cause=cause,
                    principal=principal,
                    detail=detail,
                    execute=execute,
                    intent=asked.message.intent if asked else None,
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
            reviews=self.state.reviews(),
            journal=self.node.journal.writable,
            ahead=self._trust.ahead,
            last=self.overview.last,
        )
