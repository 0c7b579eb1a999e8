"""The Assist agent: sentences in, receipts out, nothing made up in between."""

from dataclasses import replace
from typing import Literal, override

from homeassistant.components import conversation
from homeassistant.const import MATCH_ALL
from homeassistant.core import HomeAssistant
from homeassistant.helpers import intent
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .coordinator import HearthnetConfigEntry, HearthnetCoordinator
from .core.intents import PlanKind, Request, Result, Step
from .core.reasons import DONE, Outcome
from .core.render import asks_back
from .entity import HearthnetEntity
from .planner_sentences import answered_by_home_assistant
from .principal import async_speaker, requested_by
from .telling import Telling

PARALLEL_UPDATES = 0
BEARABLE = DONE | {Outcome.RUNNING, Outcome.UNVERIFIED, Outcome.WAITING}
"""Outcomes that are no failure, though only those of `DONE` are a success."""
MAX_TURNS = 8
"""How many earlier turns an intent carries: “that one again” needs few."""


async def async_setup_entry(
    hass: HomeAssistant,
    entry: HearthnetConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the HearthNet conversation agent based on a config entry."""
    async_add_entities([HearthnetConversation(entry.runtime_data)])


class HearthnetConversation(HearthnetEntity, conversation.ConversationEntity):
    """An agent that Assist can talk to."""

    _attr_name = None
    _attr_supports_streaming = True
    _attr_supported_features = conversation.ConversationEntityFeature.CONTROL

    def __init__(self, coordinator: HearthnetCoordinator) -> None:
        """Initialize the agent."""
        super().__init__(coordinator, "conversation")

    @property
    @override
    def supported_languages(self) -> list[str] | Literal["*"]:
        """Return all: what has no sentences of its own is answered in English."""
        return MATCH_ALL

    @override
    async def _async_handle_message(
        self,
        user_input: conversation.ConversationInput,
        chat_log: conversation.ChatLog,
    ) -> conversation.ConversationResult:
        """Turn a sentence into an intent and tell what became of it."""
        if (answer := await self._async_small_talk(user_input, chat_log)) is not None:
            return answer
        caller = await async_speaker(self.coordinator, user_input)
        request = Request(
            text=user_input.text,
            principal=caller.principal,
            origin=caller.origin,
            language=user_input.language,
            area=caller.area,
            turns=_turns(chat_log),
        )
        telling = Telling(self.coordinator, request)
        with requested_by(user_input.context):
            async for _ in chat_log.async_add_delta_content_stream(
                self.entity_id, telling.deltas()
            ):
                pass
        result = telling.result
        return conversation.ConversationResult(
            response=_response(result, telling.spoken, user_input.language),
            conversation_id=chat_log.conversation_id,
            continue_conversation=asks_back(result),
        )

    async def _async_small_talk(
        self,
        user_input: conversation.ConversationInput,
        chat_log: conversation.ChatLog,
    ) -> conversation.ConversationResult | None:
        """Leave what moves no device to Home Assistant: the time, a timer, a list."""
        house = self.coordinator.house
        response = await conversation.async_handle_intents(
            self.hass,
            # A sentence that did not fit is remembered as such, and the planner would
            # not learn any more what it lacks. With a space it is another sentence.
            replace(user_input, text=f"{user_input.text} "),
            chat_log,
            intent_filter=lambda match: not answered_by_home_assistant(house, match),
        )
        return None if response is None else self._answer(chat_log, response)

    def _answer(
        self,
        chat_log: conversation.ChatLog,
        response: intent.IntentResponse,
    ) -> conversation.ConversationResult:
        spoken = response.speech.get("plain", {}).get("speech", "")
        chat_log.async_add_assistant_content_without_tools(
            conversation.AssistantContent(agent_id=self.entity_id, content=spoken)
        )
        return conversation.ConversationResult(
            response=response,
            conversation_id=chat_log.conversation_id,
        )


def _response(result: Result, spoken: str, language: str) -> intent.IntentResponse:
    """Tell programs what the sentence tells people."""
    response = intent.IntentResponse(language=language)
    failed = [step for step in result.steps if step.outcome not in BEARABLE]
    if result.kind is PlanKind.UNCLEAR and not asks_back(result):
        code = intent.IntentResponseErrorCode.NO_INTENT_MATCH
        response.async_set_error(code, spoken)
    elif result.kind is PlanKind.COMMAND and (
        len(failed) == len(result.steps) and not (result.due or result.canceled)
    ):
        code = intent.IntentResponseErrorCode.FAILED_TO_HANDLE
        response.async_set_error(code, spoken)
    else:
        if result.kind is PlanKind.QUESTION:
            response.response_type = intent.IntentResponseType.QUERY_ANSWER
        response.async_set_speech(spoken)
    response.async_set_results(
        success_results=[
            _target(step) for step in result.steps if step.outcome in DONE
        ],
        failed_results=[_target(step) for step in failed],
    )
    return response


def _target(step: Step) -> intent.IntentResponseTarget:
    return intent.IntentResponseTarget(
        name=step.name,
        type=intent.IntentResponseTargetType.ENTITY,
        id=step.entity_id,
    )


def _turns(chat_log: conversation.ChatLog) -> tuple[tuple[str, str], ...]:
    """Return what was said before the present sentence.

    What was said while it lasted tells nothing that the answer after it does not.
    """
    turns = [
        (content.role, content.content)
        for content in chat_log.content[:-1]
        if content.role in ("user", "assistant")
        and content.content
        and not getattr(content, "tool_calls", None)
    ]
    return tuple(turns[-MAX_TURNS:])
