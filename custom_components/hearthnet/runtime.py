"""The parts of one boot of the hub, opened in order and closed in reverse."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
import os
from pathlib import Path
from typing import Any

from homeassistant.components.person import DOMAIN as PERSON_DOMAIN
from homeassistant.const import STATE_HOME, STATE_UNAVAILABLE, STATE_UNKNOWN
from homeassistant.core import HomeAssistant, callback
from homeassistant.loader import async_get_integration
from homeassistant.util import dt as dt_util

from .const import DEFAULT_POLICY, DOMAIN, FLUSH_TIMEOUT, STOP_TIMEOUT
from .core.adapter import Permit
from .core.agents.manager import ROOT
from .core.chronicle import Librarian
from .core.clock import SystemClock
from .core.devices import House
from .core.files import make_folder
from .core.hub import JEEVES, Hub
from .core.keys import SigningKey
from .core.librarian.client import LibrarianProcess
from .core.messages import Json, MessageType
from .core.node import Node
from .core.outside import Outside
from .core.paths import HUB
from .core.phone.recipes import Recipes
from .core.planner import Planner
from .core.planner.choice import Chooser
from .core.policy.load import preset
from .core.reservations import LoopWaiter
from .core.restart import Startup
from .house import HassHouse
from .jeeves import JeevesAdapter

type Spawn = Callable[[Coroutine[Any, Any, None]], object]


class EmbeddedLibrarian(LibrarianProcess):
    """The child process, as the hub asks it."""

    def __init__(self, node: Node, folder: Path, on_change: Callable[[], None]) -> None:
        """Prepare to record `node`; `on_change` is called at news of the status."""
        super().__init__(node, folder, on_change=self._heard)
        self._tell = on_change
        self._news = asyncio.Event()

    async def async_stop(self, running: asyncio.Task[None]) -> None:
        """Let the last events reach Git, then end the process in good order.

        What does not get there in time is in the journal, for the next boot.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(FLUSH_TIMEOUT):
                while self.feed.connected and self.feed.behind:
                    self._news.clear()
                    await self._news.wait()
        self.stop()
        await asyncio.wait([running], timeout=STOP_TIMEOUT)

    def _heard(self) -> None:
        self._news.set()
        self._tell()


@dataclass(frozen=True, kw_only=True)
class Folder:
    """Where one entry keeps what it must not lose."""

    root: Path

    @classmethod
    def of(cls, hass: HomeAssistant, entry_id: str) -> Folder:
        """Return the folder of an entry."""
        return cls(root=Path(hass.config.path(DOMAIN, entry_id)))

    @property
    def key(self) -> Path:
        """The hub's private key; whoever has it can sign leases."""
        return self.root / "key"

    @property
    def chain(self) -> Path:
        """How the hub's older keys lead to the present one."""
        return self.root / "key.chain.json"

    @property
    def record(self) -> Path:
        """Which librarian elsewhere keeps the record, if one does."""
        return self.root / "record.json"

    @property
    def journal(self) -> Path:
        """What happened, until the repository has it and for a week more."""
        return self.root / "journal"

    @property
    def repository(self) -> Path:
        """The Git repository of the embedded librarian."""
        return self.root / "repository.git"


async def async_open_node(hass: HomeAssistant, folder: Folder) -> tuple[Node, Startup]:
    """Start a boot: open the journal and read what earlier boots left.

    Raises:
        JournalError: the journal is damaged, in use or unwritable.
        OSError: the folder or the key cannot be read or written.
        KeyFileError: what is in the key's file is no key.
    """
    integration = await async_get_integration(hass, DOMAIN)
    about: dict[str, Json] = {"version": str(integration.version)}
    return await hass.async_add_executor_job(_open_node, folder, about)


def _open_node(folder: Folder, about: dict[str, Json]) -> tuple[Node, Startup]:
    make_folder(folder.root)
    key = SigningKey.load_or_create(folder.key, os.urandom(32))
    node = Node(
        name=HUB, folder=folder.journal, key=key, clock=SystemClock(), about=about
    )
    try:
        return node, Startup.read(node)
    except BaseException:
        # Left open, its lock would be what the next try is told of.
        node.journal.release()
        raise


async def async_build_hub(
    hass: HomeAssistant,
    *,
    node: Node,
    house: HassHouse,
    home: House,
    recipes: Recipes,
    librarian: Librarian,
    outside: Outside | None,
    own_user_id: str,
    planner: Planner,
    chooser: Chooser | None,
    policy_text: str | None,
    spawn: Spawn,
) -> Hub:
    """Wire the hub to this Home Assistant.

    `home` has the devices of `house` and those elsewhere, driven by `recipes`.
    Without a `policy_text` the default policy is in force until there is one.
    """
    fallback = await hass.async_add_executor_job(preset, DEFAULT_POLICY)
    return Hub(
        node=node,
        house=home,
        adapter=JeevesAdapter(hass, house, own_user_id, partial(_undeclared, node)),
        planner=planner,
        chooser=chooser,
        policy_text=policy_text or fallback,
        librarian=librarian,
        outside=outside,
        recipes=recipes,
        waiter=LoopWaiter(node.clock),
        spawn=spawn,
        zone=dt_util.get_default_time_zone,
        home=lambda: async_persons_home(hass),
    )


@callback
def _undeclared(
    node: Node, permit: Permit, name: str, entities: tuple[str, ...]
) -> None:
    """Record that a script moved what the policy does not declare."""
    listed = ", ".join(entities)
    node.emit(
        sender=JEEVES,
        to=ROOT,
        type=MessageType.ALERT,
        content=f"{name} also moved {listed}, which the policy does not declare.",
        cause=permit.execute,
        lease=permit.lease,
        base_commit=node.view.commit,
        body={"operation": permit.operation, "entities": list[Json](entities)},
    )


@callback
def async_persons_home(hass: HomeAssistant) -> frozenset[str] | None:
    """Return the names of the persons at home; None when nobody can tell."""
    persons = [
        state
        for state in hass.states.async_all(PERSON_DOMAIN)
        if state.state not in (STATE_UNKNOWN, STATE_UNAVAILABLE)
    ]
    if not persons:
        return None
    return frozenset(state.name for state in persons if state.state == STATE_HOME)
