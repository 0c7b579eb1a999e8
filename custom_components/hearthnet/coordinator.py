"""The coordinator: owns one boot of the hub and shows its status."""

from contextlib import AsyncExitStack, suppress
from datetime import timedelta
from functools import partial
from typing import override

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HassJob, HomeAssistant, callback
from homeassistant.exceptions import ConfigEntryNotReady
from homeassistant.helpers.dispatcher import async_dispatcher_send
from homeassistant.helpers.start import async_at_started
from homeassistant.helpers.update_coordinator import DataUpdateCoordinator
from homeassistant.util.signal_type import SignalType

from .const import (
    CONF_ROLES,
    CONF_UNREGISTERED,
    CONF_USER,
    CONF_VOICE_ROLE,
    DEFAULT_VOICE_ROLE,
    DOMAIN,
    LOGGER,
)
from .core.devices import Principal
from .core.hub import Hub
from .core.journal import JournalError
from .core.node import Node
from .core.status import Decision, HubStatus
from .house import HassHouse, HouseOptions
from .issues import POLICY, async_show_mistakes, async_show_record
from .model_use import ModelUse
from .notices import async_tell_dropped
from .observation import Observer, recorded
from .origin import OriginTracker
from .people import async_own_user
from .planning import OwnPlaybooks, planner_of
from .policy_file import async_chosen_policy
from .routes import async_watch_routes
from .runtime import (
    EmbeddedLibrarian,
    Folder,
    async_build_hub,
    async_open_node,
)

type HearthnetConfigEntry = ConfigEntry[HearthnetCoordinator]

# Of the domain, not of an entry: triggers stay attached while the entry reloads.
SIGNAL_DECISION: SignalType[Decision] = SignalType(f"{DOMAIN}_decision")

OWNER = Principal(kind="system", id="options", name="The owner", role="owner")
"""Whoever may change the entry's options and the policy's file."""
REFRESH = timedelta(seconds=30)
"""How often what only time changes is looked at: leases and holds that end."""


class HearthnetCoordinator(DataUpdateCoordinator[HubStatus]):
    """One boot of the hub."""

    config_entry: HearthnetConfigEntry
    device_id: str
    """Registry id of the hub's device, which the agents' devices name."""
    house: HassHouse
    hub: Hub
    librarian: EmbeddedLibrarian
    model: ModelUse
    origins: OriginTracker
    playbooks: OwnPlaybooks

    def __init__(self, hass: HomeAssistant, entry: HearthnetConfigEntry) -> None:
        """Initialize; nothing is opened yet."""
        super().__init__(
            hass,
            LOGGER,
            config_entry=entry,
            name=DOMAIN,
            update_interval=REFRESH,
            always_update=False,
        )
        self.folder = Folder.of(hass, entry.entry_id)
        self._opened = AsyncExitStack()
        self._push_planned = False
        self._running = False

    # Start and stop

    async def async_start(self) -> None:
        """Start a boot; nothing is granted before Home Assistant has started.

        Raises:
            ConfigEntryNotReady: the journal cannot be used; it is tried again.
        """
        # A failed setup, an unload and a stop of Home Assistant all end here.
        self.config_entry.async_on_unload(self.async_stop)
        self.config_entry.async_on_unload(
            self.hass.async_add_shutdown_job(HassJob(self.async_stop))
        )
        try:
            await self._async_open_parts()
        except (JournalError, OSError) as error:
            raise ConfigEntryNotReady(
                translation_domain=DOMAIN,
                translation_key="journal_unusable",
                translation_placeholders={"error": str(error)},
            ) from error
        self._opened.callback(async_watch_routes(self.hass))
        await self.async_config_entry_first_refresh()
        self._running = True
        self._opened.callback(async_at_started(self.hass, self._async_open))

    async def async_stop(self) -> None:
        """Close what is open, the last first: drain, record, let go."""
        self._running = False
        await self._opened.aclose()

    async def _async_open_parts(self) -> None:
        hass, entry, opened = self.hass, self.config_entry, self._opened
        own_user = await async_own_user(hass, entry.data.get(CONF_USER))
        if entry.data.get(CONF_USER) != own_user.id:
            data = {**entry.data, CONF_USER: own_user.id}
            hass.config_entries.async_update_entry(entry, data=data)
        node, startup = await async_open_node(hass, self.folder)
        opened.push_async_callback(_async_close, node)
        self.house = HassHouse(
            hass,
            HouseOptions(
                unregistered=entry.options.get(CONF_UNREGISTERED, {}),
                roles=entry.options.get(CONF_ROLES, {}),
            ),
        )
        opened.callback(await self.house.async_start())
        role = entry.options.get(CONF_VOICE_ROLE, DEFAULT_VOICE_ROLE)
        self.origins = OriginTracker(hass, own_user.id, self.house.people, role)
        opened.callback(self.origins.async_start())
        self.librarian = EmbeddedLibrarian(
            node, self.folder.repository, self._async_plan_push
        )
        recording = entry.async_create_background_task(
            hass, self.librarian.run(), f"{DOMAIN} librarian"
        )
        # It stops after the hub: what a drain records shall still reach Git.
        opened.push_async_callback(self.librarian.async_stop, recording)
        chosen = await async_chosen_policy(hass, entry.options)
        self.playbooks = OwnPlaybooks(hass)
        await self.playbooks.async_load()
        self.model = ModelUse(hass, entry, self.async_update_listeners)
        opened.push_async_callback(await self.model.async_start())
        self.hub = await async_build_hub(
            hass,
            node=node,
            house=self.house,
            librarian=self.librarian,
            own_user_id=own_user.id,
            planner=planner_of(hass, self.house, self.playbooks, self.model.planner),
            policy_text=chosen.text,
            spawn=partial(
                entry.async_create_background_task,
                hass,
                name=DOMAIN,
                eager_start=False,
            ),
        )
        restart = await self.hub.start(startup)
        opened.push_async_callback(self.hub.stop)
        if chosen.text is not None:
            await self.hub.set_policy(chosen.text, OWNER)
        policy = self.hub.state.in_force.policy
        self.house.async_set_same_as(policy.same_as)
        self.house.async_set_declared(policy.declared)
        async_show_mistakes(hass, POLICY, chosen.mistakes, str(chosen.path))
        await async_tell_dropped(hass, restart)
        opened.callback(self.hub.overview.subscribe(self._async_decided))

    async def _async_open(self, hass: HomeAssistant) -> None:
        """Grant from now on, and tell what changed while nobody watched."""
        node = self.hub.node
        observer = Observer(
            hass,
            self.house,
            self.origins,
            observe=self.hub.observe,
            expects=self.hub.gate.expects,
            known=lambda device_id: recorded(node.view, device_id),
            clock=node.clock,
        )
        stop = await observer.async_start()
        if not self._running:
            stop()
            return
        self._opened.callback(stop)
        self.hub.open()

    # Status

    @override
    async def _async_update_data(self) -> HubStatus:
        """Look at what only time changes, and try a failed disk again."""
        if not self.hub.node.journal.writable:
            await self.hub.node.journal.probe()
        status = self.hub.status
        away = self.librarian.away_since
        now = self.hub.node.clock.boottime()
        async_show_record(
            self.hass,
            status,
            0.0 if away is None else now - away,
            str(self.folder.root),
        )
        return status

    @callback
    def _async_decided(self, decision: Decision | None) -> None:
        if decision is not None:
            async_dispatcher_send(self.hass, SIGNAL_DECISION, decision)
        self._async_plan_push()

    @callback
    def _async_plan_push(self) -> None:
        """Show the status soon: one actuation makes many events at once."""
        if not self._push_planned:
            self._push_planned = True
            self.hass.loop.call_soon(self._async_push)

    @callback
    def _async_push(self) -> None:
        self._push_planned = False
        if self._running:
            self.async_set_updated_data(self.hub.status)


async def _async_close(node: Node) -> None:
    """Let go of the journal; what it could not write is lost by its own account."""
    with suppress(JournalError):
        await node.close()
