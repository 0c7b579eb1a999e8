"""A Messages API server that the integration's own client reaches."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from homeassistant.core import Context, HomeAssistant
import pytest

from tests.support.messages_api import KEY, MODEL, MessagesApi, Reply

CLAUDE: dict[str, Any] = {
    "planner": "anthropic",
    "model": MODEL,
    "thinking_off": True,
    "strict": True,
}
"""Options with which the scripted model plans."""
DATA = {"api_key": KEY}


@asynccontextmanager
async def claude(
    monkeypatch: pytest.MonkeyPatch,
    *replies: Reply | Callable[[dict[str, Any]], Reply],
    latency: float = 0.0,
) -> AsyncIterator[MessagesApi]:
    """Run the server, where the SDK looks for its provider."""
    async with MessagesApi(*replies, latency=latency) as api:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
        yield api


async def say(
    hass: HomeAssistant, text: str, user: str | None = None, **data: Any
) -> dict[str, Any]:
    """Say something through `hearthnet.ask`, as a user or as nobody."""
    answer: Any = await hass.services.async_call(
        "hearthnet",
        "ask",
        {"text": text, **data},
        blocking=True,
        return_response=True,
        context=Context(user_id=user),
    )
    return dict(answer)
