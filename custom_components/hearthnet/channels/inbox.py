"""What a chat's messages mean to us. Pure: nothing in a text says who speaks."""

from collections.abc import Mapping
from datetime import datetime, timedelta
import re
from typing import Any

OLDEST = timedelta(seconds=60)
"""A message that took longer to arrive waited for somebody who was not there."""
COMMANDS = frozenset({"/ask", "/start", "/help"})


def words(data: Mapping[str, Any]) -> str | None:
    """Return what a text or command event asks for; None if it is for others.

    Empty: for nothing in particular, so that whoever wrote it is told how to.
    """
    bot = str(data.get("bot", {}).get("username") or "")
    if (command := data.get("command")) is not None:
        name, _, addressed = str(command).partition("@")
        if name.lower() not in COMMANDS or addressed.lower() not in ("", bot.lower()):
            return None
        return " ".join(data["args"]) if name.lower() == "/ask" else ""
    text = str(data.get("text") or "")
    if not bot:
        return text
    return re.sub(rf"^@{re.escape(bot)}\b[,:]?\s*", "", text, flags=re.IGNORECASE)


def is_old(written: datetime, listening: timedelta | None, now: datetime) -> bool:
    """Tell whether a message is from before we listened, or came far too late.

    `listening` is for how long we have, by a clock that nobody sets; None: not yet.
    Telegram tells whole seconds.
    """
    if listening is None:
        return True
    since = now - listening
    return written < since.replace(microsecond=0) or now - written > OLDEST
