"""An AI Task entity like Ollama's: it answers with JSON text, which may be broken."""

import asyncio
from collections.abc import Callable
import json
from typing import override

from homeassistant.components import ai_task, conversation
from homeassistant.config_entries import ConfigEntry, ConfigFlow
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.setup import async_setup_component
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    MockModule,
    MockPlatform,
    mock_config_flow,
    mock_integration,
    mock_platform,
)

DOMAIN = "ollama_like"
ENTITY = "ai_task.small_model"

type Reply = str | Callable[[ai_task.GenDataTask], str]


class OllamaLike(ai_task.AITaskEntity):
    """Answers in order; the last answer is repeated."""

    _attr_name = "Small model"
    _attr_unique_id = "small_model"
    _attr_supported_features = ai_task.AITaskEntityFeature.GENERATE_DATA

    def __init__(self) -> None:
        """Start without an answer."""
        self.replies: list[Reply] = []
        self.tasks: list[ai_task.GenDataTask] = []
        self.latency = 0.0
        self.canceled = False

    @override
    async def _async_generate_data(
        self, task: ai_task.GenDataTask, chat_log: conversation.ChatLog
    ) -> ai_task.GenDataTaskResult:
        self.tasks.append(task)
        try:
            await asyncio.sleep(self.latency)
        except asyncio.CancelledError:
            self.canceled = True
            raise
        reply = self.replies[min(len(self.tasks), len(self.replies)) - 1]
        text = reply(task) if callable(reply) else reply
        try:
            data = json.loads(text)
        except ValueError as error:
            raise HomeAssistantError("Error with structured response") from error
        return ai_task.GenDataTaskResult(
            conversation_id=chat_log.conversation_id, data=data
        )


async def set_up(hass: HomeAssistant) -> OllamaLike:
    """Set up AI Task with one such entity."""
    entity = OllamaLike()

    async def set_up_entry(hass: HomeAssistant, entry: ConfigEntry) -> None:
        platforms = ["ai_task"]
        await hass.config_entries.async_forward_entry_setups(entry, platforms)

    async def add(
        _hass: HomeAssistant,
        _entry: ConfigEntry,
        async_add_entities: AddConfigEntryEntitiesCallback,
    ) -> None:
        async_add_entities([entity])

    assert await async_setup_component(hass, "homeassistant", {})
    mock_integration(hass, MockModule(DOMAIN, async_setup_entry=set_up_entry))
    mock_platform(hass, f"{DOMAIN}.config_flow")
    mock_platform(hass, f"{DOMAIN}.ai_task", MockPlatform(async_setup_entry=add))
    entry = MockConfigEntry(domain=DOMAIN)
    entry.add_to_hass(hass)
    with mock_config_flow(DOMAIN, ConfigFlow):
        assert await hass.config_entries.async_setup(entry.entry_id)
        await hass.async_block_till_done()
    return entity
