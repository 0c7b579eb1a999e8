"""What a node tells another that comes: the newest versions of what it writes.

While two nodes do not reach each other each misses what the other writes. A
lease that rests on an old version would be refused for ever. Messages are not
sent again, for some are commands; so the state is told, which commands nothing.
Likewise what a lease rests on, when it changes while the lease is out.
"""

from collections.abc import Callable, Iterable, Mapping

from ..messages import EventId, Json
from ..node import Node
from .inbound import Framed
from .mqtt import MqttBus

KIND = "view"
_AT_ONCE = 200
"""Paths a frame; a phone has a few, a hub some hundred."""


class Sharing:
    """Tells peers that come what this node writes, and learns from theirs."""

    def __init__(
        self,
        node: Node,
        bus: MqttBus,
        told: Callable[[str], tuple[str, ...]],
        learned: Callable[[], None] = lambda: None,
    ) -> None:
        """`told` gives the folders and files that a peer is told of.

        `learned` is called after something was learned from a peer.
        """
        self._node = node
        self._bus = bus
        self._told = told
        self._learned = learned
        self._known: dict[str, tuple[int, str]] = {}
        bus.on_frame(KIND, self._learn)

    def look(self) -> None:
        """Tell those who have come since the last look; call it at each change."""
        there = {
            status.node: (status.boot, status.instance)
            for status in self._bus.presence.nodes
            if self._bus.presence.online(status.node)
        }
        before, self._known = self._known, there
        for name, start in there.items():
            if before.get(name) != start:
                self._tell(name)

    def tell_all(self) -> None:
        """Tell all who are there, also those who were told before."""
        self._known = {}
        self.look()

    def tell(self, peer: str, paths: Iterable[str]) -> None:
        """Tell a peer the newest versions of some paths that this node writes."""
        view = self._node.view
        self._send(peer, {one: [view.version(one), view.get(one)] for one in paths})

    def _tell(self, peer: str) -> None:
        starts = self._told(peer)
        paths = self._node.view.snapshot(self._node.name)["paths"]
        self._send(peer, {p: one for p, one in paths.items() if p.startswith(starts)})

    def _send(self, peer: str, paths: Mapping[str, Json]) -> None:
        items = list(paths.items())
        for first in range(0, len(items), _AT_ONCE):
            part = dict(items[first : first + _AT_ONCE])
            self._bus.send_frame(peer, KIND, paths=part)

    def _learn(self, found: Framed, done: Callable[[], None]) -> None:
        done()
        for path, (version, value) in found.frame["paths"].items():
            named = EventId.parse(version).node == found.sender
            if named and self._node.view.may(found.sender, [path]):
                self._node.view.learn(path, value, version)
        self._learned()
