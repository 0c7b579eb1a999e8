"""A lamp with a switch on the wall, and a microphone: nothing tells who uses them.

Their actions stand for hands and voices: what they lead to has no caller.
"""

from homeassistant.components import conversation
from homeassistant.core import (
    Context,
    HomeAssistant,
    ServiceCall,
    ServiceResponse,
    SupportsResponse,
)
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.discovery import async_load_platform
from homeassistant.helpers.dispatcher import async_dispatcher_send
from homeassistant.helpers.typing import ConfigType
import voluptuous as vol

DOMAIN = "wired"
PRESSED = f"{DOMAIN}_pressed"
CONFIG_SCHEMA = cv.empty_config_schema(DOMAIN)


async def async_setup(hass: HomeAssistant, config: ConfigType) -> bool:
    """Set up the lamp, and the actions of whoever is in the room."""

    async def press(_call: ServiceCall) -> None:
        async_dispatcher_send(hass, PRESSED)

    async def speak(call: ServiceCall) -> ServiceResponse:
        result = await conversation.async_converse(
            hass,
            call.data["text"],
            conversation_id=None,
            context=Context(),
            language="en",
            agent_id=call.data["agent"],
            device_id=call.data["microphone"],
        )
        return {"speech": result.response.speech["plain"]["speech"]}

    hass.services.async_register(DOMAIN, "press", press)
    spoken = vol.Schema(dict.fromkeys(("text", "agent", "microphone"), cv.string))
    hass.services.async_register(
        DOMAIN, "speak", speak, spoken, supports_response=SupportsResponse.ONLY
    )
    hass.async_create_task(async_load_platform(hass, "light", DOMAIN, {}, config))
    return True
