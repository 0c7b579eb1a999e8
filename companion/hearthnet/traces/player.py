"""Goes through a trace's steps in a home of its own."""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

from hearthnet.core.intents import Plan, Request
from hearthnet.core.leases import DEFAULT_TTL
from hearthnet.core.messages import Message, MessageType
from hearthnet.core.node import Record
from hearthnet.core.planner import Situation
from hearthnet.core.status import Cause
from hearthnet.simulation import SimulatedHouse
from hearthnet.virtual import VirtualClock

from .given import plan_of, request_of
from .home import Home
from .shape import RACE, TraceError
from .trace import JEEVES, Step, Trace, action_of, principal_of
from .wires import Wires

BEFORE = 5.0
"""Seconds that all have to start and to meet before the trace begins."""
AFTER = 150.0
"""Seconds that a trace without an end goes on: longer than an intent may take."""
SLACK = 1.0
"""Seconds after a recorded end, when all was over: times are rounded."""

type Anew = Callable[[Request, Situation], Plan | None]
"""Makes a plan while the day's time stands still."""


class Recorded:
    """Plans what people say as it was planned; a `Planner`."""

    def __init__(self, anew: Anew | None = None) -> None:
        """Plan with `anew` in place of that, if it is given."""
        self._anew = anew
        self._plans: dict[str, deque[tuple[float, Plan | None]]] = {}
        """By the words: what is planned for them, and how long that takes."""

    def put(self, text: str, seconds: float, plan: Plan | None) -> None:
        """Take the plan for the next request in these words."""
        self._plans.setdefault(text, deque()).append((seconds, plan))

    async def plan(self, request: Request, situation: Situation) -> Plan | None:
        """Return the recorded plan after the time that it took."""
        seconds, plan = self._plans[request.text].popleft()
        await asyncio.sleep(seconds)
        return plan if self._anew is None else self._anew(request, situation)


class Player:
    """One run of a trace. Each `_do_…` is what a step of that name does."""

    def __init__(
        self,
        trace: Trace,
        clock: VirtualClock,
        *,
        home: Home,
        houses: Mapping[str, SimulatedHouse],
        wires: Wires,
        planner: Recorded,
    ) -> None:
        """Play in `home`, whose planner is `planner`.

        `houses` is what each manager reaches; `wires` lead to those elsewhere.
        """
        self._trace = trace
        self._clock = clock
        self._home = home
        self._houses = houses
        self._wires = wires
        self._planner = planner
        self.seconds: dict[str, float] = {}
        """By the steps' names: how long an intent took until all its receipts were
        in."""
        self._intents: dict[str, str] = {}
        """Step's name to its intent."""
        self._races = [step for step in trace.steps if "race" in step.data]
        """Changes that come while a lease is on its way to the gate."""
        home.on_said = self._said

    async def play(self) -> None:
        """Go through the steps at their times."""
        await self._wires.start()
        await self._home.boot()
        self._begin_as_recorded()
        for step in self._trace.steps:
            await asyncio.sleep(max(0.0, BEFORE + step.at - self._clock.seconds))
            try:
                await getattr(self, f"_do_{step.do}")(step)
            except (AttributeError, KeyError, TypeError, ValueError) as error:
                raise TraceError(f"step at {step.at}: {error!r}") from error
        ended = self._trace.steps and self._trace.steps[-1].do == "end"
        await asyncio.sleep(SLACK if ended else AFTER)
        said = len(self._home.records)
        await self._home.halt()
        del self._home.records[said:]  # that it ends here is no part of the day
        await self._wires.stop()

    def _begin_as_recorded(self) -> None:
        """Put on record what was there before the trace."""
        if self._trace.state:
            self._home.node.emit(
                sender="rupert",
                to="rupert",
                type=MessageType.ALERT,
                content="The state that the trace begins with.",
                writes=self._trace.state,
            )
        for device in self._houses[JEEVES].devices():
            if (values := self._trace.values.get(device.id)) and (
                device.id not in self._trace.away
            ):
                self._home.hub.observe(device.id, values, cause=Cause.RECONNECT)

    # Steps

    async def _do_ask(self, step: Step) -> None:
        request = request_of(step)
        thought = float(step.data.get("think", 0.0))
        self._planner.put(request.text, thought, plan_of(step))
        self._begin(step, self._home.hub.wishes.ask(request))

    async def _do_propose(self, step: Step) -> None:
        (action,) = map(action_of, step.data["actions"])
        request = request_of(step)
        wish = self._home.hub.wishes.propose(
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
        wish = self._home.hub.wishes.request_lease(
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
        use = self._home.hub.wishes.execute(
            lease, principal=request.principal, origin=request.origin
        )
        self._begin(step, use)

    async def _do_answer(self, step: Step) -> None:
        question = self._question(step)
        if question not in {one.id for one in self._home.hub.status.questions}:
            return  # under another policy nobody is asked
        request, until = request_of(step), step.data.get("until")
        answer = self._home.hub.wishes.answer(
            question,
            principal=request.principal,
            origin=request.origin,
            approve=bool(step.data["approve"]),
            until=None if until is None else datetime.fromisoformat(until),
        )
        self._begin(step, answer)

    async def _do_withdraw(self, step: Step) -> None:
        principal = request_of(step).principal
        await self._home.hub.control.revoke_approval(self._question(step), principal)

    async def _do_cancel(self, step: Step) -> None:
        plan = self._intents.get(step.data["of"], step.data["of"])
        await self._home.hub.control.cancel(plan, request_of(step).principal)

    def _said(self, record: Record) -> None:
        """Let a change come at the moment at which it raced with a lease."""
        message = record.message
        for step in self._races:
            mine = self._intents.get(step.data["race"]) == message.intent
            if mine and message.type == step.data["after"] and _about(message, step):
                # Before whoever is to hear of the message has heard of it.
                asyncio.get_running_loop().call_soon(self._come, step)
                return

    def _come(self, step: Step) -> None:
        """Let a change come that is to race, if it has not come yet."""
        if step in self._races:
            self._races.remove(step)
            self._change(step)

    async def _do_change(self, step: Step) -> None:
        if "race" in step.data:
            # Under another policy there may be no lease to race with.
            asyncio.get_running_loop().call_later(RACE, self._come, step)
        else:
            self._change(step)

    def _change(self, step: Step) -> None:
        data, device = step.data, step.data["device"]
        manager, house = self._reached(device)
        house.unavailable.discard(device)
        if manager != JEEVES:
            house.change(device, **data["values"])
            self._wires.machines[manager].show(device, data["values"])
            return
        house.become(device, data["values"])
        self._home.hub.observe(
            device,
            house.read(device).values,
            cause=Cause(data["cause"]),
            principal=principal_of(data.get("principal")),
            detail=data.get("detail", ""),
        )

    async def _do_end(self, _step: Step) -> None:
        """Nothing more comes; what is due later is no part of the day."""

    async def _do_unseen(self, step: Step) -> None:
        device = step.data["device"]
        self._reached(device)[1].become(device, step.data["values"])

    async def _do_away(self, step: Step) -> None:
        if node := step.data.get("node"):
            await self._wires.take_away(node)
        else:
            device = step.data["device"]
            self._reached(device)[1].unavailable.add(device)

    async def _do_back(self, step: Step) -> None:
        if node := step.data.get("node"):
            await self._wires.bring_back(node)
        else:
            device = step.data["device"]
            self._reached(device)[1].unavailable.discard(device)

    async def _do_restart(self, step: Step) -> None:
        if node := step.data.get("node"):
            await self._wires.take_away(node)
            await self._wires.bring_back(node)
        else:
            await self._home.halt()
            await self._home.boot()

    async def _do_crash(self, step: Step) -> None:
        if node := step.data.get("node"):
            await self._wires.machines[node].crash()
        else:
            await self._home.crash()

    async def _do_policy(self, step: Step) -> None:
        text = "\n".join(step.data["policy"]) + "\n"
        await self._home.hub.control.set_policy(text, request_of(step).principal)

    async def _do_enable(self, step: Step) -> None:
        enabled = bool(step.data["enabled"])
        await self._home.hub.control.set_enabled(enabled, request_of(step).principal)

    async def _do_revoke(self, step: Step) -> None:
        lease = self._lease(step.data["lease"])
        await self._home.hub.control.revoke_lease(lease, request_of(step).principal)

    async def _do_release(self, step: Step) -> None:
        data = step.data
        for hold in self._home.hub.state.all_holds():
            if (hold.device, hold.attribute) == (data["device"], data["attribute"]):
                principal = request_of(step).principal
                await self._home.hub.control.release_hold(hold.id, principal)

    def _begin(self, step: Step, coroutine: Coroutine[Any, Any, Any]) -> None:
        """Let an intent take its course; the trace goes on meanwhile."""
        seq = self._home.node.position[1] + 1

        async def course() -> None:
            start = self._clock.seconds
            # Under another policy there may be no lease to use, nothing to answer.
            with suppress(LookupError, PermissionError):
                await coroutine
            self.seconds[step.name] = self._clock.seconds - start

        self._intents[step.name] = f"hub.{self._home.node.boot}.{seq}"
        loop = asyncio.get_running_loop()
        self._home.keep(asyncio.eager_task_factory(loop, course()))

    def _reached(self, device: str) -> tuple[str, SimulatedHouse]:
        """Return who reaches a device, and its house; KeyError when nobody does."""
        for manager, house in self._houses.items():
            if house.device(device) is not None:
                return manager, house
        raise KeyError(device)

    def _lease(self, name: str) -> str:
        """Return the lease that came of a step."""
        if (intent := self._intents.get(name)) is None:
            return name  # it is from before the trace: the gate says so
        for record in reversed(self._home.records):
            message = record.message
            if message.type is MessageType.GRANT and message.intent == intent:
                return message.id
        return intent  # under another policy there is none: the gate says so

    def _question(self, step: Step) -> str:
        """Return what was asked because of a step; else what it names itself."""
        intent, device = self._intents.get(step.data["of"]), step.data.get("device")
        asked = (
            record.message.id
            for record in self._home.records
            if record.message.type is MessageType.CONFIRMATION_REQUEST
            and record.message.intent == intent
            and device in (None, *record.message.body["binding"]["target"])
        )
        return next(asked, step.data["of"])


def _about(message: Message, step: Step) -> bool:
    """Tell whether a proposal or a grant is about the device of a step."""
    body, device = message.body, step.data["device"]
    return device == body.get("device") or device in body.get("target", ())
