"""Results and questions in words, with what this Home Assistant knows besides."""

from homeassistant.util import dt as dt_util

from .coordinator import HearthnetCoordinator
from .core.account import Reader, question as question_text
from .core.intents import Result
from .core.render import render
from .core.status import QuestionStatus
from .core.texts import texts_for


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


def asking(
    coordinator: HearthnetCoordinator, question: QuestionStatus, language: str
) -> str:
    """Return what a person is asked to agree to: who wants what, and how it is now."""

    def name(device_id: str) -> str:
        device = coordinator.house.device(device_id)
        return device.name if device else device_id

    reader = Reader(language=language, now=dt_util.now(), name=name)
    *asked, _until = question_text(question, reader).splitlines()
    return texts_for(language).between_sentences.join(asked)
