"""What a flow proves before it makes promises."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

from homeassistant.core import HomeAssistant

from .const import CONF_POLICY, DOMAIN, STOP_TIMEOUT
from .core.domains import OPERATIONS
from .core.files import make_folder
from .core.journal import JournalError
from .core.librarian.client import LibrarianProcess
from .core.operations import Operation
from .policy_file import async_chosen_policy
from .runtime import Folder, async_open_node

CHECK_TIMEOUT = 20.0
"""Seconds a librarian may take to start; a Raspberry Pi takes a few."""


@dataclass(frozen=True, kw_only=True)
class Trouble:
    """Something that a form tells."""

    key: str
    """Translation key of the error."""
    where: str = "base"
    """The form's field."""
    placeholders: Mapping[str, str] = field(default_factory=dict)


async def async_check_policy(
    hass: HomeAssistant,
    options: Mapping[str, Any],
    operations: Mapping[str, Operation] | None = OPERATIONS,
) -> Trouble | None:
    """Return what is wrong with the chosen policy; `operations` see `load`."""
    chosen = await async_chosen_policy(hass, options, operations)
    if not chosen.mistakes:
        return None
    return Trouble(
        key="policy_broken",
        where=CONF_POLICY,
        placeholders={
            "path": str(chosen.path),
            "mistakes": "; ".join(chosen.mistakes),
        },
    )


async def async_check_librarian(hass: HomeAssistant) -> Trouble | None:
    """Prove that the folder can be written and that a librarian starts there.

    It keeps a repository of its own for the moment that this takes.
    """
    root = Path(hass.config.path(DOMAIN))
    try:
        await hass.async_add_executor_job(make_folder, root)
        folder = await hass.async_add_executor_job(
            partial(mkdtemp, prefix="check-", dir=root)
        )
    except OSError as error:
        return Trouble(
            key="folder_unwritable",
            placeholders={"path": str(root), "error": error.strerror or str(error)},
        )
    try:
        problem = await _async_try_librarian(hass, Folder(root=Path(folder)))
    finally:
        await hass.async_add_executor_job(partial(rmtree, folder, ignore_errors=True))
    if problem is None:
        return None
    return Trouble(key="librarian_failed", placeholders={"error": problem})


async def _async_try_librarian(hass: HomeAssistant, folder: Folder) -> str | None:
    """Start a librarian and wait until it says where it stands."""
    try:
        node, _ = await async_open_node(hass, folder)
    except (JournalError, OSError) as error:
        return str(error)
    changed = asyncio.Event()
    librarian = LibrarianProcess(node, folder.repository, on_change=changed.set)
    running = hass.async_create_background_task(librarian.run(), f"{DOMAIN} check")
    try:
        async with asyncio.timeout(CHECK_TIMEOUT):
            while not librarian.status.connected:
                await changed.wait()
                changed.clear()
                if (problem := librarian.status.problem) not in (None, "starting"):
                    return problem
    except TimeoutError:
        return f"no answer in {CHECK_TIMEOUT:.0f} s"
    finally:
        librarian.stop()
        await asyncio.wait([running], timeout=STOP_TIMEOUT)
        await node.close()
    return None
