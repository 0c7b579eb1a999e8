"""Sentences recognized by Home Assistant's own agent, which does not act on them.

The recognizer takes the area of a request from a device in it. A request knows only
the area, so that something that stands there takes the satellite's place.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hassil.recognize import MISSING_ENTITY, RecognizeResult
from homeassistant.components.conversation import (
    HOME_ASSISTANT_AGENT,
    ConversationInput,
    async_get_agent,
)
from homeassistant.components.conversation.default_agent import DefaultAgent
from homeassistant.core import Context, HomeAssistant, callback
from homeassistant.helpers import (
    area_registry as ar,
    device_registry as dr,
    entity_registry as er,
)


@dataclass(frozen=True, kw_only=True)
class Heard:
    """A recognized sentence."""

    intent: str
    slots: Mapping[str, Any] = field(default_factory=dict)
    unmatched: Mapping[str, str] = field(default_factory=dict)
    """Slots that were said, but name nothing that there is."""
    missing: frozenset[str] = frozenset()
    """Slots that were not said, and that the request does not tell either."""
    those: frozenset[str] = frozenset()
    """Ids of the devices meant, where it was said before; empty: the slots say it."""
    response: str = ""
    """Which answer the sentence wants: of a question `one`, `any`, `all`, `which`."""

    @classmethod
    def of(cls, result: RecognizeResult) -> Heard:
        """Take over what a recognizer found."""
        unmatched: dict[str, str] = {}
        missing: set[str] = set()
        for name, entity in result.unmatched_entities.items():
            text = str(getattr(entity, "text", None) or getattr(entity, "value", ""))
            if text == MISSING_ENTITY:
                missing.add(name)
            else:
                unmatched[name] = text.strip()
        return cls(
            intent=result.intent.name,
            slots={name: entity.value for name, entity in result.entities.items()},
            unmatched=unmatched,
            missing=frozenset(missing),
            response=result.response or "",
        )


async def async_recognize(
    hass: HomeAssistant, text: str, language: str, area: str | None, *, strict: bool
) -> Heard | None:
    """Return what Home Assistant takes a sentence for.

    Not strict, it also names what would have to exist for a sentence to fit.
    """
    agent = async_get_agent(hass, HOME_ASSISTANT_AGENT)
    if not isinstance(agent, DefaultAgent):
        return None
    satellite_id, device_id = _stand_in(hass, area)
    spoken = ConversationInput(
        # The agent remembers that a sentence did not fit, and then no longer looks for
        # what it lacks. A space makes it another sentence, of the same words.
        text=f"{text} " if strict else text,
        context=Context(),
        conversation_id=None,
        device_id=device_id,
        satellite_id=satellite_id,
        language=_variant(agent, language),
        agent_id=HOME_ASSISTANT_AGENT,
    )
    result = await agent.async_recognize_intent(spoken, strict_intents_only=strict)
    return None if result is None else Heard.of(result)


def _variant(agent: DefaultAgent, language: str) -> str:
    """Return the language whose sentences fit best.

    Left to itself, the agent may take an Austrian for a Swiss.
    """
    base = language.partition("-")[0]
    known = agent.supported_languages
    return base if language not in known and base in known else language


@callback
def area_of(hass: HomeAssistant, name: str | None) -> ar.AreaEntry | None:
    """Return the area of a name."""
    return ar.async_get(hass).async_get_area_by_name(name) if name else None


@callback
def _stand_in(
    hass: HomeAssistant, area_name: str | None
) -> tuple[str | None, str | None]:
    """Return an entity or a device that stands in an area."""
    if (area := area_of(hass, area_name)) is None:
        return None, None
    for entry in er.async_entries_for_area(er.async_get(hass), area.id):
        return entry.entity_id, None
    for device in dr.async_entries_for_area(dr.async_get(hass), area.id):
        return None, device.id
    return None, None
