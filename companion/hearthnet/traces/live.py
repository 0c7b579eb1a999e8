"""Listens to the journals on their way over a broker, and says nothing itself.

It is nobody on the bus: no name, no will, no status. What it hears counts only with
the signature of the node that made it, as for the librarian.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
import random
import secrets
from typing import Any

from hearthnet.core.bus.broker import Topics
from hearthnet.core.bus.inbound import Framed, Inbound, Rejected
from hearthnet.core.bus.link import Delivery, Link, LinkError, connect
from hearthnet.core.bus.presence import Status
from hearthnet.core.bus.retry import Backoff, first
from hearthnet.core.clock import Clock
from hearthnet.core.companion import Identity
from hearthnet.core.enrolled import Trust
from hearthnet.core.journal import Entry
from hearthnet.core.keys import VerifyKey
from hearthnet.core.librarian import wire
from hearthnet.core.librarian.intake import Intake
from hearthnet.core.librarian.record import Event
from hearthnet.core.messages import EventId, Json, Position
from hearthnet.core.paths import HUB


class LiveError(Exception):
    """What was heard makes no trace; the text says why."""


class Observer:
    """Keeps the records that pass, each once."""

    def __init__(
        self,
        identity: Identity,
        clock: Clock,
        tell: Callable[[str], None],
        jitter: Callable[[], float] = random.random,
    ) -> None:
        """Use the broker and the trust of `identity`, but not its name.

        `tell` is given what a person should know meanwhile.
        """
        self._identity = identity
        self._clock = clock
        self._tell = tell
        self._jitter = jitter
        self._topics = Topics(identity.broker.prefix)
        # A new key of the hub is stored by the librarian, whose file it is.
        self._trust = Trust(identity.hub)
        self._inbound = Inbound(self._topics, self._trust.key, clock, self._trust.renew)
        self._hub_boot = 0
        self._told: set[str] = set()
        self._connected = False
        self.heard: dict[EventId, Entry] = {}
        """What passed and is signed by its node, in the order in which it came."""

    @property
    def keys(self) -> dict[str, list[VerifyKey]]:
        """The keys of those whose records count, older ones of the hub too."""
        trust = self._trust
        older = map(VerifyKey.from_text, trust.older)
        return {
            HUB: [trust.hub, *older],
            **{name: [one.key] for name, one in trust.others.items()},
        }

    async def listen(self, stop: asyncio.Event) -> None:
        """Listen until `stop` is set; a connection that is lost is made anew.

        Raises:
            LinkError, OSError: the first one cannot be made.
        """
        backoff = Backoff(self._clock, self._jitter)
        while not stop.is_set():
            backoff.begin()
            try:
                await self._listen(stop)
            except (LinkError, OSError) as error:
                if not self._connected:
                    raise
                self._tell(f"the broker is lost ({error}); trying again")
                await backoff.pause(stop)

    async def _listen(self, stop: asyncio.Event) -> None:
        broker = self._identity.broker
        async with connect(broker, f"observer-{secrets.token_hex(12)}") as link:
            # The broker delivers in order: who is trusted is known before the rest.
            await link.subscribe(self._topics.status("+"))
            await link.subscribe(self._topics.log("+"))
            self._connected = True
            self._tell(f"listening to {broker.prefix} on {broker.host}:{broker.port}")
            work: list[asyncio.Future[Any]] = [
                asyncio.ensure_future(self._receive(link)),
                asyncio.ensure_future(stop.wait()),
            ]
            try:
                await first(work)
            finally:
                for task in work:
                    task.cancel()
                await asyncio.gather(*work, return_exceptions=True)

    async def _receive(self, link: Link) -> None:
        async for delivery in link.deliveries():
            try:
                self._take(delivery)
            except (LookupError, TypeError, ValueError, AttributeError) as error:
                self._tell_once(f"thrown away, malformed: {delivery.topic}: {error!r}")
            link.ack(delivery)

    def _take(self, delivery: Delivery) -> None:
        found = self._inbound.examine(
            delivery.topic, delivery.payload, retained=delivery.retained
        )
        if isinstance(found, Rejected):
            self._tell_once(f"thrown away, {found.fault}: {found.topic}: {found.text}")
        elif isinstance(found, Framed) and found.kind == found.frame["kind"]:
            if found.kind == "status":
                self._take_status(Status.from_dict(found.frame))
            elif found.kind == "log":
                self._take_log(found)

    def _take_status(self, status: Status) -> None:
        """Learn from the hub whom it has enrolled, and who keeps its record."""
        if status.node != HUB or status.boot < self._hub_boot or not status.online:
            return
        self._hub_boot = status.boot
        self._trust.learn(status.about)
        named = self._trust.named
        if named is None or named.node != self._identity.name:
            self._tell_once(
                f"the hub names {named.node if named else 'nobody'} as its librarian,"
                f" not {self._identity.name}: its events may not come by here, and not"
                " onto this machine's record"
            )

    def _take_log(self, found: Framed) -> None:
        keys = self.keys.get(found.sender, ())
        for entry in wire.to_entries(found.frame["records"]):
            event = EventId(found.sender, *entry.position)
            signature = entry.signature
            if signature and any(key.verifies(entry.data, signature) for key in keys):
                self.heard.setdefault(event, entry)
            else:
                self._tell_once(f"thrown away, forged: {event} is not signed by it")

    def _tell_once(self, text: str) -> None:
        """Whoever floods the broker shall not flood a terminal."""
        topic = text[:60]
        if topic not in self._told and len(self._told) < 100:
            self._told.add(topic)
            self._tell(text)


def joined(
    recorded: Iterable[Event],
    heard: Mapping[EventId, Entry],
    keys: Mapping[str, Iterable[VerifyKey]],
    gap: Callable[[str], None],
) -> Iterator[Event]:
    """Yield the events on record and then what was heard beyond them. Pure.

    Each node's events follow without a gap, as the librarian would record them; what
    comes after a gap is left out, and `gap` is told of it.

    Raises:
        LiveError: something was heard as something else than the record has.
    """
    last: dict[str, Position] = {}
    owners: dict[str, str] = {}
    for event in recorded:
        last[event.id.node] = event.id.position
        _own(owners, event.id.node, event.writes)
        if (entry := heard.get(event.id)) and entry.data != event.data:
            raise LiveError(
                f"{event.id} was heard as something else than what is on record,"
                " and both are signed: two machines run under one name, or the record"
                " was changed (`hearthnet audit` tells)"
            )
        yield event
    pairs = ((node, key) for node, known in keys.items() for key in known)
    intake = Intake(last, owners, pairs)
    for node in dict.fromkeys(event.node for event in heard):
        entries = sorted(entry for event, entry in heard.items() if event.node == node)
        offer = intake.offer(node, entries, trusted=False)
        yield from offer.accepted
        if offer.gap_after is not None:
            after = EventId(node, *offer.gap_after)
            rest = next(e for e in entries if e.position > offer.gap_after)
            gap(
                f"what came after {after} and before {EventId(node, *rest.position)}"
                " is neither on record nor was it heard"
            )


def _own(owners: dict[str, str], node: str, writes: Mapping[str, Json]) -> None:
    for path, value in writes.items():
        if value is None:
            owners.pop(path, None)
        else:
            owners[path] = node
