"""HearthNet: agents propose, the hub grants leases, Git remembers."""

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import config_validation as cv, device_registry as dr, llm
from homeassistant.helpers.typing import ConfigType

from .card import async_forget_card, async_register_card, async_setup_card
from .channels import async_forget_channels, async_setup_channels
from .companions import subentries_of
from .const import DOMAIN, PLATFORMS
from .coordinator import HearthnetConfigEntry, HearthnetCoordinator
from .entity import agent_device
from .failures import async_setup_failures
from .guard import async_setup_guard
from .llm_api import HearthnetAPI
from .migration import async_migrate
from .model_use import budget_store
from .notices import async_tell_kept
from .phone_issues import async_watch_phones
from .runtime import Folder
from .services import async_setup_services
from .timeline import async_setup_timeline
from .websocket_api import async_setup_websocket_api

CONFIG_SCHEMA = cv.config_entry_only_config_schema(DOMAIN)


async def async_setup(hass: HomeAssistant, config: ConfigType) -> bool:
    """Register what must exist without a loaded entry."""
    async_setup_services(hass)
    async_setup_websocket_api(hass)
    await async_setup_card(hass)
    return True


async def async_migrate_entry(hass: HomeAssistant, entry: HearthnetConfigEntry) -> None:
    """Bring an entry of an older version to the present form."""
    await async_migrate(hass, entry)


async def async_setup_entry(hass: HomeAssistant, entry: HearthnetConfigEntry) -> None:
    """Start the hub. Each time is a boot of its own."""
    coordinator = HearthnetCoordinator(hass, entry)
    await coordinator.async_start()
    entry.runtime_data = coordinator
    # Before the agents' devices, which name it as theirs.
    device = dr.async_get(hass).async_get_or_create(
        config_entry_id=entry.entry_id,
        entry_type=dr.DeviceEntryType.SERVICE,
        identifiers={(DOMAIN, entry.entry_id)},
        manufacturer="HearthNet",
        name=entry.title,
    )
    coordinator.device_id = device.id
    _forget_agents(hass, coordinator)
    _async_add_companions(hass, coordinator)
    api = HearthnetAPI(hass=hass, id=DOMAIN, name=entry.title, coordinator=coordinator)
    entry.async_on_unload(llm.async_register_api(hass, api))
    await hass.config_entries.async_forward_entry_setups(entry, PLATFORMS)
    async_setup_timeline(hass, entry)
    await async_setup_channels(hass, entry)
    async_setup_failures(hass, entry)
    async_setup_guard(hass, entry)
    async_watch_phones(hass, entry)
    await async_register_card(hass)
    # Options, the broker and each companion: a change of any is a new boot, so that
    # whoever is taken out is cut off at once.
    entry.async_on_unload(entry.add_update_listener(_async_changed))


@callback
def _forget_agents(hass: HomeAssistant, coordinator: HearthnetCoordinator) -> None:
    """Remove what belongs to agents that have left and recipes that are gone."""
    entry_id = coordinator.config_entry.entry_id
    there = [agent.name for agent in coordinator.data.agents]
    there += [placed.id for placed in coordinator.recipes]
    names = (f"{entry_id}_{name}" for name in there)
    known = {(DOMAIN, name) for name in (entry_id, *names)}
    devices = dr.async_get(hass)
    for device in dr.async_entries_for_config_entry(devices, entry_id):
        if not device.identifiers & known:
            devices.async_update_device(device.id, remove_config_entry_id=entry_id)


@callback
def _async_add_companions(
    hass: HomeAssistant, coordinator: HearthnetCoordinator
) -> None:
    """Register the companions' devices, which those behind them name as theirs."""
    registry = dr.async_get(hass)
    for name, subentry_id in subentries_of(coordinator.config_entry).items():
        device = registry.async_get_or_create(
            config_entry_id=coordinator.config_entry.entry_id,
            config_subentry_id=subentry_id,
            **agent_device(coordinator, name),
        )
        coordinator.companions[name] = device.id


async def _async_changed(hass: HomeAssistant, entry: HearthnetConfigEntry) -> None:
    entry.runtime_data.async_cut_off()
    if entry.runtime_data.outdated:
        hass.config_entries.async_schedule_reload(entry.entry_id)


async def async_unload_entry(hass: HomeAssistant, entry: HearthnetConfigEntry) -> None:
    """Let go of the entities, then drain the hub while its tasks are alive."""
    await hass.config_entries.async_unload_platforms_or_raise(entry, PLATFORMS)
    await entry.runtime_data.async_stop()


async def async_remove_entry(hass: HomeAssistant, entry: HearthnetConfigEntry) -> None:
    """Keep the record of what happened, and say where it is."""
    await budget_store(hass, entry.entry_id).async_remove()
    await async_forget_channels(hass, entry.entry_id)
    await async_forget_card(hass)
    await async_tell_kept(hass, Folder.of(hass, entry.entry_id))
