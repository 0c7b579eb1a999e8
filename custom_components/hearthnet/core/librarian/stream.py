"""A node's journal on its way to a librarian elsewhere, over the broker.

Go-back-N as over a pipe (`feed`). Besides, what was sent and not acknowledged
for a while is sent again: a broker may drop what it has taken.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
import itertools

from ..bus.inbound import Done, Framed
from ..bus.mqtt import MqttBus
from ..journal import Entry
from ..node import Node
from . import wire
from .feed import Feed, Head

STALL_SECONDS = 10.0
"""After so long without an acknowledgement the records are sent again."""


@dataclass(frozen=True, kw_only=True)
class Named:
    """The one librarian that counts, as the hub names it."""

    node: str
    repository: str | None = None
    """Id of its repository; None: whatever it has, for a home without a record."""


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What a librarian shows of itself, named or not."""

    head: Head
    order: tuple[int, int]
    """Boot and number: an older one that comes late, or again, is not taken."""
    problem: str | None
    notices: tuple[str, ...] = field(default=())
    extras: str | None = None
    """What is wrong with the mirror or the API; the record is none the worse."""


class Heads:
    """Says on the broker what is recorded: the librarian's side of `Stream`."""

    def __init__(self, node: Node, bus: MqttBus) -> None:
        """Speak in the name of `node`."""
        self._node = node
        self._bus = bus
        self._numbers = itertools.count(1)

    def tell(
        self,
        head: Head,
        problem: str | None,
        notices: Sequence[str],
        extras: str | None = None,
    ) -> None:
        """Say where the record stands; `extras` is what is wrong beside it."""
        self._bus.publish_frame(
            self._bus.topics.head(self._node.name),
            "head",
            retain=True,
            boot=self._node.boot,
            number=next(self._numbers),
            repository=head.repository,
            commit=head.commit,
            nodes={name: list(place) for name, place in head.nodes.items()},
            commits=dict(head.commits),
            problem=problem,
            notices=list(notices),
            extras=extras,
        )


class Stream:
    """Sends the journal to whichever librarian is named."""

    def __init__(
        self,
        node: Node,
        bus: MqttBus,
        *,
        named: Callable[[], Named | None],
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        """`on_change` is called when a librarian has said something."""
        self._node = node
        self._bus = bus
        self._named = named
        self._on_change = on_change
        self.feed = Feed(node)
        self.shown: dict[str, Shown] = {}
        """What each librarian said last."""
        bus.on_frame("head", self._take_head)
        bus.on_frame("gap", self._take_gap)

    @property
    def current(self) -> Shown | None:
        """What the named librarian said last, if its record is the named one."""
        named = self._named()
        shown = self.shown.get(named.node) if named else None
        if named is None or shown is None:
            return None
        return shown if named.repository in (None, shown.head.repository) else None

    async def run(self) -> None:
        """Send what is synced, for ever."""
        feeding = asyncio.ensure_future(self.feed.run())
        try:
            while True:
                durable = self.feed.durable
                await asyncio.sleep(STALL_SECONDS)
                if feeding.done():
                    return feeding.result()
                if self.feed.behind and durable == self.feed.durable:
                    self.feed.go_back(durable)
        finally:
            feeding.cancel()
            await asyncio.gather(feeding, return_exceptions=True)

    def look(self) -> None:
        """See whether the librarian is there; call it whenever that may change."""
        named, shown = self._named(), self.current
        there = named is not None and self._bus.presence.online(named.node)
        if not there or shown is None:
            self.feed.disconnect()
        elif not self.feed.connected:
            self.feed.connect(self._send, shown.head)

    def _take_head(self, found: Framed, done: Done) -> None:
        done()
        frame = found.frame
        if found.kind != "head":
            return
        order = (int(frame["boot"]), int(frame["number"]))
        before = self.shown.get(found.sender)
        if before is not None and order <= before.order:
            return
        self.shown[found.sender] = shown = Shown(
            head=Head.from_dict(frame),
            order=order,
            problem=frame["problem"],
            notices=tuple(frame["notices"]),
            extras=frame.get("extras"),
        )
        if self.feed.connected and shown is self.current:
            self.feed.learn(shown.head)
        self.look()
        self._on_change()

    def _take_gap(self, found: Framed, done: Done) -> None:
        done()
        named = self._named()
        if found.kind == "inbox" and named and found.sender == named.node:
            boot, seq = found.frame["after"]
            self.feed.go_back((int(boot), int(seq)))

    def _send(self, entries: Sequence[Entry], oldest: bool) -> None:
        self._bus.publish_frame(
            self._bus.topics.log(self._node.name),
            "log",
            records=wire.from_entries(entries),
            oldest=oldest,
        )
