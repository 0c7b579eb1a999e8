"""Who is there: what nodes say of themselves, and what the broker says of them.

A node that stops says so; for one that dies the broker says it (its Last
Will); one that hangs misses its beats.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from ..clock import Clock
from ..messages import NAME
from ..paths import HUB

BEAT = 30.0
"""Seconds between the signs of life."""
MISSED = 2.5
"""After so many beats without a sign a node is unresponsive: two missed, and slack."""


@dataclass(frozen=True, kw_only=True)
class Status:
    """What a node says of itself."""

    node: str
    boot: int
    instance: str
    """Drawn anew by each process: two with one name and boot are told apart by it."""
    online: bool
    agents: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()
    version: str = ""
    about: Mapping[str, Any] = field(default_factory=dict)
    """What only some nodes say: the hub, whom it has enrolled."""

    def as_dict(self) -> dict[str, Any]:
        """Return the frame's fields."""
        return {
            "node": self.node,
            "boot": self.boot,
            "instance": self.instance,
            "online": self.online,
            "agents": list(self.agents),
            "capabilities": list(self.capabilities),
            "version": self.version,
            "about": dict(self.about),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read a frame's fields; KeyError, TypeError or ValueError when malformed."""
        agents = tuple(map(str, data["agents"]))
        if not all(map(NAME.fullmatch, (data["node"], *agents))):
            raise ValueError("not a name")
        return cls(
            node=data["node"],
            boot=int(data["boot"]),
            instance=str(data["instance"]),
            online=data["online"] is True,
            agents=agents,
            capabilities=tuple(map(str, data["capabilities"])),
            version=str(data["version"]),
            about=dict(data["about"]),
        )


@dataclass
class _Peer:
    status: Status
    heard: float
    lost: bool = False
    """It misses its beats although nobody has said that it is gone."""


class Presence:
    """What one node knows of the others."""

    def __init__(self, clock: Clock) -> None:
        """Know nobody."""
        self._clock = clock
        self._peers: dict[str, _Peer] = {}
        self._boots: dict[str, int] = {}

    def take(self, status: Status) -> bool:
        """Take a status; return whether the node came, went or started anew.

        One of an earlier boot is an old process's, or its will that was late.
        """
        now = self._clock.boottime()
        peer = self._peers.get(status.node)
        if status.boot < self.seen(status.node):
            return False
        self._boots[status.node] = status.boot
        self._peers[status.node] = _Peer(status, now)
        if peer is None or peer.lost or not peer.status.online:
            return status.online or (peer is not None and not peer.lost)
        return (peer.status.boot, peer.status.instance, True) != (
            status.boot,
            status.instance,
            status.online,
        )

    def seen(self, node: str) -> int:
        """Return the highest boot that a node was seen with; 0 if it never was."""
        return self._boots.get(node, 0)

    def forget(self, node: str) -> None:
        """Know nothing of a node any more."""
        self._peers.pop(node, None)
        self._boots.pop(node, None)

    def lose(self) -> list[str]:
        """Note that the broker is not reached: nobody is. Return who was there."""
        there = [name for name in self._peers if self.online(name)]
        self._peers.clear()
        return there

    def sweep(self) -> list[str]:
        """Return the nodes that have missed their beats since the last look."""
        until = self._clock.boottime() - MISSED * BEAT
        silent = [
            name
            for name, peer in self._peers.items()
            if peer.status.online and not peer.lost and peer.heard <= until
        ]
        for name in silent:
            self._peers[name].lost = True
        return silent

    def status(self, node: str) -> Status | None:
        """Return what a node said last."""
        peer = self._peers.get(node)
        return peer.status if peer else None

    def online(self, node: str) -> bool:
        """Tell whether a node is there."""
        peer = self._peers.get(node)
        return peer is not None and peer.status.online and not peer.lost

    def host(self, agent: str) -> str | None:
        """Return the node that is there and has an agent of that name."""
        owner = self.owner(agent)
        return owner if owner is not None and self.online(owner) else None

    def owner(self, agent: str) -> str | None:
        """Return the node, there or not, that an agent's name belongs to.

        A name that several claim is the hub's, or of one that is there.
        """
        claims = [
            name for name, peer in self._peers.items() if agent in peer.status.agents
        ]
        claims.sort(key=lambda name: (name != HUB, not self.online(name)))
        return claims[0] if claims else None

    @property
    def nodes(self) -> tuple[Status, ...]:
        """What every node said last."""
        return tuple(peer.status for peer in self._peers.values())
