"""What the model is used for: its planner, the budget, and what a person must fix."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any

from homeassistant.config_entries import ConfigEntry
from homeassistant.const import CONF_API_KEY
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.event import async_track_time_change
from homeassistant.helpers.storage import Store
from homeassistant.util import dt as dt_util

from .const import CONF_MODEL, CONF_PLANNER, DOMAIN
from .core.intents import Consultation, Plan, Request
from .core.planner import Planner, Situation
from .core.planner.anthropic import probe
from .core.planner.budget import Amount
from .core.planner.choice import Chooser
from .core.planner.errors import PlannerError
from .core.planner.model import ModelPlanner
from .core.reasons import Reason
from .flows.model import async_chosen_model, async_client, budget_of
from .issues import async_show_budget, async_show_model

SAVE_DELAY = 1.0
"""Seconds that what was spent may be lost by a power cut."""


class ModelUse:
    """One boot's dealings with the model."""

    def __init__(
        self, hass: HomeAssistant, entry: ConfigEntry, changed: Callable[[], None]
    ) -> None:
        """Take the entry's choice; `changed` is called when numbers have changed."""
        self._hass = hass
        self._entry = entry
        self._changed = changed
        self._store = budget_store(hass, entry.entry_id)
        self.budget = budget_of(entry.options)
        self.last: Consultation | None = None
        """What the newest sentence that went to the model took."""
        self.planner: Planner | None = None
        self.chooser: Chooser | None = None

    @property
    def today(self) -> Amount:
        """What was used today."""
        return self.budget.today(dt_util.now())

    async def async_start(self) -> Callable[[], Awaitable[None]]:
        """Make the planner and take over what was spent; return what ends it."""
        async_show_model(self._hass, None)
        if (kept := await self._store.async_load()) is not None:
            self.budget.restore(kept)
        self._show_budget()
        model = await async_chosen_model(self._hass, self._entry)
        if model is None:
            return self._async_stop
        self.planner = _Watched(
            self, ModelPlanner(model, self.budget, keeps_later=True)
        )
        self.chooser = Chooser(model, self.budget, dt_util.now, self.chose)
        if self._entry.options[CONF_PLANNER] == "anthropic":
            self._entry.async_create_background_task(
                self._hass, self._async_check(), f"{DOMAIN} model"
            )
        self._entry.async_on_unload(
            async_track_time_change(
                self._hass, self._new_day, hour=0, minute=0, second=0
            )
        )
        return self._async_stop

    async def _async_stop(self) -> None:
        await self._store.async_save(self.budget.as_dict())

    async def _async_check(self) -> None:
        """Learn early that the key or the model does not work any more."""
        client = await async_client(self._hass, self._entry.data[CONF_API_KEY])
        try:
            await probe(client, self._entry.options[CONF_MODEL])
        except PlannerError as error:
            self._tell(error.reason)

    @callback
    def took(self, plan: Plan | None) -> None:
        """Note what a plan, or the want of one, says of the model."""
        if plan is not None and (took := plan.consultation) and took.calls:
            self.last = took
            self._tell(plan.reason)
        self._note()

    @callback
    def chose(self, reason: Reason | None) -> None:
        """Note what a choice, or the want of one, says of the model."""
        self._tell(reason)
        self._note()

    @callback
    def _note(self) -> None:
        self._store.async_delay_save(self.budget.as_dict, SAVE_DELAY)
        self._show_budget()
        self._changed()

    @callback
    def _tell(self, reason: Reason | None) -> None:
        """Ask a person to put right what only a person can."""
        if reason is Reason.MODEL_UNAUTHORIZED:
            self._entry.async_start_reauth_if_available(self._hass)
        options = self._entry.options
        unknown = reason is Reason.MODEL_UNKNOWN
        name = options.get(CONF_MODEL) or options.get(options[CONF_PLANNER])
        async_show_model(self._hass, name if unknown else None)

    @callback
    def _show_budget(self) -> None:
        cap = None
        try:
            self.budget.check(Amount(), dt_util.now())
        except PlannerError as error:
            cap = error.detail.partition(" ")[0]
        async_show_budget(self._hass, cap if self._entry_has_model else None)

    @property
    def _entry_has_model(self) -> bool:
        return self._entry.options.get(CONF_PLANNER) in ("anthropic", "ai_task")

    @callback
    def _new_day(self, _now: datetime) -> None:
        self._show_budget()
        self._changed()


class _Watched:
    """A planner whose use is noted, also when it is canceled."""

    def __init__(self, use: ModelUse, planner: Planner) -> None:
        self._use = use
        self._planner = planner

    async def plan(self, request: Request, situation: Situation) -> Plan | None:
        plan = None
        try:
            plan = await self._planner.plan(request, situation)
        finally:
            self._use.took(plan)
        return plan


def budget_store(hass: HomeAssistant, entry_id: str) -> Store[dict[str, Any]]:
    """Return where an entry keeps what it has spent."""
    return Store(hass, 1, f"{DOMAIN}.{entry_id}.budget", private=True)
