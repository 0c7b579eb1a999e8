"""A process with a node and a gate, made to be killed at any of its kill points.

    python -m tests.core.gate_child

reads one request a line: folder, mode, states of the devices, and the kill point.
For each it forks (so that nothing is imported twice), lets the child run one boot,
and answers with one line: how the child ended, what it wrote, what it told.

The devices stay in the parent: a write goes down a pipe before it has an effect.
The mode is

- `work`: propose, grant and execute one lease after another;
- `recover`: start from the journal, replay every old lease, then read the devices
  and use each once more.
"""

import asyncio
from collections.abc import Callable, Mapping
from datetime import timedelta
import json
import os
from pathlib import Path
import sys
import traceback
from typing import Any

from hearthnet.core import killpoint
from hearthnet.core.adapter import Permit
from hearthnet.core.clock import SystemClock
from hearthnet.core.devices import Device, Principal, Reading
from hearthnet.core.domains import OPERATIONS
from hearthnet.core.gate import Gate
from hearthnet.core.keys import SigningKey
from hearthnet.core.leases import Lease
from hearthnet.core.messages import EventId, MessageType
from hearthnet.core.node import Node
from hearthnet.core.paths import device_path
from hearthnet.core.recovery import read_past
from hearthnet.core.verdict import Receipt, Refusal

HUB_KEY = SigningKey(b"h" * 32)
ANNA = Principal(kind="user", id="u1", name="Anna")


class PipedHouse:
    """Switches whose writes are counted in another process."""

    def __init__(self, states: dict[str, str], pipe: int) -> None:
        self.states = states
        self.pipe = pipe

    def device(self, device_id: str) -> Device | None:
        return Device(
            id=device_id,
            entity_id=f"switch.{device_id}",
            name=device_id,
            domain="switch",
        )

    def read(self, device_id: str) -> Reading:
        return Reading(available=True, values={"state": self.states[device_id]})

    async def act(self, permit: Permit) -> None:
        state = "on" if permit.operation == "switch.turn_on" else "off"
        for target in permit.target:
            os.write(self.pipe, f"{permit.lease} {target} {state}\n".encode())
            self.states[target] = state

    async def settle(
        self,
        permit: Permit,
        satisfied: Callable[[Mapping[str, Reading]], bool],
        deadline: float,
    ) -> Mapping[str, Reading]:
        return {target: self.read(target) for target in permit.target}


class Child:
    """One boot of the node."""

    def __init__(self, folder: Path, states: dict[str, str], pipe: int) -> None:
        self.house = PipedHouse(states, pipe)
        self.node = Node(name="hub", folder=folder, key=HUB_KEY, clock=SystemClock())
        self.past = read_past(
            record
            for record in self.node.history()
            if record.message.event.boot < self.node.boot
        )
        self.gate = Gate(
            node=self.node,
            adapter=self.house,
            root=HUB_KEY.public,
            agent="jeeves",
            operations=OPERATIONS,
            device=self.house.device,
        )
        self.gate.raise_fence(self.node.boot)
        self.gate.recover(self.past)

    def grant(self, target: tuple[str, ...], operation: str) -> Lease:
        proposal = self.node.emit(
            sender="jeeves",
            to="rupert",
            type=MessageType.PROPOSAL,
            content="Please.",
        )
        self.gate.note_proposal(proposal)
        now = self.node.clock.now()
        lease = Lease(
            id=str(EventId("hub", self.node.boot, self.node.position[1] + 1)),
            cause=proposal.message.id,
            intent=None,
            task=None,
            grantee="jeeves",
            principal=ANNA,
            target=target,
            operation=operation,
            envelope={},
            reads=self.node.view.reads(map(device_path, target)),
            policy_version=None,
            policy_commit=None,
            base_commit=None,
            ttl=30.0,
            expires_at=now + timedelta(seconds=30),
            justification="A test.",
        )
        grant = self.node.emit(
            sender="rupert",
            to="jeeves",
            type=MessageType.GRANT,
            content="Granted.",
            cause=lease.cause,
            expires_at=lease.expires_at,
            body=lease.body(),
        )
        assert self.gate.admit(grant)
        return lease

    async def execute(self, lease: Lease) -> Receipt | Refusal:
        return await self.gate.execute(
            lease.id,
            grantee="jeeves",
            target=lease.target,
            operation=lease.operation,
            parameters={},
        )

    async def work(self) -> None:
        """Change two devices, one of them twice, one already so, one refused."""
        first = self.grant(("a",), "switch.turn_on")
        await self.execute(first)
        await self.execute(self.grant(("a", "b"), "switch.turn_on"))
        await self.execute(self.grant(("b",), "switch.turn_on"))
        await self.execute(first)
        unused = self.grant(("b",), "switch.turn_off")
        self.gate.revoke(unused.id, by="hub.1.1")
        await self.execute(self.grant(("a",), "switch.turn_off"))

    async def recover(self) -> dict[str, Any]:
        """Replay all, then read the devices and go on."""
        devices = list(self.house.states)
        unknown = {device: self.gate.unknown(device) for device in devices}
        replayed = {}
        for lease_id, record in self.past.grants.items():
            answer = await self.execute(Lease.from_message(record.message))
            assert isinstance(answer, Refusal), answer
            replayed[lease_id] = [str(item.code) for item in answer.evidence]
        outcomes = {}
        for device in devices:
            self.gate.resolve_unknown(device, self.house.read(device))
            state = self.house.states[device]
            operation = "switch.turn_off" if state == "on" else "switch.turn_on"
            answer = await self.execute(self.grant((device,), operation))
            assert isinstance(answer, Receipt), answer
            outcomes[device] = str(answer.outcome)
        return {
            "executes": sorted(self.past.executes),
            "open": sorted(self.past.open),
            "unknown": unknown,
            "replayed": replayed,
            "outcomes": outcomes,
            "receipts": [
                [record.message.cause, record.message.body["outcome"]]
                for record in self.node.history()
                if record.message.type is MessageType.RECEIPT
            ],
        }


async def boot(request: dict[str, Any], pipe: int, out: int) -> None:
    """Run one boot of the node."""
    killpoint.KILL_AT = request["kill_at"]
    child = Child(Path(request["folder"]), request["states"], pipe)
    if request["mode"] == "work":
        await child.work()
        await child.node.sync()
    else:
        told = await child.recover()
        await child.node.sync()
        os.write(out, json.dumps(told).encode())


def fork(request: dict[str, Any]) -> dict[str, Any]:
    """Let a child process run one boot, and see what came of it."""
    writes, pipe = os.pipe()
    told, out = os.pipe()
    if not (pid := os.fork()):
        code = 1
        try:
            asyncio.run(boot(request, pipe, out))
            code = 0
        except Exception:
            traceback.print_exc()
            raise
        finally:
            os._exit(code)
    os.close(pipe)
    os.close(out)
    with os.fdopen(writes) as written, os.fdopen(told) as text:
        answer = {"writes": written.read().splitlines(), "told": text.read()}
    _, status = os.waitpid(pid, 0)
    return {"ended": os.waitstatus_to_exitcode(status), **answer}


if __name__ == "__main__":
    for line in sys.stdin:
        sys.stdout.write(json.dumps(fork(json.loads(line))) + "\n")
        sys.stdout.flush()
