"""Triggers: what happened in HearthNet, for automations."""

import abc
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Final, cast, override

from homeassistant.const import (
    ATTR_ENTITY_ID,
    ATTR_NAME,
    CONF_ENTITY_ID,
    CONF_OPTIONS,
)
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.dispatcher import async_dispatcher_connect
from homeassistant.helpers.trigger import (
    Trigger,
    TriggerActionRunner,
    TriggerConfig,
    TriggerNotTriggeredReporter,
)
from homeassistant.helpers.typing import ConfigType
from homeassistant.util.signal_type import SignalType
import voluptuous as vol

from .coordinator import (
    SIGNAL_DECISION,
    SIGNAL_NEWS,
    HearthnetCoordinator,
    async_running,
)
from .core.intents import PlanKind, Result, Step
from .core.news import AgentLost, Finished, HoldBroken, HoldEnded
from .core.reasons import Reason
from .core.status import Decision, QuestionStatus
from .entity import DECIDED
from .house import HassHouse
from .speech import asking, speech

CONF_AGENT: Final = "agent"
CONF_COMPLETE: Final = "complete"
CONF_OUTCOME: Final = "outcome"

ENTITIES: Final[dict[vol.Marker, Any]] = {vol.Optional(CONF_ENTITY_ID): cv.entity_ids}

type Told = tuple[dict[str, Any], str]
"""What an automation gets as `trigger`, and a description for its trace."""


class HearthnetTrigger[T](Trigger, abc.ABC):
    """Runs when something of one kind is told by a signal."""

    signal: ClassVar[SignalType[Any]]
    kind: ClassVar[type[Any]]
    fields: ClassVar[Mapping[vol.Marker, Any]] = {}

    @classmethod
    @override
    async def async_validate_config(
        cls, hass: HomeAssistant, config: ConfigType
    ) -> ConfigType:
        """Validate the options."""
        schema = vol.Schema(
            {vol.Required(CONF_OPTIONS, default=dict): dict(cls.fields)}
        )
        return cast(ConfigType, schema(config))

    def __init__(self, hass: HomeAssistant, config: TriggerConfig) -> None:
        """Initialize the trigger."""
        super().__init__(hass, config)
        self._options: dict[str, Any] = config.options or {}

    @override
    async def async_attach_runner(
        self,
        run_action: TriggerActionRunner,
        did_not_trigger: TriggerNotTriggeredReporter | None = None,
    ) -> CALLBACK_TYPE:
        """Listen, over any restart of the hub."""

        @callback
        def heard(item: object) -> None:
            if isinstance(item, self.kind) and (told := self._told(cast(T, item))):
                run_action(*told)

        return async_dispatcher_connect(self._hass, self.signal, heard)

    @abc.abstractmethod
    def _told(self, item: T) -> Told | None:
        """Return what to tell the automation; None if it is not wanted."""

    @callback
    def _wants(self, name: str, *found: str | None) -> bool:
        """Tell whether an option is left empty, or names something that was found."""
        wanted: Iterable[str] | None = self._options.get(name)
        return not wanted or bool(set(wanted) & set(found))


@callback
def keys_of(house: HassHouse, entity_ids: Iterable[str]) -> set[str]:
    """Return the keys of entities' devices: what holds lie on."""
    return {
        device.key
        for entity_id in entity_ids
        if (device := house.device(house.device_id(entity_id))) is not None
    }


class DecisionMade(HearthnetTrigger[Decision]):
    """A step of a request was decided."""

    signal = SIGNAL_DECISION
    kind = Decision
    fields: ClassVar[Mapping[vol.Marker, Any]] = {
        **ENTITIES,
        vol.Optional(CONF_OUTCOME): vol.All(cv.ensure_list, [vol.In(DECIDED)]),
    }

    @override
    def _told(self, item: Decision) -> Told | None:
        step = item.step
        if not (
            self._wants(CONF_ENTITY_ID, step.entity_id)
            and self._wants(CONF_OUTCOME, step.outcome)
        ):
            return None
        told = {
            ATTR_ENTITY_ID: step.entity_id,
            ATTR_NAME: step.name,
            "outcome": step.outcome.value,
            **item.as_dict(),
        }
        return told, f"HearthNet decision: {step.name} {step.outcome}"


class ConflictFound(DecisionMade):
    """A step was refused for what somebody else wants kept."""

    fields = ENTITIES

    @override
    def _told(self, item: Decision) -> Told | None:
        if item.step.reason is not Reason.CONFLICT:
            return None
        if (told := super()._told(item)) is None:
            return None
        evidence = [entry.text for entry in item.step.evidence]
        more = {"evidence": evidence, "sentence": self._sentence(item.step)}
        return {**told[0], **more}, f"conflict at {item.step.name}"

    def _sentence(self, step: Step) -> str:
        """Tell it in the language and time of Home Assistant."""
        if (coordinator := async_running(self._hass)) is None:
            return ""
        language = self._hass.config.language
        result = Result(
            intent="", kind=PlanKind.COMMAND, language=language, steps=(step,)
        )
        return speech(coordinator, result, language)


class IntentFinished(HearthnetTrigger[Finished]):
    """A request has come to its end."""

    signal = SIGNAL_NEWS
    kind = Finished
    fields: ClassVar[Mapping[vol.Marker, Any]] = {
        vol.Optional(CONF_COMPLETE): cv.boolean
    }

    @override
    def _told(self, item: Finished) -> Told | None:
        if self._options.get(CONF_COMPLETE, item.complete) != item.complete:
            return None
        told = {
            "intent": item.intent,
            "text": item.text,
            "principal": item.principal,
            "kind": item.kind.value,
            "complete": item.complete,
            "reason": item.reason.value if item.reason else None,
            "outcomes": [outcome.value for outcome in item.outcomes],
        }
        return told, f"HearthNet intent {item.intent} finished"


class ConfirmationWanted(HearthnetTrigger[QuestionStatus]):
    """A person is asked to confirm."""

    signal = SIGNAL_NEWS
    kind = QuestionStatus
    fields = ENTITIES

    @override
    def _told(self, item: QuestionStatus) -> Told | None:
        if (coordinator := async_running(self._hass)) is None:
            return None
        entity_ids = self._entity_ids(coordinator, item)
        if not self._wants(CONF_ENTITY_ID, *entity_ids):
            return None
        waiting = [
            question
            for question in coordinator.hub.status.questions
            if self._wants(CONF_ENTITY_ID, *self._entity_ids(coordinator, question))
        ]
        told = {
            "question": item.id,
            "waiting": len(waiting),
            "sentence": asking(coordinator, item, self._hass.config.language),
            "principal": item.principal,
            ATTR_ENTITY_ID: entity_ids,
            "operation": item.operation,
            "parameters": dict(item.parameters),
            "expires_at": item.expires_at.isoformat(),
        }
        return told, f"HearthNet asks: {item.sentence}"

    def _entity_ids(
        self, coordinator: HearthnetCoordinator, item: QuestionStatus
    ) -> list[str]:
        found = map(coordinator.house.entity_id, item.target)
        return [entity_id for entity_id in found if entity_id]


class HoldWasEnded(HearthnetTrigger[HoldEnded]):
    """Nobody keeps a device as it is any more."""

    signal = SIGNAL_NEWS
    kind = HoldEnded
    fields = ENTITIES

    @override
    def _told(self, item: HoldEnded) -> Told | None:
        if (coordinator := async_running(self._hass)) is None:
            return None
        house, wanted = coordinator.house, self._options.get(CONF_ENTITY_ID)
        if wanted and item.device not in keys_of(house, wanted):
            return None
        device = house.device(item.device)
        name = device.name if device else item.device
        told = {
            ATTR_ENTITY_ID: house.entity_id(item.device),
            ATTR_NAME: name,
            "attributes": list(item.attributes),
            "principal": item.principal,
            "expired": item.expired,
        }
        return told, f"hold on {name} ended"


class HoldWasBroken(HearthnetTrigger[HoldBroken]):
    """Something past HearthNet changed what is held still."""

    signal = SIGNAL_NEWS
    kind = HoldBroken
    fields = ENTITIES

    @override
    def _told(self, item: HoldBroken) -> Told | None:
        device = item.device
        if not self._wants(CONF_ENTITY_ID, device.entity_id):
            return None
        told = {
            ATTR_ENTITY_ID: device.entity_id,
            ATTR_NAME: device.name,
            "wanted": {hold.attribute: hold.value for hold in item.holds},
            "seen": dict(item.values),
            "principal": item.holds[0].principal,
            "cause": item.cause.value,
            "by": item.principal.name if item.principal else None,
            "event": item.event,
        }
        return told, f"hold on {device.name} broken"


class AgentWasLost(HearthnetTrigger[AgentLost]):
    """An agent does not answer any more."""

    signal = SIGNAL_NEWS
    kind = AgentLost
    fields: ClassVar[Mapping[vol.Marker, Any]] = {
        vol.Optional(CONF_AGENT): vol.All(cv.ensure_list, [cv.string])
    }

    @override
    def _told(self, item: AgentLost) -> Told | None:
        if not self._wants(CONF_AGENT, item.name):
            return None
        return {"agent": item.name}, f"agent {item.name} lost"


TRIGGERS: Final[dict[str, type[Trigger]]] = {
    "agent_lost": AgentWasLost,
    "confirmation_wanted": ConfirmationWanted,
    "conflict_found": ConflictFound,
    "decision_made": DecisionMade,
    "hold_broken": HoldWasBroken,
    "hold_ended": HoldWasEnded,
    "intent_finished": IntentFinished,
}


async def async_get_triggers(hass: HomeAssistant) -> dict[str, type[Trigger]]:
    """Return the triggers."""
    return TRIGGERS
