"""A node outside Home Assistant put together: journal, bus, trust, its way to Git.

Darcy's and Dewey's programs are built on it. It connects, keeps connected,
tells its journal to the librarian and what it writes to the hub, and says
which start of the hub counts.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from .bus.broker import Broker
from .bus.link import Connect, connect
from .bus.local import LocalBus
from .bus.mqtt import MqttBus
from .bus.presence import Status
from .bus.routing import RoutedBus
from .bus.sharing import Sharing
from .clock import Clock, SystemClock
from .enrolled import Trust
from .gate import Gate
from .keys import SigningKey, VerifyKey
from .librarian.stream import Stream
from .node import Node
from .paths import HUB

PROBE_SECONDS = 10.0
"""Seconds between looks at whether a disk that took nothing takes something again."""


@dataclass(frozen=True, kw_only=True)
class Identity:
    """What pairing gave a companion."""

    name: str
    role: str
    key: SigningKey
    hub: VerifyKey
    broker: Broker


class FencedError(Exception):
    """Another process runs under this node's name; this one has to end."""


class Companion:
    """One node outside Home Assistant."""

    def __init__(
        self,
        identity: Identity,
        node: Node,
        *,
        agents: tuple[str, ...],
        capabilities: tuple[str, ...] = (),
        version: str = "",
        renewed: Callable[[VerifyKey], None] = lambda _key: None,
        on_change: Callable[[], None] = lambda: None,
        connect: Connect = connect,
    ) -> None:
        """`agents` may be written to from elsewhere; `renewed` see `Trust`."""
        self.node = node
        self.on_learn: Callable[[], None] = lambda: None
        """Called when the hub has told what it writes: policy, holds, recipes."""
        self.on_hub: Callable[[], None] = lambda: None
        """Called when the hub has come, or has started anew."""
        self.on_change = on_change
        self._gates: list[Gate] = []
        self._hub_boot = 0
        self._hub = ""
        """The instance of the hub that is there."""
        self.trust = Trust(identity.hub, renewed=renewed)
        self.mqtt = MqttBus(
            node,
            identity.broker,
            key=self.trust.key,
            renewed=self.trust.renew,
            agents=agents,
            capabilities=capabilities,
            version=version,
            on_change=self._changed,
            connect=connect,
            complete=lambda: self.trust.complete,
        )
        self.mqtt.on_status = self._heard
        self.bus = RoutedBus(LocalBus(), self.mqtt)
        self.stream = Stream(
            node, self.mqtt, named=lambda: self.trust.named, on_change=self._told
        )
        self._sharing = Sharing(
            node,
            self.mqtt,
            lambda peer: ("devices/",) if peer == HUB else (),
            self._learned,
        )

    @classmethod
    def open(
        cls,
        identity: Identity,
        folder: Path,
        *,
        agents: tuple[str, ...],
        capabilities: tuple[str, ...] = (),
        version: str = "",
        clock: Clock | None = None,
        renewed: Callable[[VerifyKey], None] = lambda _key: None,
        on_change: Callable[[], None] = lambda: None,
        connect: Connect = connect,
    ) -> Self:
        """Start a boot with the journal in `folder`. Blocks.

        Raises:
            JournalError: the journal is damaged, in use or unwritable.
        """
        node = Node(
            name=identity.name,
            folder=folder,
            key=identity.key,
            clock=clock or SystemClock(),
            about={"version": version, "role": identity.role},
        )
        return cls(
            identity,
            node,
            agents=agents,
            capabilities=capabilities,
            version=version,
            renewed=renewed,
            on_change=on_change,
            connect=connect,
        )

    def guard(self, gate: Gate) -> None:
        """Keep a gate told of the hub's starts and keys."""
        self._gates.append(gate)
        gate.trust(self.trust.hub)
        if self._hub_boot:
            gate.raise_fence(self._hub_boot)

    async def run(self, *, feed: bool = True) -> None:
        """Stay connected until `stop`.

        The librarian's own node passes `feed=False`: it needs no broker to reach
        itself.

        Raises:
            FencedError: another process runs under this name.
        """
        beside = [asyncio.ensure_future(self._probe())]
        if feed:
            beside.append(asyncio.ensure_future(self.stream.run()))
        try:
            await self.mqtt.run()
        finally:
            for task in beside:
                task.cancel()
            await asyncio.gather(*beside, return_exceptions=True)
        if self.mqtt.fenced:
            raise FencedError(self.mqtt.fenced)

    async def _probe(self) -> None:
        """Try a disk that was full or broken again: nobody else would notice."""
        while True:
            await asyncio.sleep(PROBE_SECONDS)
            if not self.node.journal.writable:
                await self.node.journal.probe()

    def stop(self) -> None:
        """Let `run` say goodbye and end."""
        self.mqtt.stop()

    async def close(self) -> None:
        """Write what is pending and let go of the journal."""
        await self.node.close()

    def _changed(self) -> None:
        self.stream.look()
        self._sharing.look()
        hub = self.mqtt.presence.status(HUB)
        there = hub.instance if hub and self.mqtt.presence.online(HUB) else ""
        if there != self._hub:
            self._hub = there
            if there:
                self.on_hub()
        self.on_change()

    def _learned(self) -> None:
        self.on_learn()

    def _told(self) -> None:
        self.on_change()

    def _heard(self, status: Status) -> None:
        if status.node != HUB or status.boot < self._hub_boot:
            return
        self._hub_boot = status.boot
        for gate in self._gates:
            gate.trust(self.trust.hub)
            gate.raise_fence(status.boot)
        if status.online:
            # What a goodbye says of others is as old as the connection.
            known = self.trust.others
            self.trust.learn(status.about)
            if self.trust.others != known:
                for name in known.keys() - self.trust.others.keys():
                    self.mqtt.forget(name)
                # What they said before was nobody's.
                self.mqtt.look_again()
            self._changed()
