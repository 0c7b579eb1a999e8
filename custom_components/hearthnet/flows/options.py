"""What the owner can change later. A change is a new boot of the hub."""

from typing import Any, override

from homeassistant.config_entries import (
    ConfigEntryState,
    ConfigFlowResult,
    OptionsFlow,
)
from homeassistant.core import callback
from homeassistant.helpers.selector import (
    EntitySelector,
    EntitySelectorConfig,
    NumberSelector,
    NumberSelectorConfig,
    NumberSelectorMode,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
)
import voluptuous as vol

from ..checks import Trouble, async_check_policy
from ..const import (
    CONF_FREE_PLUGS,
    CONF_GUARD,
    CONF_NOTIFY,
    CONF_POLICY,
    CONF_TELEGRAM,
    CONF_UNREGISTERED,
    CONF_VOICE_ROLE,
    DEFAULT_GUARD,
    DEFAULT_POLICY,
    DEFAULT_VOICE_ROLE,
    GUARDS,
    POLICIES,
    VOICE_ROLES,
)
from ..house import async_unregistered
from ..plugs import async_unclear_plugs
from .channels import (
    async_notify_schema,
    async_telegram_schema,
    notify_trouble,
    telegram_of,
)
from .model import CAPS
from .planner import PlannerSteps, told, with_key
from .roles import async_roles_schema, roles_of, suggested_roles

MENU = ("behavior", "roles", "notify", "telegram", "planner", "caps", "unregistered")
BEHAVIOR: dict[vol.Marker, Any] = {
    vol.Required(CONF_POLICY, default=DEFAULT_POLICY): SelectSelector(
        SelectSelectorConfig(options=list(POLICIES), translation_key=CONF_POLICY)
    ),
    vol.Required(CONF_VOICE_ROLE, default=DEFAULT_VOICE_ROLE): SelectSelector(
        SelectSelectorConfig(
            options=list(VOICE_ROLES),
            translation_key=CONF_VOICE_ROLE,
            mode=SelectSelectorMode.DROPDOWN,
        )
    ),
}
GUARD: dict[vol.Marker, Any] = {
    vol.Required(CONF_GUARD, default=DEFAULT_GUARD): SelectSelector(
        SelectSelectorConfig(options=list(GUARDS), translation_key=CONF_GUARD)
    )
}
_MOST = {"calls": 10_000, "tokens": 100_000_000, "seconds": 86_400}


@callback
def plugs_schema(plugs: list[str]) -> vol.Schema:
    """Return the form that asks about plugs."""
    selector = EntitySelector(
        EntitySelectorConfig(include_entities=plugs, multiple=True)
    )
    return vol.Schema({vol.Optional(CONF_FREE_PLUGS, default=list): selector})


class HearthnetOptionsFlow(PlannerSteps, OptionsFlow):
    """Change the options, a part at a time."""

    async def async_step_init(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Show what can be changed."""
        return self.async_show_menu(step_id="init", menu_options=list(MENU))

    async def async_step_behavior(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Change the policy, whom satellites stand for, guard and harmless plugs."""
        trouble: Trouble | None = None
        if user_input is not None:
            # While it does not run, nobody knows which recipes there are.
            runs = self.config_entry.state is ConfigEntryState.LOADED
            there = self.config_entry.runtime_data.home.operations if runs else None
            trouble = await async_check_policy(self.hass, user_input, there)
            if trouble is None:
                return self._keep(user_input)
        plugs = async_unclear_plugs(self.hass)
        schema = vol.Schema({**BEHAVIOR, **GUARD})
        if plugs:
            schema = schema.extend(plugs_schema(plugs).schema)
        return self.async_show_form(
            step_id="behavior",
            data_schema=self.add_suggested_values_to_schema(
                schema, user_input or self.present()
            ),
            **told(trouble),
        )

    async def async_step_caps(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Change what models may use."""
        if user_input is not None:
            return self._keep({name: int(cap) for name, cap in user_input.items()})
        return self.async_show_form(
            step_id="caps",
            data_schema=self.add_suggested_values_to_schema(
                _caps_schema(), self.present()
            ),
        )

    async def async_step_roles(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Say who is what, among the users and of those who talk to satellites."""
        trouble: Trouble | None = None
        if user_input is not None:
            roles, trouble = roles_of(user_input)
            if trouble is None:
                return self._keep(roles)
        return self.async_show_form(
            step_id="roles",
            data_schema=self.add_suggested_values_to_schema(
                await async_roles_schema(self.hass),
                user_input or suggested_roles(self.present()),
            ),
            **told(trouble),
        )

    async def async_step_telegram(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Choose the chats, say whose accounts write there, and what is told."""
        trouble: Trouble | None = None
        if user_input is not None:
            chosen, trouble = telegram_of(user_input)
            if trouble is None:
                return self._keep({CONF_TELEGRAM: chosen})
        return self.async_show_form(
            step_id="telegram",
            data_schema=self.add_suggested_values_to_schema(
                await async_telegram_schema(self.hass),
                user_input or self.present().get(CONF_TELEGRAM, {}),
            ),
            **told(trouble),
        )

    async def async_step_notify(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Say where each person is told and asked."""
        trouble: Trouble | None = None
        if user_input is not None:
            trouble = notify_trouble(self.hass, user_input[CONF_NOTIFY])
            if trouble is None:
                return self._keep(user_input)
        return self.async_show_form(
            step_id="notify",
            data_schema=self.add_suggested_values_to_schema(
                await async_notify_schema(self.hass), user_input or self.present()
            ),
            **told(trouble),
        )

    async def async_step_unregistered(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Let entities without a registry entry in, bound to where they come from."""
        found = async_unregistered(self.hass)
        present: dict[str, str] = self.present().get(CONF_UNREGISTERED, {})
        if user_input is not None:
            chosen = user_input.get(CONF_UNREGISTERED, [])
            return self._keep({CONF_UNREGISTERED: {e: found[e] for e in chosen}})
        if not found:
            return self.async_abort(reason="none_unregistered")
        selector = EntitySelector(
            EntitySelectorConfig(include_entities=sorted(found), multiple=True)
        )
        kept = [e for e, platform in present.items() if found.get(e) == platform]
        return self.async_show_form(
            step_id="unregistered",
            data_schema=self.add_suggested_values_to_schema(
                vol.Schema({vol.Optional(CONF_UNREGISTERED, default=list): selector}),
                {CONF_UNREGISTERED: kept},
            ),
        )

    @override
    async def async_planner_done(self) -> ConfigFlowResult:
        """Keep the choice: its key with the entry, the rest with the options."""
        entry = self.config_entry
        options = self.without_planner | self.planner_options
        # Both at once: the listener of the entry reloads it once. That the flow
        # keeps the same options again at its end changes nothing.
        self.hass.config_entries.async_update_entry(
            entry, data=with_key(entry.data, self.key), options=options
        )
        return self.async_create_entry(data=options)

    @override
    def present(self) -> dict[str, Any]:
        """Return the options in force."""
        return dict(self.config_entry.options)

    def _keep(self, changed: dict[str, Any]) -> ConfigFlowResult:
        return self.async_create_entry(data=self.present() | changed)


def _caps_schema() -> vol.Schema:
    return vol.Schema(
        {
            vol.Required(name, default=default): NumberSelector(
                NumberSelectorConfig(
                    min=1,
                    max=_MOST[name.partition("_")[0]],
                    step=1,
                    mode=NumberSelectorMode.BOX,
                )
            )
            for name, default in CAPS.items()
        }
    )
