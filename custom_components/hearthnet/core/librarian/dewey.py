"""Dewey as a service: a companion that hosts the record, with its extras."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Self

from ..bus.link import Connect, connect
from ..clock import Clock
from ..companion import Companion, Identity
from ..keys import VerifyKey
from ..paths import HUB
from .api import Api
from .host import Host
from .mirror import Mirror


@dataclass(frozen=True, kw_only=True)
class Options:
    """What a person may choose."""

    repository: Path
    api: str | None = None
    """HOST:PORT to answer HTTP on; None: not at all."""
    mirror: str | None = None
    """Where to push the record to."""
    version: str = ""


class Dewey:
    """The librarian's process, apart from its command line."""

    def __init__(self, companion: Companion, options: Options) -> None:
        """Put the parts together; `run` starts them."""
        self.companion = companion
        self.host = Host(
            companion.node,
            companion.mqtt,
            options.repository,
            on_head=lambda _head: self._mirror.note(),
        )
        tell = self.host.tell_extra
        self._mirror = Mirror(
            options.repository, options.mirror, partial(tell, "mirror")
        )
        self.api: Api | None = None
        if options.api:
            key, told = companion.trust.key, partial(tell, "api")
            self.api = Api(self.host.ask, key, options.api, told)
        self._connected = False

    @classmethod
    def open(
        cls,
        identity: Identity,
        journal: Path,
        options: Options,
        *,
        clock: Clock | None = None,
        renewed: Callable[[VerifyKey], None] = lambda _key: None,
        connect: Connect = connect,
    ) -> Self:
        """Start a boot. Blocks; JournalError when the journal cannot be used."""
        companion = Companion.open(
            identity,
            journal,
            agents=(identity.name,),
            capabilities=("record",),
            version=options.version,
            clock=clock,
            renewed=renewed,
            connect=connect,
        )
        dewey = cls(companion, options)
        companion.on_change = dewey.look
        return dewey

    async def run(self) -> None:
        """Serve until `stop`.

        Raises:
            FencedError: another process runs under this name.
            LibrarianError: the repository cannot be opened.
        """
        self.look()
        work = [self.companion.run(feed=False), self.host.run(), self._mirror.run()]
        if self.api is not None:
            work.append(self.api.run())
        serving = [asyncio.ensure_future(one) for one in work]
        try:
            done, _ = await asyncio.wait(serving, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in serving:
                task.cancel()
            await asyncio.gather(*serving, return_exceptions=True)

    def look(self) -> None:
        """Take over whom the hub has enrolled; say the head at a new connection."""
        trust = self.companion.trust
        self.host.enroll(
            {
                HUB: [trust.hub.text, *trust.older],
                **{name: [one.key.text] for name, one in trust.others.items()},
            }
        )
        connected = self.companion.mqtt.connected
        if connected and not self._connected:
            self.host.greet()
        self._connected = connected

    def stop(self) -> None:
        """Let `run` say goodbye and end."""
        self.companion.stop()

    async def close(self) -> None:
        """Let go of the journal."""
        await self.companion.close()
