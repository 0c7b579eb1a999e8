"""A phone for tests of the integration: a real Darcy behind a real broker."""

import asyncio
import base64
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
import os
from pathlib import Path
import sys
from typing import Any

from homeassistant.config_entries import ConfigSubentryData
from homeassistant.core import HomeAssistant
from homeassistant.helpers import issue_registry as ir
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.hearthnet.const import DOMAIN
from custom_components.hearthnet.core.keys import SigningKey

from .setup import ENTRY_ID, OPTIONS

PREFIX = "hearthnet/test"
SEED = bytes([9]) * 32
SHIPPED = Path(__file__).parents[2] / "custom_components/hearthnet/recipes"
PROGRAM = "import sys; from hearthnet.cli import main; sys.exit(main())"
TV = "switch.living_room_tv"


async def set_up(
    hass: HomeAssistant, port: int, data: dict[str, Any] | None = None, **options: Any
) -> MockConfigEntry:
    """Set HearthNet up with a broker and a phone's companion."""
    key = SigningKey(SEED).public.text
    entry = MockConfigEntry(
        domain=DOMAIN,
        entry_id=ENTRY_ID,
        title="Home",
        data={
            "broker": {"host": "127.0.0.1", "port": port, "prefix": PREFIX},
            **(data or {}),
        },
        options={**OPTIONS, **options},
        minor_version=2,
        subentries_data=[
            ConfigSubentryData(
                data={"name": "phone", "role": "darcy", "key": key},
                subentry_type="companion",
                title="phone",
                unique_id="phone",
            )
        ],
    )
    entry.add_to_hass(hass)
    assert await hass.config_entries.async_setup(ENTRY_ID)
    await hass.async_block_till_done()
    return entry


@asynccontextmanager
async def darcy(
    entry: MockConfigEntry, folder: Path, port: int, phone: int, **more: str
) -> AsyncIterator[None]:
    """Run `hearthnet darcy` for the phone."""
    path = folder / "darcy.toml"
    path.write_text(
        'name = "phone"\nrole = "darcy"\n'
        f'key = "{base64.b64encode(SEED).decode()}"\n'
        f'hub = "{entry.runtime_data.hub.node.public_key.text}"\n'
        f'data = "{folder / "data"}"\n'
        f'[broker]\nhost = "127.0.0.1"\nport = {port}\nprefix = "{PREFIX}"\n'
        f"[phone]\nport = {phone}\nquiet_seconds = 0\nevery = 5\n"
    )
    path.chmod(0o600)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PROGRAM, "darcy", "--config", str(path)),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **more},
    )
    try:
        yield
    finally:
        process.terminate()
        assert await process.wait() == 0


async def until(entry: MockConfigEntry, condition: Callable[[], object]) -> None:
    """Wait until something is so after the hub has told of a change."""
    changed = asyncio.Event()
    stop = entry.runtime_data.async_add_listener(changed.set)
    async with asyncio.timeout(60):
        while not condition():
            changed.clear()
            await changed.wait()
    stop()


def state(hass: HomeAssistant, entity_id: str) -> str:
    found = hass.states.get(entity_id)
    assert found is not None, entity_id
    return found.state


def shown(hass: HomeAssistant, issue_id: str) -> bool:
    """Tell whether Repairs shows an issue of a phone."""
    return ir.async_get(hass).async_get_issue(DOMAIN, issue_id) is not None
