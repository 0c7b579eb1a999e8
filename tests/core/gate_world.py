"""A gate with its node, devices, a hub that grants, and a model beside it.

Nothing here sleeps: time is a `ManualClock`, and what shall happen while the
gate waits for the disk or for the device is given as a hook.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
import shutil
from typing import Any

from hearthnet.core.clock import ManualClock
from hearthnet.core.devices import Principal
from hearthnet.core.domains import OPERATIONS
from hearthnet.core.gate import Gate
from hearthnet.core.keys import SigningKey
from hearthnet.core.leases import Bound, Lease
from hearthnet.core.messages import Json, Message, MessageType
from hearthnet.core.node import Node, Record
from hearthnet.core.paths import device_path
from hearthnet.core.recovery import read_past
from hearthnet.core.shadow import shadow
from hearthnet.core.verdict import Receipt, Refusal
from hearthnet.core.view import View

from .gate_house import FakeHouse, Hook
from .gate_model import ModelGate

HUB_KEY = SigningKey(b"h" * 32)
STRANGER_KEY = SigningKey(b"s" * 32)
PHONE_KEY = SigningKey(b"p" * 32)
ANNA = Principal(kind="user", id="u1", name="Anna")
POLICY = "policy.yaml"
HUB_TIME = datetime(2001, 1, 1, tzinfo=UTC)
"""The hub's clock is decades off: no gate may ever look at it."""

type Parameters = dict[str, Any]


class Crash(BaseException):
    """The process ends here; what it does afterwards never happened."""


@dataclass
class World:
    """One gate's node and what stands around it."""

    folder: Path
    embedded: bool = False
    """The gate stands in the hub's own node."""
    clock: ManualClock = field(default_factory=ManualClock)
    hub_boot: int = 1
    hub_seq: int = 100
    during_sync: Hook = lambda: None
    records: list[Record] = field(default_factory=list)
    """What the gate's node emitted, over all boots."""

    def __post_init__(self) -> None:
        self.house = FakeHouse()
        self.house.add("lamp_a", "light", state="off")
        self.house.add("lamp_b", "light", state="off")
        self.house.add("lamp_twin", "light", state="off", physical="lamp_a")
        self.house.add("blind", "cover", state="closed", current_position=0)
        self.model = ModelGate({"lamp_twin": "lamp_a"})
        self.hub_view = View()
        self.undelivered: list[Message] = []
        """Events of the hub that the gate's node has not got yet."""
        self.delivered: list[Message] = []
        self.unseen: list[Message] = []
        """Events of the gate's node that the hub has not got yet."""
        self.key = HUB_KEY if self.embedded else PHONE_KEY
        self.open()

    # The node

    async def run(self, function: Callable[[], Any]) -> Any:
        hook, self.during_sync = self.during_sync, lambda: None
        hook()
        return function()

    def open(self) -> None:
        name = "hub" if self.embedded else "phone"
        self.node = Node(
            name=name, folder=self.folder, key=self.key, clock=self.clock, run=self.run
        )
        self.node.subscribe(self.emitted)
        if self.embedded:
            self.hub_boot = self.node.boot
            self.hub_view = self.node.view
        self.gate = Gate(
            node=self.node,
            adapter=self.house,
            root=HUB_KEY.public,
            agent="jeeves" if self.embedded else "darcy",
            operations=OPERATIONS,
            device=self.house.device,
        )

    @property
    def agent(self) -> str:
        return "jeeves" if self.embedded else "darcy"

    def emitted(self, record: Record) -> None:
        self.records.append(record)
        for path in record.message.writes:
            self.model.learn("wrote", path, record.message.id)
        if not self.embedded:
            self.unseen.append(record.message)

    async def restart(self, copy: Path | None = None) -> None:
        """Start again from the journal, or from a copy of it made at a crash."""
        if copy is None:
            await self.node.close()
        else:
            self.folder = copy
        self.model.learn("restarted")
        self.open()
        past = read_past(
            record
            for record in self.node.history()
            if record.message.event.boot < self.node.boot
        )
        for record in self.gate.recover(past):
            assert record.message.type is MessageType.RECEIPT
        if not self.embedded:
            # The hub sends its state and its boot to whoever says hello.
            self.undelivered = [*self.delivered, *self.undelivered]
            self.delivered = []
            self.deliver(len(self.undelivered))
        self.fence()

    def fence(self) -> None:
        self.gate.raise_fence(self.hub_boot, by=f"hub.{self.hub_boot}.1")
        self.model.learn("hub_boot", self.hub_boot)

    def copy(self, folder: Path) -> Path:
        """Copy the journal as a kill -9 would leave it now."""
        shutil.copytree(self.folder, folder)
        return folder

    # The hub

    def next_id(self) -> str:
        if self.embedded:
            return f"hub.{self.node.boot}.{self.node.position[1] + 1}"
        self.hub_seq += 1
        return f"hub.{self.hub_boot}.{self.hub_seq}"

    def hub_says(self, type_: MessageType, writes: dict[str, Json]) -> str:
        """An event of the hub, on its way to the gate; return its id."""
        if self.embedded:
            record = self.node.emit(
                sender="rupert", to="all", type=type_, content="Said.", writes=writes
            )
            return record.message.id
        message = Message(
            id=self.next_id(),
            sender="rupert",
            to="all",
            type=type_,
            at=HUB_TIME,
            content="Said.",
            writes=writes,
        )
        self.hub_view.apply(message)
        self.undelivered.append(message)
        return message.id

    def deliver(self, count: int = 1) -> None:
        """Let events of the hub arrive at the gate."""
        for message in self.undelivered[:count]:
            self.node.view.apply(message)
            for path in message.writes:
                self.model.learn("wrote", path, message.id)
        self.delivered += self.undelivered[:count]
        del self.undelivered[:count]

    def hear(self) -> None:
        """Let the hub hear all that the gate's node emitted."""
        for message in self.unseen:
            self.hub_view.apply(message)
        self.unseen.clear()

    def reboot_hub(self, *, told: bool = True) -> None:
        """The hub starts again; the gate may not hear of it at once."""
        if self.embedded:
            return
        self.hub_boot += 1
        self.hub_seq = 1
        if told:
            self.fence()

    # Proposals and leases

    def propose(self, content: str = "Please.") -> str:
        record = self.node.emit(
            sender=self.agent, to="rupert", type=MessageType.PROPOSAL, content=content
        )
        self.gate.note_proposal(record)
        now = self.now()
        self.model.learn("asked", record.message.id, now[0], now[1])
        return record.message.id

    def now(self) -> tuple[float, float]:
        return self.clock.boottime(), self.clock.now().timestamp()

    def lease(
        self,
        cause: str,
        target: Sequence[str] = ("lamp_a",),
        operation: str = "light.turn_on",
        envelope: dict[str, Bound] | None = None,
        *,
        ttl: float = 30.0,
        boot: int | None = None,
        state: bool | None = None,
        grantee: str | None = None,
    ) -> Lease:
        """Decide as the root would, on what the hub knows."""
        reads_state = OPERATIONS[operation].reads_state if state is None else state
        holds = [f"holds/{self.house.known[t].key}.json" for t in target]
        paths = [*holds, *(device_path(t) for t in target if reads_state)]
        lease_id = self.next_id()
        if boot is not None:
            # A root that was replaced and does not know it.
            lease_id = f"hub.{boot}.{9000 + self.hub_seq}"
        return Lease(
            id=lease_id,
            cause=cause,
            intent=None,
            task=None,
            grantee=grantee or self.agent,
            principal=ANNA,
            target=tuple(target),
            operation=operation,
            envelope=envelope or {},
            reads=self.hub_view.reads(paths),
            policy_version=self.hub_view.version(POLICY),
            policy_commit=None,
            base_commit=None,
            ttl=ttl,
            expires_at=HUB_TIME + timedelta(seconds=ttl),
            justification="She said so.",
        )

    def sign(self, lease: Lease, key: SigningKey = HUB_KEY) -> Record:
        """Make the grant that carries a lease."""
        if self.embedded and key is HUB_KEY and lease.id == self.next_id():
            return self.node.emit(
                sender="rupert",
                to=lease.grantee,
                type=MessageType.GRANT,
                content="Granted.",
                cause=lease.cause,
                expires_at=lease.expires_at,
                body=lease.body(),
            )
        message = Message(
            id=lease.id,
            sender="rupert",
            to=lease.grantee,
            type=MessageType.GRANT,
            at=HUB_TIME,
            content="Granted.",
            cause=lease.cause,
            expires_at=lease.expires_at,
            body=lease.body(),
        )
        data = message.encode()
        return Record(message, data, key.sign(data))

    def admit(self, grant: Record, *, genuine: bool = True) -> None:
        assert self.gate.admit(grant) is genuine
        body = grant.message.body
        self.model.learn(
            "granted",
            {
                "id": grant.message.id,
                "cause": grant.message.cause,
                "genuine": genuine,
                "journalled": grant in self.records,
                "grantee": body["grantee"],
                "target": body["target"],
                "operation": body["operation"],
                "envelope": body["envelope"],
                "reads": body["reads"],
                "policy": body["policy_version"],
                "ttl": body["ttl"],
            },
        )

    def granted(self, *args: Any, **options: Any) -> Lease:
        """Propose, grant and admit in one go."""
        lease = self.lease(self.propose(), *args, **options)
        self.admit(self.sign(lease))
        return lease

    def revoke(self, lease_id: str) -> Record | None:
        by = "hub.1.1"
        if self.embedded:
            by = self.node.emit(
                sender="rupert",
                to=self.agent,
                type=MessageType.REVOCATION,
                content="Revoked.",
                lease=lease_id,
            ).message.id
        record = self.gate.revoke(lease_id, by=by)
        self.revoked(lease_id, journalled=self.embedded or record is not None)
        return record

    def revoked(self, lease_id: str, *, journalled: bool) -> None:
        """Tell the model; what is in the journal outlives the boot."""
        self.model.learn("revoked", lease_id, journalled)

    def revoke_all(self) -> list[Record]:
        asked = {f[1] for f in self.model.since_restart() if f[0] == "asked"}
        self.model.learn("revoked_all", asked)
        records = self.gate.revoke_all(by="hub.1.1")
        for record in records:
            self.revoked(str(record.message.lease), journalled=True)
        return records

    # Time and devices

    def set_wall_clock(self, seconds: float) -> None:
        """Move the wall clock alone."""
        self.clock.wall += timedelta(seconds=seconds)

    def disarm(self) -> None:
        """Take back all hooks."""
        self.during_sync = lambda: None
        self.house.before_act = self.house.in_act = lambda: None
        self.house.deaf = set()

    def foreign(self, device: str, **values: Json) -> None:
        """Somebody else changes a device, and the observer tells."""
        self.house.values[device].update(values)
        self.observe(device)

    def observe(self, device: str) -> None:
        known = self.house.known[device]
        self.node.emit(
            sender=self.agent,
            to="rupert",
            type=MessageType.OBSERVATION,
            content="Seen.",
            writes={device_path(device): shadow(known, self.house.values[device])},
        )

    async def execute(
        self, lease: Lease | str, parameters: Parameters | None = None, **other: Any
    ) -> Receipt | Refusal:
        """Take a lease to the gate, as granted unless told otherwise."""
        if isinstance(lease, Lease):
            request = {
                "grantee": lease.grantee,
                "target": lease.target,
                "operation": lease.operation,
            }
            lease = lease.id
        else:
            request = {
                "grantee": self.agent,
                "target": ("lamp_a",),
                "operation": "light.turn_on",
            }
        return await self.gate.execute(
            lease, parameters=parameters or {}, **{**request, **other}
        )

    @property
    def executes(self) -> list[Message]:
        return [
            r.message for r in self.records if r.message.type is MessageType.EXECUTE
        ]


def codes(answer: Receipt | Refusal) -> list[str]:
    """The codes of an answer, each once, in their order."""
    return list(dict.fromkeys(str(e.code) for e in answer.evidence if e.code))
