"""Set up HearthNet: name, policy, planner, broker; and prove each before it is kept."""

from collections.abc import Mapping
from typing import Any, override

from homeassistant.config_entries import (
    SOURCE_RECONFIGURE,
    ConfigEntry,
    ConfigFlow,
    ConfigFlowResult,
    ConfigSubentryFlow,
)
from homeassistant.const import CONF_API_KEY, CONF_NAME
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.selector import TextSelector
import voluptuous as vol

from .checks import Trouble, async_check_librarian, async_check_policy
from .companions import async_mqtt_broker
from .const import (
    CONF_BROKER,
    CONF_FREE_PLUGS,
    CONF_MODEL,
    CONF_PLANNER,
    CONF_POLICY,
    CONF_TRANSPORT,
    CONF_VOICE_ROLE,
    DOMAIN,
    SUBENTRY_COMPANION,
)
from .flows.broker import BROKER, PREFIX, TRANSPORT, async_check_broker, shown
from .flows.companion import CompanionFlow
from .flows.options import BEHAVIOR, HearthnetOptionsFlow, plugs_schema
from .flows.planner import KEY, PLANNER, PlannerSteps, async_prove, told, with_key
from .plugs import async_unclear_plugs

NAME: dict[vol.Marker, Any] = {
    vol.Required(CONF_NAME, default="HearthNet"): TextSelector()
}


class HearthnetConfigFlow(PlannerSteps, ConfigFlow, domain=DOMAIN):
    """Set up the hub of this home."""

    VERSION = 1
    MINOR_VERSION = 2

    def __init__(self) -> None:
        """Start with nothing chosen."""
        super().__init__()
        self._chosen: dict[str, Any] = {}
        self._broker: dict[str, Any] | None = None

    @classmethod
    @callback
    @override
    def async_get_supported_subentry_types(
        cls, config_entry: ConfigEntry
    ) -> dict[str, type[ConfigSubentryFlow]]:
        """Return what can be added to an entry."""
        return {SUBENTRY_COMPANION: CompanionFlow}

    @staticmethod
    @callback
    @override
    def async_get_options_flow(config_entry: ConfigEntry) -> HearthnetOptionsFlow:
        """Return the flow that changes the options."""
        return HearthnetOptionsFlow()

    @override
    async def async_step_user(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Ask what every home is asked, and prove that the record can be kept."""
        trouble: Trouble | None = None
        if user_input is not None:
            trouble = await async_check_librarian(
                self.hass
            ) or await async_check_policy(self.hass, user_input)
            if trouble is None:
                self._chosen = user_input
                return await self.async_choose(user_input[CONF_PLANNER])
        return self.async_show_form(
            step_id="user",
            data_schema=self.add_suggested_values_to_schema(
                vol.Schema(NAME | BEHAVIOR | PLANNER | TRANSPORT), user_input
            ),
            **told(trouble),
        )

    @override
    async def async_planner_done(self) -> ConfigFlowResult:
        """Go on to the broker, if one is wanted."""
        if self._chosen[CONF_TRANSPORT] == "none":
            self._broker = None
            return await self._async_done()
        return await self.async_step_broker()

    async def async_step_broker(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Ask where the broker is, and prove that it can be reached."""
        trouble: Trouble | None = None
        given = user_input
        before = self._broker or {}
        if given is not None:
            made = await async_check_broker(given, before.get(PREFIX))
            if not isinstance(made, Trouble):
                self._broker = made.as_dict()
                return await self._async_done()
            trouble = made
        elif self._chosen[CONF_TRANSPORT] == "mqtt":
            given = shown({**before, **(async_mqtt_broker(self.hass) or {})})
        else:
            given = shown(before)
        return self.async_show_form(
            step_id="broker",
            data_schema=self.add_suggested_values_to_schema(vol.Schema(BROKER), given),
            **told(trouble),
        )

    async def _async_done(self) -> ConfigFlowResult:
        """Go on after the broker: a new home is asked more than a known one."""
        if self.source != SOURCE_RECONFIGURE:
            return await self.async_step_plugs()
        # The listener of the entry reloads it; each time is a boot.
        entry = self._get_reconfigure_entry()
        return self.async_update_and_abort(
            entry,
            title=self._chosen[CONF_NAME],
            data=self._entry_data(entry.data),
            options=self.without_planner | self.planner_options,
        )

    def _entry_data(self, before: Mapping[str, Any]) -> dict[str, Any]:
        """Return the data of an entry with the proved key and broker, or without."""
        data = with_key(before, self.key)
        data.pop(CONF_BROKER, None)
        return data if self._broker is None else {**data, CONF_BROKER: self._broker}

    async def async_step_plugs(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Ask which plugs of unknown use may be switched unasked."""
        plugs = async_unclear_plugs(self.hass)
        if user_input is None and plugs:
            return self.async_show_form(
                step_id="plugs",
                data_schema=plugs_schema(plugs),
                description_placeholders={"plugs": _names(self.hass, plugs)},
            )
        options = {key: self._chosen[key] for key in (CONF_POLICY, CONF_VOICE_ROLE)}
        options[CONF_FREE_PLUGS] = (user_input or {}).get(CONF_FREE_PLUGS, [])
        return self.async_create_entry(
            title=self._chosen[CONF_NAME],
            data=self._entry_data({}),
            options=options | self.planner_options,
        )

    async def async_step_reconfigure(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Change name, planner and broker; prove again that the record can be kept."""
        entry = self._get_reconfigure_entry()
        trouble: Trouble | None = None
        if user_input is not None:
            trouble = await async_check_librarian(self.hass)
            if trouble is None:
                self._chosen = user_input
                self._broker = entry.data.get(CONF_BROKER)
                return await self.async_choose(user_input[CONF_PLANNER])
        return self.async_show_form(
            step_id="reconfigure",
            data_schema=self.add_suggested_values_to_schema(
                vol.Schema(NAME | PLANNER | TRANSPORT),
                user_input
                or {
                    CONF_NAME: entry.title,
                    CONF_TRANSPORT: "other" if CONF_BROKER in entry.data else "none",
                    **entry.options,
                },
            ),
            **told(trouble),
        )

    @override
    def present(self) -> dict[str, Any]:
        """Return the options of the entry that is changed."""
        if self.source != SOURCE_RECONFIGURE:
            return {}
        return dict(self._get_reconfigure_entry().options)

    async def async_step_reauth(
        self, entry_data: Mapping[str, Any]
    ) -> ConfigFlowResult:
        """Take note that the key is not accepted any more."""
        return await self.async_step_reauth_confirm()

    async def async_step_reauth_confirm(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Ask for a key that the model answers to."""
        entry = self._get_reauth_entry()
        trouble: Trouble | None = None
        if user_input is not None:
            key = user_input[CONF_API_KEY].strip()
            model = entry.options[CONF_MODEL]
            proved, trouble = await async_prove(self.hass, key, model)
            if proved is not None:
                return self.async_update_and_abort(
                    entry,
                    data=with_key(entry.data, key),
                    options={**entry.options, **proved},
                )
        return self.async_show_form(
            step_id="reauth_confirm", data_schema=KEY, **told(trouble)
        )


@callback
def _names(hass: HomeAssistant, entity_ids: list[str]) -> str:
    """Return a list of names, one a line."""
    states = (hass.states.get(entity_id) for entity_id in entity_ids)
    return "\n".join(f"- {state.name}" for state in states if state is not None)
