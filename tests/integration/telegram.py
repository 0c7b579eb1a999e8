"""The real telegram_bot integration, talking to a Bot API server of the test's own."""

from types import MappingProxyType

from homeassistant.config_entries import ConfigSubentry, ConfigSubentryData
from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er
from pytest_homeassistant_custom_component.common import MockConfigEntry

from tests.support.telegram_server import BOT, GROUP, TOKEN, TelegramServer


async def set_up_bot(hass: HomeAssistant, server: TelegramServer) -> MockConfigEntry:
    """Set the bot up, polling, with the group."""
    entry = MockConfigEntry(
        domain="telegram_bot",
        title="Hearth",
        version=1,
        minor_version=3,
        unique_id=TOKEN,
        data={
            "platform": "polling",
            "api_key": TOKEN,
            "api_endpoint": server.url,
        },
        options={"parse_mode": "markdown"},
        subentries_data=[
            ConfigSubentryData(
                data={"chat_id": GROUP},
                subentry_type="allowed_chat_ids",
                title="Family",
                unique_id=str(GROUP),
            )
        ],
    )
    entry.add_to_hass(hass)
    assert await hass.config_entries.async_setup(entry.entry_id)
    await hass.async_block_till_done()
    return entry


def subentry(chat: int) -> ConfigSubentry:
    """Return a chat, as it is added to a bot."""
    return ConfigSubentry(
        data=MappingProxyType({"chat_id": chat}),
        subentry_type="allowed_chat_ids",
        title=f"Chat {chat}",
        unique_id=str(chat),
    )


def chat_entity(hass: HomeAssistant, chat: int = GROUP) -> str:
    """Return the notify entity of a chat."""
    entity_id = er.async_get(hass).async_get_entity_id(
        "notify", "telegram_bot", f"{BOT['id']}_{chat}"
    )
    assert entity_id is not None
    return entity_id
