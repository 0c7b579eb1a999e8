"""Any model that Home Assistant has: an AI Task entity as the planner's model.

AI Task tells no usage and does not validate what the model answers: budgets count
its calls and seconds, and the core checks the answer as it checks any other.
"""

import json
from typing import Any, Final, override

from homeassistant.components import ai_task
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers.selector import (
    NumberSelector,
    NumberSelectorConfig,
    NumberSelectorMode,
    ObjectSelector,
    SelectSelector,
    TextSelector,
)
import voluptuous as vol

from .core.messages import Json
from .core.planner import choice
from .core.planner.errors import PlannerError
from .core.planner.model import Model, Repair, Usage
from .core.planner.prompt import Prompt
from .core.planner.schema import RULES
from .core.reasons import Reason

MOST_DEVICES: Final = 20
"""Small local models lose themselves in more, and large prompts run out of time."""
SECONDS: Final = 20.0

_TEXT: Final[dict[str, Any]] = {"text": {}}
_NUMBER: Final[dict[str, Any]] = {"number": {"mode": "box"}}


def _fields(**selectors: dict[str, Any]) -> dict[str, Any]:
    """Return the configuration of an object selector whose fields are required."""
    return {
        name: {"selector": selector, "required": True}
        for name, selector in selectors.items()
    }


def _pairs(**selectors: dict[str, Any]) -> dict[str, Any]:
    return {"object": {"fields": _fields(**selectors), "multiple": True}}


STRUCTURE: Final = vol.Schema(
    {
        vol.Required("kind", description="What the request is."): SelectSelector(
            {"options": ["question", "command", "unclear"]}
        ),
        vol.Required(
            "say", description="What to ask back or to answer; else empty."
        ): TextSelector(),
        vol.Required(
            "actions", description="For a command: what to do, in order; else empty."
        ): ObjectSelector(
            {
                "fields": _fields(
                    n=_NUMBER,
                    device=_TEXT,
                    op=_TEXT,
                    args=_pairs(name=_TEXT, value=_TEXT),
                    relative=_pairs(name=_TEXT, by=_NUMBER),
                    after=_NUMBER,
                    why=_TEXT,
                ),
                "multiple": True,
            }
        ),
        vol.Required(
            "asked", description="For a question: short names of the devices."
        ): TextSelector({"multiple": True}),
    }
)
"""The core's answer, in the selectors that AI Task takes. Values are texts."""

CHOICE: Final = vol.Schema(
    {
        vol.Required(
            "number", description="The number of the candidate that is meant; 0: none."
        ): NumberSelector(NumberSelectorConfig(mode=NumberSelectorMode.BOX))
    }
)


class AiTaskModel(Model):
    """An AI Task entity that generates data."""

    def __init__(self, hass: HomeAssistant, entity_id: str) -> None:
        """Take the entity; it need not be there yet."""
        self._hass = hass
        self._entity_id = entity_id

    @property
    @override
    def name(self) -> str:
        """The entity's id."""
        return self._entity_id

    @property
    @override
    def most_devices(self) -> int:
        """How many devices it is shown."""
        return MOST_DEVICES

    @property
    @override
    def seconds(self) -> float:
        """How long a call may take."""
        return SECONDS

    @override
    async def ask(self, prompt: Prompt, repair: Repair | None, usage: Usage) -> Json:
        """Make one call; see `Model`. The usage is not known here."""
        task, text = "HearthNet plan", instructions_of(prompt, repair)
        return await self._generate(task, text, STRUCTURE)

    async def choose(self, text: str, usage: Usage) -> Json:
        """Make one call; see `Choice`. The usage is not known here."""
        return await self._generate(
            "HearthNet choice", f"{choice.RULES}\n\n{text}", CHOICE
        )

    async def _generate(self, task: str, text: str, structure: vol.Schema) -> Json:
        if ai_task.DOMAIN not in self._hass.config.components:
            raise PlannerError(Reason.MODEL_UNKNOWN, "AI Task is not set up")
        try:
            result = await ai_task.async_generate_data(
                self._hass,
                task_name=task,
                entity_id=self._entity_id,
                instructions=text,
                structure=structure,
            )
        except ServiceValidationError as error:
            # Not there, or it cannot generate data.
            raise PlannerError(Reason.MODEL_UNKNOWN, str(error)) from error
        except HomeAssistantError as error:
            raise PlannerError(Reason.MODEL_FAILED, str(error), wait=0.5) from error
        answer: Json = result.data
        return answer


def instructions_of(prompt: Prompt, repair: Repair | None) -> str:
    """Return the text of a task: the same for the same prompt, always."""
    parts = [RULES, prompt.catalogue, prompt.policy, prompt.situation]
    if repair is not None:
        answer = json.dumps(repair.answer, ensure_ascii=False, default=str)
        faults = json.dumps(list(repair.faults), ensure_ascii=False)
        parts.append(f"Your plan was not accepted: {answer}\nFaults: {faults}")
    return "\n\n".join(parts)
