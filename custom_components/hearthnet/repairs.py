"""Repairs: what HearthNet can put right itself, and what a person decides."""

import asyncio
from collections.abc import Collection
from typing import Any, Final

from homeassistant.components.repairs import RepairsFlow, RepairsFlowResult
from homeassistant.const import CONF_API_KEY
from homeassistant.core import HomeAssistant
from homeassistant.helpers import config_validation as cv
from homeassistant.util import dt as dt_util
import voluptuous as vol

from .checks import Trouble
from .const import CONF_AI_TASK, CONF_MODEL, CONF_PLANNER, DOMAIN
from .coordinator import OWNER, HearthnetConfigEntry
from .core.leftovers import Leftovers
from .flows.planner import AI_TASK, async_models, async_prove, model_schema
from .flows.strays import StraysFlow
from .issues import CLOCK, DROPPED, MODEL, STRAYS
from .routes import async_close_route

CONF_AGAIN: Final = "again"

type Data = dict[str, str | int | float | None]


async def async_create_fix_flow(
    hass: HomeAssistant, issue_id: str, data: Data | None
) -> RepairsFlow:
    """Return the flow of an issue: each asks a person once."""
    data = data or {}
    if issue_id == CLOCK:
        return ClockFlow(data)
    if issue_id == MODEL:
        return ModelFlow(data)
    if issue_id == DROPPED:
        return DroppedFlow()
    if issue_id == STRAYS:
        return StraysFlow()
    return ReviewFlow(str(data["review"])) if "review" in data else CloseRouteFlow(data)


class ClockFlow(RepairsFlow):
    """Takes a person's word that the clock is right."""

    def __init__(self, placeholders: Data) -> None:
        """Take what to show."""
        self._placeholders = {key: str(value) for key, value in placeholders.items()}

    async def async_step_init(
        self, user_input: dict[str, str] | None = None
    ) -> RepairsFlowResult:
        """Start with the question."""
        return await self.async_step_confirm()

    async def async_step_confirm(
        self, user_input: dict[str, str] | None = None
    ) -> RepairsFlowResult:
        """Believe the clock after a yes."""
        if user_input is None:
            now = f"{dt_util.now():%Y-%m-%d %H:%M}"
            return self.async_show_form(
                step_id="confirm",
                data_schema=vol.Schema({}),
                description_placeholders={**self._placeholders, "now": now},
            )
        for entry in self.hass.config_entries.async_loaded_entries(DOMAIN):
            await entry.runtime_data.hub.control.confirm_clock(OWNER)
        return self.async_create_entry(data={})


class ModelFlow(RepairsFlow):
    """Asks for another model, of the kind that there was, and proves it."""

    def __init__(self, placeholders: Data) -> None:
        """Take what to show."""
        self._placeholders = {key: str(value) for key, value in placeholders.items()}

    async def async_step_init(
        self, user_input: dict[str, str] | None = None
    ) -> RepairsFlowResult:
        """Ask as the kind of planner wants it."""
        if (entry := self._entry) is None:
            return self.async_abort(reason="not_loaded")
        if entry.options[CONF_PLANNER] == "ai_task":
            return await self.async_step_ai_task()
        return await self.async_step_model()

    async def async_step_model(
        self, user_input: dict[str, str] | None = None
    ) -> RepairsFlowResult:
        """Ask for a model that answers to the key."""
        if (entry := self._entry) is None:
            return self.async_abort(reason="not_loaded")
        key: str = entry.data[CONF_API_KEY]
        trouble: Trouble | None = None
        if user_input is not None:
            name = user_input[CONF_MODEL].strip()
            proved, trouble = await async_prove(self.hass, key, name)
            if proved is not None:
                return self._keep(entry, proved)
        models, unlisted = await async_models(self.hass, key)
        return self._form("model", model_schema(models), trouble or unlisted)

    async def async_step_ai_task(
        self, user_input: dict[str, str] | None = None
    ) -> RepairsFlowResult:
        """Ask for an AI Task entity that there is."""
        if (entry := self._entry) is None:
            return self.async_abort(reason="not_loaded")
        trouble: Trouble | None = None
        if user_input is not None:
            if self.hass.states.get(user_input[CONF_AI_TASK]) is not None:
                return self._keep(entry, user_input)
            trouble = Trouble(key="no_such_entity", where=CONF_AI_TASK)
        return self._form("ai_task", AI_TASK, trouble)

    @property
    def _entry(self) -> HearthnetConfigEntry | None:
        entries = self.hass.config_entries.async_loaded_entries(DOMAIN)
        return next(iter(entries), None)

    def _form(
        self, step: str, schema: vol.Schema, trouble: Trouble | None
    ) -> RepairsFlowResult:
        errors: dict[str, str] = {}
        placeholders = dict(self._placeholders)
        if trouble is not None:
            # The form has no field for the key.
            where = "base" if trouble.where == CONF_API_KEY else trouble.where
            errors[where] = trouble.key
            placeholders |= trouble.placeholders
        return self.async_show_form(
            step_id=step,
            data_schema=schema,
            errors=errors,
            description_placeholders=placeholders,
        )

    def _keep(
        self, entry: HearthnetConfigEntry, chosen: dict[str, Any]
    ) -> RepairsFlowResult:
        """Put the choice into force: a change of the options is a new boot."""
        self.hass.config_entries.async_update_entry(
            entry, options={**entry.options, **chosen}
        )
        return self.async_create_entry(data={})


class CloseRouteFlow(RepairsFlow):
    """Asks once, then closes the route."""

    def __init__(self, route: Data) -> None:
        """Take the route's kind and id."""
        self._route = route

    async def async_step_init(
        self, user_input: dict[str, str] | None = None
    ) -> RepairsFlowResult:
        """Start with the question."""
        return await self.async_step_confirm()

    async def async_step_confirm(
        self, user_input: dict[str, str] | None = None
    ) -> RepairsFlowResult:
        """Close it after a yes."""
        if user_input is not None:
            route = self._route
            await async_close_route(self.hass, str(route["kind"]), str(route["id"]))
            return self.async_create_entry(data={})
        return self.async_show_form(
            step_id="confirm",
            data_schema=vol.Schema({}),
            description_placeholders={"name": str(self._route["name"])},
        )


class DroppedFlow(RepairsFlow):
    """Asks which of what a restart dropped is still wanted."""

    async def async_step_init(
        self, user_input: dict[str, list[str]] | None = None
    ) -> RepairsFlowResult:
        """Ask anew for what is chosen, as whoever said it, and let the rest be."""
        leftovers = [
            entry.runtime_data.hub.leftovers
            for entry in self.hass.config_entries.async_loaded_entries(DOMAIN)
        ]
        if user_input is not None:
            for dropped in leftovers:
                await _async_decide(dropped, user_input[CONF_AGAIN])
            return self.async_create_entry(data={})
        found = {
            one.intent: one.text
            for dropped in leftovers
            for one in dropped.standing
            if one.sayable
        }
        chosen = vol.Optional(CONF_AGAIN, default=list(found))
        return self.async_show_form(
            step_id="init", data_schema=vol.Schema({chosen: cv.multi_select(found)})
        )


async def _async_decide(leftovers: Leftovers, again: Collection[str]) -> None:
    """Ask at once for all that is wanted; what nobody could say again goes too."""
    wanted = [one.intent for one in leftovers.standing if one.intent in again]
    for one in leftovers.standing:
        if one.intent not in again:
            leftovers.let_go(one.intent)
    await asyncio.gather(*map(leftovers.again, wanted))


class ReviewFlow(RepairsFlow):
    """Try it again, or let it be."""

    def __init__(self, review: str) -> None:
        """Ask about what came of an action."""
        self._review = review

    async def async_step_init(
        self, user_input: dict[str, str] | None = None
    ) -> RepairsFlowResult:
        """Ask."""
        return self.async_show_menu(step_id="init", menu_options=["retry", "drop"])

    async def async_step_retry(
        self, user_input: dict[str, str] | None = None
    ) -> RepairsFlowResult:
        """Ask for it anew; it is verified like any wish."""
        return await self._async_say(retry=True)

    async def async_step_drop(
        self, user_input: dict[str, str] | None = None
    ) -> RepairsFlowResult:
        """Let it be."""
        return await self._async_say(retry=False)

    async def _async_say(self, *, retry: bool) -> RepairsFlowResult:
        for entry in self.hass.config_entries.async_loaded_entries(DOMAIN):
            try:
                await entry.runtime_data.hub.wishes.review(self._review, retry=retry)
            except LookupError:
                return self.async_abort(reason="over")
        return self.async_create_entry(data={})
