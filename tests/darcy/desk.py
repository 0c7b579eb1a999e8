"""A phone's node with its gate, in front of a hub that grants everything."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hearthnet.core.clock import Clock
from hearthnet.core.devices import Device, Principal
from hearthnet.core.gate import Gate
from hearthnet.core.keys import SigningKey
from hearthnet.core.leases import Bound, Lease
from hearthnet.core.messages import Json, Message, MessageType
from hearthnet.core.node import Node, Record
from hearthnet.core.phone.recipe import Recipe
from hearthnet.core.recovery import read_past
from hearthnet.core.verdict import Receipt, Refusal
from hearthnet.darcy.adapter import PhoneAdapter
from hearthnet.darcy.phone import Phone
from hearthnet.darcy.shelf import Shelf

HUB = SigningKey(b"h" * 32)
TV = "phone.living_room_tv"
WHEN = datetime(2001, 1, 1, tzinfo=UTC)


@dataclass
class Desk:
    """The node and the way to get and use a lease."""

    node: Node
    shelf: Shelf
    adapter: PhoneAdapter
    gate: Gate
    granted: int

    @classmethod
    def open(cls, phone: Phone, recipe: Recipe, folder: Path, clock: Clock) -> "Desk":
        """Start a node in `folder`, and recover what its last life left."""
        node = Node(name="phone", folder=folder, key=SigningKey(b"p" * 32), clock=clock)
        shelf = Shelf("phone")
        shelf.put(recipe.compiled())
        adapter = PhoneAdapter(phone, shelf, clock)

        def device(device_id: str) -> Device | None:
            entry = shelf.entry(device_id)
            return entry.recipe.as_device("phone", "darcy", None) if entry else None

        gate = Gate(
            node=node,
            adapter=adapter,
            root=HUB.public,
            agent="darcy",
            operations=shelf.operations,
            device=device,
            recipe=shelf.digest_of,
        )
        gate.recover(
            read_past(
                record
                for record in node.history()
                if record.message.event.boot < node.boot
            )
        )
        gate.raise_fence(1)
        return cls(node, shelf, adapter, gate, granted=100 * node.boot)

    def lease(self, operation: str, recipe: str | None = None, /, **exact: Json) -> str:
        """Ask for a lease and admit it; return its id."""
        asked = self.node.emit(
            sender="darcy", to="rupert", type=MessageType.PROPOSAL, content="Please."
        )
        self.gate.note_proposal(asked)
        self.granted += 1
        lease = Lease(
            id=f"hub.1.{self.granted}",
            cause=asked.message.id,
            intent=None,
            task=None,
            grantee="darcy",
            principal=Principal(kind="user", id="u1", name="Anna"),
            target=(TV,),
            operation=operation,
            envelope={name: Bound(exact=value) for name, value in exact.items()},
            reads={},
            policy_version=None,
            policy_commit=None,
            base_commit=None,
            ttl=30,
            expires_at=WHEN + timedelta(seconds=30),
            justification="She said so.",
            recipe=recipe or self.shelf.digest_of(operation),
        )
        message = Message(
            id=lease.id,
            sender="rupert",
            to="darcy",
            type=MessageType.GRANT,
            at=WHEN,
            content="Granted.",
            cause=lease.cause,
            expires_at=lease.expires_at,
            body=lease.body(),
        )
        data = message.encode()
        assert self.gate.admit(Record(message, data, HUB.sign(data)))
        return lease.id

    async def execute(
        self, lease: str, operation: str, **given: Json
    ) -> Receipt | Refusal:
        return await self.gate.execute(
            lease, grantee="darcy", target=(TV,), operation=operation, parameters=given
        )

    async def do(self, operation: str, /, **given: Json) -> Receipt:
        """Get a lease for exactly this and use it."""
        answer = await self.execute(self.lease(operation, **given), operation, **given)
        assert isinstance(answer, Receipt), answer
        return answer
