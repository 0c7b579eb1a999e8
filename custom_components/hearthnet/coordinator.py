"""The coordinator: owns one boot of the hub and shows its status."""

from collections.abc import Mapping
from contextlib import AsyncExitStack, suppress
from datetime import timedelta
from functools import partial
import os
from typing import Any, override

from homeassistant.config_entries import ConfigEntry
from homeassistant.const import EVENT_CORE_CONFIG_UPDATE
from homeassistant.core import Event, HassJob, HomeAssistant, callback
from homeassistant.exceptions import ConfigEntryNotReady
from homeassistant.helpers.dispatcher import async_dispatcher_send
from homeassistant.helpers.start import async_at_started
from homeassistant.helpers.update_coordinator import DataUpdateCoordinator
from homeassistant.util.signal_type import SignalType

from .absence import async_log_agents
from .companions import enrolled_of
from .const import (
    CONF_ROLES,
    CONF_UNREGISTERED,
    CONF_USER,
    CONF_VOICE_ROLE,
    DEFAULT_VOICE_ROLE,
    DOMAIN,
    LOGGER,
)
from .core.devices import House, Principal
from .core.hub import Hub
from .core.journal import JournalError
from .core.keys import renew
from .core.news import Finished, HoldBroken, News, PlanFailed, news
from .core.node import Node
from .core.outside import Outside
from .core.overview import Told
from .core.phone.recipes import Recipes
from .core.status import Decision, HubStatus
from .distributed import (
    DistantLibrarian,
    async_consider_move,
    async_open_outside,
    async_stop_outside,
)
from .house import HassHouse, HouseOptions
from .issues import POLICY, Standing, async_show_mistakes
from .model_use import ModelUse
from .notices import async_tell_dropped
from .observation import Observer, recorded
from .origin import OriginTracker
from .people import async_own_user
from .phones import async_load_recipes, home_of
from .planning import OwnPlaybooks, planner_of
from .policy_file import async_chosen_policy
from .policy_names import async_show_strays, async_watch_names
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
SIGNAL_NEWS: SignalType[News] = SignalType(f"{DOMAIN}_news")

OWNER = Principal(kind="system", id="options", name="The owner", role="owner")
"""Whoever may change the entry's options and the policy's file."""
REFRESH = timedelta(seconds=30)
"""How often what only time changes is looked at: the disk, leases that end."""
SOONEST = timedelta(seconds=1)
"""Between two looks, however soon a hold ends."""


class HearthnetCoordinator(DataUpdateCoordinator[HubStatus]):
    """One boot of the hub."""

    config_entry: HearthnetConfigEntry
    device_id: str
    """Registry id of the hub's device, which the agents' devices name."""
    home: House
    """All devices: Home Assistant's, and those that phones control."""
    house: HassHouse
    hub: Hub
    librarian: EmbeddedLibrarian | DistantLibrarian
    model: ModelUse
    outside: Outside | None
    origins: OriginTracker
    playbooks: OwnPlaybooks
    recipes: Recipes
    """What phones are driven by."""
    _told: HubStatus

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
        self.companions: dict[str, str] = {}
        """Registry ids of the companions' devices, by name."""
        self._opened = AsyncExitStack()
        self._push_planned = False
        self._running = False
        self._moving = False
        self._in_force = _contents(entry)
        self._standing = Standing(hass, str(self.folder.root))

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
            self._standing.async_show_unusable(str(error))
            raise ConfigEntryNotReady(
                translation_domain=DOMAIN,
                translation_key="journal_unusable",
                translation_placeholders={"error": str(error)},
            ) from error
        self._opened.callback(async_watch_routes(self.hass))
        await self.async_config_entry_first_refresh()
        self._told = self.data
        self._opened.callback(self.async_add_listener(self._async_tell_news))
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
        self._in_force = _contents(entry)
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
        await self._async_open_record(node)
        self.recipes = recipes = await async_load_recipes(hass, enrolled_of(entry))
        self.home = home_of(self.house, entry.entry_id, node, self.outside, recipes)
        chosen = await async_chosen_policy(hass, entry.options, self.home.operations)
        self.playbooks = OwnPlaybooks(hass, self.home.operations)
        await self.playbooks.async_load()
        self.model = ModelUse(hass, entry, self.async_update_listeners)
        opened.push_async_callback(await self.model.async_start())
        self.hub = await async_build_hub(
            hass,
            node=node,
            house=self.house,
            home=self.home,
            recipes=recipes,
            librarian=self.librarian,
            outside=self.outside,
            own_user_id=own_user.id,
            planner=planner_of(
                hass, self.house, self.playbooks, self.model.planner, recipes
            ),
            chooser=self.model.chooser,
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
            await self.hub.control.set_policy(chosen.text, OWNER)
        self.async_follow_policy()
        async_show_mistakes(hass, POLICY, chosen.mistakes, str(chosen.path))
        await async_tell_dropped(hass, restart)
        opened.callback(self.hub.overview.subscribe(self._async_decided))
        follow = self._async_set_clocks
        opened.callback(hass.bus.async_listen(EVENT_CORE_CONFIG_UPDATE, follow))

    async def _async_open_record(self, node: Node) -> None:
        """Open the way to the companions, and to whoever keeps the record.

        Both stop after the hub: what a drain records shall still reach Git.
        """
        hass, entry, opened = self.hass, self.config_entry, self._opened
        self.outside = outside = await async_open_outside(
            hass, entry, node, self.folder, self._async_plan_push
        )
        if outside is None or outside.librarian is None:
            self.librarian = embedded = EmbeddedLibrarian(
                node, self.folder.repository, self._async_plan_push
            )
            recording = entry.async_create_background_task(
                hass, embedded.run(), f"{DOMAIN} librarian"
            )
            opened.push_async_callback(embedded.async_stop, recording)
            if outside is not None:
                outside.relay(embedded)
        if outside is not None:
            reaching = entry.async_create_background_task(
                hass, outside.run(), f"{DOMAIN} bus"
            )
            opened.push_async_callback(async_stop_outside, outside, reaching)
            if outside.librarian is not None:
                self.librarian = distant = DistantLibrarian(outside.librarian)
                opened.push_async_callback(distant.async_flush)

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
        watch = async_watch_names(hass, self.house, self.home, self.hub.state)
        self._opened.callback(watch)
        self.hub.open()

    @callback
    def async_follow_policy(self) -> None:
        """Have the house take what the policy in force says of devices."""
        policy = self.hub.state.in_force.policy
        self.house.async_set_same_as(policy.same_as)
        self.house.async_set_declared(policy.declared)
        if self._running:
            async_show_strays(self.hass, self.home, policy)

    @callback
    def _async_set_clocks(self, event: Event) -> None:
        """Follow a corrected time zone."""
        if "time_zone" in event.data:
            self.hub.set_clocks()

    # The entry

    @property
    def outdated(self) -> bool:
        """Whether the entry says anything that only a new boot puts into force."""
        return _contents(self.config_entry) != self._in_force

    @callback
    def async_keep(self, options: Mapping[str, Any]) -> None:
        """Keep options that this boot has put into force already."""
        entry = self.config_entry
        self._in_force = {**self._in_force, "options": dict(options)}
        self.hass.config_entries.async_update_entry(entry, options=options)

    @callback
    def async_cut_off(self) -> None:
        """Let go of companions that were taken out; the new boot is yet to come."""
        if self.outside is not None:
            self.outside.keep(enrolled_of(self.config_entry))

    async def async_renew_key(self, principal: Principal) -> None:
        """Give the hub a new key, which the old one names, and start anew with it."""
        await self.hub.control.note_renewal(principal)
        await self.hass.async_add_executor_job(
            renew, self.folder.key, self.folder.chain, os.urandom(32)
        )
        self.hass.config_entries.async_schedule_reload(self.config_entry.entry_id)

    # Status

    @override
    async def _async_update_data(self) -> HubStatus:
        """Look at what only time changes, and try a failed disk again."""
        if not self.hub.node.journal.writable:
            await self.hub.node.journal.probe()
        status = self._async_status()
        away = self.librarian.away_since
        now = self.hub.node.clock.boottime()
        self._standing.async_show_with_time(status, 0.0 if away is None else now - away)
        return status

    @callback
    def _async_status(self) -> HubStatus:
        """Return the status, and look again once the next thing in it ends."""
        status, now = self.hub.status, self.hub.node.clock.now()
        moments = [hold.ends_at for hold in status.holds]
        moments += [approval.ends_at for approval in status.approvals]
        ends = (moment - now for moment in moments if moment is not None)
        self.update_interval = max(SOONEST, min((REFRESH, *ends)))
        return status

    @callback
    def _async_decided(self, told: Told | None) -> None:
        match told:
            case Decision():
                async_dispatcher_send(self.hass, SIGNAL_DECISION, told)
            case Finished() | HoldBroken() | PlanFailed():
                async_dispatcher_send(self.hass, SIGNAL_NEWS, told)
        self._async_plan_push()

    @callback
    def _async_tell_news(self) -> None:
        """Tell what came about since the status that was looked at last."""
        before, self._told = self._told, self.data
        async_log_agents(before, self.data)
        for item in news(before, self.data, self.hub.node.clock.now()):
            async_dispatcher_send(self.hass, SIGNAL_NEWS, item)

    @callback
    def _async_plan_push(self) -> None:
        """Show the status soon: one actuation makes many events at once."""
        if not self._push_planned:
            self._push_planned = True
            self.hass.loop.call_soon(self._async_push)

    @callback
    def _async_push(self) -> None:
        self._push_planned = False
        if not self._running:
            return
        status = self._async_status()
        self.async_set_updated_data(status)
        self._standing.async_show(status, self.outside)
        embedded = isinstance(self.librarian, EmbeddedLibrarian)
        if self.outside is not None and embedded and not self._moving:
            self._moving = async_consider_move(
                self.hass,
                self.config_entry,
                self.outside,
                self.folder,
                status.librarian,
            )


@callback
def async_running(hass: HomeAssistant) -> HearthnetCoordinator | None:
    """Return the coordinator of the entry that is loaded; None while none is."""
    entries: list[HearthnetConfigEntry] = hass.config_entries.async_loaded_entries(
        DOMAIN
    )
    return entries[0].runtime_data if entries else None


def _contents(entry: ConfigEntry) -> dict[str, Any]:
    """Return what of an entry a boot depends on."""
    return {
        "title": entry.title,
        "data": dict(entry.data),
        "options": dict(entry.options),
        "subentries": dict(entry.subentries),
    }


async def _async_close(node: Node) -> None:
    """Let go of the journal; what it could not write is lost by its own account."""
    with suppress(JournalError):
        await node.close()
