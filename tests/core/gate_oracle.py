"""One execute at a time, foretold by the model and compared with the gate."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hearthnet.core.domains import OPERATIONS
from hearthnet.core.leases import Lease
from hearthnet.core.messages import MessageType
from hearthnet.core.outcomes import met
from hearthnet.core.reasons import DONE, Outcome, Reason
from hearthnet.core.verdict import Receipt, Refusal

from .gate_model import ENDED_MEANWHILE
from .gate_world import Crash, World, codes

type Request = dict[str, Any]
EVENTS = (
    *("revoke", "revoke_all", "expire", "wall", "foreign", "same", "fence"),
    *("policy", "hold", "other_device", "unrelated"),
)
"""What may happen at rest, while the disk is waited for, or in the act."""


@dataclass(frozen=True)
class Plan:
    """What goes on during an execute."""

    sync: str | None = None
    act: str | None = None
    fault: str | None = None
    """`bug`: the adapter raises; `deaf`: the device does nothing; `crash`."""


class Oracle:
    """A world, and what its gate has answered so far."""

    def __init__(self, world: World, folders: Iterator[Path]) -> None:
        self.world = world
        self.folders = folders
        self.loop = asyncio.new_event_loop()
        self.answers: dict[str, tuple[str, Receipt | Refusal]] = {}
        """What this boot answered to the request that consumed a lease."""
        self.acted = 0

    def close(self) -> None:
        self.loop.run_until_complete(self.world.node.close())
        self.loop.close()

    def restart(self, copy: Path | None = None) -> None:
        self.loop.run_until_complete(self.world.restart(copy))
        self.answers.clear()

    def request(self, lease: Lease, parameters: dict[str, Any]) -> Request:
        return {
            "grantee": self.world.agent,
            "target": lease.target,
            "operation": lease.operation,
            "parameters": parameters,
        }

    def verdict(self, lease: Lease, request: Request) -> list[str]:
        return self.world.model.verdict(
            lease.id,
            request["grantee"],
            list(request["target"]),
            request["operation"],
            request["parameters"],
            self.world.now(),
        )

    def execute(self, lease: Lease, request: Request, plan: Plan | None = None) -> None:
        """Take a request to the gate and compare all that comes of it."""
        before = self.answers.get(lease.id)
        if before is not None and before[0] == repr(request):
            assert self.answer(lease, request) is before[1]
            return
        expected = self.verdict(lease, request)
        check = self.world.gate.check(lease.id, **request)
        assert list(dict.fromkeys(e.code for e in check.evidence)) == expected
        if not expected and (hindrance := self.hindrance(lease)):
            expected = [hindrance]
        if expected:
            self.refused(lease, request, expected)
        else:
            Attempt(self, lease, request, plan or Plan()).run()
        assert len(self.world.house.acts) == self.acted

    def hindrance(self, lease: Lease) -> str | None:
        """What keeps a good lease from being used, in the order of the gate."""
        house = self.world.house
        if all(target in house.unavailable for target in lease.target):
            return "unreachable"
        if any(self.world.gate.unknown(target) for target in lease.target):
            return "unverifiable_state"
        return None

    def refused(self, lease: Lease, request: Request, expected: list[str]) -> None:
        executes = len(self.world.executes)
        answer = self.answer(lease, request)
        assert isinstance(answer, Refusal)
        found = codes(answer)
        if expected == ["unreachable"]:
            found = found[:1]
        assert found == expected
        assert answer.reason == expected[0]
        message = answer.record.message
        assert message.type is MessageType.REFUSAL
        assert message.cause == lease.id
        assert message.body["reason"] == expected[0]
        cited = {item.get("lease") for item in message.body["evidence"]}
        assert cited <= {lease.id, None if expected[0] == "no_lease" else lease.id}
        assert len(self.world.executes) == executes

    def answer(self, lease: Lease, request: Request) -> Receipt | Refusal:
        answer = self.loop.run_until_complete(
            self.world.gate.execute(lease.id, **request)
        )
        if isinstance(answer, Refusal) and answer.reason is Reason.REVOKED:
            self.world.revoked(lease.id, journalled=True)
        return answer

    def happen(self, event: str, lease: Lease | None = None) -> None:
        """Let something happen, at rest or in the middle of an execute."""
        world = self.world
        target = lease.target[0] if lease else "lamp_a"
        number = len(world.records) + len(world.undelivered)

        def write(type_: MessageType, path: str) -> Callable[[], object]:
            return lambda: world.hub_says(type_, {path: {"n": number}})

        happenings: dict[str, Callable[[], object]] = {
            "revoke": lambda: world.revoke(lease.id) if lease else None,
            "revoke_all": world.revoke_all,
            "expire": lambda: world.clock.advance(61),
            "wall": lambda: world.set_wall_clock(100_000),
            "foreign": lambda: world.foreign(target, state="off", note=number),
            "same": lambda: world.foreign(target, state="on", note=number),
            "fence": world.reboot_hub,
            "policy": write(MessageType.POLICY, "policy.yaml"),
            "hold": write(MessageType.RESOLUTION, f"holds/{target}.json"),
            "other_device": lambda: world.foreign("blind", note=number),
            "unrelated": write(MessageType.TASK, f"tasks/t{number}.json"),
        }
        assert happenings.keys() == set(EVENTS)
        happenings[event]()


@dataclass
class Attempt:
    """One execute that the gate has to let through, and how it must end."""

    oracle: Oracle
    lease: Lease
    request: Request
    plan: Plan
    before: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Values when the adapter was called."""
    copies: list[Path] = field(default_factory=list)
    at_sync: list[str] | None = None
    """What spoke against the lease once the disk had answered."""
    in_act: list[str] | None = None
    """What spoke against it at the last input."""

    def run(self) -> None:
        oracle, world = self.oracle, self.oracle.world
        executed = len(world.executes)
        needless = self.needless()
        if needless:
            self.executed()
        else:
            self.arm()
        try:
            answer = oracle.answer(self.lease, self.request)
        except Crash:
            oracle.acted += 1
            self.crashed()
            return
        finally:
            world.disarm()
        assert len(world.executes) == executed + 1
        oracle.answers[self.lease.id] = repr(self.request), answer
        if needless:
            self.was_needless(answer)
        elif self.at_sync:
            assert isinstance(answer, Refusal)
            assert answer.over
            assert codes(answer) == self.at_sync
        elif self.in_act is None:
            # It came to be so while the disk was waited for.
            self.was_needless(answer)
        else:
            oracle.acted += 1
            self.judge(answer)

    # Hooks

    def arm(self) -> None:
        world = self.oracle.world
        world.during_sync = self.during_sync
        world.house.before_act = self.before_act
        world.house.in_act = self.during_act
        world.house.deaf = set(self.lease.target if self.plan.fault == "deaf" else ())

    def during_sync(self) -> None:
        self.executed()
        if self.plan.sync:
            self.oracle.happen(self.plan.sync, self.lease)
        self.at_sync = self.over(fresh=True)

    def before_act(self) -> None:
        house = self.oracle.world.house
        self.before = {t: dict(values) for t, values in house.values.items()}
        if self.plan.fault == "crash":
            self.copies.append(self.oracle.world.copy(next(self.oracle.folders)))

    def during_act(self) -> None:
        if self.plan.act:
            self.oracle.happen(self.plan.act, self.lease)
        self.in_act = self.over(fresh=False)
        if self.plan.fault == "bug":
            raise ValueError("a bug")
        if self.plan.fault == "crash":
            raise Crash

    # What must be

    def executed(self) -> None:
        fact = {"lease": self.lease.id, "target": list(self.lease.target)}
        self.oracle.world.model.learn("executed", fact)

    def over(self, *, fresh: bool) -> list[str]:
        return [
            code
            for code in self.oracle.verdict(self.lease, self.request)
            if code in ENDED_MEANWHILE and (fresh or not code.startswith("stale"))
        ]

    def effects(self, target: str, values: dict[str, Any]) -> Any:
        row = OPERATIONS[self.lease.operation]
        return row.effects(self.request["parameters"], values)

    def needless(self) -> bool:
        house = self.oracle.world.house
        return all(
            (effects := self.effects(target, house.values[target]))
            and met(effects, house.values[target])
            for target in self.lease.target
            if target not in house.unavailable
        )

    def was_needless(self, answer: Receipt | Refusal) -> None:
        assert isinstance(answer, Receipt)
        wanted = {Outcome.ALREADY_SO, Outcome.UNREACHABLE}
        assert set(answer.members.values()) <= wanted
        assert answer.outcome in (Outcome.ALREADY_SO, Outcome.PARTIAL)

    def judge(self, answer: Receipt | Refusal) -> None:
        """A receipt says done exactly where a read shows the goal."""
        assert isinstance(answer, Receipt)
        bug, house = self.plan.fault == "bug", self.oracle.world.house
        if not bug:
            assert codes(answer) == self.in_act
        for target, outcome in answer.members.items():
            effects = self.effects(target, self.before[target])
            there = target not in house.unavailable
            shown = there and effects and met(effects, house.values[target])
            assert (outcome in DONE) == bool(shown), (target, outcome)
            if not there:
                assert outcome is Outcome.UNREACHABLE
            elif bug and not shown:
                assert outcome is Outcome.UNKNOWN
                assert self.oracle.world.gate.unknown(target) == answer.execute

    def crashed(self) -> None:
        """Kill -9 in the middle of the act: unknown until somebody reads."""
        oracle, world = self.oracle, self.oracle.world
        oracle.loop.run_until_complete(world.node.close())
        # What the dying gate still told came too late to be on the disk.
        world.records.pop()
        while world.model.facts[-1][0] != "executed":
            world.model.facts.pop()
        oracle.restart(self.copies[0])
        receipt = next(
            record.message
            for record in reversed(world.records)
            if record.message.lease == self.lease.id
        )
        assert receipt.type is MessageType.RECEIPT
        assert receipt.body["outcome"] == "unknown"
        assert all(world.gate.unknown(target) for target in self.lease.target)
