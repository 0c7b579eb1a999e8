"""Set up HearthNet, and change the few things that can be chosen."""

from typing import Any, override

from homeassistant.config_entries import (
    ConfigEntry,
    ConfigFlow,
    ConfigFlowResult,
    OptionsFlowWithReload,
)
from homeassistant.const import CONF_NAME
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.selector import (
    EntitySelector,
    EntitySelectorConfig,
    SelectSelector,
    SelectSelectorConfig,
    TextSelector,
)
import voluptuous as vol

from .checks import Trouble, async_check_librarian, async_check_policy
from .const import (
    CONF_FREE_PLUGS,
    CONF_POLICY,
    CONF_VOICE_ROLE,
    DEFAULT_POLICY,
    DEFAULT_VOICE_ROLE,
    DOMAIN,
    POLICIES,
    VOICE_ROLES,
)
from .plugs import async_unclear_plugs

BEHAVIOR: dict[vol.Marker, Any] = {
    vol.Required(CONF_POLICY, default=DEFAULT_POLICY): SelectSelector(
        SelectSelectorConfig(options=list(POLICIES), translation_key=CONF_POLICY)
    ),
    vol.Required(CONF_VOICE_ROLE, default=DEFAULT_VOICE_ROLE): SelectSelector(
        SelectSelectorConfig(options=list(VOICE_ROLES), translation_key=CONF_VOICE_ROLE)
    ),
}
NAME: dict[vol.Marker, Any] = {
    vol.Required(CONF_NAME, default="HearthNet"): TextSelector()
}


@callback
def _plugs_schema(plugs: list[str]) -> vol.Schema:
    selector = EntitySelector(
        EntitySelectorConfig(include_entities=plugs, multiple=True)
    )
    return vol.Schema({vol.Optional(CONF_FREE_PLUGS, default=list): selector})


class HearthnetConfigFlow(ConfigFlow, domain=DOMAIN):
    """Set up the hub of this home."""

    VERSION = 1
    MINOR_VERSION = 1

    def __init__(self) -> None:
        """Start with nothing chosen."""
        self._chosen: dict[str, Any] = {}

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
        """Ask for the name and the policy, and prove that the record can be kept."""
        trouble: Trouble | None = None
        if user_input is not None:
            trouble = await async_check_librarian(
                self.hass
            ) or await async_check_policy(self.hass, user_input)
            if trouble is None:
                self._chosen = user_input
                return await self.async_step_plugs()
        return self.async_show_form(
            step_id="user",
            data_schema=self.add_suggested_values_to_schema(
                vol.Schema(NAME | BEHAVIOR), user_input
            ),
            **_told(trouble),
        )

    async def async_step_plugs(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Ask which plugs of unknown use may be switched unasked."""
        plugs = async_unclear_plugs(self.hass)
        if user_input is None and plugs:
            return self.async_show_form(
                step_id="plugs",
                data_schema=_plugs_schema(plugs),
                description_placeholders={"plugs": _names(self.hass, plugs)},
            )
        options = {key: self._chosen[key] for key in (CONF_POLICY, CONF_VOICE_ROLE)}
        options[CONF_FREE_PLUGS] = (user_input or {}).get(CONF_FREE_PLUGS, [])
        return self.async_create_entry(
            title=self._chosen[CONF_NAME], data={}, options=options
        )

    async def async_step_reconfigure(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Change the name, and prove again that the record can be kept."""
        entry = self._get_reconfigure_entry()
        trouble: Trouble | None = None
        if user_input is not None:
            trouble = await async_check_librarian(self.hass)
            if trouble is None:
                return self.async_update_reload_and_abort(
                    entry, title=user_input[CONF_NAME]
                )
        return self.async_show_form(
            step_id="reconfigure",
            data_schema=self.add_suggested_values_to_schema(
                vol.Schema(NAME), user_input or {CONF_NAME: entry.title}
            ),
            **_told(trouble),
        )


class HearthnetOptionsFlow(OptionsFlowWithReload):
    """Change the policy and whom satellites stand for. A change is a new boot."""

    async def async_step_init(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Ask for all options at once."""
        trouble: Trouble | None = None
        options = self.config_entry.options
        if user_input is not None:
            trouble = await async_check_policy(self.hass, user_input)
            if trouble is None:
                return self.async_create_entry(data={**options, **user_input})
        plugs = async_unclear_plugs(self.hass)
        schema = vol.Schema(BEHAVIOR)
        if plugs:
            schema = schema.extend(_plugs_schema(plugs).schema)
        return self.async_show_form(
            step_id="init",
            data_schema=self.add_suggested_values_to_schema(
                schema, user_input or options
            ),
            **_told(trouble),
        )


def _told(trouble: Trouble | None) -> dict[str, Any]:
    """Return the arguments of a form that tell what is wrong."""
    if trouble is None:
        return {}
    return {
        "errors": {trouble.where: trouble.key},
        "description_placeholders": dict(trouble.placeholders),
    }


@callback
def _names(hass: HomeAssistant, entity_ids: list[str]) -> str:
    """Return a list of names, one a line."""
    states = (hass.states.get(entity_id) for entity_id in entity_ids)
    return "\n".join(f"- {state.name}" for state in states if state is not None)
