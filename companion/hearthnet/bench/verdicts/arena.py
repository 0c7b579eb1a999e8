"""Plays the generator's moves against a real hub and real gates, in virtual time."""

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
import json
import logging
from pathlib import Path
from random import Random
from typing import Any

from hearthnet.core.devices import Principal
from hearthnet.core.gate import Gate
from hearthnet.core.intents import Origin, Request
from hearthnet.core.messages import Message, MessageType
from hearthnet.core.node import Record
from hearthnet.virtual import run

from .center import Center
from .generator import Setting
from .judge import Tally
from .moves import (
    Away,
    Change,
    Edit,
    Fault,
    Misuse,
    Move,
    Reboot,
    Release,
    Revoke,
    Who,
    Wish,
)
from .oracle import Use
from .plain import HUB, LOCAL
from .posts import principal

OWNER = Principal(kind="user", id="person0", name="person0", role="owner")
AFTERWARDS = 300.0
"""Seconds after the last move in which everything comes to an end."""
NOWHERE = 10**9
"""No event of a node has so high a number."""


@dataclass(frozen=True, kw_only=True)
class Played:
    """What came of all the moves."""

    tally: Tally
    events: int
    seconds: float
    """Virtual ones."""
    unseen: list[str]
    """Devices that show something else in the end than the record has."""
    faults: list[str]
    """Errors that the core logged: bugs."""


def play(
    home: Setting,
    moves: Iterable[Move],
    folder: Path,
    seed: int,
    gate: type[Gate] = Gate,
) -> Played:
    """Play moves; `gate` may be a broken one, to see that it is found."""
    rng = Random(f"{seed}/arena")  # noqa: S311 - wanted to be repeatable
    center = Center(home, folder, rng, gate)
    errors = _Errors()
    logger = logging.getLogger("hearthnet.core")
    logger.addHandler(errors)
    try:
        run(_play(center, moves), center.clock)
    finally:
        logger.removeHandler(errors)
    return Played(
        tally=center.judge.tally,
        events=center.oracle.total,
        seconds=center.clock.seconds,
        unseen=center.unseen(),
        faults=errors.texts,
    )


async def _play(center: Center, moves: Iterable[Move]) -> None:
    await center.start()
    player = _Player(center)
    for move in moves:
        await asyncio.sleep(max(0.0, move.at - center.clock.seconds))
        await player.play(move)
    await asyncio.sleep(AFTERWARDS)


class _Errors(logging.Handler):
    """Keeps what is logged as an error."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(self.format(record)[-2000:])


class _Player:
    """Turns moves into calls."""

    def __init__(self, center: Center) -> None:
        self._center = center

    async def play(self, move: Move) -> None:
        """Make a move; what takes time goes on in the background."""
        match move:
            case Wish():
                self._wish(move)
            case Misuse():
                self._misuse(move)
            case Reboot():
                await self._reboot(move.node)
            case Edit() | Revoke() | Release():
                self._rule(move)
            case _:
                self._happen(move)

    # What people rule

    def _rule(self, move: Move) -> None:
        center = self._center
        hub, spawn = center.hub, center.tasks.spawn
        match move:
            case Edit():
                spawn(hub.control.set_policy(json.dumps(move.policy), OWNER))
            case Revoke(wish=None):
                spawn(_ignore(hub.control.revoke_all(OWNER)))
            case Revoke(wish=int(wish)) if grant := center.grants_of.get(wish):
                spawn(_ignore(hub.control.revoke_lease(grant.message.id, OWNER)))
            case Release():
                key = center.home.things[move.device].key
                for hold in hub.state.holds(center.clock.now()):
                    if hold.device == key:
                        spawn(_ignore(hub.control.release_hold(hold.id, OWNER)))

    # What happens by itself

    def _happen(self, move: Move) -> None:
        house = self._center.house
        match move:
            case Change():
                house.change(
                    move.device, move.values, move.cause, move.who, move.report
                )
            case Away():
                house.away.add(move.device)
                loop = asyncio.get_running_loop()
                loop.call_later(move.seconds, self._come_back, move)
            case Fault():
                house.faults[move.device] = move.how

    def _come_back(self, move: Away) -> None:
        if move.values is not None:
            self._center.house.real[move.device] = dict(move.values)
        self._center.house.come_back(move.device)

    async def _reboot(self, node: str) -> None:
        """Kill a node; its manager looks at all of its devices when it is back."""
        center = self._center
        agent = LOCAL if node == HUB else node
        if node == HUB:
            await center.reboot()
        else:
            center.posts[node].kill()
        for key in center.house.real:
            if center.home.things[key].agent == agent:
                center.look(key, "reconnect")

    # Wishes

    def _wish(self, wish: Wish) -> None:
        center = self._center
        center.wishes[wish.words] = wish
        if wish.standing:
            center.oracle.standing.add(wish.words)
        center.tasks.spawn(self._ask(wish))

    async def _ask(self, wish: Wish) -> None:
        hub, who = self._center.hub, _principal(wish.who)
        if wish.lease is None:
            request = Request(
                text=wish.words,
                principal=who,
                origin=Origin(wish.who.origin),
                deadline=wish.deadline,
            )
            await hub.wishes.ask(request)
        else:
            await hub.wishes.request_lease(
                principal=who,
                origin=Origin(wish.who.origin),
                target=wish.device,
                operation=wish.operation,
                parameters=dict(wish.parameters),
                reason=wish.words,
                ttl=wish.lease,
            )

    # Misuse

    def _misuse(self, move: Misuse) -> None:
        grant = self._center.grants_of.get(move.wish)
        wish = self._center.wishes.get(f"wish {move.wish}")
        if wish is None:
            return
        if move.how == "stray":
            self._stray(wish)
        elif grant is not None:
            agent = self._center.home.things[wish.device].agent
            self._spawn(agent, self._come(agent, wish, grant, move.how))

    def _spawn(self, agent: str, what: Any) -> None:
        center = self._center
        tasks = center.tasks if agent == LOCAL else center.posts[agent].tasks
        tasks.spawn(what)

    def _stray(self, wish: Wish) -> None:
        """Propose another device than the task is about."""
        center = self._center
        task = center.tasks_of.get(wish.number)
        agent = center.home.things[wish.device].agent
        others = [
            thing.id
            for thing in center.home.things.values()
            if thing.agent == agent and thing.id == thing.key
            if thing.id != wish.device and not thing.members
            if center.home.domains[thing.id] == center.home.domains[wish.device]
        ]
        if task is None or not others:
            return
        node = center.node if agent == LOCAL else center.posts[agent].node
        record = node.emit(
            sender=agent,
            to="rupert",
            type=MessageType.PROPOSAL,
            content="Something else.",
            cause=task,
            intent=center.oracle.tasks[task].message["intent"],
            task=task,
            body={
                "device": others[0],
                "operation": wish.operation,
                "parameters": dict(wish.parameters),
            },
        )
        center.gate_of(wish.device).note_proposal(record)
        self._send(agent, record)

    def _send(self, agent: str, record: Record) -> None:
        center = self._center
        (center.bus if agent == LOCAL else center.posts[agent]).send(record)

    async def _come(self, agent: str, wish: Wish, grant: Record, how: str) -> None:
        """Come to a gate with a lease, in one of the wrong ways or the right one."""
        center, lease = self._center, grant.message.id
        if how == "use" and agent == LOCAL:
            with suppress(LookupError, PermissionError):
                await center.hub.wishes.execute(
                    lease,
                    principal=_principal(wish.who),
                    origin=Origin(wish.who.origin),
                )
            return
        body = grant.message.body
        use = Use(
            grantee=agent,
            target=tuple(body["target"]),
            operation=body["operation"],
            parameters={n: bound["exact"] for n, bound in body["envelope"].items()},
        )
        match how:
            case "grantee":
                use = replace(use, grantee="mallory")
            case "target":
                use = replace(use, target=(*use.target[1:], "d0"))
            case "operation":
                use = replace(use, operation="switch.turn_on")
            case "parameters":
                use = replace(use, parameters={**use.parameters, "transition": 1})
            case "forged":
                lease = self._forge(agent, grant)
            case "early":
                lease = f"{HUB}.{center.node.boot}.{NOWHERE}"
        center.judge.using[lease] = use
        asyncio.get_running_loop().call_soon(center.judge.using.pop, lease, None)
        answer = await center.gate_of(wish.device).execute(
            lease,
            grantee=use.grantee,
            target=use.target,
            operation=use.operation,
            parameters=use.parameters,
        )
        self._send(agent, answer.record)

    def _forge(self, agent: str, grant: Record) -> str:
        """Bring a grant with another id and the signature of the real one."""
        center, real = self._center, grant.message
        lease = f"{HUB}.{real.event.boot}.{real.event.seq + NOWHERE}"
        data = grant.data.replace(real.id.encode(), lease.encode(), 1)
        forged = Record(Message.decode(data), data, grant.signature)
        gate = center.hub.gate if agent == LOCAL else center.posts[agent].gate
        gate.admit(forged)
        center.oracle.arrived[agent, lease] = False
        return lease


def _principal(who: Who) -> Principal:
    return Principal.from_dict(principal(who) or {})


async def _ignore(what: Any) -> None:
    await what
