"""The steps in which a model is chosen and proved, for every flow that has them."""

from collections.abc import Iterable, Mapping
from typing import Any

from homeassistant.components.ai_task import DOMAIN as AI_TASK_DOMAIN
from homeassistant.config_entries import ConfigEntryBaseFlow, ConfigFlowResult
from homeassistant.const import CONF_API_KEY
from homeassistant.core import HomeAssistant
from homeassistant.helpers.selector import (
    EntitySelector,
    EntitySelectorConfig,
    SelectSelector,
    SelectSelectorConfig,
    TextSelector,
    TextSelectorConfig,
    TextSelectorType,
)
import voluptuous as vol

from ..checks import Trouble
from ..const import (
    CONF_AI_TASK,
    CONF_MODEL,
    CONF_PLANNER,
    CONF_STRICT,
    CONF_THINKING_OFF,
    DEFAULT_MODEL,
    DEFAULT_PLANNER,
    PLANNERS,
)
from ..core.planner.anthropic import Settings, offered, probe
from ..core.planner.errors import PlannerError
from ..core.reasons import Reason
from .model import async_client

PLANNER: dict[vol.Marker, Any] = {
    vol.Required(CONF_PLANNER, default=DEFAULT_PLANNER): SelectSelector(
        SelectSelectorConfig(options=list(PLANNERS), translation_key=CONF_PLANNER)
    )
}
KEY = vol.Schema(
    {
        vol.Required(CONF_API_KEY): TextSelector(
            TextSelectorConfig(type=TextSelectorType.PASSWORD)
        )
    }
)
AI_TASK = vol.Schema(
    {
        vol.Required(CONF_AI_TASK): EntitySelector(
            EntitySelectorConfig(domain=AI_TASK_DOMAIN)
        )
    }
)
CHOICE = (CONF_PLANNER, CONF_MODEL, CONF_THINKING_OFF, CONF_STRICT, CONF_AI_TASK)
"""Options that belong to one choice, and go with it."""
_TROUBLES = {
    Reason.MODEL_UNAUTHORIZED: ("key_refused", CONF_API_KEY),
    Reason.MODEL_UNKNOWN: ("model_unknown", CONF_MODEL),
}


class PlannerSteps(ConfigEntryBaseFlow):
    """Lets a person choose none, Claude with a key, or an AI Task entity."""

    def __init__(self) -> None:
        """Start with nothing chosen."""
        self.planner_options: dict[str, Any] = {CONF_PLANNER: DEFAULT_PLANNER}
        self.key: str | None = None
        """The proved key; None where the choice needs none."""
        self._models: tuple[str, ...] = ()

    async def async_planner_done(self) -> ConfigFlowResult:
        """Go on once the choice is proved."""
        raise NotImplementedError

    def present(self) -> dict[str, Any]:
        """Return the options in force, to be suggested."""
        return {}

    async def async_choose(self, planner: str) -> ConfigFlowResult:
        """Ask for what a kind of planner needs."""
        self.planner_options = {CONF_PLANNER: planner}
        self.key = None
        match planner:
            case "anthropic":
                return await self.async_step_anthropic()
            case "ai_task":
                return await self.async_step_ai_task()
            case _:
                return await self.async_planner_done()

    async def async_step_planner(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Ask which kind of planner it shall be."""
        if user_input is not None:
            return await self.async_choose(user_input[CONF_PLANNER])
        return self.async_show_form(
            step_id="planner",
            data_schema=self.add_suggested_values_to_schema(
                vol.Schema(PLANNER), self.present()
            ),
        )

    async def async_step_anthropic(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Ask for the key, and prove it by the list of models."""
        trouble: Trouble | None = None
        if user_input is not None:
            key = user_input[CONF_API_KEY].strip()
            models, trouble = await async_models(self.hass, key)
            if trouble is None:
                self.key, self._models = key, models
                return await self.async_step_model()
        return self.async_show_form(
            step_id="anthropic", data_schema=KEY, **told(trouble)
        )

    async def async_step_model(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Ask for the model, and prove that it answers to the key."""
        trouble: Trouble | None = None
        if user_input is not None:
            assert self.key is not None
            model = user_input[CONF_MODEL].strip()
            proved, trouble = await async_prove(self.hass, self.key, model)
            if proved is not None:
                self.planner_options |= proved
                return await self.async_planner_done()
        suggested = {CONF_MODEL: self.present().get(CONF_MODEL) or self._suggested()}
        return self.async_show_form(
            step_id="model",
            data_schema=self.add_suggested_values_to_schema(
                model_schema(self._models), user_input or suggested
            ),
            **told(trouble),
        )

    async def async_step_ai_task(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Ask for the AI Task entity. Whether it is any good, only a sentence tells."""
        if user_input is not None:
            self.planner_options |= user_input
            return await self.async_planner_done()
        return self.async_show_form(
            step_id="ai_task",
            data_schema=self.add_suggested_values_to_schema(AI_TASK, self.present()),
        )

    def _suggested(self) -> str:
        if DEFAULT_MODEL in self._models or not self._models:
            return DEFAULT_MODEL
        return self._models[0]

    @property
    def without_planner(self) -> dict[str, Any]:
        """The present options without those of the present choice."""
        return {k: v for k, v in self.present().items() if k not in CHOICE}


async def async_models(
    hass: HomeAssistant, key: str
) -> tuple[tuple[str, ...], Trouble | None]:
    """Return the models that a key may use, or what is wrong with it."""
    try:
        return await offered(await async_client(hass, key)), None
    except PlannerError as error:
        return (), _trouble(error)


async def async_prove(
    hass: HomeAssistant, key: str, model: str
) -> tuple[dict[str, Any] | None, Trouble | None]:
    """Return the options of a model that answers to a key, or what is wrong."""
    try:
        settings: Settings = await probe(await async_client(hass, key), model)
    except PlannerError as error:
        return None, _trouble(error)
    return {
        CONF_MODEL: settings.model,
        CONF_THINKING_OFF: settings.thinking_off,
        CONF_STRICT: settings.strict,
    }, None


def told(trouble: Trouble | None) -> dict[str, Any]:
    """Return the arguments of a form that tell what is wrong."""
    if trouble is None:
        return {}
    return {
        "errors": {trouble.where: trouble.key},
        "description_placeholders": dict(trouble.placeholders),
    }


def with_key(data: Mapping[str, Any], key: str | None) -> dict[str, Any]:
    """Return an entry's data with a key, or without any where none is needed."""
    kept = {name: value for name, value in data.items() if name != CONF_API_KEY}
    return kept if key is None else {**kept, CONF_API_KEY: key}


def _trouble(error: PlannerError) -> Trouble:
    key, where = _TROUBLES.get(error.reason, ("model_unreachable", "base"))
    return Trouble(key=key, where=where, placeholders={"error": error.detail or "-"})


def model_schema(models: Iterable[str]) -> vol.Schema:
    """Return a form with the models that are offered; another name may be given."""
    selector = SelectSelector(
        SelectSelectorConfig(options=list(models), custom_value=True, sort=False)
    )
    return vol.Schema({vol.Required(CONF_MODEL): selector})
