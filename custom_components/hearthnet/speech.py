"""Results in words, with what this Home Assistant knows besides."""

from homeassistant.util import dt as dt_util

from .coordinator import HearthnetCoordinator
from .core.intents import Result
from .core.render import render


def speech(coordinator: HearthnetCoordinator, result: Result, language: str) -> str:
    """Return what to tell a person about a result."""
    holds = {hold.id: hold for hold in coordinator.hub.status.holds}
    return render(
        result,
        language,
        now=dt_util.now(),
        holds=holds,
        operations=coordinator.home.operations,
    )
