"""Constants of the integration."""

import logging
from typing import Final

from homeassistant.const import Platform

DOMAIN: Final = "hearthnet"
LOGGER = logging.getLogger(__package__)

PLATFORMS: Final = [
    Platform.BINARY_SENSOR,
    Platform.BUTTON,
    Platform.CONVERSATION,
    Platform.EVENT,
    Platform.IMAGE,
    Platform.NUMBER,
    Platform.SELECT,
    Platform.SENSOR,
    Platform.SWITCH,
]

CONF_POLICY: Final = "policy"
CONF_FREE_PLUGS: Final = "free_plugs"
"""Plugs without a device class that may be switched unasked, by entity id."""

CONF_GUARD: Final = "guard"
"""What happens when others change what is held: it is recorded in any case."""
CONF_ROLES: Final = "roles"
"""Roles that the owner gave, by user id."""
CONF_SATELLITE_ROLES: Final = "satellite_roles"
"""Roles of whoever talks to a satellite, by its entity id."""
CONF_UNREGISTERED: Final = "unregistered"
"""Entities without registry entry that may be controlled, with their platform."""

CONF_NOTIFY: Final = "notify"
"""Where persons are told and asked: rows of user, notify entity and topics."""
CONF_TELEGRAM: Final = "telegram"
"""Chats of a Telegram bot, and whose accounts write in them."""

CONF_PLANNER: Final = "planner"
CONF_MODEL: Final = "model"
CONF_THINKING_OFF: Final = "thinking_off"
CONF_STRICT: Final = "strict"
"""What the provider said that the model can do, so that a start asks nobody."""
CONF_AI_TASK: Final = "ai_task"
"""Entity id of the AI Task entity that plans."""

CONF_USER: Final = "user"
"""Id of the system user under which HearthNet acts."""
CONF_VOICE_ROLE: Final = "voice_role"
"""Role of whoever talks to a voice satellite: nobody proves who that is."""

POLICY_FILE: Final = "file"
"""The owner's own policy, in place of a shipped one."""
POLICIES: Final = ("balanced", "cautious", "relaxed", POLICY_FILE)
DEFAULT_POLICY: Final = "balanced"
GUARDS: Final = ("notify", "record")
DEFAULT_GUARD: Final = "notify"
PLANNERS: Final = ("none", "anthropic", "ai_task")
DEFAULT_PLANNER: Final = "none"
DEFAULT_MODEL: Final = "claude-haiku-5-5"
USER_ROLES: Final = ("owner", "resident", "guest", "child")
VOICE_ROLES: Final = ("resident", "guest", "child", "unknown")
DEFAULT_VOICE_ROLE: Final = "resident"

FLUSH_TIMEOUT: Final = 3.0
"""Seconds that a stop waits for the last events to reach Git."""
STOP_TIMEOUT: Final = 12.0
"""Seconds that a stop waits for the librarian, which itself gives up after ten."""

CONF_TRANSPORT: Final = "transport"
TRANSPORTS: Final = ("none", "mqtt", "other")
"""No broker; the MQTT integration's; another one."""
CONF_BROKER: Final = "broker"
CONF_ROLE: Final = "role"
ROLES: Final = ("dewey", "darcy")
SUBENTRY_COMPANION: Final = "companion"
PAIR_WAIT: Final = 20.0
"""Seconds that a form waits for a companion before it says that nobody came."""
