"""The model that the owner chose: how it is reached, and what it may use."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from homeassistant.config_entries import ConfigEntry
from homeassistant.const import CONF_API_KEY
from homeassistant.core import HomeAssistant
from homeassistant.helpers.httpx_client import get_async_client

from ..const import (
    CONF_AI_TASK,
    CONF_MODEL,
    CONF_PLANNER,
    CONF_STRICT,
    CONF_THINKING_OFF,
    DEFAULT_PLANNER,
)
from ..core.planner.anthropic import AnthropicModel, Settings
from ..core.planner.budget import PER_DAY, PER_INTENT, Amount, Budget
from ..planner_ai_task import AiTaskModel

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    import httpx2

CAPS: Final[Mapping[str, int]] = {
    "calls_per_day": PER_DAY.calls,
    "tokens_per_day": PER_DAY.tokens,
    "seconds_per_day": int(PER_DAY.seconds),
    "calls_per_sentence": PER_INTENT.calls,
    "tokens_per_sentence": PER_INTENT.tokens,
    "seconds_per_sentence": int(PER_INTENT.seconds),
}
"""Options that cap what models may use, and their defaults."""


async def async_client(hass: HomeAssistant, key: str) -> AsyncAnthropic:
    """Return a client on Home Assistant's connections.

    Importing the SDK and making the client read many files, so both are done in
    the executor.
    """
    return await hass.async_add_executor_job(_client, key, get_async_client(hass))


def _client(key: str, http_client: httpx2.AsyncClient) -> AsyncAnthropic:
    from anthropic import AsyncAnthropic  # noqa: PLC0415 - see above

    return AsyncAnthropic(api_key=key, http_client=http_client)


async def async_chosen_model(
    hass: HomeAssistant, entry: ConfigEntry
) -> AnthropicModel | AiTaskModel | None:
    """Return the chosen model; None when plans are made without one."""
    options = entry.options
    match options.get(CONF_PLANNER, DEFAULT_PLANNER):
        case "anthropic":
            client = await async_client(hass, entry.data[CONF_API_KEY])
            settings = Settings(
                model=options[CONF_MODEL],
                thinking_off=options[CONF_THINKING_OFF],
                strict=options[CONF_STRICT],
            )
            return AnthropicModel(client, settings)
        case "ai_task":
            return AiTaskModel(hass, options[CONF_AI_TASK])
        case _:
            return None


def budget_of(options: Mapping[str, Any]) -> Budget:
    """Return the caps that the options set."""
    cap = {name: options.get(name, default) for name, default in CAPS.items()}
    amount = partial(_amount, cap)
    return Budget(per_intent=amount("sentence"), per_day=amount("day"))


def _amount(cap: Mapping[str, int], per: str) -> Amount:
    return Amount(
        calls=int(cap[f"calls_per_{per}"]),
        tokens=int(cap[f"tokens_per_{per}"]),
        seconds=float(cap[f"seconds_per_{per}"]),
    )
