"""Pair a companion: show the code, wait for it, have a person compare."""

import asyncio
import os
from typing import Any, override

from homeassistant.config_entries import (
    ConfigEntryState,
    ConfigSubentryFlow,
    SubentryFlowResult,
)
from homeassistant.const import (
    CONF_HOST,
    CONF_NAME,
    CONF_PASSWORD,
    CONF_USERNAME,
)
from homeassistant.helpers.selector import (
    SelectSelector,
    SelectSelectorConfig,
    TextSelector,
    TextSelectorConfig,
    TextSelectorType,
)
import voluptuous as vol

from ..companions import Pairing, broker_of
from ..const import CONF_ROLE, DOMAIN, PAIR_WAIT, ROLES
from ..core.bus.broker import Broker
from ..core.enrolled import Enrolled
from ..core.keys import SigningKey
from ..core.messages import NAME
from ..core.pairing import Code
from ..core.paths import HUB
from ..runtime import Folder

TAKEN = frozenset({HUB, "rupert", "jeeves", "all"})
"""Names that mean something else."""


class CompanionFlow(ConfigSubentryFlow):
    """Enroll a companion; taking it out again needs no flow but Delete."""

    _pairing: Pairing
    _running: asyncio.Task[None] | None = None

    async def async_step_user(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Ask what it is and how it is called."""
        entry = self._get_entry()
        if entry.state is not ConfigEntryState.LOADED:
            return self.async_abort(reason="entry_not_loaded")
        if (broker := broker_of(entry)) is None:
            return self.async_abort(reason="no_broker")
        errors: dict[str, str] = {}
        if user_input is not None:
            # Most homes have one of each, called by what it does.
            name = user_input.get(CONF_NAME) or user_input[CONF_ROLE]
            known = {s.unique_id for s in entry.subentries.values()}
            if not NAME.fullmatch(name) or name in TAKEN:
                errors[CONF_NAME] = "not_a_name"
            elif name in known:
                errors[CONF_NAME] = "name_taken"
            elif user_input[CONF_ROLE] == "dewey" and any(
                s.data.get(CONF_ROLE) == "dewey" for s in entry.subentries.values()
            ):
                errors[CONF_ROLE] = "one_librarian"
            else:
                await self._async_offer({**user_input, CONF_NAME: name}, broker)
                return await self.async_step_code()
        schema = vol.Schema(
            {
                vol.Required(CONF_ROLE): SelectSelector(
                    SelectSelectorConfig(options=list(ROLES), translation_key=CONF_ROLE)
                ),
                vol.Optional(CONF_NAME): TextSelector(),
                vol.Required(CONF_HOST, default=broker.host): TextSelector(),
                vol.Optional(CONF_USERNAME): TextSelector(),
                vol.Optional(CONF_PASSWORD): TextSelector(
                    TextSelectorConfig(type=TextSelectorType.PASSWORD)
                ),
            }
        )
        return self.async_show_form(
            step_id="user",
            data_schema=self.add_suggested_values_to_schema(schema, user_input),
            errors=errors,
        )

    async def _async_offer(self, given: dict[str, Any], broker: Broker) -> None:
        """Make the code and listen for whoever knows it."""
        folder = Folder.of(self.hass, self._get_entry().entry_id)
        key = await self.hass.async_add_executor_job(
            SigningKey.load_or_create, folder.key, os.urandom(32)
        )
        data = {**broker.as_dict(), CONF_HOST: given[CONF_HOST]}
        if CONF_USERNAME in given:
            data[CONF_USERNAME] = given[CONF_USERNAME]
            data[CONF_PASSWORD] = given.get(CONF_PASSWORD)
        code = Code(
            name=given[CONF_NAME],
            role=given[CONF_ROLE],
            hub=key.public,
            secret=os.urandom(16),
            broker=Broker.from_dict(data),
        )
        self._pairing = Pairing(code, key, via=broker)
        self._running = self._get_entry().async_create_background_task(
            self.hass, self._pairing.async_run(), f"{DOMAIN} pairing"
        )

    async def async_step_code(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Show the code; go on once somebody has come with it."""
        errors: dict[str, str] = {}
        if user_input is not None:
            found = await self._pairing.async_wait(PAIR_WAIT)
            if found is not None:
                return await self.async_step_confirm()
            if (problem := self._pairing.problem) is not None:
                return self.async_abort(reason=f"code_{problem}")
            errors["base"] = "nobody_yet"
        return self.async_show_form(
            step_id="code",
            data_schema=vol.Schema({}),
            errors=errors,
            description_placeholders={
                "command": f"hearthnet pair {self._pairing.offer.code.text}"
            },
        )

    async def async_step_confirm(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Have a person compare the fingerprints: nobody else can tell who came."""
        found = self._pairing.offer.found
        assert found is not None
        errors: dict[str, str] = {}
        if user_input is not None:
            # Whoever waited at the other machine has given up by then.
            if self._pairing.problem == "expired":
                return self.async_abort(reason="code_expired")
            told = await self._pairing.async_conclude(accepted=user_input["same"])
            if not user_input["same"]:
                return self.async_abort(reason="not_the_same")
            if told:
                return self._async_enroll(found)
            errors["base"] = "not_told"
        return self.async_show_form(
            step_id="confirm",
            data_schema=vol.Schema({vol.Required("same", default=False): bool}),
            errors=errors,
            description_placeholders={
                "name": found.name,
                "fingerprint": found.key.fingerprint,
            },
        )

    def _async_enroll(self, found: Enrolled) -> SubentryFlowResult:
        """Take the companion in: the entry starts anew and knows it."""
        return self.async_create_entry(
            title=found.name, data=found.as_dict(), unique_id=found.name
        )

    @override
    def async_remove(self) -> None:
        """Stop listening: the form is closed."""
        if self._running is not None:
            self._running.cancel()
