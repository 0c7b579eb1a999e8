"""The hub's companions in this Home Assistant, and which librarian keeps the record."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
import json
from typing import Any

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant, callback

from .companions import broker_of, enrolled_of, read_record, write_record
from .const import DOMAIN, FLUSH_TIMEOUT, STOP_TIMEOUT
from .core.enrolled import DEWEY
from .core.librarian import LibrarianError
from .core.librarian.remote import QUERY_SECONDS, RemoteLibrarian
from .core.librarian.stream import Named
from .core.node import Node
from .core.outside import Outside
from .core.status import LibrarianStatus
from .runtime import Folder


class DistantLibrarian:
    """A librarian on another machine, as the hub asks it."""

    def __init__(self, remote: RemoteLibrarian) -> None:
        """Take what the hub's outside feeds."""
        self._remote = remote

    @property
    def status(self) -> LibrarianStatus:
        """How the record is doing."""
        return self._remote.status

    @property
    def away_since(self) -> float | None:
        """Boot time since which nothing gets recorded; None while it does."""
        return self._remote.away_since

    async def query(
        self, what: str, *, timeout: float = QUERY_SECONDS, **args: Any
    ) -> Any:
        """Ask the librarian; ConnectionError when it has no answer."""
        try:
            return await self._remote.query(what, timeout=timeout, **args)
        except LibrarianError as error:
            raise ConnectionError(str(error)) from error

    async def async_flush(self) -> None:
        """Let the last events reach it; what does not is in the journal."""
        await self._remote.flush(FLUSH_TIMEOUT)


async def async_open_outside(
    hass: HomeAssistant,
    entry: ConfigEntry,
    node: Node,
    folder: Folder,
    on_change: Callable[[], None],
) -> Outside | None:
    """Return the hub's outside; None in the embedded set-up."""
    if (broker := broker_of(entry)) is None:
        return None
    enrolled = enrolled_of(entry)

    def read() -> tuple[Named | None, list[dict[str, str]]]:
        chain: list[dict[str, str]] = []
        with suppress(FileNotFoundError):
            chain = json.loads(folder.chain.read_bytes())
        # What a renewal that was cut off has named was never used.
        present = node.public_key.text
        chain = [link for link in chain if link["old"] != present]
        record = read_record(folder.record)
        if record is not None and record.node not in enrolled:
            # It was taken out: the record is kept here again. Another machine of
            # this name would have to show that it has all of it.
            folder.record.unlink()
            record = None
        return record, chain

    record, chain = await hass.async_add_executor_job(read)
    return Outside(
        node, broker, enrolled, chain=chain, record=record, on_change=on_change
    )


async def async_stop_outside(outside: Outside, running: asyncio.Task[None]) -> None:
    """Say goodbye to the companions."""
    await outside.stop(running, STOP_TIMEOUT)


@callback
def async_consider_move(
    hass: HomeAssistant,
    entry: ConfigEntry,
    outside: Outside,
    folder: Folder,
    status: LibrarianStatus,
) -> bool:
    """Name a companion as the librarian once it shows this home's record.

    It must have grown from a copy of the embedded one, and the journal must
    still have what the copy lacks. Two librarians never count at once: the hub
    starts anew with the other one.
    """
    for name, one in enrolled_of(entry).items():
        if one.role == DEWEY and status.repository is not None:
            named = Named(node=name, repository=status.repository)
            if outside.shows(named):
                hass.async_create_task(
                    _async_move(hass, entry, folder, named), f"{DOMAIN} move"
                )
                return True
    return False


async def _async_move(
    hass: HomeAssistant, entry: ConfigEntry, folder: Folder, named: Named
) -> None:
    await hass.async_add_executor_job(write_record, folder.record, named)
    hass.config_entries.async_schedule_reload(entry.entry_id)
